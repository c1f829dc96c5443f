/*
 * attacks.c
 *	  SQL: attack.
 *
 * Figures of attacks on what a relation shows, published or not.  Rows of a
 * relation are candidates if their values are equal.
 */
#include "base/compat.h"

#include "catalog/sql.h"
#include "engine/attack.h"
#include "engine/known_columns.h"
#include "read/population_read.h"
#include "release/release_attack.h"
#include "sql/call.h"

/* What somebody knows. */
typedef struct Knowledge
{
	int			columns;		/* any so many, or 0 */
	int			n;				/* or these, or -1 */
	char	  **names;
	int			set[MAX_ATTRIBUTES];	/* as attributes that were read */
} Knowledge;

static Knowledge
knowledge_arguments(FunctionCallInfo fcinfo)
{
	Knowledge	knowledge = {.n = -1};

	knowledge.columns = count_if_given(fcinfo, "columns_known");
	if (!is_given(fcinfo, "known"))
		return knowledge;
	if (knowledge.columns > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot specify both columns_known and known")));
	knowledge.names = names_argument(fcinfo, "known", "known columns", &knowledge.n);
	return knowledge;
}

/* Finds the known columns among those that were read. */
static void
find_known(Knowledge *knowledge, const Population *population)
{
	for (int i = 0; i < knowledge->n; i++)
	{
		knowledge->set[i] = -1;
		for (int a = 0; a < population->nattrs; a++)
			if (strcmp(population->attrs[a].name, knowledge->names[i]) == 0)
				knowledge->set[i] = a;
		for (int j = 0; j < i; j++)
			if (knowledge->set[j] == knowledge->set[i])
				knowledge->set[i] = -1;
		if (knowledge->set[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be known", knowledge->names[i]),
					 errhint("Name each quasi-identifier or sensitive column that is shown at most once.")));
	}
	if (knowledge->columns > population->nattrs)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns_known must be at most %d, the number of quasi-identifiers", population->nattrs)));
}

/* ----------------------------------------------------------------------- rows */

static void
put_figures(ResultRow *row, const AttackFigures *figures, const Attribute *attrs, const char *target)
{
	char	   *names[MAX_ATTRIBUTES];

	put_string(row, "attack", attack_names[figures->attack]);
	for (int i = 0; i < figures->nknown; i++)
		names[i] = unconstify(char *, attrs[figures->known[i]].name);
	if (!figures->is_mean)
		put_datum(row, "known", NAMEARRAYOID, names_datum(names, figures->nknown));
	else
		target = figures->nknown == 1 ? "any column" : psprintf("any %d columns", figures->nknown);
	put_string(row, "target", target);
	put_count(row, "people", (int64) figures->people);
	put_count(row, "certain", (int64) figures->certain);
	put_number(row, "highest", figures->highest);
	put_number(row, "expected", figures->expected);
	put_number(row, "baseline", figures->baseline);
	put_number(row, "gain", figures->expected - figures->baseline);
	row_add(row);
}

/* Whether any so many columns can be counted; fails if they are asked for and cannot. */
static bool
is_countable(const ShownPeople *shown, const Knowledge *knowledge, int columns)
{
	int			most = columns;

	if (attack_effort(shown, columns) <= ATTACK_EFFORT)
		return true;
	while (most > 1 && attack_effort(shown, most) > ATTACK_EFFORT)
		most--;
	if (knowledge->columns == columns)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many sets of columns"),
				 errdetail("There are %.0f sets of %d of %d columns.",
						   known_columns_sets(shown->population->nattrs, columns), columns, shown->population->nattrs),
				 errhint("Sets of at most %d columns can be counted; or name those that are known.", most)));
	return false;
}

