/*
 * release_entry.c
 *	  The entries of releases, in anonopt.published.
 *
 * In the database where the entry was written, a release's relation is
 * identified by its OID and row type; elsewhere by an id in its comment, and
 * other relations by their names.  A relation found by name is trusted because
 * of its owner and its rows, not because of the entry.
 */
#include "release/release_entry.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "label/label_values.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/varbit.h"

static const char *const form_names[] = {"table", "materialized view", "live view"};
static const char *const suppression_names[] = {"omit", "star"};
static const char *const shown_names[] = {"labels", "permuted"};
static const char *const filled_names[] = {"publishing", "refresh", "restore"};
static const char *const vouched_names[] = {"no", "yes"};
static const char *const place_names[] = {"here", "elsewhere"};
static const char form_kinds[] = {RELKIND_RELATION, RELKIND_MATVIEW, RELKIND_VIEW};

/* ------------------------------------------------------- entries and their parts */

#define OF_ENTRY(member) offsetof(ReleaseEntry, member)

/* The first ones are those of contents, too. */
static const EntryField entry_fields[] = {
	{COLUMN("id", FIELD_ID, FIELD_REQUIRED | FIELD_FIXED, OF_ENTRY(id))},
	{COLUMN("name", FIELD_TEXT, FIELD_REQUIRED, OF_ENTRY(name))},
	{COLUMN("relation", FIELD_RELATION, FIELD_REQUIRED,
			OF_ENTRY(relation)),.read = "COALESCE(" FIND_RELEASE "::int8, p.relation)"},
	{COLUMN("dataset", FIELD_TEXT, FIELD_REQUIRED | FIELD_FIXED, OF_ENTRY(dataset))},
	{COLUMN("generalized", FIELD_NAMES, FIELD_FIXED, OF_ENTRY(generalized)),.given = OF_ENTRY(ngeneralized)},
	{COLUMN("levels", FIELD_INTEGERS, FIELD_OPTIONAL | FIELD_KEPT,
			OF_ENTRY(by.levels)),.given = OF_ENTRY(by.nlevels)},
	{COLUMN("cuts", FIELD_CUTS, FIELD_OPTIONAL,
			OF_ENTRY(by.cuts)),.given = OF_ENTRY(by.ncuts),.refresh = "(%s IS NULL) = (p.cuts IS NULL)"},
	{COLUMN("cut_labels", FIELD_TEXTS, FIELD_OPTIONAL | FIELD_NULLS,
			OF_ENTRY(by.cut_labels)),.given = OF_ENTRY(by.ncut_labels)},
	{COLUMN("recoding", FIELD_RELATION, 0, OF_ENTRY(by.recoding)),.read = RESOLVED("p.recoding",
																				   "p.recoding_name")},
	{COLUMN("recoding_name", FIELD_TEXT, 0, OF_ENTRY(by.recoding_name))},
	{COLUMN("labels", FIELD_WORD, FIELD_KEPT, OF_ENTRY(by.labels)), WORDS(recoding_labels_names)},
	{COLUMN("hierarchies", FIELD_RELATIONS, 0, OF_ENTRY(hierarchies)),.given = OF_ENTRY(nhierarchies),
		.read = "ARRAY(SELECT " RESOLVED("x.h", "x.n") " FROM unnest(p.hierarchies, p.hierarchy_names)"
	" WITH ORDINALITY x (h, n, i) ORDER BY x.i)"},
	{COLUMN("people_k", FIELD_COUNT, 0, OF_ENTRY(people_k)),.given = OF_ENTRY(has_people_k),.least =
	0,.most = PG_INT64_MAX},
	{COLUMN("source", FIELD_RELATION, 0, OF_ENTRY(source)),.read = RESOLVED("p.source", "p.source_name")},
	{COLUMN("source_name", FIELD_TEXT, FIELD_REQUIRED, OF_ENTRY(source_name))},
	{COLUMN("hierarchy_names", FIELD_TEXTS, 0,
			OF_ENTRY(hierarchy_names)),.given = OF_ENTRY(nhierarchy_names)},
	{COLUMN("digests", FIELD_DIGESTS, 0, OF_ENTRY(digests)),.given = OF_ENTRY(ndigests)},
	{COLUMN("form", FIELD_WORD, FIELD_REQUIRED | FIELD_FIXED, OF_ENTRY(form)), WORDS(form_names)},
	{COLUMN("columns", FIELD_NAMES, FIELD_OPTIONAL | FIELD_FIXED,
			OF_ENTRY(columns)),.given = OF_ENTRY(ncolumns)},
	{COLUMN("suppressed", FIELD_FLAG, FIELD_REQUIRED | FIELD_FIXED, OF_ENTRY(star)),
	WORDS(suppression_names)},
	{COLUMN("shown", FIELD_FLAG, FIELD_REQUIRED | FIELD_FIXED, OF_ENTRY(permuted)), WORDS(shown_names)},
	{COLUMN("columns_as", FIELD_TEXTS, FIELD_OPTIONAL | FIELD_FIXED,
			OF_ENTRY(forms)),.given = OF_ENTRY(nforms)},
	{COLUMN("others_as", FIELD_INTEGERS, FIELD_OPTIONAL | FIELD_KEPT,
			OF_ENTRY(others_as)),.given = OF_ENTRY(nothers)},
	{COLUMN("class_columns", FIELD_NAMES, FIELD_REQUIRED | FIELD_UNWRITTEN,
			OF_ENTRY(class_columns)),.given = OF_ENTRY(nclass_columns),
	.read = "anonopt.class_columns(p.generalized, p.columns_as, p.shown)"},
	{COLUMN("sensitive", FIELD_NAMES, FIELD_KEPT, OF_ENTRY(sensitive)),.given = OF_ENTRY(nsensitive)},
	{COLUMN("measures", FIELD_JSON, FIELD_REQUIRED, OF_ENTRY(measures))},
	{COLUMN("person", FIELD_NAME, 0, OF_ENTRY(person))},
	{COLUMN("min_utility", FIELD_FIGURE, FIELD_FIXED,
			OF_ENTRY(by.records.min_utility)),.given = OF_ENTRY(by.records.are_given)},
	{COLUMN("key_column", FIELD_NAME, FIELD_FIXED, OF_ENTRY(by.records.key))},
	{COLUMN("risk", FIELD_WORD, FIELD_FIXED, OF_ENTRY(by.records.risk)), WORDS(risk_names)},
	{COLUMN("utility", FIELD_WORD, FIELD_FIXED, OF_ENTRY(by.records.utility)), WORDS(utility_names)},
	{COLUMN("epsilon", FIELD_FIGURE, FIELD_FIXED, OF_ENTRY(privacy.epsilon)),.given = OF_ENTRY(is_private)},
	{COLUMN("delta", FIELD_FIGURE, FIELD_FIXED, OF_ENTRY(privacy.delta)),.given = OF_ENTRY(has_delta)},
	{COLUMN("beta", FIELD_FIGURE, FIELD_FIXED, OF_ENTRY(privacy.beta)),.given = OF_ENTRY(has_beta)},
	{COLUMN("vouched", FIELD_FLAG, FIELD_REQUIRED | FIELD_FIXED, OF_ENTRY(trusted)), WORDS(vouched_names)},
	{COLUMN("filled_at", FIELD_TIME, FIELD_UNWRITTEN, OF_ENTRY(filled_at)),.given = OF_ENTRY(is_filled)},
	{COLUMN("held_back", FIELD_COUNT, FIELD_UNWRITTEN, OF_ENTRY(held_back)),.least = 0,.most = PG_INT64_MAX,
		.read = "(SELECT least(COALESCE(sum(h.waiting), 0), 9223372036854775807) FROM"
	" anonopt.published_held h WHERE h.id = p.id)"},
	{COLUMN("held_since", FIELD_TIME, FIELD_UNWRITTEN, OF_ENTRY(held_since)),.given = OF_ENTRY(is_held_back),
	.read = "(SELECT min(h.since) FROM anonopt.published_held h WHERE h.id = p.id)"},
	{COLUMN("filled_by", FIELD_WORD, 0, OF_ENTRY(filled_by)), WORDS(filled_names)},
	{COLUMN("made_in", FIELD_FLAG, FIELD_REQUIRED | FIELD_UNWRITTEN, OF_ENTRY(is_restored)),
		WORDS(place_names),
		.read = "CASE WHEN p.made_in = anonopt.this_database() AND EXISTS (SELECT FROM pg_class c"
		" WHERE c.oid = anonopt.as_oid(p.relation)"
	" AND c.reltype = anonopt.as_oid(p.row_type)) THEN 'here' ELSE 'elsewhere' END"}
};

