/*
 * specification.c
 *	  The columns that a release shows of a relation, and its promises.
 */
#include "release/specification.h"

#include "catalog/sql.h"
#include "utils/lsyscache.h"

const char *
hierarchy_column(Oid hierarchy, int level)
{
	int			found = -1;

	for (AttrNumber number = 1;; number++)
	{
		const char *name = get_attname(hierarchy, number, true);

		if (name == NULL)
			elog(ERROR, "hierarchy %u has no level %d", hierarchy, level);
		if (OidIsValid(column_type(hierarchy, name)) && ++found == level)
			return name;
	}
}

const Declared *
declared_attribute(const Dataset *dataset, int attr)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER && attr-- == 0)
			return &dataset->attributes[i];
	elog(ERROR, "no such quasi-identifier");
	return NULL;
}

/* How a column is shown, if at all. */
static bool
choose_column(const Specification *spec, const char *name, const char *const *named, int nnamed, ShownColumn *shown)
{
	const Dataset *dataset = spec->dataset;
	bool		wanted = false;
	int			attr = 0;

	shown->name = pstrdup(name);
	shown->attr = -1;
	shown->promised = false;
	shown->pseudonym = false;
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];
		bool		same = strcmp(declared->column, name) == 0;

		if (same && declared->role == ROLE_QUASI_IDENTIFIER)
			shown->attr = attr;
		attr += declared->role == ROLE_QUASI_IDENTIFIER;
		if (same && declared->role == ROLE_SENSITIVE)
			shown->promised = true;
		if (same && declared->role == ROLE_PSEUDONYM)
			shown->pseudonym = true;
		wanted = wanted || (same && declared->role != ROLE_IDENTIFIER && declared->role != ROLE_INSENSITIVE);
	}
	for (int i = 0; i < nnamed; i++)
		wanted = wanted || strcmp(named[i], name) == 0;
	return wanted;
}

void
specification_choose_columns(Specification *spec, const char *const *named, int nnamed)
{
	Oid			relation = spec->dataset->relation;

	spec->ncolumns = 0;
	spec->columns = palloc(sizeof(ShownColumn) * MaxTupleAttributeNumber);
	for (AttrNumber number = 1;; number++)
	{
		const char *name = get_attname(relation, number, true);

		if (name == NULL)
			return;
		if (OidIsValid(column_type(relation, name)) &&
			choose_column(spec, name, named, nnamed, &spec->columns[spec->ncolumns]))
			spec->ncolumns++;
	}
}
