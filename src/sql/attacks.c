/*
 * attacks.c
 *	  SQL: attack.
 *
 * Figures of attacks on what a relation shows, published or not.  Rows of a
 * relation are candidates if their values are equal.
 */
#include "base/compat.h"

#include "base/names.h"
#include "catalog/sql.h"
#include "engine/attack.h"
#include "engine/known_columns.h"
#include "read/population_read.h"
#include "release/release_attack.h"
#include "sql/call.h"
#include "utils/lsyscache.h"

/* What is known, as named by the caller. */
typedef struct KnownNames
{
	Knowledge	knowledge;
	char	  **names;
} KnownNames;

static KnownNames
known_arguments(FunctionCallInfo fcinfo)
{
	KnownNames	known = {.knowledge = {.n = -1}};

	known.knowledge.columns = count_if_given(fcinfo, "columns_known");
	if (!is_given(fcinfo, "known"))
		return known;
	if (known.knowledge.columns > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot specify both columns_known and known")));
	known.names = names_argument(fcinfo, "known", "known columns", &known.knowledge.n);
	return known;
}

/* Finds the known columns among those that were read. */
static void
find_known(KnownNames *known, const Population *population)
{
	Knowledge  *knowledge = &known->knowledge;

	for (int i = 0; i < knowledge->n; i++)
	{
		int			found = 0;

		while (found < population->nattrs && strcmp(population->attrs[found].name, known->names[i]) != 0)
			found++;
		if (found == population->nattrs || find_name(known->names[i], (const char *const *) known->names, i) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be known", known->names[i]),
					 errhint("Name quasi-identifiers and sensitive columns that are shown, each once.")));
		knowledge->set[i] = found;
	}
	if (knowledge->columns > population->nattrs)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns_known must be at most %d, the number of quasi-identifiers", population->nattrs)));
}

/* Fails if there are too many sets of the columns of which so many are known. */
static void
require_countable(const ShownPeople *shown, int columns)
{
	int			most = columns;

	while (most > 1 && attack_effort(shown, most) > ATTACK_EFFORT)
		most--;
	if (columns > 0 && most < columns)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many sets of columns"),
				 errdetail("There are %.0f sets of %d of %d columns.",
						   known_columns_sets(shown->population->nattrs, columns), columns, shown->population->nattrs),
				 errhint("Let at most %d columns be known, or name those that are.", most)));
}

/* ----------------------------------------------------------------------- rows */

static void
put_figures(ResultRow *row, const AttackFigures *figures)
{
	put_string(row, "attack", attack_names[figures->attack]);
	if (!figures->is_mean)
		put_datum(row, "known", NAMEARRAYOID, names_datum(figures->names, figures->nknown));
	put_string(row, "target", figures->target);
	put_count(row, "people", (int64) figures->people);
	put_count(row, "certain", (int64) figures->certain);
	put_number(row, "highest", figures->highest);
	put_number(row, "expected", figures->expected);
	put_number(row, "baseline", figures->baseline);
	put_number(row, "gain", figures->expected - figures->baseline);
	row_add(row);
}

static void
put_attacks(ResultRow *row, const ShownPeople *shown, KnownNames *known)
{
	ListCell   *cell;
	int			left_out;

	find_known(known, shown->population);
	if (shown->population->people == 0)
		return;
	require_countable(shown, known->knowledge.columns);
	foreach(cell, attack_people(shown, &known->knowledge, ATTACK_EFFORT, &left_out))
		put_figures(row, lfirst(cell));
	if (left_out > 0)
		ereport(NOTICE,
				(errmsg_plural("%d attack by any number of columns is left out",
							   "%d attacks by any number of columns are left out", left_out, left_out),
				 errdetail("They would take too long."),
				 errhint("Pass columns_known for one number, or known for one set.")));
}

/* ------------------------------------------------------------------- relations */

/* Declares columns of a relation as what is known or guessed: those that are known can only be known. */
static void
declare_columns(Dataset *dataset, char *const *names, int n, Role role, const KnownNames *known)
{
	for (int i = 0; i < n; i++)
	{
		bool		is_known = find_name(names[i], (const char *const *) known->names, known->knowledge.n) >= 0;
		Role		as = is_known ? ROLE_QUASI_IDENTIFIER : role;

		if (!dataset_has_role(dataset, as, names[i]))
			(void) dataset_declare(dataset, as, names[i]);
	}
}

/* Links rows with those of a register that have equal values in all columns that both have. */
static void
put_register(ResultRow *row, Dataset *dataset, Oid relation)
{
	char	   *names[MAX_ATTRIBUTES];
	AttackFigures figures = {.names = names,.target = get_rel_name(relation)};
	int64		others = 0;
	int			n = 0;
	QueryRows  *sizes;
	bool		isnull;

	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER && OidIsValid(column_type(relation, dataset->attributes[i].column)))
		{
			names[n] = dataset->attributes[i].column;
			dataset->attributes[n++] = dataset->attributes[i];
		}
	dataset->nattributes = figures.nknown = n;
	if (n == 0)
		refuse_register(relation);
	sizes = read_matched_sizes(dataset, relation);
	for (int i = 0; i < sizes->n; i++)
	{
		int64		theirs = DatumGetInt64(row_value(sizes, i, 1, &isnull));
		int64		groups = DatumGetInt64(row_value(sizes, i, 2, &isnull));

		attack_add_links(&figures, DatumGetInt64(row_value(sizes, i, 0, &isnull)), theirs, groups, true);
		others += theirs * groups;
	}
	attack_end_links(&figures, others, true);
	put_figures(row, &figures);
}

OWN_FUNCTION(anonopt_attack_relation)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = palloc0(sizeof(Dataset));
	KnownNames	known = known_arguments(fcinfo);
	ShownPeople shown;
	char	  **names;
	int			n;

	dataset->relation = relation_argument(fcinfo, "relation");
	dataset->attributes = palloc0(sizeof(Declared) * (2 * MAX_ATTRIBUTES + 1));
	names = columns_argument(fcinfo, "quasi_identifiers", dataset->relation, &n);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no quasi-identifiers are named"),
				 errhint("Name the columns by which people could be recognized.")));
	declare_columns(dataset, names, n, ROLE_QUASI_IDENTIFIER, &known);
	names = columns_argument(fcinfo, "sensitive", dataset->relation, &n);
	declare_columns(dataset, names, n, ROLE_SENSITIVE, &known);
	require_knowable(dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER));
	shown = shown_as_read(population_read(dataset));
	put_attacks(row, &shown, &known);
	if (is_given(fcinfo, "register") && shown.population->people > 0)
		put_register(row, dataset, relation_argument(fcinfo, "register"));
	return (Datum) 0;
}

/* -------------------------------------------------------------------- releases */

OWN_FUNCTION(anonopt_attack_release)
{
	Oid			relation = relation_argument(fcinfo, "release");
	Oid			people = relation_if_given(fcinfo, "register");
	ResultRow  *row = result_begin(fcinfo);
	KnownNames	known = known_arguments(fcinfo);
	int			settings = release_settings_begin();
	bool		links_too = known.knowledge.columns == 0 || OidIsValid(people);
	List	   *links = NIL;
	ShownPeople shown = release_read_attacked(release_entry_require(relation), known.names, known.knowledge.n, people,
											  links_too ? &links : NULL);
	ListCell   *cell;

	release_settings_end(settings);
	if (shown.population != NULL)
		put_attacks(row, &shown, &known);
	foreach(cell, links)
		put_figures(row, lfirst(cell));
	return (Datum) 0;
}
