/*
 * type_match.h
 *	  How values of two types are compared, and how values become texts.
 *
 * A form is an SQL expression with %v in place of the value, and %% for a
 * percent sign before a v.  A form uses only PostgreSQL's own casts: another
 * cast would run its creator's function with the caller's rights.
 */
#ifndef ANONOPT_TYPE_MATCH_H
#define ANONOPT_TYPE_MATCH_H

#include "base/compat.h"

/* How a column's values and a hierarchy's leaves are compared. */
typedef struct TypeMatch
{
	const char *data_form;
	const char *leaf_form;
	Oid			data_type;		/* in these forms */
	Oid			leaf_type;
	bool		rounds;			/* a value need not lie in its leaf */
} TypeMatch;

extern bool type_is_integer(Oid type);
extern bool type_is_number(Oid type);
extern bool type_is_float(Oid type);

/* Whether a type holds points in time. */
extern bool type_is_moment(Oid type);

/* Whether a type holds strings; whether it is compared as a text, as enums are, too. */
extern bool type_is_string(Oid type);
extern bool type_is_text(Oid type);

/* Whether a column of one type can be generalized by leaves of another. */
extern bool match_types(Oid data_type, Oid leaf_type, TypeMatch *match);

/*
 * Whether no value of a type makes a cast fail where the condition holds; the
 * condition, NULL if all values can be cast.
 */
extern bool cast_can_be_kept_from_failing(Oid from, Oid to);
extern char *cast_condition(const char *value, Oid from, Oid to);

/* The form that converts a value of a type to text. */
extern const char *text_form(Oid type);

/* Whether converting a text to a type runs no user-defined check. */
extern bool type_input_is_safe(Oid type);

/* Puts an expression into a form. */
extern char *sql_as(const char *form, const char *expression);

/*
 * A value that is to be cast from one type to another, so that the cast depends
 * on a zone, if that is not NULL, instead of the setting TimeZone: of whatever
 * session runs it, which may be a shard's.
 */
extern char *value_in_zone(const char *value, Oid from, Oid to, const char *zone);

/*
 * The function with which PostgreSQL itself casts one type to another,
 * InvalidOid if none is needed; returns false if there is no such cast.
 */
extern bool builtin_cast(Oid from, Oid to, Oid *function);

#endif
