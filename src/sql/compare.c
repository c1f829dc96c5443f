/*
 * compare.c
 *	  SQL: property_vector, compare, tournament.
 *
 * Nodes, cuts and recodings all put people into classes; the properties that
 * this gives each person are one side of a comparison.
 */
#include "base/compat.h"

#include "access/relation.h"
#include "base/names.h"
#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "catalog/pg_type.h"
#include "compare/comparison.h"
#include "engine/population_copies.h"
#include "read/population_read.h"
#include "read/row_spool.h"
#include "release/cut_bits.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

OWN_FUNCTION(anonopt_property_vector);
OWN_FUNCTION(anonopt_compare);
OWN_FUNCTION(anonopt_compare_recodings);
OWN_FUNCTION(anonopt_compare_named);
OWN_FUNCTION(anonopt_compare_cuts);
OWN_FUNCTION(anonopt_compare_cuts_with_node);
OWN_FUNCTION(anonopt_compare_cuts_with_recoding);
OWN_FUNCTION(anonopt_tournament);

static Property
property_argument(const char *name, const Dataset *dataset)
{
	int			property = property_by_name(name);
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < PROPERTIES; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", property_name((Property) i));
	if (property < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown property \"%s\"", name),
				 errhint("Properties are %s.", names.data)));
	if (property_is_sensitive(property))
		require_sensitive(dataset, property_name(property));
	return property;
}

/* Reads without counted columns if no property needs one. */
static Population *
compared_population(Population *population, int nproperties, const Property *properties)
{
	for (int i = 0; i < nproperties; i++)
		if (property_is_sensitive(properties[i]))
			return population;
	return population_narrow(population);
}

/* Only the declared promises. */
static Promise
declared_promise(const Dataset *dataset, const Population *population)
{
	Promise		promise = {0};

	promise_add_declared(&promise, dataset);
	promise.limit = share_of_people(dataset->max_suppression, population->people);
	return promise;
}

/* A generalization as an argument. */
typedef struct Side
{
	int		   *levels;			/* or NULL and */
	Datum	   *cuts;			/* or NULL and */
	Oid			recoding;
} Side;

static bool
is_recoding(const Side *side)
{
	return side->levels == NULL && side->cuts == NULL;
}

/*
 * What a side gives; the population compared may lack columns of the one read.
 * The table is the recoding's, if it is one.
 */
static ClassProperties *
properties_of_side(const Side *side, const Population *read, Population *compared, Measurer *measurer,
				   const Reading *reading, Relation table, RecodingLabels labels)
{
	TableRecoding *recoding;
	Classes    *classes;

	if (!is_recoding(side))
		return class_properties(classes_of_node(compared, NULL, NULL, side->levels != NULL ?
												node_of_levels(compared, side->levels) : node_of_cuts(compared, side->cuts)),
								measurer);
	classes = recoding_table_classes(reading, read, table, labels, &recoding);
	classes->population = compared;
	classes->tuples = compared->tuples;
	return class_properties(classes, measurer);
}

/* The rows of a property vector for the result. */
typedef struct VectorCall
{
	ReturnSetInfo *result;
	const RowSpool *spool;
	Property	property;
	ClassProperties *properties;
} VectorCall;

static void
put_record(void *arg, uint32 group, const Datum *name, const bool *isnull)
{
	VectorCall *call = arg;
	const RowSpool *spool = call->spool;
	Datum		values[2];
	bool		nulls[2] = {*isnull};

	values[0] = *name;
	values[1] = Float8GetDatum(property_of(call->properties, call->property, spool->tuple_of[group], spool->value_of[group]));
	tuplestore_putvalues(call->result->setResult, call->result->setDesc, values, nulls);
}

