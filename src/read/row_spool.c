/*
 * row_spool.c
 *	  A relation's rows, kept beside the population built from them.
 *
 * Each row is encoded as it comes, which gives its group number, and kept with
 * that number in a tuplestore.  Values are kept flat, neither compressed nor
 * out of line, because the way a value is stored could reveal its neighbours.
 */
#include "read/row_spool.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/prng.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "access/sysattr.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "read/reading.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "utils/rel.h"

/* An interval's length, in which a month has 30 days, as equal ones have it. */
static uint64
interval_digest(const Interval *interval)
{
	int128		length = (int128) interval->time + ((int128) interval->month * 30 + interval->day) * USECS_PER_DAY;
	unsigned char bytes[16];
	unsigned char *at = bytes;

	put_number(&at, (uint64) length, 8);
	put_number(&at, (uint64) (length >> 64), 8);
	return portable_digest(bytes, sizeof(bytes));
}

uint64
value_digest(const ValueType *type, Datum value)
{
	const char *plain;

	value = value_normal(type, value);
	if (type_is_integer(type->type))
	{
		char		digits[MAXINT8LEN + 1];

		return portable_digest(digits, pg_lltoa(DatumGetInt64(value), digits));
	}
	if (type->kind == VALUE_INTEGER && !type_is_enum(type->type))
		return word_hash(DatumGetUInt64(value) ^ UINT64CONST(0x9e3779b97f4a7c15));
	if (type->kind == VALUE_TEXT)
		return portable_digest(VARDATA_ANY(DatumGetPointer(value)), VARSIZE_ANY_EXHDR(DatumGetPointer(value)));
	if (type->type == INTERVALOID)
		return interval_digest(DatumGetIntervalP(value));
	if (type->type == NUMERICOID)
		plain = numeric_normalize(DatumGetNumeric(value));
	else if ((type->type == FLOAT8OID && DatumGetFloat8(value) == 0) || (type->type == FLOAT4OID && DatumGetFloat4(value) == 0))
		plain = "0";
	else
		plain = value_text(type->type, value);
	return portable_digest(plain, strlen(plain));
}

/* Strong random numbers that are made at once. */
#define STRONG_NUMBERS 512

/*
 * Draws rows or people, each with the largest multiple of 2^-64 that is no more
 * than a probability.
 */
typedef struct Lottery
{
	uint64		below;			/* numbers that win */
	int			person;			/* the column read whose values are drawn, or
								 * -1 for rows */
	Encoder		persons;		/* numbers them, apart from those who win */
	Size		room;
	bool	   *wins;			/* of each number, by the last of which the
								 * row is */
	uint32		number;
	int			nnumbers;		/* that are left of */
	uint64		numbers[STRONG_NUMBERS];
} Lottery;

typedef struct RowSpooler
{
	Reading    *reading;
	RowSpool   *spool;
	Lottery    *lottery;		/* NULL if everybody is read */
	Oid		   *printed;		/* by column kept: the type whose values are
								 * put into words here, or InvalidOid */
	Datum	   *values;
	bool	   *nulls;
} RowSpooler;

static Lottery *
lottery_begin(const Reading *reading, double probability)
{
	Lottery    *lottery = palloc0(sizeof(Lottery));

	lottery->below = (uint64) ldexp(probability, 64);
	lottery->person = reading->person == NULL ? -1 : (int) (reading->person - reading->columns);
	if (lottery->person >= 0)
		encoder_open(&lottery->persons, reading->context, reading->person->declared->column, reading->set.encoders[lottery->person].type.type);
	return lottery;
}

static bool
draw(Lottery *lottery)
{
	if (lottery->nnumbers == 0)
	{
		strong_random(lottery->numbers, sizeof(lottery->numbers));
		lottery->nnumbers = STRONG_NUMBERS;
	}
	return lottery->numbers[--lottery->nnumbers] < lottery->below;
}

/*
 * Whether a row is drawn, given the columns read.  One person's rows are
 * together; those of nobody in particular might be anybody's, and are not drawn.
 */
static bool
is_drawn(Lottery *lottery, RowSpool *spool, const Datum *values, const bool *nulls)
{
	if (lottery->person < 0)
		return draw(lottery);
	if (nulls[lottery->person])
		return false;
	/* numbers start at 1 */
	lottery->number = encode(&lottery->persons, values[lottery->person], false) - 1;
	if (lottery->number == spool->ndrawn)
	{
		if (spool->ndrawn == lottery->room)
			lottery->wins = budget_grow(lottery->persons.dictionary->context, lottery->wins, sizeof(bool), &lottery->room);
		lottery->wins[spool->ndrawn++] = draw(lottery);
	}
	return lottery->wins[lottery->number];
}

