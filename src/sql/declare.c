/*
 * declare.c
 *	  SQL: create_dataset, add_quasi_identifier, add_promise, create_tuple_store
 *	  and the like.
 *
 * Only the owner of the database may write the catalogs directly, to restore
 * them.  These functions check rights as the caller, then write as the
 * catalogs' owner.
 */
#include "base/compat.h"

#include <math.h>

#include "build/hierarchy_build.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/sql.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "read/reading.h"
#include "read/weights.h"
#include "release/release.h"
#include "sql/call.h"
#include "sql/declare.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

/* Fails unless persons can be compared as PostgreSQL does. */
static void
check_person(Oid relation, const char *column)
{
	Oid			type;

	require_readable_column(relation, column);
	type = getBaseType(column_type(relation, column));
	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc) ||
		!OidIsValid(lookup_type_cache(type, TYPECACHE_HASH_PROC)->hash_proc))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\" cannot identify persons", column),
				 errdetail("Values of type %s have no order or cannot be hashed.", format_type_be(type))));
}

/*
 * Fails unless a name means only a time zone: one that is also an
 * abbreviation, such as MET, would mean a fixed offset in a statement.
 */
static void
check_timezone(const char *timezone)
{
	bool		known = timezone_is_known(timezone);

	if (known && pg_strcasecmp(timezone, "UTC") != 0)
		known = rows_of_query("SELECT 1 FROM pg_catalog.pg_timezone_abbrevs a WHERE pg_catalog.lower(a.abbrev)"
							  " OPERATOR(pg_catalog.=) pg_catalog.lower($1)", NIL, add_text(NULL, timezone), NULL, 0, NULL)->n == 0;
	if (!known)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown time zone \"%s\"", timezone),
				 errhint("Give UTC or a name such as Europe/Berlin; pg_timezone_names lists them.")));
}

void
declare_dataset(const char *name, Oid relation, double max_suppression, const char *person,
				const char *count_column, const char *timezone)
{
	ParamListInfo row = NULL;

	if (*name == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("name of a data set must not be empty")));
	if (isnan(max_suppression) || max_suppression < 0 || max_suppression > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_suppression must be between 0 and 1")));
	require_rows(relation);
	require_some_select(relation);
	if (count_column != NULL)
	{
		require_readable_column(relation, count_column);
		if (!type_is_number(column_type(relation, count_column)))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("count column \"%s\" is not a number", count_column),
					 errhint("It must hold the number of people a row stands for.")));
	}
	if (person != NULL)
		check_person(relation, person);
	if (person != NULL && count_column != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot specify both person and count_column"),
				 errdetail("A row cannot be one of a person's rows and stand for several people at once."),
				 errhint("Omit person if the rows are counts already.")));

	check_timezone(timezone);

	row = add_text(row, name);
	row = add_oid(row, relation);
	row = add_oid(row, row_type(relation));
	row = add_value(row, FLOAT8OID, Float8GetDatum(max_suppression), false);
	row = add_name(row, GetUserNameFromId(GetUserId(), false));
	row = add_name(row, person);
	row = add_name(row, count_column);
	row = add_text(row, timezone);
	if (write_catalog("INSERT INTO anonopt.dataset"
					  " (dataset, relation, row_type, max_suppression, owner, person, count_column, timezone)"
					  " VALUES ($1, $2::regclass, $3::regtype, $4, $5, $6, $7, $8)"
					  " ON CONFLICT DO NOTHING", row) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("data set \"%s\" already exists", name),
				 errhint("Drop it with anonopt.drop_dataset, or choose another name.")));
}

OWN_FUNCTION(anonopt_create_dataset)
{
	char	   *name = name_argument(fcinfo, "dataset");
	Oid			relation = relation_argument(fcinfo, "relation");
	double		max_suppression = number_argument(fcinfo, "max_suppression");

	declare_dataset(name, relation, max_suppression, name_if_given(fcinfo, "person"),
					name_if_given(fcinfo, "count_column"), name_argument(fcinfo, "timezone"));
	PG_RETURN_VOID();
}

