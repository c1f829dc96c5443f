/*
 * showing_parts.h
 *	  What the parts of a publishing statement share.
 */
#ifndef ANONOPT_SHOWING_PARTS_H
#define ANONOPT_SHOWING_PARTS_H

#include "release/showing.h"

/* Names of ours that no shown column has, quoted. */
extern const char *own_name(const Showing *showing, const char *wanted);
extern const char *own_name_of(const Showing *showing, const char *wanted, int sensitive);

/* A label of a hierarchy's level, as a text that compares by its bytes. */
extern char *label_sql(const char *alias, Oid hierarchy, int level);

/* The columns that tell classes apart, of a subquery. */
extern void append_class_columns(StringInfo sql, const Showing *showing, const char *alias);

/* A sensitive value, by what tells it apart. */
extern void append_value(StringInfo sql, const Showing *showing, const char *alias, int sensitive);

/* Whether a sensitive column's distance asks for its values' places in a hierarchy. */
extern bool needs_places(const Showing *showing, int sensitive);

/* The place of a row's value, and the condition under which every row has one. */
extern void append_place(StringInfo sql, const Showing *showing, int sensitive);
extern void append_places_condition(StringInfo sql, const Showing *showing, const char *before);

/* Joins that find those places. */
extern void append_place_joins(StringInfo sql, const Showing *showing);

/* For a promise of t: the rows, numbered by class and value; and which classes keep it. */
extern void append_t_tables(StringInfo sql, const Showing *showing, const char *base);
extern void append_t_condition(StringInfo sql, const Showing *showing, int sensitive);

/* The rows, once it is known which are hidden; and whether all of those keep it together. */
extern void append_hidden_tables(StringInfo sql, const Showing *showing, const char *marked);
extern void append_hidden_condition(StringInfo sql, const Showing *showing, int sensitive);

/* How a cut shows each label: pairs of values, and the type of the first. */
extern void append_groups(StringInfo sql, const Showing *showing, int attr);
extern const char *finer_type(const Showing *showing, int attr);

/* The leaves of a sensitive column's hierarchy, each with its place. */
extern void append_places(StringInfo sql, const Showing *showing, int sensitive);

/* How a column's values and a hierarchy's leaves are matched, for aliases r and one. */
extern void append_leaf_match(StringInfo sql, const Showing *showing, const char *column, Oid hierarchy,
							  const char *alias);

#endif
