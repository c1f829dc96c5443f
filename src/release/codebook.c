/*
 * codebook.c
 *	  A table of the labels that a release shows, for those who may not read its
 *	  hierarchies.
 *
 * It says nothing of the data that the labels do not say already:
 *
 * - its rows are labels that the release shows, no others: the hierarchy's may
 *   belong only to people who are left out;
 * - what a row says of its label is found in the hierarchy alone, so it is the
 *   same whatever the data are;
 * - a hierarchy that was made from data is not asked for values or numbers of
 *   leaves, since its leaves are values that somebody has; only the label's own
 *   text is (see label_values.c).
 */
#include "release/content.h"

#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "release/release.h"
#include "release/release_verify.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* A codebook while it is made: a tuplestore of texts, which are cast at the end. */
static const char *const code_columns[][2] = {
	{"column_name", "name"}, {"label", "text COLLATE \"C\""}, {"level", "int"}, {"leaves", "bigint"},
	{"low_number", "numeric"}, {"high_number", "numeric"}, {"low_time", "timestamp"},
	{"high_time", "timestamp"}
};

enum
{
	CODE_COLUMN, CODE_LABEL, CODE_LEVEL, CODE_LEAVES, CODE_LOW, CODE_HIGH, CODE_LOW_TIME, CODE_HIGH_TIME,
	CODE_COLUMNS
};

typedef struct Codebook
{
	const ReleaseEntry *entry;
	const Content *content;
	TupleDesc	desc;
	Tuplestorestate *rows;
} Codebook;

/* The hierarchy of a column, as an attribute without people. */
typedef struct CodedColumn
{
	const char *name;
	Attribute	attr;
	LabelValues *values;		/* or NULL */
	bool		from_data;
	bool		has_null;		/* in its table */
} CodedColumn;

/* Whether values of a column without a leaf are shown as the last label. */
static bool
shows_unknown(const ReleaseEntry *entry, const char *column)
{
	return read_catalog("SELECT FROM anonopt.attribute WHERE dataset = $1 AND column_name = $2 AND"
						" role = 'quasi_identifier' AND unknown IS NOT NULL",
						add_name(add_text(NULL, entry->dataset), column), 0, NULL)->n > 0;
}

static CodedColumn *
load_column(const ReleaseEntry *entry, int i)
{
	Oid			hierarchy = entry->hierarchies[i];
	Oid			type = hierarchy_leaf_type(hierarchy);
	CodedColumn *column = palloc0(sizeof(CodedColumn));
	Oid			source_type = column_type(entry->source, entry->generalized[i]);
	TypeMatch	match;
	LoadedHierarchy *loaded = hierarchy_load(hierarchy,
											 type_is_range(type) ? get_range_subtype(type) : type,
											 entry->generalized[i]);

	column->name = column->attr.name = entry->generalized[i];
	if (shows_unknown(entry, column->name))
		hierarchy_admit_unknown(loaded, column->name);
	column->attr.hierarchy = loaded->hierarchy;
	column->attr.leaves = leaf_kind(loaded->rows->match.leaf_type);
	column->attr.unknown_leaf = loaded->unknown_leaf;
	column->from_data = hierarchy_is_from_data(hierarchy);
	column->has_null = loaded->hierarchy->null_leaf != NO_LEAF;

	/*
	 * as when they were read, a source's values may be rounded to find their
	 * leaves
	 */
	if (OidIsValid(source_type) && match_types(source_type, type, &match) && !match.rounds)
		column->values = label_values(&column->attr, loaded);
	return column;
}

/* A part of a label's range, as text; NULL if it has none. */
static char *
part_text(const CodedColumn *column, NullableDatum range, LabelPart part)
{
	NullableDatum value = label_part(column->values, range, part);

	/* a codebook's times are timestamps, which end before dates do */
	if (!value.isnull && column->values->subtype == DATEOID &&
		!DATE_NOT_FINITE(DatumGetDateADT(value.value)) &&
		DatumGetDateADT(value.value) >= TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE)
		return NULL;
	return value.isnull ? NULL : value_text(label_part_type(column->values, part), value.value);
}

static void
write_code(Codebook *book, const char *const *cells)
{
	Datum		values[CODE_COLUMNS];
	bool		nulls[CODE_COLUMNS];

	for (int i = 0; i < CODE_COLUMNS; i++)
	{
		nulls[i] = cells[i] == NULL;
		values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(cells[i]);
	}
	tuplestore_putvalues(book->rows, book->desc, values, nulls);
}

/* Adds a label over a run of leaves, or one that is found nowhere: what its text says. */
static void
add_label(Codebook *book, const CodedColumn *column, const char *label, const LeafRun *run, int level)
{
	const Hierarchy *hierarchy = column->attr.hierarchy;
	uint32		unknown = column->attr.unknown_leaf;
	const char *cells[CODE_COLUMNS] = {column->name, label};
	bool		is_found = run->first < run->end;
	bool		is_leaf = is_found && run->end == run->first + 1 &&
	compare_texts(hierarchy->labels[0][run->first], label) == 0;
	bool		is_time = column->attr.leaves == LEAVES_MOMENTS;
	int64		leaves = (int64) run->end - run->first;
	NullableDatum range = {.isnull = true};

	/* leaves that the table does not have */
	leaves -= is_found && unknown >= run->first && unknown < run->end;
	leaves -= is_found && !column->has_null && hierarchy->null_leaf >= run->first &&
		hierarchy->null_leaf < run->end;
	if (is_found && level >= 0)
		cells[CODE_LEVEL] = psprintf("%d", level);
	if (is_leaf || label == NULL)
		cells[CODE_LEAVES] = "1";
	else if (is_found && !column->from_data)
		cells[CODE_LEAVES] = psprintf(INT64_FORMAT, leaves);
	if (column->values != NULL && label != NULL)
		range = is_found ? label_range(column->values, label, run->first, run->end) :
			label_said_range(column->values, label);
	if (!range.isnull)
	{
		cells[is_time ? CODE_LOW_TIME : CODE_LOW] = part_text(column, range, LABEL_LOW);
		cells[is_time ? CODE_HIGH_TIME : CODE_HIGH] = part_text(column, range, LABEL_HIGH);
	}
	write_code(book, cells);
}