/* Follows a relation that was dropped and made again, with its releases. */
OWN_FUNCTION(anonopt_move_dataset)
{
	Dataset    *dataset = dataset_load_owned_entry(name_argument(fcinfo, "dataset"));
	Oid			relation = relation_argument(fcinfo, "relation");
	ParamListInfo row = add_oid(add_oid(add_text(NULL, dataset->name), relation), dataset->relation);

	if (dataset_same_relation(dataset->relation, dataset->row_type))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s of data set \"%s\" is still there", relation_sql_name(dataset->relation), dataset->name),
				 errhint("Declare another relation with anonopt.create_dataset.")));
	require_rows(relation);
	(void) write_catalog("UPDATE anonopt.dataset SET relation = $2::regclass, row_type = $4::regtype WHERE dataset = $1",
						 add_oid(row, row_type(relation)));
	(void) write_catalog("UPDATE anonopt.published SET source = $2::int8, source_name = r.relation_name FROM anonopt.relations_read($2, NULL, $2) r"
						 " WHERE dataset = $1 AND source = $3::int8 AND made_in = anonopt.this_database() AND r.relation = $2 AND published_by = $4",
						 add_name(row, GetUserNameFromId(GetUserId(), false)));
	dataset = dataset_load_owned(dataset->name);
	dataset_check(dataset);
	require_some_select(relation);
	for (int i = 0; i < dataset->nattributes; i++)
		require_readable_column(relation, dataset->attributes[i].column);
	PG_RETURN_VOID();
}

OWN_FUNCTION(anonopt_same_people)
{
	Oid			relations[] = {relation_argument(fcinfo, "relation"), relation_argument(fcinfo, "other")};
	ParamListInfo row = add_name(NULL, GetUserNameFromId(GetUserId(), false));
	bool		same = boolean_argument(fcinfo, "same");

	if (relations[0] == relations[1])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation and other are both %s", relation_sql_name(relations[0])),
				 errhint("Releases of one relation are always compared.")));
	for (int i = 0; i < lengthof(relations); i++)
	{
		require_rows(relations[i]);
		require_some_select(relations[i]);
		/* its readers do not declare anything of its source */
		require_no_release(relations[i]);
		/* what is not compared may reveal its people */
		if (!same && !object_ownercheck(RelationRelationId, relations[i], GetUserId()))
			aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relations[i])), get_rel_name(relations[i]));
	}
	for (int i = 0; i < lengthof(relations); i++)
	{
		const Oid	type = OIDOID;
		QueryRows  *hidden = read_catalog("SELECT r.relation FROM anonopt.relations_read($1, NULL, $2) r WHERE r.is_read AND NOT r.may_read LIMIT 1",
										  add_oid(add_oid(NULL, relations[i]), GetUserId()), 1, &type);

		/* a view of one's own needs no right to what it reads */
		if (hidden->n > 0)
			require_some_select(row_oid(hidden, 0, 0));
	}
	/* in either order, a pair is the same */
	row = add_oid(add_oid(row, Min(relations[0], relations[1])), Max(relations[0], relations[1]));
	row = add_value(row, BOOLOID, BoolGetDatum(same), false);
	/* the other declaration, if it is one's own, is withdrawn */
	(void) write_catalog("DELETE FROM anonopt.same_people WHERE relation = $2 AND other = $3 AND made_in = anonopt.this_database()"
						 " AND declared_by = $1 AND same <> $4", row);
	(void) write_catalog("INSERT INTO anonopt.same_people (relation, relation_name, other, other_name, made_in, declared_by, same)"
						 " SELECT a.relation::int8, a.relation_name, b.relation::int8, b.relation_name, anonopt.this_database(), $1, $4"
						 " FROM anonopt.relations_read($2, NULL, $2) a, anonopt.relations_read($3, NULL, $3) b"
						 " WHERE a.relation = $2 AND b.relation = $3 ON CONFLICT DO NOTHING", row);
	PG_RETURN_VOID();
}

SQL_FUNCTION(anonopt_relations_of_rule)
{
	char	   *action = TextDatumGetCString(get_argument(fcinfo, "action", PG_NODE_TREEOID));

	PG_RETURN_DATUM(oids_datum(query_relations((Query *) stringToNode(action)), OIDOID));
}

char *
made_comment(const char *dataset, const char *column)
{
	return psprintf("made by anonopt.auto_dataset for column %s of data set %s", quote_identifier(column), quote_literal_cstr(dataset));
}

