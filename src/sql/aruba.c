/*
 * aruba.c
 *	  SQL: aruba, btda, aruba_budget, aruba_balance, unpack, jaro, record_walk.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/sql.h"
#include "read/population_read.h"
#include "read/weights.h"
#include "record/record_parts.h"
#include "sql/search_call.h"

/* The arguments of all four functions, checked. */
typedef struct RecordCall
{
	SearchCall	search;
	RiskModel	risk;
	UtilityModel utility;
	int			ndictionaries;	/* 0: the relation itself */
	const Oid  *dictionaries;
	const double *shares;		/* weights of the risk, by dictionary */
	char	   *key;
	RecordSearch records;
	SpoolColumn columns[MAX_ATTRIBUTES + 2];	/* a record's name, its
												 * owners' weights, its count */
	RowSpool	spool;
	OwnerWeights *owners;		/* or NULL */
	int64		without;		/* records without a feasible node */
} RecordCall;

/* The most dictionaries. */
#define MOST_DICTIONARIES 100

/* The elements of an array, one for each dictionary. */
static const void *
dictionary_elements(FunctionCallInfo fcinfo, const char *name, Oid type, int *n)
{
	ArrayType  *array = array_argument(fcinfo, name, type);

	if (ARR_NDIM(array) != 1 || array_contains_nulls(array) || ARR_DIMS(array)[0] > MOST_DICTIONARIES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a one-dimensional array of 1 to %d elements without nulls", name, MOST_DICTIONARIES)));
	*n = ARR_DIMS(array)[0];
	return ARR_DATA_PTR(array);
}

/* The weight of each dictionary, scaled so that all add up to 1. */
static const double *
shares_argument(FunctionCallInfo fcinfo, int ndictionaries)
{
	double	   *shares = palloc(sizeof(double) * ndictionaries);
	const double *weights = NULL;
	double		sum = 0;
	int			n = ndictionaries;

	if (is_given(fcinfo, "dictionary_weights"))
		weights = dictionary_elements(fcinfo, "dictionary_weights", FLOAT8ARRAYOID, &n);
	if (n != ndictionaries)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are %d dictionary_weights for %d dictionaries", n, ndictionaries)));
	for (int i = 0; i < n; i++)
	{
		shares[i] = weights == NULL ? 1 : weights[i];
		sum += shares[i];
		if (!(shares[i] >= 0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("dictionary_weights must be at least 0, not %g", shares[i])));
	}
	if (!(sum > 0) || isinf(sum))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dictionary_weights must have a positive, finite sum")));
	for (int i = 0; i < n; i++)
		shares[i] /= sum;
	return shares;
}

/* One dictionary, or several with their weights; none means the relation itself. */
static void
dictionary_arguments(FunctionCallInfo fcinfo, RecordCall *call)
{
	Oid			dictionary = relation_if_given(fcinfo, "dictionary");
	bool		has_several = is_given(fcinfo, "dictionaries");
	const Dataset *dataset = call->search.dataset;

	if (is_given(fcinfo, "dictionary") && has_several)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot specify both dictionary and dictionaries"),
				 errhint("Name the dictionary among the dictionaries.")));
	if (!has_several && is_given(fcinfo, "dictionary_weights"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dictionary_weights requires dictionaries")));
	if (has_several)
		call->dictionaries = dictionary_elements(fcinfo, "dictionaries", REGCLASSARRAYOID, &call->ndictionaries);
	else if (is_given(fcinfo, "dictionary"))
	{
		call->dictionaries = memcpy(palloc(sizeof(Oid)), &dictionary, sizeof(Oid));
		call->ndictionaries = 1;
	}
	else
		return;
	call->shares = shares_argument(fcinfo, call->ndictionaries);
	for (int i = 0; i < call->ndictionaries; i++)
		for (int j = 0; j < dataset->nattributes; j++)
			if (dataset->attributes[j].role == ROLE_QUASI_IDENTIFIER)
				require_column(call->dictionaries[i], dataset->attributes[j].column);
}

static RecordCall *
record_arguments(FunctionCallInfo fcinfo, const char *bound)
{
	RecordCall *call = palloc0(sizeof(RecordCall));

	call->search.row = result_begin(fcinfo);
	call->search.dataset = dataset_argument(fcinfo);
	require_nothing_known(call->search.dataset, "a generalization per record");
	call->records.bound = require_finite(bound, number_argument(fcinfo, bound));
	call->risk = risk_argument(fcinfo);
	call->utility = utility_argument(fcinfo);
	dictionary_arguments(fcinfo, call);
	if (is_given(fcinfo, "similarity"))
	{
		double		similarity = number_argument(fcinfo, "similarity");

		if (!(similarity > 0 && similarity <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("similarity must be above 0 and at most 1, not %g", similarity),
					 errhint("Omit it if labels must be equal.")));
		call->records.similarity = similarity;
	}
	call->key = key_argument(fcinfo, call->search.dataset);
	call->records.deadline = deadline_argument(fcinfo);
	return call;
}

static void
put_record(void *arg, uint32 group, const Datum *name, const bool *isnull)
{
	RecordCall *call = arg;
	uint32		tuple = call->spool.tuple_of[group];
	const Population *population = call->records.population;
	const RecordAnswer *answer;
	int			levels[MAX_ATTRIBUTES];

	if (call->owners != NULL)
		tuple = owner_weights_find(call->owners, tuple, name, isnull);
	answer = answer_of(&call->records, tuple);
	if (!*isnull)
		put_datum(call->search.row, "record", TEXTOID, *name);
	if (answer->found)
	{
		const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;

		answer_levels(&call->records, tuple, levels);
		put_datum(call->search.row, "levels", INT4ARRAYOID, integers_datum(levels, population->nattrs));
		put_datum(call->search.row, "generalized", TEXTARRAYOID, labels_datum(population, key, levels, true));
		put_number(call->search.row, "risk", answer->risk);
		put_number(call->search.row, "utility", answer->utility);
	}
	else
		call->without++;
	put_count(call->search.row, "visited", answer->visited);
	row_add(call->search.row);
}

/*
 * Sets up the weights of records: owners' weights split the records of a
 * tuple, unless the risk does not use weights.  Reads the dictionaries.
 */
static void
prepare_model(RecordCall *call)
{
	RecordSearch *records = &call->records;
	const Dataset *dataset = call->search.dataset;
	Population *population = call->search.population;
	HeldDictionary *held = palloc(sizeof(HeldDictionary) * (call->ndictionaries + 1));
	double	   *owners = NULL;

	records->population = population_narrow(population);
	if (call->owners != NULL)
		owner_weights_read(call->owners, &call->spool);
	if (call->owners != NULL)
		records->population = owner_weights_split(call->owners, records->population, &owners);
	records->model = record_model_create(records->population, call->risk, call->utility, weights_read(dataset, population), owners);
	for (int i = 0; i < call->ndictionaries; i++)
	{
		held[i].entries = read_outsiders(dataset, call->dictionaries[i], population, false);
		held[i].share = call->shares[i];
	}
	records->ndictionaries = call->ndictionaries;
	records->dictionaries = held;
}

/* Reads, searches, and adds one row per record. */
static Datum
run_record_search(RecordCall *call, Algorithm algorithm, RecordGoal goal)
{
	RecordSearch *records = &call->records;
	SearchCall *search = &call->search;
	RowSpool   *spool = &call->spool;

	search->session = session_begin(algorithm, search->dataset);
	call->columns[0] = row_name_column(search->dataset->relation, call->key);
	spool->columns = call->columns;
	spool->ncolumns = 1;
	spool->keeps_rows = true;
	spool->keeps_ties = goal == GOAL_LEAST_RISK && call->risk == RISK_IDENTITY;
	if (call->risk != RISK_IDENTITY)
		call->owners = owner_weights_begin(search->dataset, call->columns, &spool->ncolumns);
	spool_read(spool, search->dataset, NULL);
	search->population = spool->population;
	session_read(search->session, search->population);
	if (search->population == NULL)
		return (Datum) 0;
	prepare_model(call);
	records->goal = goal;
	records->general_first = algorithm == ALGORITHM_BTDA;
	record_search(records);
	session_searched(search->session, GetCurrentTimestamp());
	spool_visit(spool, put_record, call);
	spool_end(spool);
	session_end(search->session, records->evaluated, 0, records->in_time);
	if (!records->in_time)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("time limit ended the search: the best found so far is not proven"),
				 errhint("Allow more time, or declare narrower levels.")));
	if (call->without > 0)
		ereport(NOTICE,
				(errmsg_plural(INT64_FORMAT " record has no feasible generalization",
							   INT64_FORMAT " records have no feasible generalization",
							   call->without, call->without)));
	return (Datum) 0;
}

