/*
 * suggestions.c
 *	  The columns of a relation, and combinations of them, that single people
 *	  out.
 *
 * One pass over the relation hashes every column that the caller may read;
 * another counts combinations of the columns that others are most likely to
 * know.  Whether a combination is a danger depends less on how many it singles
 * out, which three measured numbers always do, than on who could know it; of
 * that, names and types are all that can be seen here.  If a column or combination has more values than can be kept,
 * its figures are estimated from a share of its values (KeySample),
 * and pairs from rows drawn at random, since a few frequent values make up
 * most pairs.
 */
#include "read/suggestions.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/packed_key.h"
#include "base/prng.h"
#include "catalog/column_meaning.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* A larger relation is read in part. */
#define MOST_ROWS 1000000

/* The number of columns that are combined; and of those that the caller names. */
#define COMBINED_COLUMNS 6
#define MOST_COMBINED 10

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
	bool		is_labelled;
	bool		is_combined;	/* if it is not unique */
	bool		unique_is_known;	/* combined even if it is nearly so */
	double		likely;			/* that others know it, as a weight */
} Column;

/* One reading of the relation. */
typedef struct Pass
{
	int			ncolumns;
	const Column **columns;
	uint64	   *hashes;			/* of the current row */
	List	   *counted;
	int64		nrows;
	Prng		prng;
} Pass;

/* --------------------- frequencies of keys, of which there may be too many to keep */

/*
 * A random sample of rows says little about how many people are unique:
 * someone with a twin in the table mostly has none in the sample.  So keys are
 * sampled instead, by their hashes, each with all its rows; then it is known
 * whether a key is unique.
 */

typedef struct SampledKey
{
	uint64		hash;
	int64		count;
	char		status;
} SampledKey;

/* the lowest bits of all kept hashes are zero */
#define SH_PREFIX samplekey
#define SH_ELEMENT_TYPE SampledKey
#define SH_KEY_TYPE uint64
#define SH_KEY hash
#define SH_HASH_KEY(table, key) ((uint32) ((key) >> 32))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Initial number of keys of a table. */
#define FIRST_ROOM 64

/* Bytes that a sample with this much room needs. */
static Size
key_sample_bytes(uint32 room)
{
	/*
	 * a table is at most 90 % full and its size is a power of two; while it
	 * grows, the old one exists too
	 */
	return sizeof(SampledKey) * pg_nextpower2_64(room + room / 8 + FIRST_ROOM) * 3 / 2;
}

/* Keeps only half of the keys, by requiring one more zero. */
static void
halve(KeySample *sample)
{
	samplekey_hash *all = sample->table;
	samplekey_iterator iterator;
	SampledKey *key;

	sample->zeros++;
	sample->mask = (UINT64CONST(1) << sample->zeros) - 1;
	sample->table = samplekey_create(all->ctx, all->members / 2 + FIRST_ROOM, NULL);
	samplekey_start_iterate(all, &iterator);
	while ((key = samplekey_iterate(all, &iterator)) != NULL)
	{
		bool		found;

		if ((key->hash & sample->mask) == 0)
			samplekey_insert(sample->table, key->hash, &found)->count = key->count;
	}
	samplekey_destroy(all);
}

/* Counts a key by its hash, all of whose bits must be well mixed. */
static void
key_sample_add(KeySample *sample, uint64 hash)
{
	bool		found;
	SampledKey *key;

	if ((hash & sample->mask) != 0)
		return;
	key = samplekey_insert(sample->table, hash, &found);
	key->count = found ? key->count + 1 : 1;
	while (sample->table->members > sample->room)
		halve(sample);
}

static KeyTotals
key_sample_totals(const KeySample *sample)
{
	KeyTotals	totals = {0};
	samplekey_iterator iterator;
	SampledKey *key;

	samplekey_start_iterate(sample->table, &iterator);
	while ((key = samplekey_iterate(sample->table, &iterator)) != NULL)
	{
		totals.keys++;
		totals.singles += key->count == 1 ? 1 : 0;
		totals.pairs += (double) key->count * (key->count - 1);
	}
	totals.keys = ldexp(totals.keys, sample->zeros);
	totals.singles = ldexp(totals.singles, sample->zeros);
	totals.pairs = ldexp(totals.pairs, sample->zeros);
	return totals;
}

/* ---------------------------------------------------------------- columns */

