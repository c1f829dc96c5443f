/*
 * release_read.c
 *	  Reads a relation once for a release: spools its rows, and checks columns
 *	  that are shown as they are.
 */
#include "release/release.h"

#include "catalog/pg_operator.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/pseudonym.h"

/*
 * The levels below which leaves need not be distinguished; NULL if every leaf
 * matters.
 */
static int *
lowest_levels(const Release *release)
{
	const Dataset *dataset = release->dataset;
	int		   *lowest;
	int			n = 0;

	if (release->by.kind == BY_RECORDS || release->by.kind == BY_RECODING)
		return NULL;
	if (release->by.kind == BY_LEVELS)
		return release->by.levels;
	lowest = palloc(sizeof(int) * (dataset->nattributes + 1));
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			lowest[n++] = dataset->attributes[i].min_level;
	return lowest;
}

/*
 * Whether a reader can compare a column's values between releases: it is
 * sensitive or the class label.
 */
static bool
is_compared(const Dataset *dataset, const char *column)
{
	return dataset_has_role(dataset, ROLE_SENSITIVE, column) ||
		dataset_has_role(dataset, ROLE_CLASS_LABEL, column);
}

static bool
ties_matter(const Release *release)
{
	return release->by.kind == BY_RECORDS && release->by.records.risk == RISK_IDENTITY;
}

static void
begin_spool(Release *release)
{
	SpoolColumn *columns = palloc0(sizeof(SpoolColumn) * (release->ncolumns + 1));
	RowSpool   *spool = &release->spool;

	unconstify(Dataset *, release->dataset)->keeps_rows = release->by.kind == BY_LEVELS ||
		release->by.kind == BY_CUTS;
	if (release->holds_back && release->dataset->person != NULL && dataset_promises_known(release->dataset))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a release of people with several rows cannot hold classes back if it promises something against people who know some of the columns or rows"),
				 errdetail("Whether the rows of a class that keeps those it showed are those of enough people beside the other classes cannot be told."),
				 errhint("Set anonopt.composition to refuse, or call refresh_release with hold_back => false.")));
	spool->columns = columns;
	for (int i = 0; i < release->ncolumns; i++)
		if (release->columns[i].attr < 0)
		{
			columns[spool->ncolumns].name = release->columns[i].name;
			columns[spool->ncolumns].labelled = release->columns[i].labelled;
			if (release->columns[i].pseudonym)
				release->pseudonyms = lappend(release->pseudonyms,
											  pseudonym_begin(release->dataset, release->columns[i].name,
															  column_type(release->dataset->relation,
																		  release->columns[i].name),
															  spool->ncolumns));
			columns[spool->ncolumns].digested = !spool->for_readers &&
				(is_private(release) || is_compared(release->dataset, release->columns[i].name));
			/* all that is shown tells people of a sample apart */
			columns[spool->ncolumns].apart = is_private(release) &&
				!is_compared(release->dataset, release->columns[i].name);
			spool->ncolumns++;
		}
	spool->keeps_ties = ties_matter(release);
	spool->keeps_rows = spool->for_readers || release->form != RELEASE_LIVE_VIEW || release->nnamed > 0;
	release->nspooled = spool->ncolumns;

	/*
	 * readers of true values know when somebody with another value comes or
	 * goes
	 */
	for (int i = 0; i < release->ncolumns && release->permuted; i++)
		if (release->columns[i].attr >= 0)
		{
			columns[spool->ncolumns].name = release->columns[i].name;
			columns[spool->ncolumns].apart = columns[spool->ncolumns].digested = true;
			spool->ncolumns++;
		}
	if (release->extends)
		recoding_spool_begin(spool, release->dataset);
}

/* ----------------------------------------- columns that are shown as they are */

static bool
has_role(const Dataset *dataset, const char *column)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (strcmp(dataset->attributes[i].column, column) == 0)
			return true;
	return false;
}

/* Digests of a column's values, sorted so that equal ones stand together. */
typedef struct ColumnSort
{
	int			column;			/* of the spool */
	Form_pg_attribute form;
	uint64		seed;
	Tuplesortstate *sort;
} ColumnSort;

uint64
bytes_digest(Form_pg_attribute column, Datum value, uint64 seed)
{
	struct varlena *flat;

	if (column->attbyval)
		return hash_bytes_extended((unsigned char *) &value, sizeof(value), seed);
	if (column->attlen != -1)
		return hash_bytes_extended((unsigned char *) DatumGetPointer(value),
								   column->attlen > 0 ? column->attlen : strlen(DatumGetCString(value)),
								   seed);
	flat = PG_DETOAST_DATUM_PACKED(value);
	return hash_bytes_extended((unsigned char *) VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat), seed);
}

/*
 * Values are equal only if their bytes are, because values that look different
 * single people out.
 */
static void
sort_value(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	ColumnSort *by = arg;

	if (!nulls[by->column])
		tuplesort_putdatum(by->sort, Int64GetDatum((int64) bytes_digest(by->form, values[by->column],
																		by->seed)), false);
}

/* Counts the values that fewer than k people have, and all values. */
static void
count_rare(Tuplesortstate *sort, int64 k, int64 *rare, int64 *all)
{
	Datum		value;
	Datum		before = 0;
	bool		isnull;
	int64		run = 0;

	*rare = *all = 0;
	while (tuplesort_getdatum(sort, true, true, &value, &isnull, NULL))
	{
		if (run > 0 && DatumGetInt64(value) != DatumGetInt64(before))
		{
			*rare += run < k ? run : 0;
			run = 0;
		}
		before = value;
		run++;
		(*all)++;
	}
	*rare += run < k ? run : 0;
}

