/*
 * hierarchy_rule.c
 *	  Builds hierarchies by rules, a builder with its arguments, and keeps these.
 *
 * Rules are rows of anonopt.hierarchy_rule, which the owner of the database may
 * write.  Builders check their arguments as if a user gave them; here, only what
 * must be given is.
 *
 * A rule decides what is written into a table, so its owner must have made it.
 * A digest of it is the comment of the table's first column, which only the
 * table's owner can write, and which a dump keeps.  Without it, the table
 * does not grow.  Everybody reads comments, so the digest is salted.  The source
 * is known by its name then; under another name, it is none.
 */
#include "build/hierarchy_table.h"

#include "access/xact.h"
#include "base/names.h"
#include "catalog/dataset.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "commands/comment.h"
#include "utils/snapmgr.h"

/* Arguments that must not be null. */
#define NEEDS_BOUNDS 0x01		/* and widths or steps */
#define NEEDS_STEP 0x02
#define NEEDS_DAYS 0x04			/* and units */
#define NEEDS_COLUMN 0x08
#define NEEDS_WORD 0x10
#define NEEDS_LENGTHS 0x20
#define NEEDS_MINIMUM 0x40

const HierarchyBuilder hierarchy_builders[BUILDERS] = {
	[BUILDER_NONE] = {"none", NULL, VALUES_NOWHERE, 0},
	[BUILDER_INTERVALS] = {"interval", build_numbers, VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_RANGES] = {"range", build_numbers, VALUES_BEYOND, NEEDS_BOUNDS | NEEDS_STEP},
	[BUILDER_CODED] = {"top_coded", build_coded, VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_ROUNDED] = {"rounding", build_rounded, VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_ROUNDED_RANGES] = {"rounding_ranges", build_rounded, VALUES_BEYOND, NEEDS_BOUNDS},
	/* open ends leave no value without a leaf */
	[BUILDER_BINS] = {"bins", build_bins, VALUES_NOWHERE, 0},
	[BUILDER_DATES] = {"date", build_dates, VALUES_BEYOND, NEEDS_DAYS},
	[BUILDER_DATES_AS_RANGES] = {"date_ranges", build_dates, VALUES_BEYOND, NEEDS_DAYS},
	[BUILDER_DATES_OPEN] = {"date_open", build_dates, VALUES_NOWHERE, NEEDS_DAYS},
	[BUILDER_FLAT] = {"flat", build_flat, VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_MAILS] = {"mail", build_mails, VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_MASKS] = {"mask", build_masks, VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_WORD},
	[BUILDER_QUANTILES] = {"quantile", build_quantiles, VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_LENGTHS},
	[BUILDER_FREQUENCIES] = {"frequency", build_frequencies, VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_WORD | NEEDS_MINIMUM},
	[BUILDER_PREFIXES] = {"prefix", build_prefixes, VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_CODES] = {"codes", build_codes, VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_MINIMUM},
	[BUILDER_COUNTRY_CODES] = {"country_codes", build_codes, VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_MINIMUM},
	[BUILDER_ADDRESSES] = {"addresses", build_addresses, VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_HOURS] = {"hours", build_hours, VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_TREE] = {"tree", build_tree, VALUES_ANYWHERE, NEEDS_COLUMN}
};

/* Columns with arguments that are datums, in the order of the statements below, and who needs them. */
static const struct
{
	Oid			type;
	Size		offset;
	int			needed;
}			arguments[] = {
	{NUMERICOID, offsetof(HierarchyRule, low), NEEDS_BOUNDS | NEEDS_DAYS},
	{NUMERICOID, offsetof(HierarchyRule, high), NEEDS_BOUNDS | NEEDS_DAYS},
	{NUMERICOID, offsetof(HierarchyRule, step), NEEDS_STEP},
	{NUMERICOID, offsetof(HierarchyRule, top), 0},
	{NUMERICOID, offsetof(HierarchyRule, bottom), 0},
	{NUMERICARRAYOID, offsetof(HierarchyRule, numbers), NEEDS_BOUNDS},
	{TEXTARRAYOID, offsetof(HierarchyRule, units), NEEDS_DAYS},
	{INT4ARRAYOID, offsetof(HierarchyRule, lengths), NEEDS_LENGTHS},
	{INT8OID, offsetof(HierarchyRule, minimum), NEEDS_MINIMUM}
};

#define ARGUMENTS "low, high, step, top, bottom, numbers, units, lengths, minimum"

static Datum *
argument_of(const HierarchyRule *rule, int i)
{
	return (Datum *) ((char *) unconstify(HierarchyRule *, rule) + arguments[i].offset);
}

#define MARK "rule of anonopt: "

/* The name of a relation, as it is recorded, and the mark of a rule. */
#define SOURCE "(SELECT ROW(n.nspname, c.relname)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = %s)"
#define MARK_OF_RULE "'" MARK "' || encode(sha256(convert_to(ROW(salt, source, from_data, builder, column_name, word, " ARGUMENTS \
	")::text, getdatabaseencoding())), 'hex')"