/*
 * Prepares the labels by which sensitive columns are shown that are shown at a
 * level; their leaves are these labels.
 */
static void
prepare_labels(const Reading *reading, RowSpool *spool)
{
	spool->label_columns = palloc(sizeof(int) * (spool->ncolumns + 1));
	spool->labels = palloc0(sizeof(Datum *) * (spool->ncolumns + 1));
	for (int i = 0; i < spool->ncolumns; i++)
	{
		const Hierarchy *hierarchy;
		int			read = 0;

		spool->label_columns[i] = -1;
		if (!spool->columns[i].labelled)
			continue;
		while (shown_level(reading->columns[read].declared) < 0 || strcmp(reading->columns[read].declared->column, spool->columns[i].name) != 0)
			read++;
		spool->label_columns[i] = read;
		hierarchy = reading->columns[read].loaded->hierarchy;
		spool->labels[i] = budget_alloc_zero(sizeof(Datum), (Size) hierarchy->nleaves + 1);
		for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
			if (hierarchy->labels[0][leaf] != NULL)
				spool->labels[i][leaf] = CStringGetTextDatum(hierarchy->labels[0][leaf]);
	}
}

/* Finds where the codes of the kept columns' own values are, of those that are digested. */
static void
find_values(const Reading *reading, RowSpool *spool)
{
	spool->value_columns = palloc0(sizeof(int) * (spool->ncolumns + 1));
	for (int i = 0; i < spool->ncolumns; i++)
		for (int read = 0; read < reading->ncolumns && spool->columns[i].digested; read++)
			if (strcmp(reading->columns[read].declared->column, spool->columns[i].name) == 0)
				spool->value_columns[i] = spool->columns[i].labelled ? spool->label_columns[i] : reading->columns[read].values_column;
}

/*
 * The digest of a column's value in a group.  Of those who are drawn, different
 * values must never be taken for equal ones, as texts with one digest would be,
 * and nothing but the group is compared: the code will do.
 */
static uint64
digest_in_group(const RowSpooler *spooler, uint32 group, int column, Datum value, bool isnull)
{
	const RowSpool *spool = spooler->spool;

	if (isnull)
		return 0;
	if (spooler->lottery == NULL)
		return value_digest(&spool->types[column], value);
	return (uint64) read_code(spooler->reading, group, spool->value_columns[column]) + 1;
}

/* Receives a row: the columns that are kept, those that are encoded, perhaps a count. */
static void
take_row(void *arg, const Datum *kept, const bool *kept_nulls)
{
	RowSpooler *spooler = arg;
	Reading    *reading = spooler->reading;
	RowSpool   *spool = spooler->spool;
	Lottery    *lottery = spooler->lottery;
	Datum	   *values = spooler->values;
	bool	   *nulls = spooler->nulls;
	int			last = spool->ncolumns + reading->ncolumns;
	int64		people = reading->dataset->count_column == NULL ? 1 : row_count(kept[last], kept_nulls[last]);
	uint32		group;
	bool		is_new;

	if (people == 0 || (lottery != NULL && !is_drawn(lottery, spool, kept + spool->ncolumns, kept_nulls + spool->ncolumns)))
		return;
	group = count_codes(reading, kept + spool->ncolumns, kept_nulls + spool->ncolumns, people);
	if (group == LEFT_OUT)
		return;
	is_new = group == spool->ngroups;
	/* a NULL without a leaf has the code behind the last one, and no label */
	memcpy(values + 1, kept, sizeof(Datum) * spool->ncolumns);
	memcpy(nulls + 1, kept_nulls, sizeof(bool) * spool->ncolumns);
	for (int i = 0; i < spool->ncolumns; i++)
		if (OidIsValid(spooler->printed[i]) && !nulls[i + 1])
			values[i + 1] = CStringGetTextDatum(value_text(spooler->printed[i], values[i + 1]));
		else if (spool->columns[i].labelled)
		{
			values[i + 1] = spool->labels[i][read_code(reading, group, spool->label_columns[i])];
			nulls[i + 1] = values[i + 1] == 0;
		}
	if (is_new)
	{
		uint64	   *digests;

		if (lottery != NULL && lottery->person >= 0)
		{
			if (spool->ngroups == spool->person_room)
				spool->person_of = budget_grow(reading->context, spool->person_of, sizeof(uint32), &spool->person_room);
			spool->person_of[spool->ngroups] = lottery->number;
		}
		while (((Size) spool->ngroups + 1) * spool->ndigested > spool->digest_room)
			spool->digests = budget_grow(reading->context, spool->digests, sizeof(uint64), &spool->digest_room);
		digests = spool->digests + (Size) spool->ngroups++ * spool->ndigested;
		for (int i = 0; i < spool->ncolumns; i++)
			if (spool->columns[i].digested)
				*digests++ = digest_in_group(spooler, group, i, values[i + 1], nulls[i + 1]);
	}
	if (!spool->keeps_rows || (spool->merges && !is_new))
		return;
	values[0] = UInt32GetDatum(group);
	for (int i = 1; i <= spool->ncolumns; i++)
		if (!nulls[i] && TupleDescAttr(spool->desc, i)->attlen == -1)
			values[i] = PointerGetDatum(PG_DETOAST_DATUM(values[i]));
	tuplestore_putvalues(spool->rows, spool->desc, values, nulls);
}

