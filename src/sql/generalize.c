/*
 * generalize.c
 *	  SQL: generalize, which shows one value at a level of a hierarchy.
 */
#include "base/compat.h"

#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "sql/call.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/* How a value is converted to the type in which leaves are compared. */
typedef struct Conversion
{
	enum
	{
		CONVERT_NOT,
		CONVERT_BY_CAST,
		CONVERT_BY_TEXT
	}			way;
	FmgrInfo	cast;
	int			nargs;
	FmgrInfo	output;
	FmgrInfo	input;
	Oid			io_param;
} Conversion;

/*
 * When and for whom a hierarchy was read: what a snapshot sees, and the
 * values that were to be generalized.  Compared by its bytes.
 */
typedef struct ReadAt
{
	Oid			user;
	Oid			relation;
	Oid			value_type;
	SubTransactionId subtransaction;
	TransactionId xmin;
	TransactionId xmax;
	uint32		running;
	CommandId	command;
	uint64		completed;
} ReadAt;

/* A hierarchy that a call site of generalize keeps for later rows. */
typedef struct Generalizer
{
	MemoryContext context;
	ReadAt		read_at;
	LoadedHierarchy *loaded;
	Encoder		encoder;
	Conversion	conversion;
} Generalizer;

static void
conversion_init(Conversion *conversion, Oid from, Oid to)
{
	Oid			function;
	AclResult	result;

	conversion->way = CONVERT_NOT;
	if (builtin_cast(from, to, &function))
	{
		if (!OidIsValid(function))
			return;
		result = object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
		if (result != ACLCHECK_OK)
			aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
		conversion->way = CONVERT_BY_CAST;
		fmgr_info(function, &conversion->cast);
		conversion->nargs = get_func_nargs(function);
	}
	else
	{
		Oid			output;
		Oid			input;
		bool		varlena;

		conversion->way = CONVERT_BY_TEXT;
		getTypeOutputInfo(from, &output, &varlena);
		getTypeInputInfo(to, &input, &conversion->io_param);
		fmgr_info(output, &conversion->output);
		fmgr_info(input, &conversion->input);
	}
}

static Datum
convert(Conversion *conversion, Datum value)
{
	switch (conversion->way)
	{
		case CONVERT_BY_CAST:
			if (conversion->nargs == 1)
				return FunctionCall1(&conversion->cast, value);
			if (conversion->nargs == 2)
				return FunctionCall2(&conversion->cast, value, Int32GetDatum(-1));
			return FunctionCall3(&conversion->cast, value, Int32GetDatum(-1), BoolGetDatum(true));
		case CONVERT_BY_TEXT:
			return InputFunctionCall(&conversion->input, OutputFunctionCall(&conversion->output, value),
									 conversion->io_param, -1);
		default:
			return value;
	}
}

/*
 * The type as which a value is matched.  If the leaves are not texts, a text
 * is read like an SQL literal: generalize('42', …) finds the leaf 42.
 */
static Oid
matched_type(Oid value_type, Oid leaf_type)
{
	TypeMatch	match;

	if (value_type != TEXTOID || match_types(TEXTOID, leaf_type, &match) || !type_input_is_safe(leaf_type))
		return value_type;
	return type_is_range(leaf_type) ? get_range_subtype(leaf_type) : leaf_type;
}

static Generalizer *
generalizer_for(FunctionCallInfo fcinfo, Oid relation)
{
	Snapshot	snapshot = GetActiveSnapshot();
	Generalizer *kept = fcinfo->flinfo->fn_extra;
	MemoryContext context;
	MemoryContext old;
	ReadAt		now;
	Oid			matched;

	memset(&now, 0, sizeof(ReadAt));
	now.user = GetUserId();
	now.relation = relation;
	now.value_type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0));
	now.subtransaction = GetCurrentSubTransactionId();
	now.xmin = snapshot->xmin;
	now.xmax = snapshot->xmax;
	now.running = snapshot->xcnt;
	now.command = snapshot->curcid;
	now.completed = snapshot->snapXactCompletionCount;
	if (kept != NULL && memcmp(&kept->read_at, &now, sizeof(ReadAt)) == 0)
		return kept;
	fcinfo->flinfo->fn_extra = NULL;
	if (kept != NULL)
		MemoryContextDelete(kept->context);
	context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "anonopt generalize", ALLOCSET_DEFAULT_SIZES);
	kept = MemoryContextAllocZero(context, sizeof(Generalizer));
	matched = matched_type(now.value_type, hierarchy_leaf_type(relation));
	kept->context = context;
	kept->read_at = now;
	old = MemoryContextSwitchTo(context);
	kept->loaded = hierarchy_load(relation, matched, "value");
	hierarchy_encoder(kept->loaded, "value", context, &kept->encoder);
	conversion_init(&kept->conversion, now.value_type, kept->loaded->rows->match.data_type);
	if (kept->loaded->hierarchy->null_leaf == NO_LEAF)
		hierarchy_add_null(kept->loaded->hierarchy);
	MemoryContextSwitchTo(old);
	fcinfo->flinfo->fn_extra = kept;
	return kept;
}

/* Arguments are found by position, since this is called for many rows. */
SQL_FUNCTION(anonopt_generalize)
{
	Generalizer *generalizer;
	const Hierarchy *hierarchy;
	int32		level;
	uint32		code;
	const char *label;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	generalizer = generalizer_for(fcinfo, PG_GETARG_OID(1));
	hierarchy = generalizer->loaded->hierarchy;
	level = PG_GETARG_INT32(2);
	if (level < 0 || level > hierarchy->height)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("level %d is out of range", level),
				 errhint("Levels of hierarchy %s are 0 to %d.",
						 generalizer->loaded->rows->name, hierarchy->height)));

	if (PG_ARGISNULL(0))
		code = encode(&generalizer->encoder, (Datum) 0, true);
	else
		code = encode(&generalizer->encoder, convert(&generalizer->conversion, PG_GETARG_DATUM(0)), false);
	if (code == NO_LEAF && PG_NARGS() > 3 && !PG_ARGISNULL(3))
		PG_RETURN_DATUM(PG_GETARG_DATUM(3));
	if (code == NO_LEAF)
	{
		Oid			output;
		bool		varlena;

		getTypeOutputInfo(generalizer->read_at.value_type, &output, &varlena);
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("value has no leaf in hierarchy %s", generalizer->loaded->rows->name),
				 errdetail("The value is %s.",
						   quote_literal_cstr(OidOutputFunctionCall(output, PG_GETARG_DATUM(0)))),
				 errhint("Add the value to the hierarchy table.")));
	}
	label = hierarchy->labels[level][hierarchy->levels[level].label_of[code]];
	if (label == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(CStringGetTextDatum(label));
}
