/*
 * statement_parts.h
 *	  Declarations shared by the parts of a publishing statement.
 */
#ifndef ANONOPT_STATEMENT_PARTS_H
#define ANONOPT_STATEMENT_PARTS_H

#include "release/specification.h"

/* A quasi-identifier in the statement. */
typedef struct Joined
{
	int			number;			/* of its aliases */
	const Declared *declared;
	const Attribute *attr;
	const Recoding *cut;		/* or NULL */
	char	  **cut_labels;		/* by group */
	int			level;			/* the level to be shown, or cut */
	bool		nullable;
	const char *column;			/* quoted */
	const char *leaf;			/* quoted */
	const char *unknown;		/* label of a value without a leaf, in SQL, or
								 * NULL */
	bool		places;			/* its leaves are ranges, found by position */
	const Lookup *lookup;		/* how its number is found without a join, or
								 * NULL */
	uint32		radix;			/* factor of its label's number in the packed
								 * labels; 0 if its label is not packed */
} Joined;

extern const Declared *declared_attribute(const Dataset *dataset, int attr);
extern Joined prepare_join(const Specification *spec, int attr);

/* Whether to keep rows that have a value without a leaf, to be starred. */
extern bool keeps_incomplete(const Specification *spec);

/* The label of NULL, or NULL if it has none. */
extern const char *label_of_null(const Joined *joined);

/* The label of the group with values without a leaf. */
extern const char *unknown_group_label(const Joined *joined);

/*
 * By quasi-identifier, the number of values of its label's number if it is
 * packed; otherwise 0.
 */
extern uint32 *choose_radixes(const Specification *spec);
extern uint32 packed_radix(const Specification *spec, int attr);

/* A row's label; the joins that find it; the condition under which every value has a leaf. */
extern void append_label(StringInfo sql, const Specification *spec, const Joined *joined);
extern void append_hierarchy_join(StringInfo sql, const Specification *spec, const Joined *joined, const char *join);
extern void append_joins(StringInfo sql, const Specification *spec);
extern void append_leaves_condition(StringInfo sql, const Specification *spec, const char *before);

/* Whether rows that look alike may be merged and counted, and what that needs. */
extern bool can_count_alike(const Specification *spec);
extern void append_label_joins(StringInfo sql, const Specification *spec, const char *packed);

/*
 * By quasi-identifier, how its packed label's number is found without a join,
 * or NULL; the tables that this needs, and the number.
 */
extern Lookup **choose_lookups(const Specification *spec);
extern void append_lookup_tables(StringInfo sql, const Specification *spec);
extern void append_looked_up_number(StringInfo sql, const Specification *spec, const Joined *joined);

/* A row's value converted to the type of the ranges' bounds. */
extern void append_held_value(StringInfo sql, const Specification *spec, const char *column, Oid hierarchy);

/* Names of our own that differ from all shown columns, quoted. */
extern const char *own_name(const Specification *spec, const char *wanted);
extern const char *own_name_of(const Specification *spec, const char *wanted, int sensitive);

/* A label of a hierarchy's level, as a text compared by its bytes. */
extern char *label_sql(const char *alias, Oid hierarchy, int level);

/* Whether any labels are packed; a recoding's class represents all of them. */
extern bool packs(const Specification *spec);

/* A relation's rows with their labels. */
extern void append_base(StringInfo sql, const Specification *spec);

/* The columns of a subquery that define classes. */
extern void append_class_columns(StringInfo sql, const Specification *spec, const char *alias);

/* A sensitive value, in the form in which it is compared. */
extern void append_value(StringInfo sql, const Specification *spec, const char *alias, int sensitive);

/*
 * Whether a sensitive column's distance needs its values' positions in a
 * hierarchy.
 */
extern bool needs_places(const Specification *spec, int sensitive);

/* The position of a row's value, and the condition that every row has one. */
extern void append_place(StringInfo sql, const Specification *spec, int sensitive);
extern void append_places_condition(StringInfo sql, const Specification *spec, const char *before);