/*
 * Drops a hierarchy that auto_dataset made, by OID, because its name may mean
 * another table by now.
 */
static void
drop_made_hierarchy(Oid hierarchy, Oid declared_type, const char *column, const char *dataset)
{
	const Oid	result = INT4OID;
	ObjectAddress object;
	char	   *comment;
	const char *kept = NULL;

	/* do not wait for locks on a table that the caller cannot drop */
	if (!dataset_same_relation(hierarchy, declared_type) || !object_ownercheck(RelationRelationId, hierarchy, GetUserId()))
		return;
	LockRelationOid(hierarchy, AccessExclusiveLock);
	if (!dataset_same_relation(hierarchy, declared_type))
		return;
	comment = GetComment(hierarchy, RelationRelationId, 0);
	if (comment == NULL || get_rel_relkind(hierarchy) != RELKIND_RELATION || strcmp(comment, made_comment(dataset, column)) != 0)
		kept = "It was not made by anonopt.auto_dataset for this data set.";
	else if (relation_owner(hierarchy) != GetUserId())
		kept = "It belongs to another role.";
	else if (read_own_changes("SELECT 1 FROM anonopt.attribute WHERE hierarchy = $1 LIMIT 1", add_oid(NULL, hierarchy), 1, &result)->n > 0)
		kept = "Another data set uses it.";
	if (kept != NULL)
	{
		ereport(NOTICE,
				(errmsg("hierarchy %s of column \"%s\" is kept", relation_sql_name(hierarchy), column),
				 errdetail("%s", kept)));
		return;
	}
	ObjectAddressSet(object, RelationRelationId, hierarchy);
	performDeletion(&object, DROP_RESTRICT, 0);
}

/* Deletes secrets of columns that are no longer shown as pseudonyms. */
static void
forget_secrets(const char *dataset)
{
	write_catalog("DELETE FROM anonopt.pseudonym_secret s WHERE s.dataset = $1 AND NOT EXISTS ("
				  "SELECT FROM anonopt.attribute a WHERE a.dataset = s.dataset"
				  " AND a.column_name = s.column_name AND a.role = 'pseudonym')", add_text(NULL, dataset));
}

/*
 * Deletes rows of a data set from anonopt.attribute or promise, of a column
 * unless it is NULL, and with a role or model unless that is NULL; returns
 * their number.
 */
static uint64
delete_declared(const Dataset *dataset, const char *table, const char *column, const char *kind, const char *name)
{
	ParamListInfo key = add_text(add_name(add_text(NULL, dataset->name), column), name);

	return write_catalog(psprintf("DELETE FROM anonopt.%s WHERE dataset = $1"
								  " AND ($2 IS NULL OR column_name = $2)"
								  " AND ($3 IS NULL OR %s = $3)", table, kind), key);
}

OWN_FUNCTION(anonopt_drop_dataset)
{
	char	   *name = name_argument(fcinfo, "dataset");
	bool		with_hierarchies = boolean_argument(fcinfo, "hierarchies");
	Dataset    *dataset = dataset_load_owned_entry(name);
	const Oid	types[] = {OIDOID, OIDOID, TEXTOID};
	QueryRows  *hierarchies = NULL;

	/* even if the rest of the declaration is not sound */
	if (with_hierarchies)
		hierarchies = read_own_changes("SELECT hierarchy::oid, hierarchy_type::oid, column_name::text FROM anonopt.attribute"
									   " WHERE dataset = $1 AND hierarchy IS NOT NULL AND hierarchy_type IS NOT NULL ORDER BY ordinal",
									   add_text(NULL, name), lengthof(types), types);
	delete_declared(dataset, "promise", NULL, "model", NULL);
	delete_declared(dataset, "attribute", NULL, "role", NULL);
	write_catalog("DELETE FROM anonopt.dataset WHERE dataset = $1", add_text(NULL, name));
	forget_secrets(name);
	(void) store_drop(dataset);
	for (int i = 0; with_hierarchies && i < hierarchies->n; i++)
		drop_made_hierarchy(row_oid(hierarchies, i, 0), row_oid(hierarchies, i, 1), row_text(hierarchies, i, 2), name);
	PG_RETURN_VOID();
}

