/*
 * hierarchy_rule.c
 *	  The rules by which hierarchies were built: a builder with its arguments.
 *
 * They are rows of anonopt.hierarchy_rule, which the owner of the database may
 * write.  Builders check their arguments as if a user gave them; here, only what
 * must be given is.
 *
 * A rule decides what is written into a table, so its owner must have made it.
 * A digest of it is the comment of the table's first column, which only the
 * table's owner can write, and which a dump keeps.  Without it, the table
 * does not grow.  Everybody reads comments, so the digest is salted.  The source
 * is known by its name then; under another name, it is none.
 */
#include "build/hierarchy_rule.h"

#include "access/xact.h"
#include "base/names.h"
#include "build/hierarchy_build.h"
#include "catalog/dataset.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "commands/comment.h"
#include "utils/snapmgr.h"

/* Arguments that must not be null. */
#define NEEDS_BOUNDS 0x01		/* numbers, and widths or steps */
#define NEEDS_STEP 0x02
#define NEEDS_DAYS 0x04			/* and units */
#define NEEDS_COLUMN 0x08
#define NEEDS_WORD 0x10
#define NEEDS_LENGTHS 0x20
#define NEEDS_MINIMUM 0x40

static const char *const builder_names[BUILDERS] = {
	"none", "interval", "range", "top_coded", "rounding", "rounding_ranges", "bins", "date", "date_ranges", "date_open",
	"flat", "mail", "mask", "quantile", "frequency", "prefix", "codes", "country_codes", "addresses", "hours", "tree"
};

static const struct
{
	NewValues	values;
	int			needs;
}			builders[BUILDERS] = {
	[BUILDER_INTERVALS] = {VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_RANGES] = {VALUES_BEYOND, NEEDS_BOUNDS | NEEDS_STEP},
	[BUILDER_CODED] = {VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_ROUNDED] = {VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_ROUNDED_RANGES] = {VALUES_BEYOND, NEEDS_BOUNDS},
	[BUILDER_BINS] = {VALUES_NOWHERE, 0},
	[BUILDER_DATES] = {VALUES_BEYOND, NEEDS_DAYS},
	[BUILDER_DATES_AS_RANGES] = {VALUES_BEYOND, NEEDS_DAYS},
	[BUILDER_DATES_OPEN] = {VALUES_NOWHERE, 0},
	[BUILDER_FLAT] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_MAILS] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_MASKS] = {VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_WORD},
	[BUILDER_QUANTILES] = {VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_LENGTHS},
	[BUILDER_FREQUENCIES] = {VALUES_ANYWHERE, NEEDS_COLUMN | NEEDS_WORD | NEEDS_MINIMUM},
	[BUILDER_PREFIXES] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_CODES] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_COUNTRY_CODES] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_ADDRESSES] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_HOURS] = {VALUES_ANYWHERE, NEEDS_COLUMN},
	[BUILDER_TREE] = {VALUES_ANYWHERE, NEEDS_COLUMN}
};

#define MARK "rule of anonopt: "

/* The name of a relation, as it is recorded, and the digest of a rule. */
#define SOURCE "(SELECT ROW(n.nspname, c.relname)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = %s)"
#define DIGEST "encode(sha256(convert_to(ROW(salt, source, from_data, builder, column_name, low, high, step, top, bottom, numbers," \
	" first_day - date '2000-01-01', last_day - date '2000-01-01', units, lengths, word, minimum)::text, getdatabaseencoding())), 'hex')"

static ParamListInfo
add_datum(ParamListInfo params, Oid type, Datum value)
{
	return add_value(params, type, value, value == 0);
}

void
hierarchy_rule_write(Oid hierarchy, const HierarchyRule *rule, bool from_data)
{
	const Oid	type = TEXTOID;
	ParamListInfo row = add_oid(add_oid(NULL, hierarchy), row_type(hierarchy));
	bool		has_days = (builders[rule->builder].needs & NEEDS_DAYS) != 0;

	row = add_text(row, builder_names[rule->builder]);
	row = add_oid(row, rule->relation);
	row = add_oid(row, OidIsValid(rule->relation) ? row_type(rule->relation) : InvalidOid);
	row = add_name(row, rule->column);
	row = add_datum(row, NUMERICOID, rule->low);
	row = add_datum(row, NUMERICOID, rule->high);
	row = add_datum(row, NUMERICOID, rule->step);
	row = add_datum(row, NUMERICOID, rule->top);
	row = add_datum(row, NUMERICOID, rule->bottom);
	row = add_datum(row, NUMERICARRAYOID, rule->numbers);
	row = add_value(row, DATEOID, DateADTGetDatum(rule->first_day), !has_days);
	row = add_value(row, DATEOID, DateADTGetDatum(rule->last_day), !has_days);
	row = add_datum(row, TEXTARRAYOID, rule->units);
	row = add_datum(row, INT4ARRAYOID, rule->lengths);
	row = add_text(row, rule->word);
	row = add_value(row, INT8OID, Int64GetDatum(rule->minimum), rule->minimum == 0);
	row = add_value(row, BOOLOID, BoolGetDatum(from_data), false);
	(void) write_catalog("DELETE FROM anonopt.hierarchy_rule r WHERE r.hierarchy = $1::regclass OR NOT EXISTS"
						 " (SELECT FROM pg_class c WHERE c.oid = r.hierarchy)", add_oid(NULL, hierarchy));
	(void) write_catalog(psprintf("INSERT INTO anonopt.hierarchy_rule (hierarchy, hierarchy_type, builder, relation, relation_type, column_name,"
								  " low, high, step, top, bottom, numbers, first_day, last_day, units, lengths, word, minimum, from_data, salt, source)"
								  " VALUES ($1::regclass, $2::regtype, $3, $4::regclass, $5::regtype, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,"
								  " gen_random_uuid(), " SOURCE ")", "$4"), row);
	see_own_changes();
	CreateComments(hierarchy, RelationRelationId, 1,
				   psprintf(MARK "%s", row_text(read_catalog("SELECT " DIGEST " FROM anonopt.hierarchy_rule WHERE hierarchy = $1",
															 add_oid(NULL, hierarchy), 1, &type), 0, 0)));
	PopActiveSnapshot();
	CommandCounterIncrement();
}

