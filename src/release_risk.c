/*
 * release_risk.c
 *	  SQL: release_risk.
 *
 * Whoever has several releases of one data set knows of a person the label
 * in each, or that it is not shown there: the classes of all labels together
 * are what hides anybody.  A snapshot shows a class if it was written down
 * then; earlier contents of a refreshed release count as releases too.
 */
#include "compat.h"

#include "arguments.h"
#include "catalog.h"
#include "catalog/pg_type.h"
#include "cuts_argument.h"
#include "executor/spi.h"
#include "showing.h"
#include "sql.h"
#include "tally.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/varbit.h"

PG_FUNCTION_INFO_V1(anonopt_release_risk);

/* A class that was shown: its labels as one string, and how many people it had. */
typedef struct ShownClass
{
	char	   *labels;
	int64		people;
} ShownClass;

/* What one snapshot, or one live view, is known to show. */
typedef struct Content
{
	Oid			relation;
	int64		k;
	bool		unknown;		/* what it shows was not written down */
	bool		same;			/* made of what is declared now */
	Datum		levels;			/* or 0 */
	Datum		cuts;			/* or 0 */
	int			nclasses;
	ShownClass *classes;		/* sorted */
	uint32	   *class_of;		/* by tuple: from 1, or 0 where it is not
								 * shown */
} Content;

/* Adds a label so that no two lists of labels make one string. */
static void
append_key(StringInfo key, const char *label)
{
	if (label == NULL)
		appendStringInfoString(key, "-:");
	else
		appendStringInfo(key, "%zu:%s", strlen(label), label);
}

static int
compare_shown(const void *a, const void *b)
{
	return strcmp(((const ShownClass *) a)->labels, ((const ShownClass *) b)->labels);
}

/* The classes of a two-dimensional array of labels. */
static void
take_classes(Content *content, ArrayType *array, ArrayType *people, int nattrs)
{
	Datum	   *labels;
	bool	   *nulls;
	int			n;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &labels, &nulls, &n);
	content->nclasses = Min(n / nattrs, ArrayGetNItems(ARR_NDIM(people), ARR_DIMS(people)));
	content->classes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(ShownClass) * ((Size) content->nclasses + 1));
	for (int i = 0; i < content->nclasses; i++)
	{
		StringInfoData key;

		initStringInfo(&key);
		for (int a = 0; a < nattrs; a++)
			append_key(&key, nulls[i * nattrs + a] ? NULL : TextDatumGetCString(labels[i * nattrs + a]));
		content->classes[i].labels = key.data;
		content->classes[i].people = ((const int64 *) ARR_DATA_PTR(people))[i];
	}
	qsort(content->classes, content->nclasses, sizeof(ShownClass), compare_shown);
}

static Datum
copied_field(int row, int column, bool *isnull)
{
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);

	return *isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
}

/* Whether a release was made of the columns and hierarchies that are declared now. */
#define SAME_DECLARATION " p.generalized OPERATOR(pg_catalog.=) ARRAY(SELECT a.column_name FROM anonopt.attribute a" \
	" WHERE a.dataset OPERATOR(pg_catalog.=) $1 AND a.role OPERATOR(pg_catalog.=) 'quasi_identifier' ORDER BY a.ordinal)" \
	" AND ARRAY(SELECT pg_catalog.to_regclass(x.h)::pg_catalog.oid FROM pg_catalog.unnest(p.hierarchies[1:$2])" \
	" WITH ORDINALITY x (h, i) ORDER BY x.i) OPERATOR(pg_catalog.=) ARRAY(SELECT a.hierarchy::pg_catalog.oid FROM anonopt.attribute a" \
	" WHERE a.dataset OPERATOR(pg_catalog.=) $1 AND a.role OPERATOR(pg_catalog.=) 'quasi_identifier' ORDER BY a.ordinal)" \
	" AND COALESCE(pg_catalog.array_length(p.levels, 1), pg_catalog.array_length(p.cuts, 1)) OPERATOR(pg_catalog.=) $2"

/* Fails unless the caller may read what the releases were made of. */
static void
require_reading(const Dataset *dataset)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT 1");
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			appendStringInfo(&sql, ", r.%s", quote_identifier(dataset->attributes[i].column));
	appendStringInfo(&sql, " FROM %s r LIMIT 0", relation_sql_name(dataset->relation));
	sql_connect();
	sql_read(sql.data, 0, NULL, NULL);
	sql_finish();
}