/* Adds a row to anonopt.attribute. */
static void
insert_attribute(const Dataset *dataset, const Declared *declared)
{
	ParamListInfo row = add_text(NULL, dataset->name);

	row = add_name(row, declared->column);
	row = add_text(row, role_name(declared->role));
	row = add_oid(row, declared->hierarchy);
	row = add_oid(row, OidIsValid(declared->hierarchy) ? row_type(declared->hierarchy) : InvalidOid);
	row = add_value(row, FLOAT8OID, Float8GetDatum(declared->weight), false);
	row = add_value(row, INT4OID, Int32GetDatum(declared->min_level), false);
	row = add_value(row, INT4OID, Int32GetDatum(declared->max_level), declared->max_level < 0);
	row = add_text(row, distance_names[declared->distance]);
	row = add_text(row, declared->shows_unknown ? "*" : NULL);
	row = add_text(row, loss_rule_names[declared->loss_counts]);
	row = add_value(row, BOOLOID, BoolGetDatum(declared->grows), false);
	if (write_catalog("INSERT INTO anonopt.attribute (dataset, ordinal, column_name, role, hierarchy,"
					  " hierarchy_type, weight, min_level, max_level, distance, unknown, loss_counts, grow)"
					  " SELECT $1, COALESCE(max(a.ordinal), 0) + 1, $2, $3,"
					  " $4::regclass, $5::regtype, $6, $7, $8, $9, $10, $11, $12"
					  " FROM anonopt.attribute a WHERE a.dataset = $1"
					  " ON CONFLICT (dataset, column_name, role) DO NOTHING", row) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("column \"%s\" of data set \"%s\" already has the role %s",
						declared->column, dataset->name, role_name(declared->role)),
				 errhint("Call anonopt.drop_attribute first.")));
}

/* "dataset" and "column_name", to be changed. */
static Dataset *
changed_dataset(FunctionCallInfo fcinfo, Declared *declared)
{
	Dataset    *dataset = dataset_load_owned(name_argument(fcinfo, "dataset"));

	dataset_check(dataset);
	memset(declared, 0, sizeof(Declared));
	declared->column = name_argument(fcinfo, "column_name");
	declared->weight = 1;
	declared->max_level = -1;
	require_readable_column(dataset->relation, declared->column);
	return dataset;
}

/*
 * Reads a hierarchy once, so that only sound and matching ones are declared.
 * It may be a view, whose code may change declarations, so the data set is
 * loaded again afterwards.
 */
static int
check_hierarchy_fits(Oid hierarchy, Dataset *dataset, const char *column, bool shows_unknown)
{
	Oid			type = column_type(dataset->relation, column);
	LoadedHierarchy *loaded;
	int			height;

	require_rows(hierarchy);
	see_own_changes();
	loaded = hierarchy_load(hierarchy, type, column);
	height = loaded->rows->table.height;
	if (shows_unknown)
		hierarchy_admit_unknown(loaded, column);
	PopActiveSnapshot();
	*dataset = *dataset_load_owned(dataset->name);
	dataset_check(dataset);
	require_readable_column(dataset->relation, column);
	return height;
}

void
declare_quasi_identifier(Dataset *dataset, Declared *declared)
{
	int			height = check_hierarchy_fits(declared->hierarchy, dataset, declared->column, declared->shows_unknown);
	int			highest = declared->max_level < 0 ? height : declared->max_level;

	if (declared->loss_counts == LOSS_RANGE && !leaves_have_width(hierarchy_leaf_type(declared->hierarchy)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("leaves of column \"%s\" are not ranges of numbers, days or times", declared->column),
				 errhint("With loss_counts => 'range', losses count the width of each leaf.")));
	if (isnan(declared->weight) || isinf(declared->weight) || declared->weight < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight must be a finite number that is not negative")));
	if (declared->min_level < 0 || highest > height || declared->min_level > highest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels %d to %d are not in the hierarchy of column \"%s\"",
						declared->min_level, highest, declared->column),
				 errhint("Levels of column \"%s\" are 0 to %d.", declared->column, height)));
	if (dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER) >= MAX_ATTRIBUTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("data set \"%s\" already has %d quasi-identifiers", dataset->name, MAX_ATTRIBUTES),
				 errhint("Drop one with anonopt.drop_attribute first.")));
	insert_attribute(dataset, declared);
}