/* Records the rule of a hierarchy that was built, and marks the table with it. */
static void
write_rule(Oid hierarchy, const HierarchyRule *rule)
{
	const Oid	type = TEXTOID;
	ParamListInfo row = add_oid(add_oid(NULL, hierarchy), row_type(hierarchy));

	row = add_text(row, hierarchy_builders[rule->builder].name);
	row = add_oid(row, rule->relation);
	row = add_oid(row, OidIsValid(rule->relation) ? row_type(rule->relation) : InvalidOid);
	row = add_name(row, rule->column);
	row = add_value(row, BOOLOID, BoolGetDatum(rule->from_data), false);
	row = add_text(row, rule->word);
	for (int i = 0; i < lengthof(arguments); i++)
		row = add_value(row, arguments[i].type, *argument_of(rule, i), *argument_of(rule, i) == 0);
	(void) write_catalog("DELETE FROM anonopt.hierarchy_rule r WHERE r.hierarchy = $1::regclass OR NOT EXISTS"
						 " (SELECT FROM pg_class c WHERE c.oid = r.hierarchy)", add_oid(NULL, hierarchy));
	(void) write_catalog(psprintf("INSERT INTO anonopt.hierarchy_rule (hierarchy, hierarchy_type, builder, relation, relation_type,"
								  " column_name, from_data, word, " ARGUMENTS ", salt, source)"
								  " VALUES ($1::regclass, $2::regtype, $3, $4::regclass, $5::regtype, $6, $7, $8, $9, $10, $11, $12,"
								  " $13, $14, $15, $16, $17, gen_random_uuid(), " SOURCE ")", "$4"), row);
	CreateComments(hierarchy, RelationRelationId, 1,
				   row_text(read_own_changes("SELECT " MARK_OF_RULE " FROM anonopt.hierarchy_rule WHERE hierarchy = $1",
											 add_oid(NULL, hierarchy), 1, &type), 0, 0));
	CommandCounterIncrement();
}

Oid
hierarchy_table_build(const char *name, const HierarchyRule *rule)
{
	NewHierarchy *table = hierarchy_table_begin(name);
	Oid			hierarchy;

	table->rule = *rule;
	hierarchy_builders[rule->builder].build(table);
	hierarchy = hierarchy_table_finish(table);
	write_rule(hierarchy, &table->rule);
	return hierarchy;
}

void
hierarchy_rows_collect(NewLeaves *leaves, const HierarchyRule *rule)
{
	NewHierarchy table = {.leaves = leaves,.rule = *rule,.levels_given = leaves->height};

	initStringInfo(&table.labels);
	table.names_level = sql_use_catalog_names();
	hierarchy_builders[rule->builder].build(&table);
	sql_restore_names(table.names_level);
}

/* The builder of a name; BUILDER_NONE for any other. */
static Builder
builder_by_name(const char *name)
{
	int			builder = BUILDERS - 1;

	while (builder > BUILDER_NONE && (name == NULL || strcmp(name, hierarchy_builders[builder].name) != 0))
		builder--;
	return (Builder) builder;
}

bool
hierarchy_rule_read(Oid hierarchy, HierarchyRule *rule, bool fails)
{
	Oid			types[8 + lengthof(arguments)] = {OIDOID, TEXTOID, OIDOID, OIDOID, TEXTOID, BOOLOID, TEXTOID, TEXTOID};
	QueryRows  *rows;
	char	   *mark;
	char	   *recorded;
	int			missing = 0;
	bool		isnull;

	for (int i = 0; i < lengthof(arguments); i++)
		types[8 + i] = arguments[i].type;
	rows = read_own_changes(psprintf("SELECT hierarchy_type::oid, builder, CASE WHEN source = " SOURCE " THEN relation::oid END, relation_type::oid,"
									 " column_name::text, from_data, word, " MARK_OF_RULE ", " ARGUMENTS
									 " FROM anonopt.hierarchy_rule WHERE hierarchy = $1", "relation"), add_oid(NULL, hierarchy), lengthof(types), types);
	memset(rule, 0, sizeof(HierarchyRule));
	if (rows->n == 0 || !dataset_same_relation(hierarchy, row_oid(rows, 0, 0)))
		return false;
	mark = GetComment(hierarchy, RelationRelationId, 1);
	recorded = row_text(rows, 0, 7);
	if (mark == NULL || recorded == NULL || strcmp(mark, recorded) != 0)
	{
		if (!fails)
			return false;
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s is not marked with the rule that is recorded for it", relation_sql_name(hierarchy)),
				 errdetail("The comment of its first column, which names the rule, is gone, or somebody changed the record."),
				 errhint("Add leaves with INSERT, or build another hierarchy.")));
	}
	rule->builder = builder_by_name(row_text(rows, 0, 1));
	/* a source that is gone is none */
	if (dataset_same_relation(row_oid(rows, 0, 2), row_oid(rows, 0, 3)))
		rule->relation = row_oid(rows, 0, 2);
	rule->column = row_text(rows, 0, 4);
	rule->from_data = DatumGetBool(row_value(rows, 0, 5, &isnull));
	rule->word = row_text(rows, 0, 6);
	for (int i = 0; i < lengthof(arguments); i++)
	{
		Datum		value = row_value(rows, 0, 8 + i, &isnull);

		*argument_of(rule, i) = isnull ? (Datum) 0 : value;
		missing |= isnull ? arguments[i].needed : 0;
	}
	missing |= (rule->word == NULL ? NEEDS_WORD : 0) | (rule->column == NULL ? NEEDS_COLUMN : 0);
	if (rule->builder != BUILDER_NONE && (hierarchy_builders[rule->builder].needs & missing) == 0)
		return true;
	if (fails)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("rule of hierarchy %s is not sound", relation_sql_name(hierarchy)),
				 errhint("Build the hierarchy again.")));
	return false;
}

bool
hierarchy_has_rule(Oid hierarchy)
{
	HierarchyRule rule;

	return hierarchy_rule_read(hierarchy, &rule, false);
}