/* The subject of a property vector, one of three. */
static Side
subject_argument(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	Side		subject = {0};
	int			n = 1;

	if (!PG_ARGISNULL(1) + !PG_ARGISNULL(4) + !PG_ARGISNULL(5) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("exactly one of levels, cuts and recoding must be given")));
	if (!PG_ARGISNULL(1))
		subject.levels = node_argument(fcinfo, "levels", dataset);
	if (!PG_ARGISNULL(4))
		subject.cuts = cuts_argument(fcinfo, "cuts", dataset, &n);
	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("only one partition is expected, not %d", n)));
	if (!PG_ARGISNULL(5))
		subject.recoding = PG_GETARG_OID(5);
	return subject;
}

static Datum
anonopt_property_vector_call(PG_FUNCTION_ARGS)
{
	VectorCall	call = {0};
	Dataset    *dataset;
	Side		subject;
	RecodingLabels labels;
	Relation	table;
	SpoolColumn name;
	RowSpool	spool = {.ncolumns = 1,.columns = &name,.keeps_rows = true,.wants_value_of = true};
	Population *population;
	Promise		promise;

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = readable_dataset_argument(fcinfo);
	subject = subject_argument(fcinfo, dataset);
	labels = labels_argument(fcinfo);
	table = is_recoding(&subject) ? recoding_table_open(subject.recoding) : NULL;
	call.property = property_argument(name_argument(fcinfo, "property"), dataset);
	name = row_name_column(dataset->relation, key_argument(fcinfo, dataset));
	spool_read(&spool, dataset, NULL);
	population = spool.population;
	if (population != NULL)
	{
		promise = declared_promise(dataset, population);
		call.properties = properties_of_side(&subject, population, population, measurer_create(population, &promise),
											 spool.reading, table, labels);
		call.spool = &spool;
		spool_visit(&spool, put_record, &call);
	}
	spool_end(&spool);
	if (table != NULL)
		relation_close(table, NoLock);
	return (Datum) 0;
}

/* A quality index of two sides. */
typedef enum QualityIndex
{
	INDEX_RANK,
	INDEX_COV,
	INDEX_SPR,
	INDEX_HV,
	INDEX_LN_HV,
	INDEX_BINARY,
	INDEX_DOMINANCE,
	INDICES
} QualityIndex;

static const char *const index_names[INDICES] = {
	[INDEX_RANK] = "p_rank",
	[INDEX_COV] = "p_cov",
	[INDEX_SPR] = "p_spr",
	[INDEX_HV] = "p_hv",
	[INDEX_LN_HV] = "ln_p_hv",
	[INDEX_BINARY] = "p_binary",
	[INDEX_DOMINANCE] = "dominance"
};

/* The sums that each index needs. */
static const int index_sums[INDICES] = {
	[INDEX_RANK] = SUMS_SQUARES,
	[INDEX_COV] = SUMS_COUNTS,
	[INDEX_SPR] = SUMS_SPREAD,
	[INDEX_HV] = SUMS_VOLUME,
	[INDEX_LN_HV] = SUMS_VOLUME,
	[INDEX_BINARY] = SUMS_COUNTS,
	[INDEX_DOMINANCE] = SUMS_COUNTS
};

static QualityIndex
index_argument(const char *name)
{
	int			index = find_name(name, index_names, INDICES);
	StringInfoData names;

	if (index >= 0)
		return (QualityIndex) index;
	initStringInfo(&names);
	for (int i = 0; i < INDICES; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", index_names[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown index \"%s\"", name),
			 errhint("Indices are %s.", names.data)));
	return INDICES;
}

/* An index of one side; dominance is 1 if it is nowhere below the other. */
static double
index_value(QualityIndex index, const IndexSums *sums, const IndexSums *to_best)
{
	switch (index)
	{
		case INDEX_RANK:
			return index_sums_rank(to_best);
		case INDEX_COV:
			return index_sums_cov(sums);
		case INDEX_SPR:
			return index_sums_spr(sums);
		case INDEX_HV:
			return index_sums_hv(sums);
		case INDEX_LN_HV:
			return index_sums_ln_hv(sums);
		case INDEX_BINARY:
			return (double) sums->above;
		case INDEX_DOMINANCE:
			return sums->below == 0 ? 1 : 0;
		default:
			elog(ERROR, "no such index");
			return 0;
	}
}