OWN_FUNCTION(anonopt_add_quasi_identifier)
{
	Declared	declared;
	Dataset    *dataset = changed_dataset(fcinfo, &declared);
	char	   *unknown = name_if_given(fcinfo, "unknown");

	declared.role = ROLE_QUASI_IDENTIFIER;
	declared.hierarchy = relation_argument(fcinfo, "hierarchy");
	declared.weight = number_argument(fcinfo, "weight");
	declared.min_level = DatumGetInt32(get_argument(fcinfo, "min_level", INT4OID));
	if (is_given(fcinfo, "max_level"))
	{
		declared.max_level = DatumGetInt32(get_argument(fcinfo, "max_level", INT4OID));
		if (declared.max_level < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("max_level must not be negative")));
	}
	declared.shows_unknown = unknown != NULL;
	if (unknown != NULL && strcmp(unknown, "*") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown must be '*' or NULL, not \"%s\"", unknown),
				 errhint("With '*', values without a leaf are shown as the last label; with NULL, they are an error.")));
	declared.loss_counts = (LossRule) choice_argument(fcinfo, "loss_counts", "Losses", loss_rule_names, LOSS_RULES, " and ");
	declared.grows = boolean_argument(fcinfo, "grow");
	if (declared.grows && !hierarchy_has_rule(declared.hierarchy))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy of column \"%s\" has no rule by which it could grow", declared.column),
				 errhint("Build it with a function such as anonopt.create_prefix_hierarchy, or add leaves yourself.")));
	declare_quasi_identifier(dataset, &declared);
	PG_RETURN_VOID();
}

void
declare_sensitive(const Dataset *dataset, const Declared *declared)
{
	insert_attribute(dataset, declared);
	if (dataset_has_role(dataset, ROLE_QUASI_IDENTIFIER, declared->column))
		ereport(NOTICE,
				(errmsg("column \"%s\" of data set \"%s\" is also a quasi-identifier", declared->column, dataset->name),
				 errdetail("It is shown generalized, but promises about sensitive values count its original values."),
				 errhint("If this is not intended, remove one of its roles with anonopt.drop_attribute.")));
}

OWN_FUNCTION(anonopt_add_sensitive)
{
	Declared	declared;
	Dataset    *dataset = changed_dataset(fcinfo, &declared);
	int			height = -1;

	declared.role = ROLE_SENSITIVE;
	declared.distance = distance_by_name(name_argument(fcinfo, "distance"));
	declared.hierarchy = relation_if_given(fcinfo, "hierarchy");
	require_distance_hierarchy(declared.distance, declared.hierarchy);
	if (OidIsValid(declared.hierarchy))
		height = check_hierarchy_fits(declared.hierarchy, dataset, declared.column, false);
	if (is_given(fcinfo, "level"))
		declared.min_level = declared.max_level = DatumGetInt32(get_argument(fcinfo, "level", INT4OID));
	if (is_given(fcinfo, "level") && (declared.min_level < 0 || declared.min_level > height))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sensitive column \"%s\" cannot be shown at level %d", declared.column, declared.min_level),
				 height < 0 ? errhint("Name the hierarchy that has the level.") :
				 errhint("Levels of column \"%s\" are 0 to %d.", declared.column, height)));
	declare_sensitive(dataset, &declared);
	PG_RETURN_VOID();
}

/* Gives a column a role that has no options. */
static Datum
set_role(FunctionCallInfo fcinfo, Role role)
{
	Declared	declared;
	Dataset    *dataset = changed_dataset(fcinfo, &declared);

	declared.role = role;
	/* there is only one class label: a new one replaces the old one */
	if (role == ROLE_CLASS_LABEL)
		(void) delete_declared(dataset, "attribute", NULL, "role", role_name(role));
	insert_attribute(dataset, &declared);
	PG_RETURN_VOID();
}

OWN_FUNCTION(anonopt_set_class_label)
{
	return set_role(fcinfo, ROLE_CLASS_LABEL);
}

OWN_FUNCTION(anonopt_set_identifier)
{
	return set_role(fcinfo, ROLE_IDENTIFIER);
}

OWN_FUNCTION(anonopt_set_insensitive)
{
	return set_role(fcinfo, ROLE_INSENSITIVE);
}