/* The expression that identifies a row of r without a key. */
static const char *
place_expression(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	/* positions of remote rows mean nothing here */
	bool		is_here = !is_distributed(relation);

	if (is_here && (kind == RELKIND_MATVIEW || (kind == RELKIND_RELATION && !has_subclass(relation))))
		return "r.ctid::pg_catalog.text";
	if (is_here && (kind == RELKIND_RELATION || (kind == RELKIND_PARTITIONED_TABLE && foreign_leaves(relation) == NIL)))
		return "r.tableoid::pg_catalog.text OPERATOR(pg_catalog.||) ':' OPERATOR(pg_catalog.||) r.ctid::pg_catalog.text";
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("rows of %s cannot be identified by their place", relation_sql_name(relation)),
			 errhint("Name a column that identifies them as key.")));
	return NULL;
}

SpoolColumn
row_name_column(Oid relation, const char *key)
{
	SpoolColumn column = {.name = key,.as = TEXTOID};
	const char *name;
	Oid			type;
	int64		duplicates;
	bool		isnull;

	if (key == NULL)
	{
		(void) place_expression(relation);
		return column;
	}
	require_column(relation, key);
	type = column_type(relation, key);
	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be a key", key),
				 errdetail("Values of type %s cannot be compared.", format_type_be(type))));
	name = relation_sql_name(relation);
	if (rows_of_query(psprintf("SELECT 1 FROM %s r WHERE r.%s IS NULL LIMIT 1", name, quote_identifier(key)),
					  list_make1_oid(relation), NULL, NULL, 0, NULL)->n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not identify every row of %s", key, name),
				 errdetail("It holds a null value.")));
	if (column_is_unique(relation, key))
		return column;
	duplicates = DatumGetInt64(value_of_query(psprintf("SELECT pg_catalog.count(*) FROM (SELECT 1 FROM %s r GROUP BY r.%s"
													   " HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1) s", name, quote_identifier(key)),
											  list_make1_oid(relation), NULL, INT8OID, &isnull));
	if (duplicates > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not identify rows of %s", key, name),
				 errdetail_plural(INT64_FORMAT " of its values is in more than one row.",
								  INT64_FORMAT " of its values are in more than one row.", duplicates, duplicates),
				 errhint("Name a column that does as key.")));
	return column;
}

/*
 * The type of a column to be kept as text whose texts are those that its output
 * function prints, so that values can be put into words here; otherwise
 * InvalidOid.  Where its rows are, other settings may hold.
 */
static Oid
printed_type(Oid relation, const SpoolColumn *column)
{
	Oid			type = column->name == NULL || column->as != TEXTOID ? InvalidOid : column_type(relation, column->name);
	Oid			function;

	return !OidIsValid(type) || type_is_text(type) || builtin_cast(type, TEXTOID, &function) ? InvalidOid : type;
}

/* A kept column as the statement selects it from r. */
static const char *
kept_expression(const Dataset *dataset, const SpoolColumn *column, Oid printed)
{
	const char *value;

	if (column->name == NULL)
		return place_expression(dataset->relation);
	if (column->as == INT8OID)
		return dataset_count_sql(dataset);
	if (column->labelled)
		return "NULL::pg_catalog.text";
	value = psprintf("r.%s", quote_identifier(column->name));
	if (column->as == TEXTOID && !OidIsValid(printed))
		return sql_as(text_form(column_type(dataset->relation, column->name)), value);
	if (column->as != FLOAT8OID)
		return value;
	/* another type's cast would be somebody's code */
	if (!type_is_number(column_type(dataset->relation, column->name)))
		relation_has_changed(dataset->relation);
	return psprintf("%s::pg_catalog.float8", value);
}

