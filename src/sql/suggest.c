/*
 * suggest.c
 *	  SQL: suggest_quasi_identifiers, the columns and combinations that single
 *	  people out.
 *
 * One pass over the relation hashes every column that the caller may read;
 * another counts combinations of columns that distinguish people but do not
 * identify them.  If a column or combination has more values than can be kept,
 * its figures are estimated from a share of its values (engine/key_sample.h),
 * and pairs from rows drawn at random, since a few frequent values make up
 * most pairs.
 */
#include "base/compat.h"

#include <math.h>

#include "access/relation.h"
#include "base/budget.h"
#include "base/packed_key.h"
#include "base/prng.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/typed_rows.h"
#include "catalog/relations.h"
#include "common/hashfn.h"
#include "engine/key_sample.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

OWN_FUNCTION(anonopt_suggest_quasi_identifiers);

/* A larger relation is read in part. */
#define MOST_ROWS 1000000

/* The number of columns that are combined, and the most columns in a combination. */
#define COMBINED_COLUMNS 6
#define COMBINED_AT_ONCE 3
#define MOST_COMBINATIONS 35

/* A column identifies people if this percentage of rows has a unique value. */
#define NAMING_SHARE 0.9

/*
 * Keys kept for a column or combination: all of a small table, a share of a
 * larger one; and rows drawn for pairs.
 */
#define SMALL_TABLE 65536
#define MOST_KEYS 16384
#define LEAST_KEYS 1024
#define DRAWN_ROWS 8192

typedef enum HashKind
{
	BY_BITS,					/* equal values have equal bits */
	BY_BYTES,					/* equal values have equal bytes */
	BY_FUNCTION					/* the type defines equality */
} HashKind;

typedef struct Column
{
	char	   *name;
	Oid			type;
	int16		length;
	HashKind	kind;
	FmgrInfo	function;
	Oid			collation;
	bool		is_key;			/* by a constraint, so not counted */
} Column;

/* A column or a combination, during and after counting. */
typedef struct Suggestion
{
	int			ncolumns;
	int			columns[COMBINED_AT_ONCE];
	KeySample	sample;
	uint64	   *drawn;			/* hashes of some rows */
	KeyTotals	totals;
	bool		estimated;
	bool		identifier;
} Suggestion;

/* One reading of the relation. */
typedef struct Pass
{
	int			ncolumns;
	Column	   *columns;
	uint64	   *hashes;			/* of the current row */
	int			nsuggestions;
	Suggestion *suggestions;
	int64		nrows;
	Prng		prng;
	MemoryContext row;
} Pass;

/* ---------------------------------------------------------------- columns */