#define OF_CONTENT(member) offsetof(KnownContent, member)

static const EntryField content_fields[] = {
	{COLUMN("same_rows", FIELD_COUNT, 0, OF_CONTENT(same_rows)),.least = 0,.most = 1,.read =
	"p.same_rows::int"},
	{COLUMN("is_others", FIELD_COUNT, 0, OF_CONTENT(is_others)),.least = 0,.most = 1,.read =
	"p.is_others::int"},
	{COLUMN("k", FIELD_COUNT, FIELD_REQUIRED,
			OF_CONTENT(k)),.least = 1,.most = PG_INT32_MAX,.read = PROMISED_K},
	{COLUMN("version", FIELD_COUNT, 0, OF_CONTENT(version)),.given = OF_CONTENT(is_known),
	.least = 0,.most = PG_INT32_MAX},
	{COLUMN("difference", FIELD_COUNT, 0, OF_CONTENT(difference)),.given = OF_CONTENT(has_difference),
	.least = PG_INT64_MIN,.most = PG_INT64_MAX},
	{COLUMN("epsilon", FIELD_FIGURE, 0, OF_CONTENT(epsilon)),.given = OF_CONTENT(is_sample)},
	{COLUMN("delta", FIELD_FIGURE, 0, OF_CONTENT(delta))}
};

#define FIELDS_OF_CONTENTS 13

