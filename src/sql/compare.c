/*
 * compare.c
 *	  SQL: property_vector, compare, tournament.
 *
 * Nodes, cuts and recodings all put people into classes; the properties that
 * this gives each person are one side of a comparison.
 */
#include "base/compat.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/sql.h"
#include "compare/comparison.h"
#include "label/cut_bits.h"
#include "read/population_read.h"
#include "sql/search_call.h"
#include "utils/builtins.h"

static Property
property_argument(const char *name, const Dataset *dataset)
{
	Property	property = (Property) require_choice("property", name, "Properties", property_names, PROPERTIES, ", ");

	if (property_is_sensitive(property))
		require_sensitive(dataset, name);
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

/* ------------------------------------------------------------ property_vector */

/* The rows of a property vector for the result. */
typedef struct VectorCall
{
	ResultRow  *row;
	const RowSpool *spool;
	Property	property;
	ClassProperties *properties;
} VectorCall;

static void
put_record(void *arg, uint32 group, const Datum *name, const bool *isnull)
{
	VectorCall *call = arg;
	const RowSpool *spool = call->spool;

	if (!*isnull)
		put_datum(call->row, "record", TEXTOID, *name);
	put_number(call->row, "value", property_of(call->properties, call->property, spool->tuple_of[group], spool->value_of[group]));
	row_add(call->row);
}

OWN_FUNCTION(anonopt_property_vector)
{
	VectorCall	call = {.row = result_begin(fcinfo)};
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	Side		subject = {0};
	RecodingLabels labels;
	Relation	table;
	SpoolColumn name;
	RowSpool	spool = {.ncolumns = 1,.columns = &name,.keeps_rows = true,.wants_value_of = true};
	Population *population;

	if (is_given(fcinfo, "levels") + is_given(fcinfo, "cuts") + is_given(fcinfo, "recoding") != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("exactly one of levels, cuts and recoding must be given")));
	if (is_given(fcinfo, "levels"))
		subject.levels = node_argument(fcinfo, "levels", dataset);
	else if (is_given(fcinfo, "cuts"))
		subject.cuts = one_cuts_argument(fcinfo, "cuts", dataset, "partition");
	else
		subject.recoding = relation_argument(fcinfo, "recoding");
	labels = labels_argument(fcinfo);
	table = is_recoding(&subject) ? recoding_table_open(subject.recoding) : NULL;
	call.property = property_argument(name_argument(fcinfo, "property"), dataset);
	name = row_name_column(dataset->relation, key_argument(fcinfo, dataset));
	spool_read(&spool, dataset, NULL);
	population = spool.population;
	if (population != NULL)
	{
		Promise		promise = declared_promise(dataset, population);

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

/* -------------------------------------------------------------------- compare */

/* Adds the rows of a comparison; levels are NULL for a recoding. */
static void
put_comparison(ResultRow *row, int nattrs, const int *a, const int *b, Property property, const Comparison *comparison)
{
	Datum		a_levels = a == NULL ? (Datum) 0 : integers_datum(a, nattrs);
	Datum		b_levels = b == NULL ? (Datum) 0 : integers_datum(b, nattrs);

	for (int i = 0; i < INDICES; i++)
	{
		int			order = better_side((QualityIndex) i, property, comparison);

		put_string(row, "property", property_names[property]);
		put_string(row, "index", index_names[i]);
		put_number(row, "a_over_b", index_value((QualityIndex) i, &comparison->a_over_b, &comparison->a_to_best));
		put_number(row, "b_over_a", index_value((QualityIndex) i, &comparison->b_over_a, &comparison->b_to_best));
		if (i != INDEX_DOMINANCE || index_sums_dominance(&comparison->a_over_b) != DOMINANCE_INCOMPARABLE)
			put_string(row, "better", order > 0 ? "a" : order < 0 ? "b" : "equal");
		if (a != NULL)
			put_datum(row, "a_levels", INT4ARRAYOID, a_levels);
		if (b != NULL)
			put_datum(row, "b_levels", INT4ARRAYOID, b_levels);
		row_add(row);
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

/* Whether an argument is levels: an array, or a string constant in braces. */
static bool
is_levels(FunctionCallInfo fcinfo, const char *name)
{
	Oid			type = argument_type(fcinfo, name);

	return type == INT4ARRAYOID || (type == TEXTOID && name_argument(fcinfo, name)[0] == '{');
}

static Side
side_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset)
{
	Side		side = {0};

	if (argument_type(fcinfo, name) == VARBITARRAYOID)
		side.cuts = one_cuts_argument(fcinfo, name, dataset, "partition");
	else if (is_levels(fcinfo, name))
		side.levels = node_argument(fcinfo, name, dataset);
	else
		side.recoding = relation_argument(fcinfo, name);
	return side;
}

/* Compares two lists of nodes, position by position. */
static void
compare_lists(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	ResultRow  *row = result_begin(fcinfo);
	int			na;
	int			nb;
	int		  **a = levels_argument(fcinfo, "a", dataset, &na);
	int		  **b = levels_argument(fcinfo, "b", dataset, &nb);
	int			nproperties;
	Property   *properties;
	Population *population;
	Promise		promise;
	Comparer   *comparer;
	Comparison *comparisons;

	if (na != nb)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a and b must have the same number of nodes"),
				 errdetail("There are %d in a and %d in b.", na, nb)));
	properties = properties_argument(fcinfo, dataset, &nproperties);
	population = population_argument(dataset);
	if (population == NULL)
		return;
	population = compared_population(population, nproperties, properties);
	promise = declared_promise(dataset, population);
	comparer = comparer_create(population, &promise);
	comparisons = palloc(sizeof(Comparison) * (nproperties + 1));
	for (int i = 0; i < na; i++)
	{
		compare_nodes(comparer, a[i], b[i], nproperties, properties, SUMS_ALL, comparisons);
		for (int j = 0; j < nproperties; j++)
			put_comparison(row, population->nattrs, a[i], b[i], properties[j], &comparisons[j]);
	}
}

/* Compares two sides, of which at least one is not a node. */
static void
compare_sides(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	ResultRow  *row = result_begin(fcinfo);
	Side		a = side_argument(fcinfo, "a", dataset);
	const Side	arguments[2] = {a, side_argument(fcinfo, "b", dataset)};
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
		compare_classes(sides[0], sides[1], nproperties, properties, SUMS_ALL, comparisons);
		for (int j = 0; j < nproperties; j++)
			put_comparison(row, population->nattrs, arguments[0].levels, arguments[1].levels, properties[j], &comparisons[j]);
	}
	recoding_tables_close(&tables);
}