/* All contents of a data set's releases, in the order they were published. */
static Content *
read_contents(const Dataset *dataset, int *ncontents)
{
	MemoryContext context = CurrentMemoryContext;
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	Oid			types[2] = {TEXTOID, INT4OID};
	Datum		values[2] = {CStringGetTextDatum(dataset->name), Int32GetDatum(nattrs)};
	Content    *contents;

	sql_connect();
	read_catalog_rows("SELECT COALESCE(anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by), p.relation::pg_catalog.oid),"
					  " p.k, c.id IS NULL, p.levels, p.cuts, c.labels, c.people, c.id IS NULL OR (" SAME_DECLARATION ")"
					  " FROM anonopt.published p LEFT JOIN anonopt.published_content c ON c.id OPERATOR(pg_catalog.=) p.id"
					  " WHERE p.dataset OPERATOR(pg_catalog.=) $1"
					  " ORDER BY COALESCE(c.made_at, p.published_at), p.id", 2, types, values);
	MemoryContextSwitchTo(context);
	*ncontents = (int) SPI_processed;
	contents = palloc0(sizeof(Content) * (SPI_processed + 1));
	for (int i = 0; i < *ncontents; i++)
	{
		bool		isnull;
		Datum		labels;

		contents[i].relation = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		contents[i].k = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull));
		contents[i].unknown = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 3, &isnull));
		contents[i].levels = copied_field(i, 4, &isnull);
		contents[i].cuts = copied_field(i, 5, &isnull);
		contents[i].same = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 8, &isnull)) && !isnull;
		labels = copied_field(i, 6, &isnull);
		if (!isnull && contents[i].same)
			take_classes(&contents[i], DatumGetArrayTypeP(labels), DatumGetArrayTypeP(copied_field(i, 7, &isnull)), nattrs);
	}
	sql_finish();
	return contents;
}

/* Whether levels or cuts still fit their hierarchies. */
static bool
still_fits(const Population *population, const Content *content)
{
	const int32 *levels = content->levels == 0 ? NULL : (const int32 *) ARR_DATA_PTR(DatumGetArrayTypeP(content->levels));
	Datum	   *cuts = NULL;
	bool	   *nulls;
	int			n;

	if (content->unknown)
		return true;
	if (content->cuts != 0)
		deconstruct_array(DatumGetArrayTypeP(content->cuts), VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &n);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		if (levels != NULL && (levels[a] < 0 || levels[a] > attr->hierarchy->height))
			return false;
		if (levels == NULL && VARBITLEN(DatumGetVarBitP(cuts[a])) != attr->hierarchy->levels[attr->min_level].nlabels - 1)
			return false;
	}
	return true;
}

static const Recoding **
node_of_content(const Population *population, const Content *content)
{
	Datum	   *cuts;
	bool	   *nulls;
	int			n;

	if (content->levels != 0)
		return node_of_levels(population, (const int *) ARR_DATA_PTR(DatumGetArrayTypeP(content->levels)));
	deconstruct_array(DatumGetArrayTypeP(content->cuts), VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &n);
	return node_of_cuts(population, cuts);
}

/* The label of a class in an attribute. */
static const char *
label_of_class(const Population *population, const Content *content, Recodings node, int a, uint32 code)
{
	const Attribute *attr = &population->attrs[a];

	if (content->levels == 0)
		return group_label(attr, node[a], code);
	return attr->hierarchy->labels[((const int *) ARR_DATA_PTR(DatumGetArrayTypeP(content->levels)))[a]][code];
}

/* Finds which class of a content each tuple is in. */
static void
place_tuples(const Population *population, Content *content)
{
	int			bottom[MAX_ATTRIBUTES] = {0};
	const Recoding **node = node_of_content(population, content);
	uint32	   *in_node;
	TupleTable *classes = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom), node,
											 CurrentMemoryContext, &in_node);
	bool	   *shown = palloc(sizeof(bool) * ((Size) classes->ntuples + 1));

	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		StringInfoData key;
		ShownClass	wanted;

		initStringInfo(&key);
		for (int a = 0; a < population->nattrs; a++)
			append_key(&key, label_of_class(population, content, node, a,
											key_get(classes->keys + (Size) i * population->nwords, &population->attrs[a].field)));
		wanted.labels = key.data;
		shown[i] = bsearch(&wanted, content->classes, content->nclasses, sizeof(ShownClass), compare_shown) != NULL;
		pfree(key.data);
	}
	content->class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) population->tuples->ntuples + 1));
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		content->class_of[i] = shown[in_node[i]] ? in_node[i] + 1 : 0;
}

/* The smallest class of the first contents together, of people who are shown anywhere; 0 for none. */
static int64
smallest_class(const Population *population, const Content *contents, int n)
{
	Tally	   *tally = tally_create(CurrentMemoryContext, n, 1024);
	int64		smallest = 0;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		uint64	   *key = tally_candidate(tally);
		bool		is_shown = false;

		for (int c = 0; c < n; c++)
		{
			key[c] = contents[c].class_of[i];
			is_shown = is_shown || key[c] > 0;
		}
		if (is_shown)
			tally_add(tally, population->tuples->counts[i]);
	}
	for (uint32 i = 0; i < tally->nkeys; i++)
		smallest = smallest == 0 ? tally->counts[i] : Min(smallest, tally->counts[i]);
	return smallest;
}

