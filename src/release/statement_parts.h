/*
 * statement_parts.h
 *	  What the parts of a publishing statement share.
 */
#ifndef ANONOPT_STATEMENT_PARTS_H
#define ANONOPT_STATEMENT_PARTS_H

#include "release/specification.h"

/* A quasi-identifier, as the statement has to do with it. */
typedef struct Joined
{
	int			number;			/* of its aliases */
	const Declared *declared;
	const Attribute *attr;
	const Recoding *cut;		/* or NULL */
	char	  **cut_labels;		/* by group */
	int			level;			/* that is shown, or that is cut */
	bool		nullable;
	const char *column;			/* quoted */
	const char *leaf;			/* quoted */
	const char *unknown;		/* label of a value without a leaf, or NULL */
	bool		places;			/* its leaves are ranges, found by their
								 * places */
	uint32		radix;			/* of its label's number among the packed; 0:
								 * its label is not packed */
} Joined;

extern const Declared *declared_attribute(const Dataset *dataset, int attr);
extern Joined prepare_join(const Specification *spec, int attr);

/* Whether rows are kept that have a value without a leaf, to be starred. */
extern bool keeps_incomplete(const Specification *spec);

/* The label that NULL is shown as; NULL for NULL. */
extern const char *label_of_null(const Joined *joined);

/* By quasi-identifier, the values that its label's number can take among those that are packed; 0 where it is not. */
extern uint32 *choose_radixes(const Specification *spec);
extern uint32 packed_radix(const Specification *spec, int attr);

/* A row's label; the joins that find it; the condition under which every value has a leaf. */
extern void append_label(StringInfo sql, const Specification *spec, const Joined *joined);
extern void append_joins(StringInfo sql, const Specification *spec);
extern void append_leaves_condition(StringInfo sql, const Specification *spec, const char *before);

/* Whether rows that look alike may be counted; what that asks for. */
extern bool can_count_alike(const Specification *spec);
extern bool found_by_segments(const Specification *spec, const Joined *joined);
extern void append_segment_tables(StringInfo sql, const Specification *spec);
extern void append_segment_number(StringInfo sql, const Specification *spec, const Joined *joined);
extern void append_label_joins(StringInfo sql, const Specification *spec, const char *packed);

/* A row's value as the type whose ranges hold it. */
extern void append_held_value(StringInfo sql, const Specification *spec, const char *column, Oid hierarchy);

/* Names of ours that no shown column has, quoted. */
extern const char *own_name(const Specification *spec, const char *wanted);
extern const char *own_name_of(const Specification *spec, const char *wanted, int sensitive);

/* A label of a hierarchy's level, as a text that compares by its bytes. */
extern char *label_sql(const char *alias, Oid hierarchy, int level);

/* The columns that tell classes apart, of a subquery. */
extern void append_class_columns(StringInfo sql, const Specification *spec, const char *alias);

/* A sensitive value, by what tells it apart. */
extern void append_value(StringInfo sql, const Specification *spec, const char *alias, int sensitive);

/* Whether a sensitive column's distance asks for its values' places in a hierarchy. */
extern bool needs_places(const Specification *spec, int sensitive);

/* The place of a row's value, and the condition under which every row has one. */
extern void append_place(StringInfo sql, const Specification *spec, int sensitive);
extern void append_places_condition(StringInfo sql, const Specification *spec, const char *before);

/* Joins that find those places. */
extern void append_place_joins(StringInfo sql, const Specification *spec);

/* Whether something is promised of the shares of values, t among it. */
extern bool by_shares(const Specification *spec);

/* The conditions of a sensitive column that a class must keep; that all hidden rows must keep together. */
extern void append_conditions(StringInfo sql, const Specification *spec, int sensitive);
extern void append_hidden_conditions(StringInfo sql, const Specification *spec, int sensitive);

/* The classes within a distance of everyone, of a table of differences. */
extern void append_within(StringInfo sql, const Specification *spec, int sensitive, const char *table, double t);

/* For a promise of t: the rows, numbered by class and value; and which classes keep it. */
extern void append_t_tables(StringInfo sql, const Specification *spec, const char *base);
extern void append_t_condition(StringInfo sql, const Specification *spec, int sensitive);

/* The rows, once it is known which are hidden; and whether all of those keep it together. */
extern void append_hidden_tables(StringInfo sql, const Specification *spec, const char *marked);
extern void append_hidden_condition(StringInfo sql, const Specification *spec, int sensitive);

/* How a cut shows each label: pairs of values, and the type of the first. */
extern void append_groups(StringInfo sql, const Specification *spec, int attr);
extern const char *finer_type(const Specification *spec, int attr);

/*
 * Whether labels that are cut or recoded are told by their values: how a
 * value is written may depend on settings, what it is does not.
 */
extern bool told_by_value(const Joined *joined);

/* The operator by which two values of a type are the same. */
extern char *equality_operator(Oid type);

/* Joins the tuples of a recoding; what makes the columns of its key. */
extern void append_tuple_join(StringInfo sql, const Specification *spec);
extern void append_tuple_columns(StringInfo sql, const Specification *spec);

/* The leaves of a sensitive column's hierarchy, each with its place. */
extern void append_places(StringInfo sql, const Specification *spec, int sensitive);

/*
 * How a column's values and a hierarchy's leaves are matched, for aliases r
 * and one; by the place of a range where one is given.
 */
extern void append_leaf_match(StringInfo sql, const Specification *spec, const char *column, Oid hierarchy,
							  const char *alias, const char *place);

/*
 * Whether leaves are ranges that are found by their places; how many lower
 * bounds there are up to a leaf's: its place.
 */
extern bool has_range_places(const Specification *spec, const char *column, Oid hierarchy, const Hierarchy *tree);
extern char *range_place_sql(Oid hierarchy, const char *alias);

#endif