/* Finds how to hash values of a type; returns false if it has no equality. */
static bool
choose_hash(Column *column, Oid type)
{
	TypeCacheEntry *cache;
	bool		byval;

	column->type = type;
	get_typlenbyval(type, &column->length, &byval);
	cache = lookup_type_cache(type, TYPECACHE_CMP_PROC | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(cache->cmp_proc))
		return false;
	column->collation = cache->typcollation;
	if (type == TEXTOID || type == VARCHAROID || type == BYTEAOID)
		column->kind = BY_BYTES;
	else if (OidIsValid(cache->hash_extended_proc))
	{
		column->kind = BY_FUNCTION;
		fmgr_info_copy(&column->function, &cache->hash_extended_proc_finfo, CurrentMemoryContext);
	}
	else
		column->kind = byval ? BY_BITS : BY_BYTES;
	/* equivalent to their functions, and faster */
	if (type == INT2OID || type == INT4OID || type == INT8OID || type == BOOLOID || type == DATEOID ||
		type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		column->kind = BY_BITS;
	return true;
}

/* Keys of foreign and distributed tables are not trusted. */
static bool
keys_hold(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_RELATION && relation->rd_rel->relam == HEAP_TABLE_AM_OID &&
		!relation->rd_rel->relhassubclass;
}

static bool
may_read(Oid relation, AttrNumber number)
{
	return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(relation, number, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* The columns that the caller may read and that have an order. */
static void
find_columns(Pass *pass, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);
	bool		any = false;
	ListCell   *cell;

	pass->columns = palloc0(sizeof(Column) * (RelationGetNumberOfAttributes(relation) + 1));
	foreach(cell, live_columns(relation))
	{
		Form_pg_attribute attribute = lfirst(cell);
		Column	   *column = &pass->columns[pass->ncolumns];

		if (!may_read(oid, attribute->attnum))
			continue;
		any = true;
		if (!choose_hash(column, getBaseType(attribute->atttypid)))
			continue;
		column->name = pstrdup(NameStr(attribute->attname));
		column->is_key = attribute->attnotnull && keys_hold(relation) && index_keeps_unique(relation, attribute->attnum);
		pass->ncolumns++;
	}
	if (!any)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(relation->rd_rel->relkind), RelationGetRelationName(relation));
}

/* The names of columns with a label of PostgreSQL Anonymizer. */
static List *
labelled_columns(Oid relation)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	List	   *names = NIL;

	sql_connect();
	sql_read("SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_seclabel s JOIN pg_catalog.pg_attribute a"
			 " ON a.attrelid OPERATOR(pg_catalog.=) s.objoid AND a.attnum OPERATOR(pg_catalog.=) s.objsubid"
			 " WHERE s.objoid OPERATOR(pg_catalog.=) $1 AND s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
			 " AND s.provider OPERATOR(pg_catalog.=) ANY ('{k_anonymity,anon}'::pg_catalog.text[])"
			 " AND s.label OPERATOR(pg_catalog.~*) '^ *(quasi|indirect) +identifier *$'", 1, types, values);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		char	   *name = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		MemoryContext old = MemoryContextSwitchTo(context);

		names = lappend(names, makeString(pstrdup(name)));
		MemoryContextSwitchTo(old);
	}
	sql_finish();
	return names;
}

/* ---------------------------------------------------------------- counting */

static uint64
hash_value(const Column *column, Datum value)
{
	switch (column->kind)
	{
		case BY_BITS:
			return word_hash((uint64) value ^ UINT64CONST(0x9e3779b97f4a7c15));
		case BY_BYTES:
			if (column->length == -1)
			{
				struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

				return hash_bytes_extended((unsigned char *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), 0);
			}
			if (column->length == -2)
				return hash_bytes_extended((unsigned char *) DatumGetCString(value), strlen(DatumGetCString(value)), 0);
			return hash_bytes_extended((unsigned char *) DatumGetPointer(value), column->length, 0);
		default:
			return DatumGetUInt64(FunctionCall2Coll((FmgrInfo *) &column->function, column->collation, value, Int64GetDatum(0)));
	}
}

/* The hash of a suggestion's columns in the current row. */
static uint64
suggestion_hash(const Pass *pass, const Suggestion *suggestion)
{
	uint64		hash = pass->hashes[suggestion->columns[0]];

	for (int i = 1; i < suggestion->ncolumns; i++)
		hash = word_hash(hash * 31 + pass->hashes[suggestion->columns[i]]);
	return hash;
}

static void
take_row(void *arg, const Datum *values, const bool *nulls)
{
	Pass	   *pass = arg;
	MemoryContext old = MemoryContextSwitchTo(pass->row);
	uint64		place = pass->nrows < DRAWN_ROWS ? pass->nrows :
	(uint64) (prng_unit(&pass->prng) * (pass->nrows + 1));

	if (pass->nrows % 1024 == 0)
		CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < pass->ncolumns; i++)
		pass->hashes[i] = nulls[i] ? 0 : word_hash(hash_value(&pass->columns[i], values[i]));
	for (int i = 0; i < pass->nsuggestions; i++)
	{
		Suggestion *suggestion = &pass->suggestions[i];
		uint64		hash = suggestion_hash(pass, suggestion);

		key_sample_add(&suggestion->sample, hash);
		if (place < DRAWN_ROWS)
			suggestion->drawn[place] = hash;
	}
	pass->nrows++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(pass->row);
}