/* Shorter secrets could be found by brute force. */
#define SHORTEST_SECRET 16

OWN_FUNCTION(anonopt_set_pseudonym)
{
	Declared	declared;
	Dataset    *dataset = changed_dataset(fcinfo, &declared);
	text	   *secret = is_given(fcinfo, "secret") ? DatumGetTextPP(get_argument(fcinfo, "secret", TEXTOID)) : NULL;
	ParamListInfo row = add_name(add_text(NULL, dataset->name), declared.column);

	if (secret != NULL && VARSIZE_ANY_EXHDR(secret) < SHORTEST_SECRET)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secret is too short"),
				 errdetail("It has %d bytes, but at least %d are required.", (int) VARSIZE_ANY_EXHDR(secret), SHORTEST_SECRET),
				 errhint("Use random bytes, for example the text of two calls of gen_random_uuid().")));
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role != ROLE_PSEUDONYM && strcmp(dataset->attributes[i].column, declared.column) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of data set \"%s\" already has the role %s", declared.column, dataset->name,
							role_name(dataset->attributes[i].role)),
					 errhint("Call anonopt.drop_attribute first.")));
	declared.role = ROLE_PSEUDONYM;
	(void) delete_declared(dataset, "attribute", declared.column, "role", role_name(ROLE_PSEUDONYM));
	insert_attribute(dataset, &declared);
	/* text and bytea have the same representation */
	row = add_value(row, BYTEAOID, PointerGetDatum(secret), secret == NULL);
	write_catalog("INSERT INTO anonopt.pseudonym_secret (dataset, column_name, secret) VALUES ($1, $2, $3)"
				  " ON CONFLICT (dataset, column_name) DO UPDATE SET secret = EXCLUDED.secret", row);
	PG_RETURN_VOID();
}

/* The parameters of a change to a quasi-identifier's entry; what is changed starts at $4. */
static ParamListInfo
quasi_identifier_key(const Dataset *dataset, const Declared *declared)
{
	return add_text(add_name(add_text(NULL, dataset->name), declared->column), role_name(ROLE_QUASI_IDENTIFIER));
}

static void
change_quasi_identifier(const Dataset *dataset, const Declared *declared, const char *change, ParamListInfo row)
{
	if (write_catalog(psprintf("UPDATE anonopt.attribute SET %s"
							   " WHERE dataset = $1 AND column_name = $2"
							   " AND role = $3", change), row) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is not a quasi-identifier of data set \"%s\"",
						declared->column, dataset->name),
				 errhint("Call anonopt.add_quasi_identifier first.")));
}

OWN_FUNCTION(anonopt_set_sensitivity)
{
	Declared	declared;
	Dataset    *dataset = changed_dataset(fcinfo, &declared);
	Oid			weights = relation_argument(fcinfo, "weights");
	ParamListInfo row = quasi_identifier_key(dataset, &declared);

	require_rows(weights);
	require_some_select(weights);
	row = add_oid(row, weights);
	row = add_oid(row, row_type(weights));
	change_quasi_identifier(dataset, &declared, "sensitivity = $4::pg_catalog.regclass, sensitivity_type = $5::pg_catalog.regtype", row);
	PG_RETURN_VOID();
}

/* Sets a column of weights per record; NULL resets them to 1. */
OWN_FUNCTION(anonopt_set_owner_sensitivity)
{
	Declared	declared;
	Dataset    *dataset = changed_dataset(fcinfo, &declared);
	ParamListInfo row = quasi_identifier_key(dataset, &declared);
	char	   *column = name_if_given(fcinfo, "weight_column");

	if (column != NULL)
	{
		require_readable_column(dataset->relation, column);
		require_weight_column(dataset->relation, column);
	}
	row = add_name(row, column);
	change_quasi_identifier(dataset, &declared, "owner_sensitivity = $4", row);
	PG_RETURN_VOID();
}