/* Joins that find those positions. */
extern void append_place_joins(StringInfo sql, const Specification *spec);

/* Whether anything is promised about shares of values, including t. */
extern bool by_shares(const Specification *spec);

/*
 * The conditions on a sensitive column for a class, and for all hidden rows
 * together.
 */
extern void append_conditions(StringInfo sql, const Specification *spec, int sensitive);
extern void append_hidden_conditions(StringInfo sql, const Specification *spec, int sensitive);

/* The classes in a table of differences that are within a distance of everyone. */
extern void append_within(StringInfo sql, const Specification *spec, int sensitive, const char *table, double t);

/*
 * For a promise of t: the rows, numbered by class and value, and the classes
 * that keep it.
 */
extern void append_t_tables(StringInfo sql, const Specification *spec, const char *before, const char *base);
extern void append_t_condition(StringInfo sql, const Specification *spec, int sensitive);

/* The same for the hidden rows, and whether all of those together keep it. */
extern void append_hidden_tables(StringInfo sql, const Specification *spec);
extern void append_hidden_condition(StringInfo sql, const Specification *spec, int sensitive);

/* The group of each label in a cut: pairs of values, and the type of the first. */
extern void append_groups(StringInfo sql, const Specification *spec, int attr);
extern const char *finer_type(const Specification *spec, int attr);

/*
 * Whether labels that are cut or recoded are identified by their values,
 * because the text of a value may depend on settings.
 */
extern bool told_by_value(const Joined *joined);

/* The equality operator of a type. */
extern char *equality_operator(Oid type);

/* The condition that a row has the leaf in a column of leaves; NULL equals NULL. */
extern void append_same_leaf(StringInfo sql, const Specification *spec, int a, const char *leaf);

/* Joins the tuples of a recoding; the columns of its key. */
extern void append_tuple_join(StringInfo sql, const Specification *spec);
extern void append_tuple_columns(StringInfo sql, const Specification *spec);

/* A number, without loss of precision. */
extern char *number_sql(double number);

/* Whether something is promised about people of another relation; about all classes together. */
extern bool asks_outside(const Specification *spec);
extern bool has_limits(const Specification *spec);

/*
 * Tables that count the people of other relations by label; returns the text
 * that comes before a further table.
 */
extern const char *append_outside_tables(StringInfo sql, const Specification *spec, const char *before);

/* The condition that the class of a row of s keeps the promises about them. */
extern void append_outside_conditions(StringInfo sql, const Specification *spec);

/*
 * The columns of a recoding's key that count them; the condition that finds
 * their rows beside others; those rows.
 */
extern void append_outside_columns(StringInfo sql, const Specification *spec);
extern void append_outside_rows(StringInfo sql, const Specification *spec);
extern void outside_key_fill(const Specification *spec);

/*
 * The condition that the classes of a table's rows together keep the promises
 * about all classes.
 */
extern void append_limits(StringInfo sql, const Specification *spec, const char *before, const char *table, const char *condition);

/* The condition that a number of people may be shown as stars. */
extern void append_hidden_limits(StringInfo sql, const Specification *spec, const char *size);

/* The leaves of a sensitive column's hierarchy, each with its position. */
extern void append_places(StringInfo sql, const Specification *spec, int sensitive);

/*
 * The condition that matches a column's values with a hierarchy's leaves, for
 * aliases r and one; by the position of a range if one is given.
 */
extern void append_leaf_match(StringInfo sql, const Specification *spec, const char *column, Oid hierarchy,
							  const char *alias, const char *place);

/*
 * Whether leaves are ranges that are found by position; the position of a
 * leaf, which is the number of lower bounds up to its own.
 */
extern bool has_range_places(const Specification *spec, const char *column, Oid hierarchy, const Hierarchy *tree);
extern char *range_place_sql(Oid hierarchy, const char *alias);

#endif