/* The names of columns with a label of PostgreSQL Anonymizer. */
static List *
labelled_columns(Oid relation)
{
	const Oid	results[1] = {TEXTOID};
	List	   *names = NIL;
	QueryRows  *rows;

	rows = rows_of_query("SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_seclabel s JOIN pg_catalog.pg_attribute a"
						 " ON a.attrelid OPERATOR(pg_catalog.=) s.objoid AND a.attnum OPERATOR(pg_catalog.=) s.objsubid"
						 " WHERE s.objoid OPERATOR(pg_catalog.=) $1 AND s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
						 " AND s.provider OPERATOR(pg_catalog.=) ANY ('{k_anonymity,anon}'::pg_catalog.text[])"
						 " AND s.label OPERATOR(pg_catalog.~*) '^ *(quasi|indirect) +identifier *$'",
						 NIL, add_oid(NULL, relation), NULL, 1, results);
	for (int i = 0; i < rows->n; i++)
		names = lappend(names, makeString(row_text(rows, i, 0)));
	return names;
}

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
	if (type_is_integer(type) || type == BOOLOID || type_is_moment(type))
		column->kind = BY_BITS;
	return true;
}

/* Whether a column is one of those named, or none are. */
static bool
is_among(const char *column, char *const *named, int nnamed)
{
	for (int i = 0; i < nnamed; i++)
		if (strcmp(column, named[i]) == 0)
			return true;
	return named == NULL;
}

/*
 * Judges who may know a column.  Names, phones and the like identify people
 * without others.  Nearly unique texts and integers do so, too; but a day of
 * birth may be as rare and yet is known.
 */
static void
judge_column(Column *column, bool is_named)
{
	bool		measured = type_is_number(column->type) && !type_is_integer(column->type);

	column->is_combined = is_named || !(column_means(column->name, MEANS_NAME) || column_means(column->name, MEANS_CONTACT));
	column->likely = column_means(column->name, MEANS_WIDELY_KNOWN) ? 1 : column_means(column->name, MEANS_KNOWN) ? 0.5 :
		measured || column_means(column->name, MEANS_PRIVATE) ? 0.02 : 0.2;
	column->unique_is_known = is_named || column->likely >= 0.5;
}

/* The columns that the caller may read, or named, and that have an order. */
static List *
find_columns(Relation relation, char *const *named, int nnamed)
{
	Oid			oid = RelationGetRelid(relation);
	List	   *labelled = labelled_columns(oid);
	List	   *columns = NIL;
	bool		any = false;

	/* keys of foreign and distributed tables are not trusted */
	bool		keys_hold = relation->rd_rel->relkind == RELKIND_RELATION && relation->rd_rel->relam == HEAP_TABLE_AM_OID &&
	!relation->rd_rel->relhassubclass;
	ListCell   *cell;

	foreach(cell, live_columns(relation))
	{
		Form_pg_attribute attribute = lfirst(cell);
		Column	   *column = palloc0(sizeof(Column));

		if (!is_among(NameStr(attribute->attname), named, nnamed))
			continue;
		if (named != NULL)
			require_readable_column(oid, NameStr(attribute->attname));
		if (!may_select(oid, list_make1_int(attribute->attnum)))
			continue;
		any = true;
		if (!choose_hash(column, getBaseType(attribute->atttypid)))
		{
			if (named == NULL)
				continue;
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("values of column \"%s\" cannot be compared", NameStr(attribute->attname)),
					 errdetail("Its type is %s.", format_type_be(attribute->atttypid))));
		}
		column->name = pstrdup(NameStr(attribute->attname));
		column->is_key = attribute->attnotnull && keys_hold && index_keeps_unique(relation, attribute->attnum);
		column->is_labelled = list_member(labelled, makeString(column->name));
		judge_column(column, named != NULL);
		columns = lappend(columns, column);
	}
	if (!any)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(relation->rd_rel->relkind), RelationGetRelationName(relation));
	return columns;
}

/* ---------------------------------------------------------------- counting */

/* Adds a column to a suggestion's names. */
static void
name_column(Suggestion *suggestion, const Column *column)
{
	suggestion->names[suggestion->nnames++] = column->name;
	suggestion->is_labelled |= column->is_labelled;
	suggestion->likely = suggestion->nnames == 1 ? column->likely : Min(suggestion->likely, column->likely);
}

/* Lets a pass count one to three of its columns, in ascending order. */
static void
count_columns(Pass *pass, int i, int j, int m)
{
	const int	columns[COMBINED_AT_ONCE] = {i, j, m};
	Suggestion *counted = palloc0(sizeof(Suggestion));

	for (int c = 0; c < COMBINED_AT_ONCE; c++)
	{
		if (c > 0 && columns[c] == columns[c - 1])
			continue;
		counted->columns[counted->nnames] = columns[c];
		name_column(counted, pass->columns[columns[c]]);
	}
	pass->counted = lappend(pass->counted, counted);
}

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