OWN_FUNCTION(anonopt_drop_attribute)
{
	Dataset    *dataset = dataset_load_owned_entry(name_argument(fcinfo, "dataset"));
	char	   *column = name_argument(fcinfo, "column_name");
	char	   *role = name_if_given(fcinfo, "role");
	const Oid	result = INT4OID;

	if ((role == NULL || role_by_name(role) == ROLE_SENSITIVE) &&
		read_own_changes("SELECT 1 FROM anonopt.promise WHERE dataset = $1 AND column_name = $2 LIMIT 1",
						 add_name(add_text(NULL, dataset->name), column), 1, &result)->n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("data set \"%s\" has a promise about column \"%s\"", dataset->name, column),
				 errhint("Call anonopt.drop_promise first; anonopt.promise lists the promises.")));
	if (delete_declared(dataset, "attribute", column, "role", role) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of data set \"%s\" has no such role", column, dataset->name),
				 errhint("anonopt.attribute lists the columns and their roles.")));
	forget_secrets(dataset->name);
	PG_RETURN_VOID();
}

/* ------------------------------------------------------------------- promises */

/*
 * Every fault of a promise that can be detected is reported here, not by a
 * later search.
 */
static PromiseModel
model_argument(FunctionCallInfo fcinfo)
{
	const char *names[MODELS];
	int			n = 0;

	/* a recoding alone promises what comes behind these */
	for (; n < MODELS && !model_needs_boxes((PromiseModel) n); n++)
		names[n] = model_name((PromiseModel) n);
	return (PromiseModel) choice_argument(fcinfo, "model", "Models", names, n, " and ");
}

/*
 * Fails unless a promise is sound, and its population, if any, can be read and
 * has the quasi-identifiers as columns whose types match their hierarchies.
 */
static void
check_declaration(const Dataset *dataset, const DeclaredPromise *promise)
{
	char	   *problem = !model_needs_boxes(promise->model) ? promise_problem(promise) :
	pstrdup("A release promises it if its recoding was created with a floor of them.");
	Oid			population = promise->population;
	int			alike = 0;

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("promise of %s is not sound", model_name(promise->model)),
				 errdetail("%s", problem),
				 errhint("Models are %s.", model_names())));
	if (promise->column != NULL)
		require_column(dataset->relation, promise->column);
	if (promise->column != NULL && !dataset_has_role(dataset, ROLE_SENSITIVE, promise->column))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of data set \"%s\" is not sensitive", promise->column, dataset->name),
				 errhint("Add it with anonopt.add_sensitive first.")));
	if (promise->rows_known > 0 && dataset->person == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows_known needs persons, but data set \"%s\" has none", dataset->name),
				 errhint("Name the column that says whose each row is as the person of anonopt.create_dataset.")));
	if (OidIsValid(population))
		require_rows(population);
	for (int i = 0; i < dataset->nattributes && OidIsValid(population); i++)
	{
		const Declared *declared = &dataset->attributes[i];

		if (declared->role != ROLE_QUASI_IDENTIFIER)
			continue;
		require_readable_column(population, declared->column);
		if (column_type(population, declared->column) != column_type(dataset->relation, declared->column))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of population %s has another type than that of data set \"%s\"",
							declared->column, relation_sql_name(population), dataset->name),
					 errdetail("It has type %s, not %s.",
							   format_type_be(column_type(population, declared->column)),
							   format_type_be(column_type(dataset->relation, declared->column)))));
	}
	for (int i = 0; i < dataset->npromises; i++)
		alike += promise->rows_known > 0 ? dataset->promises[i].rows_known > 0 :
			promise->columns_known > 0 && dataset->promises[i].columns_known > 0;
	if (alike >= (promise->rows_known > 0 ? MAX_ROWS_KNOWN : MAX_COLUMNS_KNOWN))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("data set \"%s\" already has %d promises with %s", dataset->name, alike,
						promise->rows_known > 0 ? "rows_known" : "columns_known")));
	if (dataset->npromises >= MAX_PROMISES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("data set \"%s\" already has %d promises", dataset->name, MAX_PROMISES)));
}