static int
compare_hashes(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* Estimates pairs of equal rows from those among the rows drawn. */
static double
estimate_pairs(const Suggestion *suggestion, int64 nrows)
{
	int64		drawn = Min(nrows, DRAWN_ROWS);
	int64		run = 1;
	double		pairs = 0;

	qsort(suggestion->drawn, drawn, sizeof(uint64), compare_hashes);
	for (int64 i = 1; i <= drawn; i++)
	{
		if (i < drawn && suggestion->drawn[i] == suggestion->drawn[i - 1])
		{
			run++;
			continue;
		}
		pairs += (double) run * (run - 1);
		run = 1;
	}
	return pairs / ((double) drawn * (drawn - 1)) * ((double) nrows * (nrows - 1));
}

/* Computes a suggestion's figures after a pass. */
static void
finish_suggestion(const Pass *pass, Suggestion *suggestion)
{
	suggestion->totals = key_sample_totals(&suggestion->sample);
	suggestion->estimated = suggestion->sample.zeros > 0;
	if (suggestion->estimated)
	{
		suggestion->totals.keys = Min(rint(suggestion->totals.keys), pass->nrows);
		suggestion->totals.singles = Min(suggestion->totals.singles, suggestion->totals.keys);
		suggestion->totals.pairs = estimate_pairs(suggestion, pass->nrows);
	}
	suggestion->identifier = suggestion->ncolumns == 1 && suggestion->totals.keys > 1 &&
		suggestion->totals.singles >= NAMING_SHARE * pass->nrows;
}

/* The number of keys that may be kept for each of a number of suggestions. */
static uint32
keys_allowed(int nsuggestions, int64 people)
{
	uint32		keys = people <= SMALL_TABLE ? Max(people, LEAST_KEYS) : MOST_KEYS;

	while (keys > LEAST_KEYS &&
		   !budget_allows(CurrentMemoryContext, nsuggestions * (key_sample_bytes(keys) + sizeof(uint64) * DRAWN_ROWS)))
		keys /= 2;
	return keys;
}

/* Reads the columns of a relation, and counts the suggestions. */
static void
run_pass(Pass *pass, Oid relation, int64 people)
{
	uint32		keys = keys_allowed(pass->nsuggestions, people);
	Oid		   *types = palloc(sizeof(Oid) * (pass->ncolumns + 1));
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < pass->ncolumns; i++)
	{
		appendStringInfo(&sql, "%sr.%s", i == 0 ? "SELECT " : ", ", quote_identifier(pass->columns[i].name));
		types[i] = pass->columns[i].type;
	}
	appendStringInfo(&sql, " FROM %s r", relation_sql_name(relation));
	if (people > MOST_ROWS)
		appendStringInfo(&sql, " WHERE pg_catalog.random() OPERATOR(pg_catalog.<) %.17g::pg_catalog.float8",
						 (double) MOST_ROWS / people);
	for (int i = 0; i < pass->nsuggestions; i++)
	{
		key_sample_init(&pass->suggestions[i].sample, CurrentMemoryContext, keys);
		pass->suggestions[i].drawn = budget_alloc(sizeof(uint64), DRAWN_ROWS);
	}
	pass->hashes = palloc(sizeof(uint64) * (pass->ncolumns + 1));
	pass->nrows = 0;
	pass->prng.state = 1;
	pass->row = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	sql_connect();
	rows_read(sql.data, list_make1_oid(relation), NULL, NULL, pass->ncolumns, types, take_row, pass);
	sql_finish();
	MemoryContextDelete(pass->row);
	for (int i = 0; i < pass->nsuggestions; i++)
		finish_suggestion(pass, &pass->suggestions[i]);
}

/* The number of rows of a relation. */
static int64
count_rows(Oid relation)
{
	bool		isnull;
	int64		nrows;

	sql_connect();
	sql_read(psprintf("SELECT pg_catalog.count(*) FROM %s", relation_sql_name(relation)), 0, NULL, NULL);
	nrows = DatumGetInt64(sql_value(1, INT8OID, &isnull));
	sql_finish();
	return nrows;
}

/* ------------------------------------------------------------- suggestions */