/* A promise as it is recorded. */
typedef struct PromiseRow
{
	DeclaredPromise promise;
	char	   *model;
	char	   *population_name;
	int64		columns_known;
	bool		knows_columns;
	int64		rows_known;
	bool		knows_rows;
} PromiseRow;

#define OF_PROMISE(member) offsetof(PromiseRow, member)

static const EntryField promise_fields[] = {
	{COLUMN("model", FIELD_TEXT, FIELD_REQUIRED, OF_PROMISE(model)),.read = "q.model"},
	{COLUMN("column_name", FIELD_NAME, 0, OF_PROMISE(promise.column)),.read = "q.column_name"},
	{COLUMN("threshold", FIELD_FIGURE, FIELD_REQUIRED, OF_PROMISE(promise.threshold)),.read = "q.threshold"},
	{COLUMN("c", FIELD_FIGURE, 0, OF_PROMISE(promise.c)),.given = OF_PROMISE(promise.has_c),.read = "q.c"},
	{COLUMN("population", FIELD_RELATION, 0, OF_PROMISE(promise.population)),.read =
	RESOLVED("q.population", "q.population_name")},
	{COLUMN("population_name", FIELD_TEXT, 0, OF_PROMISE(population_name)),.read = "q.population_name"},
	{COLUMN("columns_known", FIELD_COUNT, 0, OF_PROMISE(columns_known)),.given = OF_PROMISE(knows_columns),
	.least = 1,.most = PG_INT32_MAX,.read = "q.columns_known"},
	{COLUMN("rows_known", FIELD_COUNT, 0, OF_PROMISE(rows_known)),.given = OF_PROMISE(knows_rows),
	.least = 1,.most = PG_INT32_MAX,.read = "q.rows_known"}
};

#define OF_DISTRIBUTION(member) offsetof(Distribution, member)

static const EntryField distribution_fields[] = {
	{COLUMN("column_name", FIELD_NAME, FIELD_REQUIRED, OF_DISTRIBUTION(column)),.read = "q.column_name"},
	{COLUMN("distance", FIELD_WORD, FIELD_REQUIRED, OF_DISTRIBUTION(distance)),
	WORDS(distance_names),.read = "q.distance"},
	{COLUMN("hierarchy", FIELD_COUNT, 0, OF_DISTRIBUTION(place)),.most = PG_INT32_MAX,.read = "q.hierarchy"},
	{COLUMN("level", FIELD_COUNT, 0, OF_DISTRIBUTION(level)),.given = OF_DISTRIBUTION(is_labelled),.least =
	0,.most = PG_INT16_MAX,.read = "q.level"},
	{COLUMN("values", FIELD_TEXTS, FIELD_REQUIRED | FIELD_NULLS,
			OF_DISTRIBUTION(values)),.given = OF_DISTRIBUTION(nvalues),.read = "q.values"},
	{COLUMN("leaves", FIELD_TEXTS, FIELD_OPTIONAL | FIELD_NULLS,
			OF_DISTRIBUTION(leaves)),.given = OF_DISTRIBUTION(nleaves),.read = "q.leaves"},
	{COLUMN("people", FIELD_COUNTS, FIELD_REQUIRED,
			OF_DISTRIBUTION(people)),.given = OF_DISTRIBUTION(npeople),.read = "q.people"}
};

/* A cover as it is recorded. */
typedef struct CoverRow
{
	LabelCover	cover;
	int64		ordinal;
} CoverRow;

#define OF_COVER(member) offsetof(CoverRow, member)

static const EntryField cover_fields[] = {
	{COLUMN("ordinal", FIELD_COUNT, FIELD_REQUIRED | FIELD_UNWRITTEN,
			OF_COVER(ordinal)),.least = 1,.most = MAX_ATTRIBUTES,.read = "q.ordinal"},
	{COLUMN("labels", FIELD_TEXTS, FIELD_REQUIRED | FIELD_NULLS,
			OF_COVER(cover.labels)),.given = OF_COVER(cover.n),.read = "q.labels"},
	{COLUMN("firsts", FIELD_TEXTS, FIELD_REQUIRED | FIELD_NULLS,
			OF_COVER(cover.firsts)),.given = OF_COVER(cover.nfirsts),.read = "q.firsts"},
	{COLUMN("lasts", FIELD_TEXTS, FIELD_REQUIRED | FIELD_NULLS,
			OF_COVER(cover.lasts)),.given = OF_COVER(cover.nlasts),.read = "q.lasts"},
	{COLUMN("unknown", FIELD_TEXTS, FIELD_REQUIRED | FIELD_NULLS,
			OF_COVER(cover.unknown)),.given = OF_COVER(cover.nunknown),.read = "q.unknown"}
};

/* ------------------------------------------------------------------- reading */

/* Rows of a table of parts q that belong to an entry. */
static QueryRows *
part_rows(const ReleaseEntry *entry, const char *table, const EntryField *fields, int nfields)
{
	return entry_rows(fields, nfields, psprintf("anonopt.published p JOIN anonopt.%s q ON q.id = p.id"
												" WHERE p.id = $1::uuid ORDER BY q.ordinal", table),
					  TEXTOID, CStringGetTextDatum(entry->id));
}