OWN_FUNCTION(anonopt_add_promise)
{
	DeclaredPromise promise = {0};
	Dataset    *dataset = dataset_load_owned(name_argument(fcinfo, "dataset"));
	ParamListInfo row;

	dataset_check(dataset);
	promise.model = model_argument(fcinfo);
	promise.threshold = number_argument(fcinfo, "threshold");
	promise.column = name_if_given(fcinfo, "column_name");
	promise.has_c = is_given(fcinfo, "c");
	promise.c = promise.has_c ? number_argument(fcinfo, "c") : 0;
	promise.population = relation_if_given(fcinfo, "population");
	promise.columns_known = count_if_given(fcinfo, "columns_known");
	promise.rows_known = count_if_given(fcinfo, "rows_known");
	check_declaration(dataset, &promise);
	row = add_text(add_text(NULL, dataset->name), model_name(promise.model));
	row = add_name(row, promise.column);
	row = add_value(row, FLOAT8OID, Float8GetDatum(promise.threshold), false);
	row = add_value(row, FLOAT8OID, Float8GetDatum(promise.c), !promise.has_c);
	row = add_oid(row, promise.population);
	row = add_oid(row, OidIsValid(promise.population) ? row_type(promise.population) : InvalidOid);
	row = add_value(row, INT4OID, Int32GetDatum(promise.columns_known), promise.columns_known == 0);
	row = add_value(row, INT4OID, Int32GetDatum(promise.rows_known), promise.rows_known == 0);
	if (write_catalog("INSERT INTO anonopt.promise"
					  " (dataset, model, column_name, threshold, c, population, population_type, columns_known, rows_known)"
					  " VALUES ($1, $2, $3, $4, $5, $6::regclass, $7::regtype, $8, $9)"
					  " ON CONFLICT DO NOTHING", row) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 promise.column == NULL ?
				 errmsg("data set \"%s\" already promises %s%s", dataset->name, model_name(promise.model), known_text(&promise)) :
				 errmsg("data set \"%s\" already promises %s of column \"%s\"%s", dataset->name, model_name(promise.model),
						promise.column, known_text(&promise)),
				 errhint("Call anonopt.drop_promise first.")));
	PG_RETURN_VOID();
}

/* Adds an integer that may be null. */
static ParamListInfo
add_given(ParamListInfo params, FunctionCallInfo fcinfo, const char *name)
{
	bool		given = is_given(fcinfo, name);

	return add_value(params, INT4OID, given ? get_argument(fcinfo, name, INT4OID) : (Datum) 0, !given);
}

/* Accepts unknown models and numbers, too: any row in the catalogs must be droppable. */
OWN_FUNCTION(anonopt_drop_promise)
{
	Dataset    *dataset = dataset_load_owned_entry(name_argument(fcinfo, "dataset"));
	char	   *model = name_argument(fcinfo, "model");
	char	   *column = name_if_given(fcinfo, "column_name");
	ParamListInfo key = add_text(add_name(add_text(NULL, dataset->name), column), model);
	DeclaredPromise promise = {0};

	key = add_given(key, fcinfo, "columns_known");
	key = add_given(key, fcinfo, "rows_known");
	if (write_catalog("DELETE FROM anonopt.promise WHERE dataset = $1 AND ($2 IS NULL OR column_name = $2) AND model = $3"
					  " AND columns_known IS NOT DISTINCT FROM $4 AND rows_known IS NOT DISTINCT FROM $5", key) > 0)
		PG_RETURN_VOID();
	(void) model_argument(fcinfo);
	promise.columns_known = count_if_given(fcinfo, "columns_known");
	promise.rows_known = count_if_given(fcinfo, "rows_known");
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 column == NULL ? errmsg("data set \"%s\" promises no %s%s", dataset->name, model, known_text(&promise)) :
			 errmsg("data set \"%s\" promises no %s of column \"%s\"%s", dataset->name, model, column, known_text(&promise)),
			 errhint("anonopt.promise lists the promises.")));
	PG_RETURN_VOID();
}

/* --------------------------------------------------------------- tuple stores */

OWN_FUNCTION(anonopt_create_tuple_store)
{
	bool		track = boolean_argument(fcinfo, "track");

	PreventCommandIfReadOnly("create_tuple_store()");
	PG_RETURN_OID(store_create(name_argument(fcinfo, "dataset"), track));
}

OWN_FUNCTION(anonopt_refresh_tuple_store)
{
	PreventCommandIfReadOnly("refresh_tuple_store()");
	store_refresh(name_argument(fcinfo, "dataset"));
	PG_RETURN_VOID();
}

OWN_FUNCTION(anonopt_drop_tuple_store)
{
	PreventCommandIfReadOnly("drop_tuple_store()");
	store_drop_by_name(name_argument(fcinfo, "dataset"));
	PG_RETURN_VOID();
}