/* The lowest level that has a label over just a run of leaves, or -1. */
static int
level_of_run(const Hierarchy *hierarchy, const LeafRun *run, const char *text)
{
	for (int level = 0; level <= hierarchy->height; level++)
	{
		const Recoding *recoding = &hierarchy->levels[level];
		uint32		label = recoding->label_of[run->first];

		if (recoding->first_leaf[label] == run->first && recoding->leaves[label] == run->end - run->first &&
			compare_texts(hierarchy->labels[level][label], text) == 0)
			return level;
	}
	return -1;
}

static void
add_column(Codebook *book, int i)
{
	const ReleaseEntry *entry = book->entry;
	const Content *content = book->content;
	CodedColumn *column = load_column(entry, i);
	uint32		n = content->nlabels[i];
	LeafRun    *runs;
	FoundLabels found;

	/* a cut parts the label of NULL, too, if the data had one */
	if (!find_labels(&found, content, i, &entry->by, &column->attr) && !column->has_null)
	{
		hierarchy_add_null(column->attr.hierarchy);
		(void) find_labels(&found, content, i, &entry->by, &column->attr);
	}
	runs = runs_of_labels(&found);
	for (uint32 label = 0; label < n; label++)
		if (found.used[label])
			add_label(book, column, content->labels[i][label], &runs[label],
					  runs[label].first >= runs[label].end ? -1 :
					  entry->by.kind == BY_LEVELS ? entry->by.levels[i] :
					  level_of_run(column->attr.hierarchy, &runs[label], content->labels[i][label]));
}

/* The last content of a release; fails if it has none, or no labels. */
static Content *
load_last_content(const ReleaseEntry *entry)
{
	int			n;
	KnownContent *contents = known_contents(entry->source, NULL, entry->id, &n);
	int			last = last_content(entry->id, contents, n);

	if (last < 0 || entry->permuted)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("release %s has no codebook", entry->name),
				 entry->permuted ? errdetail("It shows values, not labels.") :
				 errdetail("A live view shows the labels of each reading."),
				 errhint("Publish a table or a materialized view that shows labels.")));
	return known_content_load(&contents[last], CurrentMemoryContext);
}

/* Creates the table and fills it. */
static Oid
write_codebook(const Codebook *book, const NewRelation *new)
{
	QueryEnvironment *environment = create_queryEnv();
	StringInfoData columns;
	StringInfoData values;
	Oid			table;

	initStringInfo(&columns);
	initStringInfo(&values);
	for (int i = 0; i < CODE_COLUMNS; i++)
	{
		appendStringInfo(&columns, "%s%s %s", i > 0 ? ", " : "", code_columns[i][0], code_columns[i][1]);
		appendStringInfo(&values, "%sr.%s::%s", i > 0 ? ", " : "", code_columns[i][0], code_columns[i][1]);
	}
	sql_run(psprintf("CREATE TABLE %s (%s, UNIQUE (column_name, label))", new->sql_name, columns.data), NULL);
	table = made_relation(new->schema, new->name);
	rows_show(environment, "codes", book->rows, InvalidOid, book->desc);
	(void) rows_change(psprintf("INSERT INTO %s SELECT %s FROM codes r", relation_sql_name(table),
								values.data), list_make1_oid(table), NULL, environment);
	CreateComments(table, RelationRelationId, 0, psprintf("labels of release %s", book->entry->name));
	return table;
}

Oid
codebook_create(const NewRelation *new, Oid relation)
{
	ReleaseEntry *entry = release_entry_require(relation);
	Codebook	book = {.entry = entry};
	char	   *changed;
	int			level;

	require_release_owner(relation);
	book.content = load_last_content(entry);
	changed = changed_hierarchies(entry, GetUserId(), NULL);
	if (changed != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchies of release %s have changed", relation_sql_name(relation)),
				 errdetail("%s", changed),
				 errhint("Labels may mean something else now. If this change is wanted, call anonopt.republish.")));
	book.desc = CreateTemplateTupleDesc(CODE_COLUMNS);
	for (int i = 0; i < CODE_COLUMNS; i++)
		TupleDescInitEntry(book.desc, i + 1, code_columns[i][0], TEXTOID, -1, 0);
	TupleDescFinalize(book.desc);
	book.rows = tuplestore_begin_heap(false, false, work_mem);
	level = use_zone_of_release(entry);
	for (int i = 0; i < entry->ngeneralized; i++)
		add_column(&book, i);
	relation = write_codebook(&book, new);
	AtEOXact_GUC(false, level);
	tuplestore_end(book.rows);
	return relation;
}