/* The smallest class of a content when it was made; 0 for none. */
static int64
smallest_shown(const Content *content)
{
	int64		smallest = 0;

	for (int i = 0; i < content->nclasses; i++)
		smallest = smallest == 0 ? content->classes[i].people : Min(smallest, content->classes[i].people);
	return smallest;
}

/*
 * The least by which a class shown in two contents of one release grew or
 * shrank: who has both knows what those people show.  0 for no change.
 */
static int64
smallest_change(const Content *before, const Content *after)
{
	int64		smallest = 0;

	for (int i = 0; i < after->nclasses; i++)
	{
		const ShownClass *old = bsearch(&after->classes[i], before->classes, before->nclasses, sizeof(ShownClass), compare_shown);
		int64		change = old == NULL ? 0 : Abs(after->classes[i].people - old->people);

		if (change > 0)
			smallest = smallest == 0 ? change : Min(smallest, change);
	}
	return smallest;
}

/* The same over all that came before a content of the same release. */
static int64
smallest_change_of(const Content *contents, int n)
{
	int64		smallest = 0;

	for (int after = 1; after < n; after++)
		for (int before = 0; before < after; before++)
		{
			int64		change = contents[before].relation != contents[after].relation ? 0 :
			smallest_change(&contents[before], &contents[after]);

			if (change > 0)
				smallest = smallest == 0 ? change : Min(smallest, change);
		}
	return smallest;
}

static Datum
relations_datum(const Content *contents, int n)
{
	Datum	   *relations = palloc(sizeof(Datum) * n);
	int			nrelations = 0;

	for (int i = 0; i < n; i++)
	{
		int			j = 0;

		while (j < nrelations && DatumGetObjectId(relations[j]) != contents[i].relation)
			j++;
		if (j == nrelations)
			relations[nrelations++] = ObjectIdGetDatum(contents[i].relation);
	}
	return PointerGetDatum(construct_array(relations, nrelations, REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT));
}

static void
tell_left_out(int n)
{
	if (n > 0)
		ereport(NOTICE,
				(errmsg_plural("%d content of a release is left out", "%d contents of releases are left out", n, n),
				 errdetail("Made of other columns or hierarchies than are declared now, or of a domain that has changed, they cannot be combined.")));
}

/* Leaves out what nobody knows; returns how many contents remain. */
static int
keep_known(Content *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (!contents[i].unknown)
			contents[kept++] = contents[i];
	return kept;
}

/* Leaves out what was made of another declaration; returns how many contents remain. */
static int
keep_same(Content *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (contents[i].same)
			contents[kept++] = contents[i];
	tell_left_out(n - kept);
	return kept;
}

static int
keep_fitting(const Population *population, Content *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (still_fits(population, &contents[i]))
			contents[kept++] = contents[i];
	tell_left_out(n - kept);
	return kept;
}

/*
 * The combinations of the first release, the first two, and so on; with a
 * second argument that is true only of those that are known.
 */
Datum
anonopt_release_risk(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	Dataset    *dataset;
	Population *population;
	Content    *contents;
	int			ncontents;
	int64		k = PG_INT64_MAX;
	bool		any_unknown = false;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = dataset_argument(fcinfo, 0);
	require_reading(dataset);
	contents = read_contents(dataset, &ncontents);
	if (PG_NARGS() > 1 && PG_GETARG_BOOL(1))
		ncontents = keep_known(contents, ncontents);
	ncontents = keep_same(contents, ncontents);
	/* a single one is as safe as it was made */
	population = ncontents < 2 ? NULL : population_argument(dataset);
	if (population != NULL)
		ncontents = keep_fitting(population, contents, ncontents);
	if (ncontents == 0 || (ncontents > 1 && population == NULL))
		return (Datum) 0;
	for (int i = 0; i < ncontents; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {0};

		any_unknown = any_unknown || contents[i].unknown;
		k = Min(k, contents[i].k);
		if (!any_unknown && population != NULL)
			place_tuples(population, &contents[i]);
		/* contents of one release before its last one are no row of their own */
		if (i + 1 < ncontents && contents[i + 1].relation == contents[i].relation)
			continue;
		values[0] = relations_datum(contents, i + 1);
		values[1] = Int64GetDatum(k);
		nulls[2] = any_unknown;
		if (!any_unknown)
		{
			int64		smallest = population == NULL ? smallest_shown(&contents[i]) : smallest_class(population, contents, i + 1);
			int64		change = smallest_change_of(contents, i + 1);

			values[2] = Int64GetDatum(change > 0 ? Min(smallest, change) : smallest);
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	if (any_unknown)
		ereport(NOTICE,
				(errmsg("what a release of data set \"%s\" showed is not known", dataset->name),
				 errdetail("A live view or a table of a generalization per record is among the releases.")));
	return (Datum) 0;
}