static void
read_distributions(ReleaseEntry *entry)
{
	QueryRows  *rows = part_rows(entry, "published_values", distribution_fields,
								 lengthof(distribution_fields));

	entry->ndistributions = rows->n;
	entry->distributions = palloc0(sizeof(Distribution) * (rows->n + 1));
	for (int i = 0; i < rows->n; i++)
	{
		Distribution *distribution = &entry->distributions[i];

		entry_read(rows, i, entry->name, distribution_fields, lengthof(distribution_fields), distribution);
		if (distribution->nleaves == 0)
			distribution->leaves = NULL;
		if (distribution->place > entry->nhierarchies || distribution->npeople != distribution->nvalues ||
			(distribution->leaves != NULL && distribution->nleaves != distribution->nvalues))
			refuse_entry(entry->name);
		if (distribution->place > 0)
			distribution->hierarchy = entry->hierarchies[distribution->place - 1];
		if ((distribution->distance == DISTANCE_HIERARCHICAL && distribution->leaves == NULL) ||
			(distribution->is_labelled && distribution->leaves == NULL) ||
			(distribution->leaves != NULL && !OidIsValid(distribution->hierarchy)))
			refuse_entry(entry->name);
		for (int v = 0; v < distribution->npeople; v++)
			if (distribution->people[v] < 0 || distribution->people[v] > INT64CONST(1) << 47)
				refuse_entry(entry->name);
	}
}

/* Checks a promise that was read. */
static DeclaredPromise
sound_promise(const ReleaseEntry *entry, PromiseRow *row)
{
	DeclaredPromise *promise = &row->promise;
	DeclaredPromise sound;
	int			model = model_by_name(row->model);

	if (model < 0)
		refuse_entry(entry->name);
	promise->model = (PromiseModel) model;
	promise->columns_known = row->knows_columns ? (int) row->columns_known : 0;
	promise->rows_known = row->knows_rows ? (int) row->rows_known : 0;
	if (row->population_name == NULL || get_rel_name(promise->population) == NULL)
		promise->population = InvalidOid;
	if (OidIsValid(promise->population))
		promise->population_type = get_rel_type_id(promise->population);
	else if (row->population_name != NULL && model_needs_population(promise->model))
		return *promise;
	sound = *promise;
	if (promise_is_general(promise))
	{
		/* an argument */
		if (model != MODEL_K && model != MODEL_L && model != MODEL_T)
			refuse_entry(entry->name);
		sound.column = model == MODEL_K ? NULL : "";
	}
	if (promise_problem(&sound) != NULL)
		refuse_entry(entry->name);
	return *promise;
}

/* Reads promises; of a general one, there is one of a model. */
static void
read_promises(ReleaseEntry *entry)
{
	QueryRows  *rows = part_rows(entry, "published_promise", promise_fields, lengthof(promise_fields));

	if (rows->n > MAX_PROMISES + GENERAL_PROMISES)
		refuse_entry(entry->name);
	entry->promises = palloc0(sizeof(DeclaredPromise) * (rows->n + 1));
	for (int i = 0; i < rows->n; i++)
	{
		PromiseRow	row = {0};
		DeclaredPromise promise;

		entry_read(rows, i, entry->name, promise_fields, lengthof(promise_fields), &row);
		promise = sound_promise(entry, &row);
		if (promise_is_general(&promise))
		{
			if (entry->ngeneral != i || general_promise(entry, promise.model) != NULL)
				refuse_entry(entry->name);
			entry->ngeneral++;
		}
		entry->promises[entry->npromises++] = promise;
	}
	if (general_promise(entry, MODEL_K) == NULL)
		refuse_entry(entry->name);
}

const DeclaredPromise *
general_promise(const ReleaseEntry *entry, PromiseModel model)
{
	for (int i = 0; i < entry->ngeneral; i++)
		if (entry->promises[i].model == model)
			return &entry->promises[i];
	return NULL;
}

LabelCover *
release_entry_covers(const ReleaseEntry *entry)
{
	LabelCover *covers = palloc0(sizeof(LabelCover) * MAX_ATTRIBUTES);
	QueryRows  *rows;

	if (entry->ncovers > 0)
		return entry->covers;
	rows = part_rows(entry, "published_cover", cover_fields, lengthof(cover_fields));
	for (int i = 0; i < rows->n; i++)
	{
		CoverRow	row;

		entry_read(rows, i, entry->name, cover_fields, lengthof(cover_fields), &row);
		if (row.ordinal > entry->ngeneralized || row.cover.nfirsts != row.cover.n ||
			row.cover.nlasts != row.cover.n)
			refuse_entry(entry->name);
		covers[row.ordinal - 1] = row.cover;
	}
	return covers;
}

bool
release_entry_shows(const ReleaseEntry *entry, const char *column)
{
	for (int i = 0; i < entry->nsensitive; i++)
		if (strcmp(entry->sensitive[i], column) == 0)
			return true;
	return false;
}

/*
 * If shares are promised, each sensitive column that is shown needs its
 * distribution.
 */