/*
 * Compares nodes, and those also with cuts and recodings, whose relation the
 * caller must be able to read; string constants may be nodes or recodings,
 * since PostgreSQL could not choose an overload.
 */
OWN_FUNCTION(anonopt_compare)
{
	const Dataset *dataset = takes_argument(fcinfo, "labels") ? readable_dataset_argument(fcinfo) : dataset_argument(fcinfo);

	require_argument(fcinfo, "a");
	require_argument(fcinfo, "b");
	if (is_levels(fcinfo, "a") && is_levels(fcinfo, "b"))
		compare_lists(fcinfo, dataset);
	else
		compare_sides(fcinfo, dataset);
	return (Datum) 0;
}

/* ----------------------------------------------------------------- tournament */

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

/* By what a node is better than another: an index of each property, and if there are several, P_WTD or P_LEX of these. */
typedef struct Contest
{
	QualityIndex index;
	int			n;
	Property   *properties;
	const double *weights;		/* or NULL and */
	const double *epsilon;		/* or NULL: all weigh the same */
}			Contest;

/*
 * Greater than 0 if the first side is better.  By P_WTD, the sum of its leads
 * decides, each of a weight; by P_LEX the first lead that is more than its
 * epsilon.
 */
static double
lead_of(const Contest * contest, const Comparison *comparisons)
{
	double		sum = 0;

	if (contest->n == 1 && contest->epsilon == NULL)
		return better_side(contest->index, contest->properties[0], comparisons);
	for (int i = 0; i < contest->n; i++)
	{
		const Comparison *c = &comparisons[i];
		double		lead = index_value(contest->index, &c->a_over_b, &c->a_to_best) - index_value(contest->index, &c->b_over_a, &c->b_to_best);

		if (property_falls(contest->properties[i]) || contest->index == INDEX_RANK)
			lead = -lead;
		if (contest->epsilon != NULL && fabs(lead) > contest->epsilon[i])
			return lead;
		sum += contest->weights != NULL ? contest->weights[i] * lead : lead;
	}
	return contest->epsilon != NULL ? 0 : sum;
}

