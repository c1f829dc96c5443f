/*
 * read_columns.c
 *	  Chooses the columns to read, finds them in the relation, and creates
 *	  their encoders.
 *
 * A hierarchy may be a view, and a function in it may do anything to the
 * relation that its owner may do.  So the order is: open the relation and the
 * hierarchies, which prevents this session and others from altering them; load
 * the hierarchies, which may run arbitrary code; find the columns, once;
 * create the encoders.  From then on, only our own code runs until the
 * statement is analyzed.  Opening does not prevent this session from renaming
 * columns, so a column whose type is not the one its hierarchy was loaded for
 * is refused.
 */
#include "read/reading.h"

#include "access/relation.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static ReadColumn *
add_column(Reading *reading, const Declared *declared)
{
	ReadColumn *column = &reading->columns[reading->ncolumns];

	column->declared = declared;
	column->values_column = reading->ncolumns++;
	return column;
}

static void
add_columns(Reading *reading, Role role)
{
	for (int i = 0; i < reading->dataset->nattributes; i++)
		if (reading->dataset->attributes[i].role == role)
			add_column(reading, &reading->dataset->attributes[i]);
}

/*
 * If a sensitive column's leaves are ranges, two values in one range are still
 * different values, so they are read in addition to their leaves, unless only
 * labels are shown of them.
 */
static void
add_values_of_ranges(Reading *reading)
{
	int			ncolumns = reading->ncolumns;

	for (int i = 0; i < ncolumns; i++)
	{
		ReadColumn *column = &reading->columns[i];

		if (column->declared->role != ROLE_SENSITIVE || column->loaded == NULL || shown_level(column->declared) >= 0 ||
			!type_is_range(column->loaded->rows->match.leaf_type))
			continue;
		column->values_column = reading->ncolumns;
		(void) add_column(reading, column->declared);
	}
}

static ReadColumn *
add_undeclared(Reading *reading, const char *name)
{
	Declared   *declared = palloc0(sizeof(Declared));

	declared->role = ROLE_IDENTIFIER;
	declared->column = unconstify(char *, name);
	return add_column(reading, declared);
}

/* The further columns, unless their values are told apart already. */
static void
add_shown(Reading *reading)
{
	ListCell   *cell;

	foreach(cell, reading->shown)
	{
		bool		found = false;

		for (int i = 0; i < reading->ncolumns && !found; i++)
			found = !OidIsValid(reading->columns[i].declared->hierarchy) && strcmp(reading->columns[i].declared->column, lfirst(cell)) == 0;
		if (!found)
			(void) add_undeclared(reading, lfirst(cell));
	}
}

/*
 * Fails if the aggregate would need too many arguments: the encoders, the
 * columns, perhaps a count.
 */
static void
check_number(const Reading *reading)
{
	int			most = FUNC_MAX_ARGS - 2 - (reading->dataset->count_column != NULL ? 1 : 0);

	if (reading->ncolumns > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("data set has too many columns"),
				 errdetail("%d columns must be read, but only %d can be read at once.", reading->ncolumns, most),
				 errhint("Drop sensitive columns with anonopt.drop_attribute, or declare them in a data set of their own.")));
}

/*
 * Opens the relation and the hierarchies, and finds the role that reads the
 * relation: for a release, by trusted_code.c.
 */
static void
open_relations(Reading *reading)
{
	const Dataset *dataset = reading->dataset;
	List	   *columns = NIL;

	reading->relation = relation_open_existing(dataset->relation);
	reading->role = GetUserId();
	for (int i = 0; i < reading->ncolumns; i++)
	{
		const Declared *declared = reading->columns[i].declared;

		if (OidIsValid(declared->hierarchy))
			reading->hierarchies = lappend(reading->hierarchies, relation_open_existing(declared->hierarchy));
		if (OidIsValid(declared->hierarchy) && dataset->for_release)
			require_trusted_relation(declared->hierarchy);
		columns = lappend_int(columns, get_attnum(dataset->relation, declared->column));
	}
	if (!dataset->for_release)
		return;
	if (dataset->person != NULL)
		columns = lappend_int(columns, get_attnum(dataset->relation, dataset->person));
	reading->role = reading_role(dataset->relation, columns);
}

/* Finds a column, its base type and how it is compared. */
static void
find_column(Reading *reading, ReadColumn *column)
{
	Oid			relation = RelationGetRelid(reading->relation);
	int32		typmod;
	Oid			collation;

	require_column(relation, column->declared->column);
	column->number = get_attnum(relation, column->declared->column);
	get_atttypetypmodcoll(relation, column->number, &column->type, &typmod, &collation);
	column->type = getBaseType(column->type);
	column->by_bytes = OidIsValid(collation) && !get_collation_isdeterministic(collation);
}