static Datum
given(const QueryRows *rows, int column, int *found, int needs)
{
	bool		isnull;
	Datum		value = row_value(rows, 0, column, &isnull);

	*found &= isnull ? ~needs : ~0;
	return isnull ? (Datum) 0 : value;
}

bool
hierarchy_rule_read(Oid hierarchy, HierarchyRule *rule)
{
	const Oid	types[] = {OIDOID, TEXTOID, OIDOID, OIDOID, TEXTOID, NUMERICOID, NUMERICOID, NUMERICOID, NUMERICOID, NUMERICOID,
	NUMERICARRAYOID, DATEOID, DATEOID, TEXTARRAYOID, INT4ARRAYOID, TEXTOID, INT8OID, TEXTOID};
	QueryRows  *rows;
	char	   *name;
	char	   *mark;
	char	   *digest;
	int			builder;
	int			found = ~0;

	see_own_changes();
	rows = read_catalog(psprintf("SELECT hierarchy_type::oid, builder, CASE WHEN source = " SOURCE " THEN relation::oid END, relation_type::oid,"
								 " column_name::text, low, high, step, top, bottom, numbers, first_day, last_day, units, lengths, word, minimum, " DIGEST
								 " FROM anonopt.hierarchy_rule WHERE hierarchy = $1", "relation"), add_oid(NULL, hierarchy), lengthof(types), types);
	PopActiveSnapshot();
	memset(rule, 0, sizeof(HierarchyRule));
	if (rows->n == 0 || !dataset_same_relation(hierarchy, row_oid(rows, 0, 0)))
		return false;
	mark = GetComment(hierarchy, RelationRelationId, 1);
	digest = row_text(rows, 0, 17);
	if (mark == NULL || digest == NULL || strcmp(mark, psprintf(MARK "%s", digest)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s is not marked with the rule that is recorded for it", relation_sql_name(hierarchy)),
				 errdetail("The comment of its first column, which names the rule, is gone, or somebody changed the record."),
				 errhint("Add leaves with INSERT, or build another hierarchy.")));
	name = row_text(rows, 0, 1);
	builder = name == NULL ? -1 : find_name(name, builder_names, BUILDERS);
	/* a source that is gone is none */
	if (dataset_same_relation(row_oid(rows, 0, 2), row_oid(rows, 0, 3)))
		rule->relation = row_oid(rows, 0, 2);
	rule->column = row_text(rows, 0, 4);
	rule->low = given(rows, 5, &found, NEEDS_BOUNDS);
	rule->high = given(rows, 6, &found, NEEDS_BOUNDS);
	rule->step = given(rows, 7, &found, NEEDS_STEP);
	rule->top = given(rows, 8, &found, 0);
	rule->bottom = given(rows, 9, &found, 0);
	rule->numbers = given(rows, 10, &found, NEEDS_BOUNDS);
	rule->first_day = DatumGetDateADT(given(rows, 11, &found, NEEDS_DAYS));
	rule->last_day = DatumGetDateADT(given(rows, 12, &found, NEEDS_DAYS));
	rule->units = given(rows, 13, &found, NEEDS_DAYS);
	rule->lengths = given(rows, 14, &found, NEEDS_LENGTHS);
	rule->word = row_text(rows, 0, 15);
	found &= rule->word == NULL ? ~NEEDS_WORD : ~0;
	found &= rule->column == NULL ? ~NEEDS_COLUMN : ~0;
	rule->minimum = DatumGetInt64(given(rows, 16, &found, NEEDS_MINIMUM));
	if (builder <= BUILDER_NONE || (builders[builder].needs & ~found) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("rule of hierarchy %s is not sound", relation_sql_name(hierarchy)),
				 errhint("Build the hierarchy again.")));
	rule->builder = (Builder) builder;
	rule->values = builders[builder].values;
	return true;
}

bool
hierarchy_has_rule(Oid hierarchy)
{
	HierarchyRule rule;

	return hierarchy_rule_read(hierarchy, &rule);
}