static void
put_singling_out(ResultRow *row, const ShownPeople *shown, const Knowledge *knowledge)
{
	const Attribute *attrs = shown->population->attrs;
	int			skipped = 0;
	AttackFigures worst;
	AttackFigures mean;

	if (knowledge->n >= 0)
	{
		worst = attack_single_out_by(shown, knowledge->set, knowledge->n);
		put_figures(row, &worst, attrs, NULL);
		return;
	}
	for (int columns = 1; columns <= shown->population->nattrs; columns++)
	{
		if (knowledge->columns > 0 && knowledge->columns != columns)
			continue;
		if (!is_countable(shown, knowledge, columns))
		{
			skipped++;
			continue;
		}
		worst = attack_single_out(shown, columns, &mean);
		put_figures(row, &worst, attrs, NULL);
		put_figures(row, &mean, attrs, NULL);
	}
	if (skipped > 0)
		ereport(NOTICE,
				(errmsg_plural("%d number of known columns is left out",
							   "%d numbers of known columns are left out", skipped, skipped),
				 errdetail("They have too many sets of columns."),
				 errhint("Pass columns_known for one number, or known for one set.")));
}

static void
put_inference(ResultRow *row, const ShownPeople *shown, const Knowledge *knowledge)
{
	const Population *population = shown->population;
	int			all[MAX_ATTRIBUTES];
	AttackFigures figures;

	known_columns_first(all, population->nattrs);
	for (int column = 0; column < population->nsensitive; column++)
	{
		const char *target = population->columns[column]->name;
		bool		is_known = false;

		for (int i = 0; i < knowledge->n; i++)
			is_known = is_known || strcmp(knowledge->names[i], target) == 0;
		if (is_known)
			continue;
		figures = attack_infer_by(shown, column, all, 0);
		put_figures(row, &figures, population->attrs, target);
		if (knowledge->n == 0)
			continue;
		if (knowledge->n > 0)
			figures = attack_infer_by(shown, column, knowledge->set, knowledge->n);
		else if (knowledge->columns > 0 && is_countable(shown, knowledge, knowledge->columns))
			figures = attack_infer(shown, column, knowledge->columns);
		else
			figures = attack_infer_by(shown, column, all, population->nattrs);
		put_figures(row, &figures, population->attrs, target);
	}
}

static void
put_attacks(ResultRow *row, const ShownPeople *shown, Knowledge *knowledge)
{
	find_known(knowledge, shown->population);
	if (shown->population->people == 0)
		return;
	put_singling_out(row, shown, knowledge);
	put_inference(row, shown, knowledge);
}

/* ------------------------------------------------------------------- relations */

/* Declares columns of a relation as what is known or guessed: those that are known can only be known. */
static void
declare_columns(Dataset *dataset, char *const *names, int n, Role role, const Knowledge *knowledge)
{
	for (int i = 0; i < n; i++)
	{
		Role		as = role;

		for (int j = 0; j < knowledge->n; j++)
			if (strcmp(knowledge->names[j], names[i]) == 0)
				as = ROLE_QUASI_IDENTIFIER;
		if (!dataset_has_role(dataset, as, names[i]))
			(void) dataset_declare(dataset, as, names[i]);
	}
}

OWN_FUNCTION(anonopt_attack_relation)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = palloc0(sizeof(Dataset));
	Knowledge	knowledge = knowledge_arguments(fcinfo);
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
	declare_columns(dataset, names, n, ROLE_QUASI_IDENTIFIER, &knowledge);
	names = columns_argument(fcinfo, "sensitive", dataset->relation, &n);
	declare_columns(dataset, names, n, ROLE_SENSITIVE, &knowledge);
	shown = shown_as_read(population_read(dataset));
	put_attacks(row, &shown, &knowledge);
	return (Datum) 0;
}

/* -------------------------------------------------------------------- releases */

OWN_FUNCTION(anonopt_attack_release)
{
	Oid			relation = relation_argument(fcinfo, "release");
	ResultRow  *row = result_begin(fcinfo);
	Knowledge	knowledge = knowledge_arguments(fcinfo);
	int			settings = release_settings_begin();
	ReleaseEntry *entry = release_entry_require(relation);
	ShownPeople shown = release_read_attacked(entry, knowledge.names, knowledge.n);

	release_settings_end(settings);
	if (shown.population != NULL)
		put_attacks(row, &shown, &knowledge);
	return (Datum) 0;
}