/*
 * Separates the columns into keys, which need no counting, and those to be
 * counted.
 */
static Suggestion *
suggest_keys(Pass *pass, int64 people, List **keys)
{
	int			counted = 0;

	*keys = NIL;
	for (int i = 0; i < pass->ncolumns; i++)
	{
		Suggestion *key;

		if (!pass->columns[i].is_key)
		{
			pass->columns[counted++] = pass->columns[i];
			continue;
		}
		key = palloc0(sizeof(Suggestion));
		key->totals.keys = key->totals.singles = people;
		key->identifier = true;
		/* by name, since counted columns change positions */
		*keys = lappend(*keys, list_make2(key, pass->columns[i].name));
	}
	pass->ncolumns = counted;
	pass->nsuggestions = counted;
	pass->suggestions = palloc0(sizeof(Suggestion) * (counted + 1));
	for (int i = 0; i < counted; i++)
	{
		pass->suggestions[i].ncolumns = 1;
		pass->suggestions[i].columns[0] = i;
	}
	return pass->suggestions;
}

/* Sorts by the share of distinguished pairs, largest first. */
static int
compare_pairs(const void *a, const void *b, void *arg)
{
	const Pass *pass = arg;
	const Suggestion *x = *(const Suggestion *const *) a;
	const Suggestion *y = *(const Suggestion *const *) b;

	if (x->totals.pairs != y->totals.pairs)
		return x->totals.pairs < y->totals.pairs ? -1 : 1;
	return strcmp(pass->columns[x->columns[0]].name, pass->columns[y->columns[0]].name);
}

/*
 * Chooses the columns that distinguish people but do not identify them;
 * returns their number.
 */
static int
choose_telling(const Pass *pass, int *telling)
{
	const Suggestion **order = palloc(sizeof(Suggestion *) * (pass->nsuggestions + 1));
	int			n = 0;

	for (int i = 0; i < pass->nsuggestions; i++)
		if (pass->suggestions[i].totals.keys > 1 && pass->suggestions[i].totals.singles < NAMING_SHARE * pass->nrows)
			order[n++] = &pass->suggestions[i];
	qsort_arg(order, n, sizeof(Suggestion *), compare_pairs, (void *) pass);
	n = Min(n, COMBINED_COLUMNS);
	for (int i = 0; i < n; i++)
		telling[i] = order[i]->columns[0];
	return n;
}

static void
add_combination(Pass *pass, int i, int j, int m)
{
	Suggestion *suggestion = &pass->suggestions[pass->nsuggestions++];

	suggestion->ncolumns = m == j ? 2 : 3;
	suggestion->columns[0] = i;
	suggestion->columns[1] = j;
	suggestion->columns[2] = m;
}

/* A second pass, for combinations of the most distinguishing columns. */
static Pass *
combine(const Pass *single, const int *telling, int ntelling)
{
	Pass	   *pass = palloc0(sizeof(Pass));

	pass->ncolumns = ntelling;
	pass->columns = palloc(sizeof(Column) * (ntelling + 1));
	for (int i = 0; i < ntelling; i++)
		pass->columns[i] = single->columns[telling[i]];
	pass->suggestions = palloc0(sizeof(Suggestion) * MOST_COMBINATIONS);
	for (int i = 0; i < ntelling; i++)
		for (int j = i + 1; j < ntelling; j++)
			for (int m = j; m < ntelling; m++)
				add_combination(pass, i, j, m);
	return pass;
}

/* ------------------------------------------------------------------- rows */

/* A suggestion's row, and its sort key. */
typedef struct SuggestionRow
{
	const Suggestion *suggestion;
	const char *names[COMBINED_AT_ONCE];
	int			nnames;
	double		alone;			/* share of the people */
	int64		people;
} SuggestionRow;

