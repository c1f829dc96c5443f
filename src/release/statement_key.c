/*
 * statement_key.c
 *	  The key table beside a view, for data that its definition, which anybody
 *	  may read, must not disclose: leaves of hierarchies.
 */
#include "release/statement_parts.h"

#include "utils/builtins.h"

bool
statement_tells_leaves(const Specification *spec)
{
	for (int j = 0; j < spec->population->nsensitive; j++)
		if (needs_places(spec, j))
			return true;
	return spec->cut != NULL || spec->recoded != NULL;
}

/*
 * The groups of an attribute that is cut, for the key; the group of NULL has
 * no label.
 */
static char *
key_groups(const Specification *spec, int attr)
{
	Joined		joined = prepare_join(spec, attr);
	const char *label = label_of_null(&joined);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s (finer%d, shown%d) VALUES ", spec->key, joined.number, joined.number);
	append_groups(&sql, spec, attr);
	if (label != NULL)
		appendStringInfo(&sql, ", (NULL, %s)", quote_literal_cstr(label));
	return sql.data;
}

List *
release_key_statements(const Specification *spec)
{
	StringInfoData create;
	const char *separator = "";
	List	   *statements = NIL;

	initStringInfo(&create);
	appendStringInfo(&create, "CREATE TABLE %s (", spec->key);
	if (spec->recoded != NULL)
	{
		append_tuple_columns(&create, spec);
		separator = ", ";
	}
	for (int a = 0; a < spec->population->nattrs && spec->cut != NULL; a++)
	{
		appendStringInfo(&create, "%sfiner%d %s, shown%d pg_catalog.text", separator, a + 1, finer_type(spec, a), a + 1);
		statements = lappend(statements, key_groups(spec, a));
		if (prepare_join(spec, a).unknown != NULL)
		{
			Joined		joined = prepare_join(spec, a);

			appendStringInfo(&create, ", unknown%d pg_catalog.text", a + 1);
			statements = lappend(statements, psprintf("INSERT INTO %s (unknown%d) VALUES (%s)", spec->key, a + 1,
													  quote_literal_cstr(unknown_group_label(&joined))));
		}
		separator = ", ";
	}
	for (int j = 0; j < spec->population->nsensitive; j++)
	{
		StringInfoData insert;

		if (!needs_places(spec, j))
			continue;
		appendStringInfo(&create, "%sleaf%d pg_catalog.text, place%d pg_catalog.int4", separator, j + 1, j + 1);
		initStringInfo(&insert);
		appendStringInfo(&insert, "INSERT INTO %s (leaf%d, place%d) VALUES ", spec->key, j + 1, j + 1);
		append_places(&insert, spec, j);
		statements = lappend(statements, insert.data);
		separator = ", ";
	}
	appendStringInfoChar(&create, ')');
	return lcons(create.data, statements);
}