/*
 * Fails if more than 1 % of the rows have values of a column that fewer than k
 * have.  A sensitive column must be shown somehow, so anonopt.composition says
 * whether that is refused, and an existing release is only warned of it: rare
 * values may come in any night.  set_insensitive, beside its role, allows it.
 */
static void
check_rare(const Release *release, const char *column, int64 rare, int64 all, bool sensitive)
{
	int			level = sensitive ? composition_level() : ERROR;

	if (rare <= 0.01 * all || level == 0)
		return;
	if (sensitive && release->id != NULL)
		level = WARNING;
	ereport(level,
			(errcode(level == ERROR ? ERRCODE_INVALID_PARAMETER_VALUE : ERRCODE_WARNING),
			 errmsg("column \"%s\" would single people out", column),
			 errdetail("%s with a value that fewer than " INT64_FORMAT " have: " INT64_FORMAT " of " INT64_FORMAT ".",
					   release->dataset->person != NULL ? "Rows" : "People", release->promise.k, rare, all),
			 sensitive ? errhint("Show it generalized, with anonopt.add_sensitive(..., hierarchy => ..., level => 2), or call anonopt.set_insensitive, too, if it may be published unchanged.") :
			 errhint("Declare it as a quasi-identifier, or call anonopt.set_insensitive if it may be published unchanged.")));
}

/* Fails if a column would single people out. */
static void
check_column(Release *release, int column)
{
	RowSpool   *spool = &release->spool;
	ColumnSort	by = {.column = column,.form = TupleDescAttr(spool->desc, column + 1)};
	int64		rare;
	int64		all;

	strong_random(&by.seed, sizeof(by.seed));
	by.sort = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false, work_mem, NULL, 0);
	spool_visit(spool, sort_value, &by);
	tuplesort_performsort(by.sort);
	count_rare(by.sort, release->promise.k, &rare, &all);
	tuplesort_end(by.sort);
	check_rare(release, spool->columns[column].name, rare, all, false);
}

/*
 * The same of a sensitive column: a value that few people have is a key, by
 * which the release is joined with whatever else shows it.  Values that are
 * equal count as one.
 */
static void
check_sensitive(const Release *release, int column)
{
	const RowSpool *spool = &release->spool;
	KeyCounter *values = key_counter_create(CurrentMemoryContext, 1, 1024);
	int			digested = 0;
	int64		rare = 0;
	int64		all = 0;

	for (int i = 0; i < column; i++)
		digested += spool->columns[i].digested;
	for (uint32 group = 0; group < spool->ngroups; group++)
	{
		uint64		digest = spool->digests[(Size) group * spool->ndigested + digested];

		if (group % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (digest == 0)
			continue;
		*key_counter_candidate(values) = digest;
		(void) key_counter_add(values, spool->people[group]);
	}
	for (uint32 i = 0; i < values->nkeys; i++)
	{
		rare += values->counts[i] < release->promise.k ? values->counts[i] : 0;
		all += values->counts[i];
	}
	check_rare(release, spool->columns[column].name, rare, all, true);
}

void
release_read(Release *release)
{
	const Dataset *dataset = release->dataset;
	RowSpool   *spool = &release->spool;

	begin_spool(release);
	spool->wants_values = dataset_promises_values(dataset);
	spool->drawn = release->privacy.beta;
	spool_read(spool, dataset, lowest_levels(release));
	if (spool->population == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s has no rows to publish", relation_sql_name(dataset->relation))));
	require_weights(dataset, spool->population);
	release_generalize(release, spool->population);
	release_shape(release);
	/* of a sample, who is left out is told to nobody */
	if (is_private(release))
		return;
	if (release->by.kind != BY_RECORDS)
		release_measure(release);
	for (int i = 0; i < spool->ncolumns; i++)
		if (!has_role(dataset, spool->columns[i].name))
			check_column(release, i);
		else if (dataset_has_role(dataset, ROLE_SENSITIVE, spool->columns[i].name) &&
				 !dataset_has_role(dataset, ROLE_INSENSITIVE, spool->columns[i].name))
			check_sensitive(release, i);
}

void
release_read_shown(Release *release)
{
	RowSpool   *spool = &release->spool;

	spool->for_readers = true;
	begin_spool(release);
	spool_read(spool, release->dataset, lowest_levels(release));
	if (spool->population == NULL)
		return;
	release_generalize(release, spool->population);
	release_shape(release);
	/* whoever must be hidden is: only promises about all classes can fail */
	release->promise.limit = spool->population->people;
	classes_measure(release->classes, &release->promise, &release->measures);
	if (release->measures.feasible)
		release_choose_classes(release);
	else
		release->classes = NULL;
}

void
release_read_people(Release *release)
{
	RowSpool   *spool = &release->spool;

	spool->keeps_ties = ties_matter(release);
	spool_read(spool, release->dataset, NULL);
	if (spool->population == NULL)
		return;
	release_generalize(release, spool->population);
	/* whoever must be hidden is */
	release->promise.limit = spool->population->people;
	release_choose_classes(release);
}