/*
 * Whether a is better (1), b is (-1) or neither is (0); less is better for a
 * loss and for a rank.
 */
static int
better_side(QualityIndex index, Property property, const Comparison *comparison)
{
	double		a = index_value(index, &comparison->a_over_b, &comparison->a_to_best);
	double		b = index_value(index, &comparison->b_over_a, &comparison->b_to_best);
	int			order = (a > b) - (a < b);

	if (index == INDEX_HV || index == INDEX_LN_HV)
		order = index_sums_hv_order(&comparison->a_over_b);
	return property_falls(property) || index == INDEX_RANK ? -order : order;
}

/* Adds the rows of a comparison; levels are NULL for a recoding. */
static void
put_comparison(ReturnSetInfo *result, const Dataset *dataset, const int *a, const int *b, Property property,
			   const Comparison *comparison)
{
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	Datum		a_levels = a == NULL ? (Datum) 0 : integers_datum(a, nattrs);
	Datum		b_levels = b == NULL ? (Datum) 0 : integers_datum(b, nattrs);

	for (int i = 0; i < INDICES; i++)
	{
		int			order = better_side((QualityIndex) i, property, comparison);
		Datum		values[7];
		bool		nulls[7] = {0};

		values[0] = CStringGetTextDatum(property_name(property));
		values[1] = CStringGetTextDatum(index_names[i]);
		values[2] = Float8GetDatum(index_value((QualityIndex) i, &comparison->a_over_b, &comparison->a_to_best));
		values[3] = Float8GetDatum(index_value((QualityIndex) i, &comparison->b_over_a, &comparison->b_to_best));
		values[4] = CStringGetTextDatum(order > 0 ? "a" : order < 0 ? "b" : "equal");
		nulls[4] = i == INDEX_DOMINANCE && index_sums_dominance(&comparison->a_over_b) == DOMINANCE_INCOMPARABLE;
		values[5] = a_levels;
		nulls[5] = a == NULL;
		values[6] = b_levels;
		nulls[6] = b == NULL;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

static Property *
properties_argument(FunctionCallInfo fcinfo, const Dataset *dataset, int *n)
{
	Datum	   *names;
	bool	   *nulls;
	Property   *properties;

	deconstruct_array(array_argument(fcinfo, "properties", TEXTARRAYOID), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, n);
	properties = palloc(sizeof(Property) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("properties must not be null")));
		properties[i] = property_argument(TextDatumGetCString(names[i]), dataset);
	}
	return properties;
}

/* Compares two lists of nodes, position by position. */
static Datum
compare_lists(FunctionCallInfo fcinfo, const Dataset *dataset, ArrayType *a_levels, ArrayType *b_levels)
{
	ReturnSetInfo *result;
	int		  **a;
	int		  **b;
	int			na;
	int			nb;
	int			nproperties;
	Property   *properties;
	Population *population;
	Promise		promise;
	Comparer   *comparer;
	Comparison *comparisons;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	a = levels_of_array(a_levels, dataset, &na);
	b = levels_of_array(b_levels, dataset, &nb);
	if (na != nb)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a and b must have the same number of nodes"),
				 errdetail("There are %d in a and %d in b.", na, nb)));
	properties = properties_argument(fcinfo, dataset, &nproperties);
	population = population_argument(dataset);
	if (population == NULL)
		return (Datum) 0;
	population = compared_population(population, nproperties, properties);
	promise = declared_promise(dataset, population);
	comparer = comparer_create(population, &promise);
	comparisons = palloc(sizeof(Comparison) * (nproperties + 1));
	for (int i = 0; i < na; i++)
	{
		compare_nodes(comparer, a[i], b[i], nproperties, properties,
					  SUMS_COUNTS | SUMS_SPREAD | SUMS_SQUARES | SUMS_VOLUME, comparisons);
		for (int j = 0; j < nproperties; j++)
			put_comparison(result, dataset, a[i], b[i], properties[j], &comparisons[j]);
	}
	return (Datum) 0;
}