static void
take_row(void *arg, const Datum *values, const bool *nulls)
{
	Pass	   *pass = arg;
	uint64		place = pass->nrows < DRAWN_ROWS ? pass->nrows :
	(uint64) (prng_unit(&pass->prng) * (pass->nrows + 1));
	ListCell   *cell;

	if (pass->nrows % 1024 == 0)
		CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < pass->ncolumns; i++)
		pass->hashes[i] = nulls[i] ? 0 : word_hash(hash_value(pass->columns[i], values[i]));
	foreach(cell, pass->counted)
	{
		Suggestion *counted = lfirst(cell);
		uint64		hash = pass->hashes[counted->columns[0]];

		for (int i = 1; i < counted->nnames; i++)
			hash = word_hash(hash * 31 + pass->hashes[counted->columns[i]]);
		key_sample_add(&counted->sample, hash);
		if (place < DRAWN_ROWS)
			counted->drawn[place] = hash;
	}
	pass->nrows++;
}

/* Estimates pairs of equal rows from those among the rows drawn. */
static double
estimate_pairs(const Suggestion *counted, int64 nrows)
{
	int64		drawn = Min(nrows, DRAWN_ROWS);
	int64		run = 1;
	double		pairs = 0;

	/* in any order that makes equal hashes neighbours */
	qsort(counted->drawn, drawn, sizeof(uint64), compare_int64s);
	for (int64 i = 1; i < drawn; i++)
	{
		/* each row of a run makes a pair, both ways, with those before it */
		run = counted->drawn[i] == counted->drawn[i - 1] ? run + 1 : 1;
		pairs += 2 * (double) (run - 1);
	}
	return pairs / ((double) drawn * (drawn - 1)) * ((double) nrows * (nrows - 1));
}

/* Reads the columns of a relation, and counts; there are columns. */
static void
run_pass(Pass *pass, Oid relation, int64 people)
{
	uint32		keys = people <= SMALL_TABLE ? Max(people, LEAST_KEYS) : MOST_KEYS;
	Oid		   *types = palloc(sizeof(Oid) * pass->ncolumns);
	StringInfoData sql;
	ListCell   *cell;

	initStringInfo(&sql);
	for (int i = 0; i < pass->ncolumns; i++)
	{
		appendStringInfo(&sql, "%sr.%s", i == 0 ? "SELECT " : ", ", quote_identifier(pass->columns[i]->name));
		types[i] = pass->columns[i]->type;
	}
	appendStringInfo(&sql, " FROM %s r", relation_sql_name(relation));
	if (people > MOST_ROWS)
		appendStringInfo(&sql, " WHERE pg_catalog.random() OPERATOR(pg_catalog.<) %.17g::pg_catalog.float8",
						 (double) MOST_ROWS / people);
	while (keys > LEAST_KEYS &&
		   !budget_allows(CurrentMemoryContext, list_length(pass->counted) * (key_sample_bytes(keys) + sizeof(uint64) * DRAWN_ROWS)))
		keys /= 2;
	foreach(cell, pass->counted)
	{
		Suggestion *counted = lfirst(cell);

		counted->sample.table = samplekey_create(CurrentMemoryContext, FIRST_ROOM, NULL);
		counted->sample.room = keys;
		counted->drawn = budget_alloc(sizeof(uint64), DRAWN_ROWS);
	}
	pass->hashes = palloc(sizeof(uint64) * pass->ncolumns);
	pass->prng.state = 1;
	rows_read(sql.data, list_make1_oid(relation), NULL, NULL, pass->ncolumns, types, take_row, pass);
	foreach(cell, pass->counted)
	{
		Suggestion *suggestion = lfirst(cell);
		KeyTotals  *totals = &suggestion->totals;

		*totals = key_sample_totals(&suggestion->sample);
		suggestion->people = pass->nrows;
		suggestion->is_estimated = suggestion->sample.zeros > 0 || pass->nrows < people;
		if (suggestion->sample.zeros > 0)
		{
			totals->keys = Min(rint(totals->keys), pass->nrows);
			totals->singles = Min(totals->singles, totals->keys);
			totals->pairs = estimate_pairs(suggestion, pass->nrows);
		}

		/*
		 * no key that was kept occurred twice, and no row drawn was like
		 * another, so neither rare nor frequent values repeat
		 */
		if (suggestion->is_estimated && totals->keys == totals->singles && totals->pairs == 0)
		{
			suggestion->people = people;
			totals->keys = totals->singles = people;
		}
		suggestion->is_identifier = suggestion->nnames == 1 && totals->keys > 1 && totals->singles >= NAMING_SHARE * suggestion->people;
	}
}

/* ------------------------------------------------------------- suggestions */