/* Loads the hierarchies for the types of the columns. */
static void
load_hierarchies(Reading *reading)
{
	for (int i = 0; i < reading->ncolumns; i++)
	{
		ReadColumn *column = &reading->columns[i];

		if (!OidIsValid(column->declared->hierarchy))
			continue;
		find_column(reading, column);
		column->loaded_for = column->type;
		column->loaded = hierarchy_load(column->declared->hierarchy, column->type, column->declared->column);
		if (column->declared->shows_unknown)
			hierarchy_admit_unknown(column->loaded, column->declared->column);
		if (shown_level(column->declared) >= 0)
			hierarchy_raise(column->loaded, shown_level(column->declared), column->declared->column);
		if (reading->levels != NULL && column->declared->role == ROLE_QUASI_IDENTIFIER &&
			(reading->leaves_out || column->declared->loss_counts != LOSS_OCCURRING) &&
			reading->levels[i] <= column->loaded->hierarchy->height)
		{
			/*
			 * each leaf as the first with the same label, unless losses are
			 * measured that depend on which occur; a level that does not
			 * exist is refused after reading
			 */
			const Recoding *labels = &column->loaded->hierarchy->levels[reading->levels[i]];
			uint32	   *codes = column->loaded->codes;

			for (uint32 leaf = 0; leaf < column->loaded->rows->nleaves; leaf++)
				codes[leaf] = labels->first_leaf[labels->label_of[codes[leaf]]];
		}
	}
}

void
reading_make_encoders(Reading *reading)
{
	reading->set.nencoders = reading->ncolumns;
	reading->set.encoders = palloc0(sizeof(Encoder) * (reading->ncolumns + 1));
	reading->set.has_count = reading->dataset->count_column != NULL;
	for (int i = 0; i < reading->ncolumns; i++)
	{
		ReadColumn *column = &reading->columns[i];
		Encoder    *encoder = &reading->set.encoders[i];
		const char *name = column->declared->column;

		if (column->loaded == NULL)
		{
			/* varchar, name and the like are texts, compared by their bytes */
			bool		as_text = type_is_string(column->type);

			column->form = as_text ? text_form(column->type) : "%v";
			encoder_open(encoder, reading->context, name, as_text ? TEXTOID : column->type);
			continue;
		}
		column->form = sql_as(column->loaded->rows->match.data_form,
							  value_in_zone("%v", column->type, column->loaded->rows->match.data_type, reading->dataset->timezone));
		hierarchy_encoder(column->loaded, name, reading->context, encoder);
		/* values without a leaf get the last code */
		if (reading->admits_misses)
			encoder->miss_code = encoder->ncodes++;
	}
	encoders_lay_out(&reading->set);
}

Reading *
reading_begin(const Dataset *dataset, MemoryContext context)
{
	Reading    *reading = MemoryContextAllocZero(context, sizeof(Reading));

	reading->dataset = dataset;
	reading->context = context;
	reading->settings = dataset_use_zone(dataset);
	reading->caller = MemoryContextSwitchTo(context);
	return reading;
}

void
reading_prepare(Reading *reading)
{
	const Dataset *dataset = reading->dataset;

	reading->columns = palloc0(sizeof(ReadColumn) * (2 * dataset->nattributes + list_length(reading->shown) + 2));
	add_columns(reading, ROLE_QUASI_IDENTIFIER);
	add_columns(reading, ROLE_SENSITIVE);
	add_columns(reading, ROLE_CLASS_LABEL);
	check_number(reading);
	open_relations(reading);
	load_hierarchies(reading);
	add_values_of_ranges(reading);
	add_shown(reading);
	if (dataset->person != NULL && !column_is_unique(dataset->relation, dataset->person))
		reading->person = add_undeclared(reading, dataset->person);
	check_number(reading);
	/* after this, only the statement itself runs foreign code */
	for (int i = 0; i < reading->ncolumns; i++)
	{
		ReadColumn *column = &reading->columns[i];

		find_column(reading, column);
		if (OidIsValid(column->loaded_for))
			rows_require_type(column->type, column->loaded_for, column->declared->column);
	}
	/* persons that are equal to PostgreSQL must not be different to us */
	if (reading->person != NULL && reading->person->by_bytes)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("person column \"%s\" has a nondeterministic collation", reading->person->declared->column),
				 errdetail("Different texts may be equal under it, and so belong to one person."),
				 errhint("Declare a view that gives the column a collation like \"C\".")));
	reading_make_encoders(reading);
}

void
reading_close(Reading *reading)
{
	ListCell   *cell;

	foreach(cell, reading->hierarchies)
		relation_close(lfirst(cell), NoLock);
	relation_close(reading->relation, NoLock);
	reading->hierarchies = NIL;
	reading->relation = NULL;
	MemoryContextSwitchTo(reading->caller);
	sql_restore_names(reading->settings);
}

const char *
reading_column_name(const Reading *reading, int i)
{
	return quote_identifier(get_attname(reading->dataset->relation, reading->columns[i].number, false));
}

void
append_read_columns(const Reading *reading, StringInfo sql)
{
	for (int i = 0; i < reading->ncolumns; i++)
		appendStringInfo(sql, ", %s", sql_as(reading->columns[i].form, psprintf("r.%s", reading_column_name(reading, i))));
	if (reading->dataset->count_column != NULL)
		appendStringInfo(sql, ", %s", dataset_count_sql(reading->dataset));
}