static void
require_distributions(const ReleaseEntry *entry)
{
	for (int i = 0; i < entry->nsensitive; i++)
	{
		const char *column = entry->sensitive[i];
		bool		missing = false;

		for (int p = 0; p < entry->npromises; p++)
			missing = missing || (promise_is_about(&entry->promises[p], column) &&
								  promise_needs_values(&entry->promises[p]));
		for (int d = 0; d < entry->ndistributions; d++)
			missing = missing && strcmp(entry->distributions[d].column, column) != 0;
		if (missing)
			refuse_entry(entry->name);
	}
}

/* Checks how an entry generalizes, and finds out in which of the ways. */
static void
check_generalization(ReleaseEntry *entry, const char *what)
{
	Generalization *by = &entry->by;
	int64		parted = 0;

	if (entry->ngeneralized == 0 || entry->ngeneralized > MAX_ATTRIBUTES ||
		entry->nhierarchies < entry->ngeneralized)
		refuse_entry(what);
	if ((by->nlevels > 0) + (by->ncuts > 0) + (by->recoding_name != NULL) > 1 ||
		(by->nlevels > 0 && by->nlevels != entry->ngeneralized) ||
		(by->ncuts > 0 && by->ncuts != entry->ngeneralized))
		refuse_entry(what);
	by->kind = by->nlevels > 0 ? BY_LEVELS : by->ncuts > 0 ? BY_CUTS :
		by->recoding_name != NULL ? BY_RECODING : BY_RECORDS;
	for (int i = 0; i < by->nlevels; i++)
		if (by->levels[i] < 0)
			refuse_entry(what);
	/* one label more than the bits of each cut */
	for (int i = 0; i < by->ncuts; i++)
		parted += (int64) VARBITLEN(DatumGetVarBitP(by->cuts[i])) + 1;
	if (by->kind == BY_CUTS && parted != by->ncut_labels)
		refuse_entry(what);
	if (by->kind == BY_RECODING && by->labels == RECODING_LABELS)
		refuse_entry(what);
}

/*
 * The entry of a relation, or NULL.  To find the relation of every entry takes long where many are gone,
	so only those
 * are asked that have its number or that its comment names; no other can be found to be this one.
 */
static ReleaseEntry *
release_entry_find(Oid relation)
{
	QueryRows  *rows = entry_rows(entry_fields, lengthof(entry_fields),
								  "anonopt.published p WHERE (p.relation = $1::int8 OR"
								  " starts_with((SELECT obj_description($1, 'pg_class')), 'anonopt"
								  " release ' || p.id::text))"
								  " AND " FIND_RELEASE " = $1 ORDER BY p.published_at DESC LIMIT 1",
								  OIDOID, ObjectIdGetDatum(relation));
	const char *what;
	ReleaseEntry *entry;
	const RecordOptions *records;

	if (rows->n == 0)
		return NULL;
	what = relation_sql_name(relation);
	entry = palloc0(sizeof(ReleaseEntry));
	entry_read(rows, 0, what, entry_fields, lengthof(entry_fields), entry);
	check_generalization(entry, what);
	records = &entry->by.records;
	if (entry->by.kind == BY_RECORDS ?
		!records->are_given || records->key == NULL || records->risk == RISK_MODELS ||
		records->utility == UTILITY_MODELS :
		records->are_given)
		refuse_entry(what);
	if (entry->nhierarchy_names != entry->nhierarchies || entry->ndigests != entry->nhierarchies ||
		(entry->nforms > 0 && entry->nforms != entry->ngeneralized) || entry->nclass_columns > MAX_ATTRIBUTES)
		refuse_entry(what);
	if (entry->is_private && (!entry->has_delta || !entry->has_beta || entry->by.kind != BY_LEVELS))
		refuse_entry(what);
	for (int i = 0; i < entry->nforms; i++)
		if (find_name(entry->forms[i], columns_as_names, COLUMNS_AS) < 0)
			refuse_entry(what);
	read_distributions(entry);
	read_promises(entry);
	require_distributions(entry);
	return entry;
}

/*
 * Those of releases of the same people, unless they were made from a source that
 * is declared to have others; the relation of each, and whether its rows may be
 * the same, are found once.
 */
#define CONTENTS_OF \
	"(WITH e AS MATERIALIZED (SELECT p.id," \
	" anonopt.may_share_rows(p.id, $1, %u, COALESCE(%s, (SELECT d.person FROM anonopt.dataset d" \
	" WHERE d.dataset = p.dataset))) AS same_rows," \
	" p.id IS DISTINCT FROM %s AND NOT anonopt.is_told_of(%u, p.published_by) AS is_others," \
	" " FIND_RELEASE " AS found FROM anonopt.published p" \
	" WHERE p.id IN (SELECT anonopt.releases_of_people($1, %u)) OR p.id = %s)" \
	" SELECT m.*, e.same_rows, e.is_others, e.found FROM e JOIN anonopt.made_content m USING (id)) p" \
	" WHERE p.id IS NOT DISTINCT FROM %s OR NOT EXISTS (SELECT FROM anonopt.other_people o" \
	" WHERE o.relation = $1 AND CASE WHEN p.made_in = anonopt.this_database()" \
	" THEN o.other = anonopt.as_oid(p.source)" \
	" ELSE o.other_name = p.source_name END)" \
	" ORDER BY COALESCE(p.made_at, p.published_at), p.id"