/* Most known first, then most distinguishing. */
static int
compare_known(const ListCell *a, const ListCell *b)
{
	const Suggestion *x = lfirst(a);
	const Suggestion *y = lfirst(b);

	if (x->likely != y->likely)
		return x->likely > y->likely ? -1 : 1;
	if (x->totals.pairs != y->totals.pairs)
		return x->totals.pairs < y->totals.pairs ? -1 : 1;
	return strcmp(x->names[0], y->names[0]);
}

/*
 * A second pass, for combinations of the columns that others know best and that
 * distinguish people most, but do not identify them alone.
 */
static Pass *
combine(const Pass *single, int most)
{
	Pass	   *pass = palloc0(sizeof(Pass));
	List	   *telling = NIL;
	ListCell   *cell;

	foreach(cell, single->counted)
	{
		Suggestion *suggestion = lfirst(cell);

		const Column *column = single->columns[suggestion->columns[0]];

		if (suggestion->totals.keys > 1 && column->is_combined && (column->unique_is_known || !suggestion->is_identifier))
			telling = lappend(telling, suggestion);
	}
	list_sort(telling, compare_known);
	pass->ncolumns = Min(list_length(telling), most);
	pass->columns = palloc(sizeof(Column *) * (pass->ncolumns + 1));
	for (int i = 0; i < pass->ncolumns; i++)
		pass->columns[i] = single->columns[((Suggestion *) list_nth(telling, i))->columns[0]];
	for (int i = 0; i < pass->ncolumns; i++)
		for (int j = i + 1; j < pass->ncolumns; j++)
			for (int m = j; m < pass->ncolumns; m++)
				count_columns(pass, i, j, m);
	return pass;
}

/*
 * The share of people whom a suggestion singles out, times how likely others
 * know the column that is known least.
 */
static double
danger(const Suggestion *suggestion)
{
	return suggestion->totals.singles / suggestion->people * (suggestion->is_identifier ? 1 : suggestion->likely);
}

/*
 * Identifiers first, then by danger.  If two combinations are as dangerous, the
 * larger one shows more of what is known.
 */
static int
compare_suggestions(const ListCell *a, const ListCell *b)
{
	const Suggestion *x = lfirst(a);
	const Suggestion *y = lfirst(b);

	if (x->is_identifier != y->is_identifier)
		return x->is_identifier ? -1 : 1;
	if (danger(x) != danger(y))
		return danger(x) > danger(y) ? -1 : 1;
	if (x->likely != y->likely)
		return x->likely > y->likely ? -1 : 1;
	if (x->totals.pairs != y->totals.pairs)
		return x->totals.pairs < y->totals.pairs ? -1 : 1;
	if (x->nnames != y->nnames)
		return y->nnames - x->nnames;
	for (int i = 0; i < x->nnames; i++)
		if (strcmp(x->names[i], y->names[i]) != 0)
			return strcmp(x->names[i], y->names[i]);
	return 0;
}

List *
suggestions_of(Relation relation, char *const *named, int nnamed)
{
	Oid			oid = RelationGetRelid(relation);
	List	   *columns = find_columns(relation, named, nnamed);
	bool		isnull;
	List	   *relations;
	char	   *groups = grouped_elsewhere(oid, NIL, &relations);
	char	   *count = groups != NULL ? psprintf("SELECT pg_catalog.sum(r.n)::pg_catalog.int8 FROM (%s) r (n)", groups) :
	psprintf("SELECT pg_catalog.count(*) FROM %s", relation_sql_name(oid));
	int64		people = DatumGetInt64(value_of_query(count, relations, NULL, INT8OID, &isnull));
	Pass		single = {.columns = palloc(sizeof(Column *) * (list_length(columns) + 1))};
	Pass	   *combined;
	List	   *suggestions = NIL;
	ListCell   *cell;

	if (people == 0)
		return NIL;
	foreach(cell, columns)
	{
		const Column *column = lfirst(cell);
		Suggestion *key;

		if (!column->is_key)
		{
			single.columns[single.ncolumns] = column;
			count_columns(&single, single.ncolumns, single.ncolumns, single.ncolumns);
			single.ncolumns++;
			continue;
		}
		key = palloc0(sizeof(Suggestion));
		name_column(key, column);
		key->people = people;
		key->totals.keys = key->totals.singles = people;
		key->is_identifier = true;
		suggestions = lappend(suggestions, key);
	}
	if (single.ncolumns > 0)
		run_pass(&single, oid, people);
	combined = combine(&single, named == NULL ? COMBINED_COLUMNS : MOST_COMBINED);
	if (combined->counted != NIL)
		run_pass(combined, oid, people);
	/* a sample may have no rows */
	if (single.nrows > 0)
		suggestions = list_concat(suggestions, single.counted);
	if (combined->nrows > 0)
		suggestions = list_concat(suggestions, combined->counted);
	list_sort(suggestions, compare_suggestions);
	return suggestions;
}