/* Finds the columns to keep, as written in the statement, and prepares to keep them. */
static void
append_kept_columns(const Reading *reading, RowSpool *spool, StringInfo sql, Oid *types, Oid *printed)
{
	Oid			relation = reading->dataset->relation;
	TupleDesc	desc = CreateTemplateTupleDesc(spool->ncolumns + 1);

	TupleDescInitEntry(desc, 1, "row_group", INT4OID, -1, 0);
	spool->types = palloc0(sizeof(ValueType) * (spool->ncolumns + 1));
	for (int i = 0; i < spool->ncolumns; i++)
	{
		const SpoolColumn *column = &spool->columns[i];
		AttrNumber	number = column->name == NULL ? SelfItemPointerAttributeNumber : get_attnum(relation, column->name);

		if (column->name != NULL && number <= 0)
			relation_has_changed(relation);
		printed[i] = printed_type(relation, column);
		appendStringInfo(sql, ", %s", kept_expression(reading->dataset, column, printed[i]));
		types[i] = OidIsValid(column->as) ? column->as : column->labelled ? TEXTOID : get_atttype(relation, number);
		if (OidIsValid(column->as) || column->labelled)
			TupleDescInitEntry(desc, i + 2, NULL, types[i], -1, 0);
		else
		{
			require_columns_select(relation, list_make1_int(number));
			TupleDescCopyEntry(desc, i + 2, RelationGetDescr(reading->relation), number);
		}
		if (column->digested)
		{
			Oid			type = getBaseType(types[i]);

			value_type_init(&spool->types[i], type == VARCHAROID ? TEXTOID : type);
			spool->ndigested++;
		}
		if (OidIsValid(printed[i]))
			types[i] = printed[i];
	}
	if (!spool->keeps_rows)
		return;
	TupleDescFinalize(desc);
	spool->desc = desc;
	spool->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	spool->rows = tuplestore_begin_heap(false, false, Max(work_mem, maintenance_work_mem / 4));
}

/* Leaves out rows with values that no leaf can have, because casting them would fail. */
static char *
condition_to_read(const Reading *reading)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < reading->ncolumns && reading->leaves_out; i++)
	{
		const ReadColumn *column = &reading->columns[i];
		char	   *value = psprintf("r.%s", reading_column_name(reading, i));
		Oid			to = column->loaded == NULL ? column->type : column->loaded->rows->match.data_type;
		char	   *condition = cast_condition(value, column->type, to);

		if (!cast_can_be_kept_from_failing(column->type, to) && type_is_range(column->loaded->rows->match.leaf_type))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be read live", column->declared->column),
					 errdetail("Converting a value of type %s to %s, to compare it with the ranges of its hierarchy, could fail and reveal the value.",
							   format_type_be(column->type), format_type_be(to)),
					 errhint("Publish a snapshot instead: materialized => true.")));
		if (condition != NULL)
			appendStringInfo(&sql, "%s (%s IS NULL OR %s)", sql.len == 0 ? " WHERE" : " AND", value, condition);
	}
	return sql.data;
}

/* The texts of sensitive values and of their leaves, by their number in the population. */
static void
keep_values(const Reading *reading, RowSpool *spool)
{
	const Population *population = spool->population;

	spool->values = palloc0(sizeof(char **) * (population->nsensitive + 1));
	spool->leaves = palloc0(sizeof(char **) * (population->nsensitive + 1));
	for (int j = 0; j < population->nsensitive; j++)
	{
		const ReadColumn *read = &reading->columns[population->nattrs + j];
		const Dictionary *dictionary = reading->tuples->dictionaries[read->values_column];
		const Histograms *histograms = population->columns[j];
		Size		size = sizeof(char *) * ((Size) histograms->nvalues + 1);

		if (read->loaded != NULL)
		{
			spool->leaves[j] = MemoryContextAllocHuge(CurrentMemoryContext, size);
			for (uint32 value = 0; value < histograms->nvalues; value++)
				spool->leaves[j][value] = unconstify(char *, histograms->tree->labels[0][histograms->leaf_of[value]]);
		}
		spool->values[j] = spool->leaves[j];
		if (dictionary == NULL)
			continue;
		spool->values[j] = MemoryContextAllocExtended(CurrentMemoryContext, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		for (uint32 i = 0; i < dictionary->nvalues; i++)
			if (read->population_codes[i + 1] < histograms->nvalues)
				spool->values[j][read->population_codes[i + 1]] = value_text(dictionary->type.type, dictionary->values[i]);
	}
}

bool
equal_values_look_equal(Oid relation, const char *column)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(relation, get_attnum(relation, column), &type, &typmod, &collation);
	type = getBaseTypeAndTypmod(type, &typmod);
	return type == BPCHAROID ? typmod != -1 : type_is_integer_like(type) || type_is_string(type);
}