OWN_FUNCTION(anonopt_aruba)
{
	return run_record_search(record_arguments(fcinfo, "min_utility"), ALGORITHM_ARUBA, GOAL_LEAST_RISK);
}

OWN_FUNCTION(anonopt_btda)
{
	return run_record_search(record_arguments(fcinfo, "min_utility"), ALGORITHM_BTDA, GOAL_LEAST_RISK);
}

OWN_FUNCTION(anonopt_aruba_budget)
{
	return run_record_search(record_arguments(fcinfo, "max_risk"), ALGORITHM_ARUBA_BUDGET, GOAL_MOST_UTILITY);
}

OWN_FUNCTION(anonopt_aruba_balance)
{
	RecordCall *call = record_arguments(fcinfo, "lambda");

	if (call->records.bound < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lambda must be at least 0, not %g", call->records.bound)));
	return run_record_search(call, ALGORITHM_ARUBA_BALANCE, GOAL_BALANCE);
}

/*
 * Returns labels as a row whose columns the caller names.  Its argument is found
 * by position, since this is called for many rows.
 */
SQL_FUNCTION(anonopt_unpack)
{
	TupleDesc	desc;
	Datum	   *labels;
	bool	   *nulls;
	int			n;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("columns of unpack must be named"),
				 errhint("Write: FROM anonopt.aruba(...) a, anonopt.unpack(a.generalized) AS g (age text, sex text).")));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &labels, &nulls, &n);
	if (n != desc->natts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns do not match the labels"),
				 errdetail("Labels: %d; columns: %d.", n, desc->natts)));
	for (int i = 0; i < n; i++)
		if (TupleDescAttr(desc, i)->atttypid != TEXTOID)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" must be of type text", NameStr(TupleDescAttr(desc, i)->attname))));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), labels, nulls)));
}