static Datum
anonopt_compare_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset = dataset_argument(fcinfo);
	ArrayType  *a = array_argument(fcinfo, "a", INT4ARRAYOID);

	return compare_lists(fcinfo, dataset, a, array_argument(fcinfo, "b", INT4ARRAYOID));
}

static void
compare_arguments(FunctionCallInfo fcinfo, const Dataset *dataset, const Side arguments[2])
{
	int			nproperties;
	Property   *properties = properties_argument(fcinfo, dataset, &nproperties);
	RecodingLabels labels = labels_argument(fcinfo);
	Comparison *comparisons = palloc(sizeof(Comparison) * (nproperties + 1));
	RecodingTables tables;
	Oid			oids[2];
	int			n = 0;
	ClassProperties *sides[2];

	for (int i = 0; i < 2; i++)
		if (is_recoding(&arguments[i]))
			oids[n++] = arguments[i].recoding;
	recoding_tables_read(&tables, dataset, n, oids);
	if (tables.population != NULL)
	{
		Population *population = compared_population(tables.population, nproperties, properties);
		Promise		promise = declared_promise(dataset, population);
		Measurer   *measurer = measurer_create(population, &promise);

		n = 0;
		for (int i = 0; i < 2; i++)
			sides[i] = properties_of_side(&arguments[i], tables.population, population, measurer, tables.reading,
										  is_recoding(&arguments[i]) ? tables.tables[n++] : NULL, labels);
		compare_classes(sides[0], sides[1], nproperties, properties,
						SUMS_COUNTS | SUMS_SPREAD | SUMS_SQUARES | SUMS_VOLUME, comparisons);
		for (int j = 0; j < nproperties; j++)
			put_comparison((ReturnSetInfo *) fcinfo->resultinfo, dataset, arguments[0].levels, arguments[1].levels,
						   properties[j], &comparisons[j]);
	}
	recoding_tables_close(&tables);
}

static Datum
anonopt_compare_recodings_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	Side		arguments[2] = {0};

	InitMaterializedSRF(fcinfo, 0);
	dataset = readable_dataset_argument(fcinfo);
	require_argument(fcinfo, "a");
	require_argument(fcinfo, "b");
	arguments[0].recoding = PG_GETARG_OID(1);
	arguments[1].recoding = PG_GETARG_OID(2);
	compare_arguments(fcinfo, dataset, arguments);
	return (Datum) 0;
}

static Datum *
one_cuts_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset)
{
	int			n;
	Datum	   *cuts = cuts_argument(fcinfo, name, dataset, &n);

	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("only one partition is expected, not %d", n)));
	return cuts;
}

/* Compares cuts, as nsga2 returns them, with another side. */
static Datum
compare_with_cuts(FunctionCallInfo fcinfo, Oid other)
{
	Dataset    *dataset;
	Side		arguments[2] = {0};

	InitMaterializedSRF(fcinfo, 0);
	dataset = readable_dataset_argument(fcinfo);
	require_argument(fcinfo, "a");
	require_argument(fcinfo, "b");
	arguments[0].cuts = one_cuts_argument(fcinfo, "a", dataset);
	if (other == REGCLASSOID)
		arguments[1].recoding = PG_GETARG_OID(2);
	else if (other == INT4ARRAYOID)
		arguments[1].levels = node_argument(fcinfo, "b", dataset);
	else
		arguments[1].cuts = one_cuts_argument(fcinfo, "b", dataset);
	compare_arguments(fcinfo, dataset, arguments);
	return (Datum) 0;
}

static Datum
anonopt_compare_cuts_call(PG_FUNCTION_ARGS)
{
	return compare_with_cuts(fcinfo, VARBITARRAYOID);
}

static Datum
anonopt_compare_cuts_with_node_call(PG_FUNCTION_ARGS)
{
	return compare_with_cuts(fcinfo, INT4ARRAYOID);
}

static Datum
anonopt_compare_cuts_with_recoding_call(PG_FUNCTION_ARGS)
{
	return compare_with_cuts(fcinfo, REGCLASSOID);
}

