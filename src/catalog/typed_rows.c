/*
 * typed_rows.c
 *	  Rows of a statement, accepted only if they have the types that the
 *	  receiver was written for.
 *
 * Code that decodes a value relies on its type, which was looked up when the
 * statement was built.  Since then another session, or a function that the
 * statement itself calls, may have given the column's name to another column.
 * The executor guarantees that rows have the types of the plan, so it is
 * enough to compare the plan's types once, before the first row.
 */
#include "catalog/typed_rows.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

typedef struct RowReceiver
{
	DestReceiver pub;
	int			ncolumns;
	const Oid  *types;
	RowTaker	take;
	void	   *arg;
} RowReceiver;

/*
 * Whether values of one type may be decoded as another: a domain as its base
 * type, a varchar as a text.
 */
static bool
fits_type(Oid type, Oid expected)
{
	if (!OidIsValid(type))
		return false;
	if (type == expected)
		return true;
	type = getBaseType(type);
	return type == expected || (expected == TEXTOID && type == VARCHAROID);
}

void
rows_refuse_changed(const char *column, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("column \"%s\" changed while it was read", column),
			 errdetail("%s", detail),
			 errhint("Call the function again.")));
}

void
rows_require_type(Oid type, Oid expected, const char *column)
{
	if (fits_type(type, expected))
		return;
	if (!OidIsValid(type))
		rows_refuse_changed(column, "It has been dropped.");
	rows_refuse_changed(column, psprintf("It has type %s, but type %s was expected.",
										 format_type_be(type), format_type_be(expected)));
}

void
rows_require_types(TupleDesc desc, int first, int ncolumns, const Oid *types)
{
	if (first + ncolumns > desc->natts)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("rows lost columns while they were read"),
				 errdetail("They have %d columns, but %d were expected.", desc->natts, first + ncolumns),
				 errhint("Call the function again.")));
	for (int i = 0; i < ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, first + i);

		rows_require_type(column->attisdropped ? InvalidOid : column->atttypid, types[i], NameStr(column->attname));
	}
}

static void
start_rows(DestReceiver *self, int operation, TupleDesc desc)
{
	RowReceiver *receiver = (RowReceiver *) self;

	rows_require_types(desc, 0, receiver->ncolumns, receiver->types);
}

static bool
take_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;

	slot_getallattrs(slot);
	receiver->take(receiver->arg, slot->tts_values, slot->tts_isnull);
	return true;
}

static void
end_rows(DestReceiver *self)
{
}

DestReceiver *
rows_receiver(int ncolumns, const Oid *types, RowTaker take, void *arg)
{
	RowReceiver *receiver = palloc(sizeof(RowReceiver));

	*receiver = (RowReceiver)
	{
		{
			take_row, start_rows, end_rows, end_rows, DestNone
		}, ncolumns, types, take, arg
	};
	return &receiver->pub;
}

/* SPI would leave its own memory context current, which is freed with it. */
void
rows_read(const char *statement, ParamListInfo params, int ncolumns, const Oid *types, RowTaker take, void *arg)
{
	SPIExecuteOptions options = {0};
	MemoryContext context = CurrentMemoryContext;
	int			code;

	options.params = params;
	options.read_only = true;
	options.dest = rows_receiver(ncolumns, types, take, arg);
	code = SPI_execute_extended(statement, &options);
	MemoryContextSwitchTo(context);
	if (code < 0)
		elog(ERROR, "could not run \"%s\": %s", statement, SPI_result_code_string(code));
}