/* Arguments are found by position, since this is called for many rows. */
SQL_FUNCTION(anonopt_jaro)
{
	text	   *a = PG_GETARG_TEXT_PP(0);
	text	   *b = PG_GETARG_TEXT_PP(1);
	uint32	   *x;
	uint32	   *y;
	int			nx = characters_of(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a), &x);
	int			ny = characters_of(VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), &y);

	PG_RETURN_FLOAT8(jaro(x, nx, y, ny));
}

/* A node's position: the number of specializations in each dimension. */
static void
place_of_node(const WalkLattice *lattice, int node, Datum *place)
{
	for (int d = lattice->ndims - 1; d >= 0; d--)
	{
		place[d] = Int32GetDatum(node % lattice->size[d]);
		node /= lattice->size[d];
	}
}

#define MOST_WALKED 1000000

/*
 * Returns the nodes that an algorithm visits and finds in one record's
 * lattice, given as arrays of risk and utility.
 */
OWN_FUNCTION(anonopt_record_walk)
{
	static const char *const names[] = {"aruba", "btda", "branch_and_bound"};
	static void (*const walks[]) (WalkLattice *lattice) = {walk_aruba, walk_btda, walk_branch_and_bound};
	ArrayType  *risk = array_argument(fcinfo, "risk", FLOAT8ARRAYOID);
	ArrayType  *utility = array_argument(fcinfo, "utility", FLOAT8ARRAYOID);
	bool		alike = ARR_NDIM(risk) == ARR_NDIM(utility) && ARR_NDIM(risk) > 0 &&
	memcmp(ARR_DIMS(risk), ARR_DIMS(utility), sizeof(int) * ARR_NDIM(risk)) == 0;
	WalkLattice lattice = {0};
	ResultRow  *row = result_begin(fcinfo);
	Datum		place[MAX_WALK_DIMENSIONS];
	Datum	   *places;
	int			dims[2];
	int			bounds[2] = {1, 1};

	if (!alike || array_contains_nulls(risk) || array_contains_nulls(utility))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("risk and utility must be arrays of the same dimensions without nulls"),
				 errhint("Element [1][1]... must be the most general node, and each step in a dimension a specialization.")));
	lattice.ndims = ARR_NDIM(risk);
	lattice.nnodes = ArrayGetNItems(ARR_NDIM(risk), ARR_DIMS(risk));
	if (lattice.nnodes > MOST_WALKED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("lattice is too large"),
				 errdetail("It may have at most %d nodes.", MOST_WALKED)));
	memcpy(lattice.size, ARR_DIMS(risk), sizeof(int) * lattice.ndims);
	lattice.risk = (const double *) ARR_DATA_PTR(risk);
	lattice.utility = (const double *) ARR_DATA_PTR(utility);
	lattice.least_utility = number_argument(fcinfo, "min_utility");
	lattice.visited = palloc(sizeof(int) * (lattice.nnodes + 1));
	lattice.seen = palloc0(sizeof(bool) * lattice.nnodes);
	walks[choice_argument(fcinfo, "algorithm", "Algorithms", names, lengthof(names), " and ")] (&lattice);
	dims[0] = lattice.nvisited;
	dims[1] = lattice.ndims;
	places = palloc(sizeof(Datum) * lattice.nvisited * lattice.ndims);
	for (int i = 0; i < lattice.nvisited; i++)
		place_of_node(&lattice, lattice.visited[i], places + i * lattice.ndims);
	put_datum(row, "visited", INT4ARRAYOID,
			  PointerGetDatum(construct_md_array(places, NULL, 2, dims, bounds, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
	if (lattice.best >= 0)
	{
		place_of_node(&lattice, lattice.best, place);
		put_datum(row, "best", INT4ARRAYOID, PointerGetDatum(construct_array(place, lattice.ndims, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
	}
	PG_RETURN_DATUM(row_datum(row));
}