static ArrayType *
parse_levels(char *levels)
{
	return DatumGetArrayTypeP(OidInputFunctionCall(F_ARRAY_IN, levels, INT4OID, -1));
}

/* A side given as text: levels in braces, or the name of a recoding. */
static void
parse_side(char *name, const Dataset *dataset, Side *side)
{
	if (name[0] != '{')
		side->recoding = DatumGetObjectId(OidInputFunctionCall(F_REGCLASSIN, name, InvalidOid, -1));
	else
		side->levels = node_of_array(parse_levels(name), dataset);
}

/*
 * Resolves string constants, which may be nodes or recodings: PostgreSQL could
 * not choose an overload.
 */
static Datum
anonopt_compare_named_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	Side		arguments[2] = {0};
	char	   *a;
	char	   *b;

	dataset = readable_dataset_argument(fcinfo);
	a = name_argument(fcinfo, "a");
	b = name_argument(fcinfo, "b");
	if (a[0] == '{' && b[0] == '{')
	{
		ArrayType  *a_levels = parse_levels(a);

		return compare_lists(fcinfo, dataset, a_levels, parse_levels(b));
	}
	InitMaterializedSRF(fcinfo, 0);
	parse_side(a, dataset, &arguments[0]);
	parse_side(b, dataset, &arguments[1]);
	compare_arguments(fcinfo, dataset, arguments);
	return (Datum) 0;
}

/* A node of a tournament, and its results. */
typedef struct Contestant
{
	const int  *levels;
	int			wins;
	int			losses;
	int			ties;
} Contestant;

static int
compare_contestants(const void *a, const void *b, void *arg)
{
	const Contestant *x = a;
	const Contestant *y = b;

	if (x->wins != y->wins)
		return x->wins > y->wins ? -1 : 1;
	if (x->losses != y->losses)
		return x->losses < y->losses ? -1 : 1;
	return compare_levels(x->levels, y->levels, *(const int *) arg);
}

/* Compares every node with every other. */
static void
play(Comparer *comparer, Contestant *contestants, int n, Property property, QualityIndex index)
{
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
		{
			Comparison	comparison;
			int			order;

			compare_nodes(comparer, contestants[i].levels, contestants[j].levels, 1, &property,
						  index_sums[index], &comparison);
			order = better_side(index, property, &comparison);
			contestants[i].wins += order > 0;
			contestants[i].losses += order < 0;
			contestants[i].ties += order == 0;
			contestants[j].wins += order < 0;
			contestants[j].losses += order > 0;
			contestants[j].ties += order == 0;
		}
}

static Datum
anonopt_tournament_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	Dataset    *dataset;
	int		  **levels;
	int			nnodes;
	int			nattrs;
	Property	property;
	QualityIndex index;
	Population *population;
	Promise		promise;
	Contestant *contestants;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = dataset_argument(fcinfo);
	levels = levels_argument(fcinfo, "levels", dataset, &nnodes);
	property = property_argument(name_argument(fcinfo, "property"), dataset);
	index = index_argument(name_argument(fcinfo, "index"));
	population = population_argument(dataset);
	if (population == NULL)
		return (Datum) 0;
	population = compared_population(population, 1, &property);
	promise = declared_promise(dataset, population);
	contestants = palloc0(sizeof(Contestant) * nnodes);
	for (int i = 0; i < nnodes; i++)
		contestants[i].levels = levels[i];
	play(comparer_create(population, &promise), contestants, nnodes, property, index);
	nattrs = population->nattrs;
	qsort_arg(contestants, nnodes, sizeof(Contestant), compare_contestants, &nattrs);
	for (int i = 0; i < nnodes; i++)
	{
		Datum		values[4];
		bool		nulls[4] = {0};

		values[0] = integers_datum(contestants[i].levels, nattrs);
		values[1] = Int32GetDatum(contestants[i].wins);
		values[2] = Int32GetDatum(contestants[i].losses);
		values[3] = Int32GetDatum(contestants[i].ties);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