KnownContent *
known_contents(Oid source, const char *person, const char *id, int *n)
{
	EntryField	fields[FIELDS_OF_CONTENTS + lengthof(content_fields)];
	KnownContent *contents;
	QueryRows  *rows;
	Oid			reader = GetUserId();
	const char *own = id == NULL ? "NULL::uuid" : psprintf("'%s'::uuid", id);

	memcpy(fields, entry_fields, sizeof(EntryField) * FIELDS_OF_CONTENTS);
	memcpy(fields + FIELDS_OF_CONTENTS, content_fields, sizeof(content_fields));
	for (int i = 0; i < FIELDS_OF_CONTENTS; i++)
		if (strcmp(fields[i].column, "relation") == 0)
			fields[i].read = "COALESCE(p.found::int8, p.relation)";
	rows = entry_rows(fields, lengthof(fields),
					  psprintf(CONTENTS_OF, reader,
							   person == NULL ? "NULL::name" :
							   psprintf("%s::name", quote_literal_cstr(person)),
							   own, reader, reader, own, own),
					  OIDOID, ObjectIdGetDatum(source));
	*n = rows->n;
	contents = palloc0(sizeof(KnownContent) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		/* the entry is the first member */
		entry_read(rows, i, "of earlier times", fields, lengthof(fields), &contents[i]);
		check_generalization(&contents[i].release, "of earlier times");
		contents[i].has_difference = contents[i].has_difference && contents[i].difference >= 0;
	}
	return contents;
}

void
tell_other_people(Oid source)
{
	const Oid	types[] = {OIDOID, TEXTOID};
	QueryRows  *rows = read_catalog("SELECT o.other, string_agg(DISTINCT quote_ident(o.declared_by),"
									" ', ' ORDER BY quote_ident(o.declared_by))"
									" FROM anonopt.other_people o WHERE o.relation = $1 GROUP BY 1"
									" ORDER BY 1",
									add_oid(NULL, source), lengthof(types), types);

	for (int i = 0; i < rows->n; i++)
		ereport(NOTICE,
				(errmsg("releases of %s are not compared with those of %s", relation_sql_name(source),
						relation_sql_name(row_oid(rows, i, 0))),
				 errdetail("Role %s has declared that they show other people.", row_text(rows, i, 1))));
}

int
last_content(const char *id, const KnownContent *contents, int n)
{
	int			last = -1;

	for (int i = 0; i < n && id != NULL; i++)
		if (strcmp(contents[i].release.id, id) == 0 && contents[i].is_known &&
			(last < 0 || contents[i].version > contents[last].version))
			last = i;
	return last;
}

Oid
release_by_id(Datum id)
{
	const Oid	type = OIDOID;
	QueryRows  *rows = read_catalog("SELECT " FIND_RELEASE " FROM anonopt.published p WHERE p.id = $1",
									add_value(NULL, UUIDOID, id, false), 1, &type);
	bool		isnull = true;
	Datum		relation = rows->n == 0 ? (Datum) 0 : row_value(rows, 0, 0, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(relation);
}

ReleaseEntry *
release_entry_require(Oid relation)
{
	ReleaseEntry *entry;

	if (get_rel_name(relation) == NULL)
		relation_is_missing(relation);
	entry = release_entry_find(relation);
	if (entry == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("relation %s is not a release of anonopt", relation_sql_name(relation)),
				 errhint("See anonopt.release.")));
	/* another relation with that name would not be a release */
	if (get_rel_relkind(relation) != form_kinds[entry->form])
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("relation %s is no longer what was published", relation_sql_name(relation)),
				 errhint("Drop it and publish it again.")));
	return entry;
}

char *
release_entry_added_columns(const ReleaseEntry *entry)
{
	ParamListInfo params = add_oid(add_text(NULL, entry->id), entry->relation);
	const Oid	type = TEXTOID;
	QueryRows  *added;

	params = add_value(params, NAMEARRAYOID, names_datum(entry->class_columns, entry->nclass_columns), false);
	params = add_value(params, NAMEARRAYOID, names_datum(entry->sensitive, entry->nsensitive), false);
	params = add_value(params, NAMEARRAYOID, names_datum(entry->columns, entry->ncolumns), false);
	params = add_value(params, BOOLOID, BoolGetDatum(entry->star), false);
	params = add_value(params, NAMEARRAYOID, names_datum(entry->generalized,
														 entry->permuted ? entry->ngeneralized : 0), false);

	/*
	 * the content says which column was the class label; a live view has no
	 * content and shows the declared one
	 */
	added = read_catalog("SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM"
						 " pg_attribute a"
						 " WHERE a.attrelid = $2 AND a.attnum > 0 AND NOT a.attisdropped AND NOT"
						 " a.attname = ANY ($3 || $4 || $5 || $7)"
						 " AND NOT ($6 AND a.attname = 'anonopt_suppressed')"
						 " AND NOT EXISTS (SELECT FROM anonopt.published_content c WHERE c.id ="
						 " $1::uuid AND a.attname = ANY (c.compared))"
						 " AND NOT EXISTS (SELECT FROM anonopt.published_link l WHERE l.id = $1::uuid"
						 " AND l.column_name = a.attname)"
						 " AND NOT EXISTS (SELECT FROM anonopt.published p JOIN anonopt.attribute d ON"
						 " d.dataset = p.dataset"
						 " WHERE p.id = $1::uuid AND p.form = 'live view' AND d.column_name ="
						 " a.attname AND d.role = 'class_label')",
						 params, 1, &type);
	return row_text(added, 0, 0);
}