/* Compares every node with every other. */
static void
hold_tournament(FunctionCallInfo fcinfo, ResultRow *row, const Dataset *dataset, const Contest * contest)
{
	int			nnodes;
	int		  **levels = levels_argument(fcinfo, "levels", dataset, &nnodes);
	Population *population = population_argument(dataset);
	Comparison *comparisons = palloc(sizeof(Comparison) * contest->n);
	int			nattrs;
	Promise		promise;
	Comparer   *comparer;
	Contestant *contestants;

	if (population == NULL)
		return;
	population = compared_population(population, contest->n, contest->properties);
	promise = declared_promise(dataset, population);
	contestants = palloc0(sizeof(Contestant) * nnodes);
	for (int i = 0; i < nnodes; i++)
		contestants[i].levels = levels[i];
	comparer = comparer_create(population, &promise);
	for (int i = 0; i < nnodes; i++)
		for (int j = i + 1; j < nnodes; j++)
		{
			double		lead;

			compare_nodes(comparer, levels[i], levels[j], contest->n, contest->properties, index_sums[contest->index], comparisons);
			lead = lead_of(contest, comparisons);
			contestants[i].wins += lead > 0;
			contestants[i].losses += lead < 0;
			contestants[i].ties += !(lead > 0 || lead < 0);
			contestants[j].wins += lead < 0;
			contestants[j].losses += lead > 0;
			contestants[j].ties += !(lead > 0 || lead < 0);
		}
	nattrs = population->nattrs;
	qsort_arg(contestants, nnodes, sizeof(Contestant), compare_contestants, &nattrs);
	for (int i = 0; i < nnodes; i++)
	{
		put_datum(row, "levels", INT4ARRAYOID, integers_datum(contestants[i].levels, nattrs));
		put_count(row, "wins", contestants[i].wins);
		put_count(row, "losses", contestants[i].losses);
		put_count(row, "ties", contestants[i].ties);
		row_add(row);
	}
}

static QualityIndex
index_argument(FunctionCallInfo fcinfo)
{
	return (QualityIndex) choice_argument(fcinfo, "index", "Indices", index_names, INDICES, ", ");
}

OWN_FUNCTION(anonopt_tournament)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = dataset_argument(fcinfo);
	Property	property = property_argument(name_argument(fcinfo, "property"), dataset);
	Contest		contest = {.index = index_argument(fcinfo),.n = 1,.properties = &property};

	hold_tournament(fcinfo, row, dataset, &contest);
	return (Datum) 0;
}

/* A number for each property, or NULL if none are given. */
static const double *
numbers_argument(FunctionCallInfo fcinfo, const char *name, int nproperties)
{
	const double *numbers;
	int			n;

	if (!is_given(fcinfo, name))
		return NULL;
	numbers = elements_argument(fcinfo, name, FLOAT8ARRAYOID, &n);
	for (int i = 0; i < n; i++)
		if (!(numbers[i] >= 0) || isinf(numbers[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must be finite and at least 0, not %g", name, numbers[i])));
	if (n != nproperties)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must have %d numbers, one per property", name, nproperties)));
	return numbers;
}

OWN_FUNCTION(anonopt_tournament_of)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = dataset_argument(fcinfo);
	Contest		contest = {.index = index_argument(fcinfo)};

	contest.properties = properties_argument(fcinfo, dataset, &contest.n);
	contest.weights = numbers_argument(fcinfo, "weights", contest.n);
	contest.epsilon = numbers_argument(fcinfo, "epsilon", contest.n);
	if (contest.n < 1 || (contest.weights != NULL && contest.epsilon != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 contest.n < 1 ? errmsg("no properties are named") : errmsg("cannot specify both weights and epsilon")));
	if (contest.index == INDEX_HV || contest.index == INDEX_DOMINANCE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s cannot be added up over properties", index_names[contest.index]),
				 errhint("Use p_cov, p_spr, p_binary, p_rank or ln_p_hv.")));
	hold_tournament(fcinfo, row, dataset, &contest);
	return (Datum) 0;
}