/* Whether rows that look alike can be told by encoded columns. */
static bool
can_merge(const RowSpool *spool, const Dataset *dataset)
{
	bool		merges = 2 * dataset->nattributes + spool->ncolumns + 4 <= FUNC_MAX_ARGS;

	for (int i = 0; i < spool->ncolumns && merges; i++)
		merges = spool->columns[i].labelled || equal_values_look_equal(dataset->relation, spool->columns[i].name);
	return merges;
}

void
spool_read(RowSpool *spool, const Dataset *dataset, const int *levels)
{
	Reading    *reading = reading_begin(dataset, AllocSetContextCreate(CurrentMemoryContext, "anonopt", ALLOCSET_DEFAULT_SIZES));
	RowSpooler	spooler = {.reading = reading,.spool = spool};
	Oid		   *types;
	StringInfoData sql;
	double		expected;
	ActingAs	before;

	reading->levels = levels;
	reading->memory_times = spool->memory_times;
	reading->keeps_ties = spool->keeps_ties;
	/* nor may what a single row does to others be seen among those drawn */
	reading->leaves_out = spool->for_readers || spool->drawn > 0;
	spool->merges = spool->for_readers && can_merge(spool, dataset);
	for (int i = 0; i < spool->ncolumns; i++)
		if (spool->columns[i].apart || (spool->merges && !spool->columns[i].labelled))
			reading->shown = lappend(reading->shown, unconstify(char *, spool->columns[i].name));
	reading_prepare(reading);
	expected = reading_expect_memory(reading);
	prepare_labels(reading, spool);
	find_values(reading, spool);
	spooler.values = palloc(sizeof(Datum) * (spool->ncolumns + 1));
	spooler.nulls = palloc0(sizeof(bool) * (spool->ncolumns + 1));
	reading->tuples = tuples_begin(reading->context, &reading->set);
	if (spool->drawn > 0)
		spooler.lottery = lottery_begin(reading, spool->drawn);
	types = palloc(sizeof(Oid) * (spool->ncolumns + reading->ncolumns + 1));
	initStringInfo(&sql);
	spooler.printed = palloc(sizeof(Oid) * (spool->ncolumns + 1));
	append_kept_columns(reading, spool, &sql, types, spooler.printed);
	append_read_columns(reading, &sql);
	memcpy(types + spool->ncolumns, reading_types(reading), sizeof(Oid) * (reading->ncolumns + 1));
	appendStringInfo(&sql, " FROM %s r%s", relation_sql_name(dataset->relation), condition_to_read(reading));
	before = act_as(reading->role);
	require_exact_values(reading);
	rows_read(psprintf("SELECT %s", sql.data + 2), list_make1_oid(dataset->relation), NULL, NULL,
			  spool->ncolumns + reading->ncolumns + (dataset->count_column != NULL ? 1 : 0), types, take_row, &spooler);
	act_end(&before);
	refuse_misses(reading);
	reading_expect_tuples(reading, Max(expected, spool->ngroups));
	/* a sample may be empty */
	if (spool->ngroups > 0 || spool->drawn > 0)
	{
		if (spool->wants_value_of)
			spool->value_of = reading->value_of = MemoryContextAllocHuge(reading->context, sizeof(uint32) * ((Size) spool->ngroups + 1));
		spool->tuple_of = reading->tuple_of = MemoryContextAllocHuge(reading->context, sizeof(uint32) * ((Size) spool->ngroups + 1));
		spool->people = reading->tuples->counter->counts;
		spool->population = make_population(reading);
		if (spool->wants_values)
			keep_values(reading, spool);
	}
	reading_close(reading);
	spool->reading = reading;
	if (spool->population != NULL)
		population_read_outside(spool->population, reading->dataset);
}

void
spool_visit(RowSpool *spool, SpoolVisitor visit, void *arg)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext row = AllocSetContextCreate(outer, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	uint64		n = 0;

	tuplestore_rescan(spool->rows);
	while (tuplestore_gettupleslot(spool->rows, true, false, spool->slot))
	{
		if (n++ % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		slot_getallattrs(spool->slot);
		MemoryContextSwitchTo(row);
		visit(arg, DatumGetUInt32(spool->slot->tts_values[0]), spool->slot->tts_values + 1, spool->slot->tts_isnull + 1);
		MemoryContextSwitchTo(outer);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
}

void
spool_end(RowSpool *spool)
{
	if (spool->rows == NULL)
		return;
	ExecDropSingleTupleTableSlot(spool->slot);
	tuplestore_end(spool->rows);
	spool->rows = NULL;
}