/* ------------------------------------------------------------------- writing */

/*
 * The tables with what is recorded of a release; parts of an entry, which are
 * replaced with it, come first.
 */
static const char *const tables[] = {"published_promise", "published_values", "published_cover",
"published", "published_source", "published_content", "published_link", "published_held"};

#define REPLACED_PARTS 3

static void
forget_parts(const char *id, int n)
{
	for (int i = 0; i < n; i++)
		(void) write_catalog(psprintf("DELETE FROM anonopt.%s WHERE id = $1::uuid", tables[i]),
							 add_text(NULL, id));
}

/*
 * Replaces the parts of an entry, each in a table of its own; the relations
 * that it read before are kept, because its earlier contents show their people.
 */
static void
write_parts(const ReleaseEntry *entry)
{
	(void) write_catalog("INSERT INTO anonopt.published_source (id, relation, relation_name, is_read,"
						 " is_view, made_in)"
						 " SELECT $1::uuid, r.relation::int8, r.relation_name, r.is_read, r.is_view,"
						 " anonopt.this_database()"
						 " FROM anonopt.relations_read($2, NULL, $3) r ON CONFLICT DO NOTHING",
						 add_oid(add_oid(add_text(NULL, entry->id), entry->source), GetUserId()));

	forget_parts(entry->id, REPLACED_PARTS);
	for (int i = 0; i < entry->npromises; i++)
	{
		const DeclaredPromise *promise = &entry->promises[i];
		PromiseRow	row = {*promise, unconstify(char *, model_name(promise->model)),
			OidIsValid(promise->population) ? relation_sql_name(promise->population) : NULL,
		promise->columns_known, promise->columns_known > 0, promise->rows_known, promise->rows_known > 0};

		/* those declared count from 1 */
		entry_insert("published_promise", promise_fields, lengthof(promise_fields), &row, "id, ordinal",
					 psprintf("'%s', %d", entry->id, i + 1 - entry->ngeneral));
	}
	for (int i = 0; i < entry->ndistributions; i++)
		entry_insert("published_values", distribution_fields, lengthof(distribution_fields),
					 &entry->distributions[i], "id, ordinal",
					 psprintf("'%s', %d", entry->id, i + 1));
	for (int i = 0; i < entry->ncovers; i++)
	{
		CoverRow	row = {entry->covers[i], i + 1};

		entry_insert("published_cover", cover_fields, lengthof(cover_fields), &row, "id, ordinal",
					 psprintf("'%s', %d", entry->id, i + 1));
	}
}

const char *
filled_name(FilledBy by)
{
	return by < lengthof(filled_names) ? filled_names[by] : NULL;
}

/* Who publishes, and when rows are written: a live view has none. */
static char *
publisher(void)
{
	return quote_literal_cstr(GetUserNameFromId(GetUserId(), false));
}

static const char *
filled_now(const ReleaseEntry *entry)
{
	return entry->form == RELEASE_LIVE_VIEW ? "NULL" : "clock_timestamp()";
}

void
release_entry_insert(const ReleaseEntry *entry)
{
	entry_insert("published", entry_fields, lengthof(entry_fields), entry,
				 "row_type, made_in, published_by, published_at, filled_at, verified_at, verified_ok",
				 psprintf("%u, anonopt.this_database(), %s, clock_timestamp(), %s, clock_timestamp(), true",
						  get_rel_type_id(entry->relation), publisher(), filled_now(entry)));
	write_parts(entry);
}

/* Whether an entry promises what it promised before, or more. */
static bool
promises_no_less(const ReleaseEntry *entry)
{
	ReleaseEntry before = {.id = entry->id,.name = entry->name};

	read_promises(&before);
	for (int i = 0; i < before.npromises; i++)
	{
		const DeclaredPromise *promise = &before.promises[i];
		bool		kept = false;

		for (int j = 0; j < entry->npromises; j++)
			kept = kept || (promise_is_alike(&entry->promises[j], promise) &&
							promise_is_stricter(&entry->promises[j], promise));
		if (!kept)
			return false;
	}
	return true;
}

