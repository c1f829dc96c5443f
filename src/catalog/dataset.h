/*
 * dataset.h
 *	  Declared data sets, and who may use them.
 */
#ifndef ANONOPT_DATASET_H
#define ANONOPT_DATASET_H

#include "base/compat.h"

#include "base/names.h"
#include "catalog/typed_rows.h"
#include "promise/model.h"

typedef enum Role
{
	ROLE_QUASI_IDENTIFIER,
	ROLE_SENSITIVE,
	ROLE_CLASS_LABEL,
	ROLE_IDENTIFIER,
	ROLE_INSENSITIVE,
	ROLE_PSEUDONYM
} Role;

typedef struct Declared
{
	Role		role;
	char	   *column;
	Oid			hierarchy;		/* InvalidOid where there is none */
	Oid			hierarchy_type; /* its row type then: distinguishes it from a
								 * later table with that OID */
	double		weight;
	int			min_level;		/* a sensitive column is shown at one level, */
	int			max_level;		/* -1: the last, or as it is */
	bool		shows_unknown;	/* values without a leaf, as the last label */
	LossRule	loss_counts;
	Distance	distance;
	Oid			sensitivity;	/* table of weights, or InvalidOid */
	Oid			sensitivity_type;
	bool		grows;			/* refreshes add leaves for new values */
	char	   *owner_sensitivity;	/* column with the weight of each record's
									 * own value, or NULL */
} Declared;

typedef struct Dataset
{
	char	   *name;			/* NULL where nothing was declared */
	Oid			relation;
	Oid			row_type;
	double		max_suppression;
	char	   *owner;
	char	   *person;			/* column, or NULL */
	char	   *count_column;	/* column, or NULL */
	char	   *timezone;		/* NULL where nothing was declared */
	int			nattributes;
	Declared   *attributes;		/* in the order they were added */
	int			npromises;
	DeclaredPromise *promises;	/* by model and column */
	bool		keeps_rows;		/* whoever reads it can leave out people with
								 * all their rows, as promises against people
								 * who know several demand */
	bool		for_release;	/* its relations are read under the rule of
								 * trusted_code.h */
} Dataset;

/*
 * Loads a declaration; fails with 42704 if there is none, 23514 if it is not
 * sound.
 */
extern Dataset *dataset_load(const char *name);

/* Whether the server knows a time zone. */
extern bool timezone_is_known(const char *name);

/*
 * Sets TimeZone to a data set's zone, so that timestamps become days and times
 * in it and not in the session's; sql_restore_names ends it.
 */
extern int	dataset_use_zone(const Dataset *dataset);

/* Whether a relation is still the one that was declared, and of a valid kind. */
extern bool dataset_same_relation(Oid relation, Oid row_type);

/*
 * Whether a hierarchy was made from data, so that its leaves are values that
 * somebody has: its comment says so, or the rule that is recorded for it.  An
 * owner who knows that they are public copies the table.
 */
#define MADE_FROM_DATA "made by anonopt"

extern bool hierarchy_is_from_data(Oid relation);

/* Fails with 23514 if the declared relation, a column or a hierarchy is gone. */
extern void dataset_check(const Dataset *dataset);

/* Checks it so, and fails without a quasi-identifier; returns the data set. */
extern Dataset *dataset_sound(Dataset *dataset);

/* Fails if it has no sensitive column, which the named feature needs. */
extern void require_sensitive(const Dataset *dataset, const char *name);

/* Fails if a level is not in its attribute's hierarchy. */
extern void check_node(const Dataset *dataset, const int *levels);

/*
 * The expression by which a statement reads the count column of r; fractions
 * fail.
 */
extern char *dataset_count_sql(const Dataset *dataset);

/* How many declared attributes have a role, and whether a column has it. */
extern int	dataset_count_role(const Dataset *dataset, Role role);
extern bool dataset_has_role(const Dataset *dataset, Role role, const char *column);

/*
 * The level at which a sensitive column is shown, and its labels are the values
 * that count; -1 if it is shown as it is, like any other column.
 */
extern int	shown_level(const Declared *declared);
extern int	shown_level_of(const Dataset *dataset, const char *column);

/* The declaration of a quasi-identifier, by number from 0. */
extern const Declared *declared_attribute(const Dataset *dataset, int attr);

/* Adds a column without a hierarchy to a data set of this call, which has room for it. */
extern Declared *dataset_declare(Dataset *dataset, Role role, char *column);

/* Whether it promises anything about sensitive values. */
extern bool dataset_promises_values(const Dataset *dataset);

/* Whether it promises anything against people who know several rows of a person; or any so many columns, or rows. */
extern bool dataset_promises_rows(const Dataset *dataset);
extern bool dataset_promises_known(const Dataset *dataset);

/* The strictest k that it promises against people who know so many columns, given that of each class. */
extern int64 dataset_strictest_k(const Dataset *dataset, int64 k, int columns);

/* Adds a promise of a release, unless a stricter one is declared. */
extern void dataset_promise(Dataset *dataset, const DeclaredPromise *promise);

extern const char *role_name(Role role);
extern const char *const distance_names[DISTANCES];
extern const char *const loss_rule_names[LOSS_RULES];

/* Converts a name to its value; fails with 22023 if it is unknown. */
extern Role role_by_name(const char *name);
extern Distance distance_by_name(const char *name);

/* ------------------------------ declarations as this statement has left them */

/*
 * Pushes a snapshot that sees what this statement has declared so far, and what
 * others have committed, whatever the transaction's isolation.
 */
extern void see_own_changes(void);

/* As read_catalog, with what this statement has written. */
extern QueryRows *read_own_changes(const char *query, ParamListInfo params, int ncolumns, const Oid *types);

/*
 * Load a declaration as this statement has left it; those for the owner fail
 * with 42501 unless the caller may change it, those of an entry leave out the
 * columns, for dropping.
 */
extern Dataset *dataset_load_latest(const char *name);
extern Dataset *dataset_load_latest_entry(const char *name);
extern Dataset *dataset_load_owned(const char *name);
extern Dataset *dataset_load_owned_entry(const char *name);

#endif