static int
compare_rows(const void *a, const void *b)
{
	const SuggestionRow *x = a;
	const SuggestionRow *y = b;

	if (x->alone != y->alone)
		return x->alone > y->alone ? -1 : 1;
	if (x->suggestion->totals.pairs != y->suggestion->totals.pairs)
		return x->suggestion->totals.pairs < y->suggestion->totals.pairs ? -1 : 1;
	if (x->nnames != y->nnames)
		return x->nnames - y->nnames;
	for (int i = 0; i < x->nnames; i++)
		if (strcmp(x->names[i], y->names[i]) != 0)
			return strcmp(x->names[i], y->names[i]);
	return 0;
}

static bool
has_label(const SuggestionRow *row, List *labelled)
{
	ListCell   *cell;

	foreach(cell, labelled)
		for (int i = 0; i < row->nnames; i++)
		if (strcmp(strVal(lfirst(cell)), row->names[i]) == 0)
			return true;
	return false;
}

static void
put_suggestion(ReturnSetInfo *result, const SuggestionRow *row, List *labelled)
{
	const KeyTotals *totals = &row->suggestion->totals;
	double		people = row->people;
	Datum		values[7];
	bool		nulls[7] = {0};

	values[0] = names_datum((char *const *) row->names, row->nnames);
	values[1] = Float8GetDatum(totals->keys / people);
	values[2] = Float8GetDatum(people > 1 ? 1 - totals->pairs / (people * (people - 1)) : 0);
	values[3] = Int64GetDatum((int64) totals->singles);
	values[4] = BoolGetDatum(has_label(row, labelled));
	values[5] = BoolGetDatum(row->suggestion->identifier);
	values[6] = BoolGetDatum(row->suggestion->estimated);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static int
add_rows(SuggestionRow *rows, int nrows, const Pass *pass)
{
	for (int i = 0; i < pass->nsuggestions; i++)
	{
		const Suggestion *suggestion = &pass->suggestions[i];
		SuggestionRow *row = &rows[nrows++];

		row->suggestion = suggestion;
		row->nnames = suggestion->ncolumns;
		row->people = pass->nrows;
		row->alone = suggestion->totals.singles / pass->nrows;
		for (int c = 0; c < suggestion->ncolumns; c++)
			row->names[c] = pass->columns[suggestion->columns[c]].name;
	}
	return nrows;
}

static int
add_keys(SuggestionRow *rows, int nrows, List *keys, int64 people)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		SuggestionRow *row = &rows[nrows++];

		row->suggestion = linitial(lfirst(cell));
		row->names[0] = lsecond(lfirst(cell));
		row->nnames = 1;
		row->people = people;
		row->alone = 1;
	}
	return nrows;
}

static void
suggest(ReturnSetInfo *result, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);
	Pass		single = {0};
	Pass	   *combined;
	SuggestionRow *rows;
	List	   *keys;
	List	   *labelled;
	int			telling[COMBINED_COLUMNS];
	int			nrows = 0;
	int64		people;

	find_columns(&single, relation);
	labelled = labelled_columns(oid);
	people = count_rows(oid);
	if (people == 0 || single.ncolumns == 0)
		return;
	suggest_keys(&single, people, &keys);
	run_pass(&single, oid, people);
	combined = combine(&single, telling, choose_telling(&single, telling));
	if (combined->nsuggestions > 0)
		run_pass(combined, oid, people);
	rows = palloc0(sizeof(SuggestionRow) * (single.nsuggestions + combined->nsuggestions + list_length(keys) + 1));
	if (single.nrows > 0)
		nrows = add_rows(rows, nrows, &single);
	if (combined->nrows > 0)
		nrows = add_rows(rows, nrows, combined);
	nrows = add_keys(rows, nrows, keys, people);
	qsort(rows, nrows, sizeof(SuggestionRow), compare_rows);
	for (int i = 0; i < nrows; i++)
		put_suggestion(result, &rows[i], labelled);
}

static Datum
anonopt_suggest_quasi_identifiers_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	relation;
	MemoryContext context;
	MemoryContext old;

	InitMaterializedSRF(fcinfo, 0);
	relation = relation_open_existing(PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0));
	context = AllocSetContextCreate(CurrentMemoryContext, "anonopt", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	suggest(result, relation);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	relation_close(relation, NoLock);
	return (Datum) 0;
}