/* Writes down how the contents so far were generalized, before their release is republished. */
static void
keep_generalization(const ReleaseEntry *entry)
{
	(void) write_catalog("UPDATE anonopt.published_content c SET (levels, cuts, cut_labels, recoding_name,"
						 " recoding_labels, hierarchies, hierarchy_names, source, source_name, made_in) ="
						 " (SELECT p.levels, p.cuts, p.cut_labels, p.recoding_name, p.labels, p.hierarchies,"
						 " p.hierarchy_names, p.source, p.source_name, p.made_in FROM"
						 " anonopt.published p WHERE p.id = c.id)"
						 " WHERE c.id = $1::uuid AND c.part = 0 AND c.made_in IS NULL",
						 add_text(NULL, entry->id));
}

static void
change_entry(const ReleaseEntry *entry, bool refreshes, bool publishes)
{
	if (!refreshes)
		keep_generalization(entry);
	if (entry_update("published", entry_fields, lengthof(entry_fields), entry, refreshes,
					 psprintf("row_type = %u, made_in = anonopt.this_database(), filled_at = %s,"
							  " verified_at = clock_timestamp(), verified_ok = true, verified = NULL%s",
							  get_rel_type_id(entry->relation), filled_now(entry),
							  publishes ? psprintf(", published_by = %s, published_at = clock_timestamp()",
												   publisher()) : ""),
					 psprintf("WHERE p.id = '%s'", entry->id)) != 1 ||
		(refreshes && !promises_no_less(entry)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not write the entry of release %s", entry->name)));
	write_parts(entry);
}

void
release_entry_replace(const ReleaseEntry *entry)
{
	change_entry(entry, false, true);
}

void
release_entry_update(const ReleaseEntry *entry, bool same_rows)
{
	change_entry(entry, true, !same_rows);
}

void
release_entry_verified(const ReleaseEntry *entry, bool ok, bool is_known, const char *found)
{
	ParamListInfo params = add_text(add_value(add_text(NULL, entry->id), BOOLOID, BoolGetDatum(ok), !is_known), found);

	/*
	 * a refresh has locked the row, which would wait for us, who read its
	 * release; it records its own
	 */
	(void) write_catalog("UPDATE anonopt.published SET verified_at = clock_timestamp(), verified_ok ="
						 " $2, verified = $3::jsonb WHERE id ="
						 " (SELECT p.id FROM anonopt.published p WHERE p.id = $1::uuid FOR NO KEY"
						 " UPDATE SKIP LOCKED)", params);
}

void
release_entry_retire(const char *id)
{
	(void) write_catalog("UPDATE anonopt.published SET relation = 0, row_type = 0 WHERE id = $1::uuid",
						 add_text(NULL, id));
	(void) write_catalog("DELETE FROM anonopt.published_held WHERE id = $1::uuid", add_text(NULL, id));
}

void
release_entry_forget(const char *id)
{
	const Oid	type = TEXTOID;
	QueryRows  *spent = read_own_changes("SELECT sum(c.epsilon::numeric)::text FROM"
										 " anonopt.published_content c WHERE c.id = $1::uuid"
										 " HAVING count(c.epsilon) > 0", add_text(NULL, id), 1, &type);

	if (spent->n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a differentially private release cannot be forgotten"),
				 errdetail("It has spent an epsilon of %s, which is spent whoever has read it.",
						   row_text(spent, 0, 0)),
				 errhint("Call anonopt.drop_release, which keeps that on record.")));
	forget_parts(id, lengthof(tables));
}

void
release_entry_note_readers(const char *id, const char *readers)
{
	(void) write_catalog("UPDATE anonopt.published SET read_by = $2 WHERE id = $1::uuid",
						 add_text(add_text(NULL, id), readers == NULL ? "" : readers));
}

void
release_entry_forget_dropped(Datum id)
{
	const Oid	types[] = {TEXTOID, TEXTOID, BOOLOID};
	QueryRows  *rows = read_catalog("SELECT p.name, p.read_by, p.published_by = $2 FROM"
									" anonopt.published p WHERE p.id = $1",
									add_name(add_value(NULL, UUIDOID, id, false),
											 GetUserNameFromId(GetUserId(), false)),
									lengthof(types), types);
	char	   *text = DatumGetCString(DirectFunctionCall1(uuid_out, id));
	const char *readers;
	bool		isnull;

	if (rows->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no release with id %s", text),
				 errhint("See anonopt.release.")));
	if (!DatumGetBool(row_value(rows, 0, 2, &isnull)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release %s was published by another role", row_text(rows, 0, 0)),
				 errhint("If you are a member of it, SET ROLE first.")));
	readers = row_text(rows, 0, 1);
	if (readers == NULL || *readers != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("others may have read release %s", row_text(rows, 0, 0)),
				 readers == NULL ? errdetail("It was not dropped by anonopt.drop_release, so that nobody knows who could read it.") :
				 errdetail("When it was dropped or replaced, it was open to: %s.", readers)));
	release_entry_forget(text);
}

bool
release_entry_is_new(const char *id)
{
	const Oid	type = INT4OID;

	return read_catalog("SELECT 1 FROM anonopt.published p WHERE p.id = $1::uuid AND p.published_at >= now()"
						" AND NOT EXISTS (SELECT FROM anonopt.published_content c WHERE c.id = p.id"
						" AND c.made_at < now())",
						add_text(NULL, id), 1, &type)->n > 0;
}
