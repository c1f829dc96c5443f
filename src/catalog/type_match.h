/*
 * type_match.h
 *	  How values of one type are compared with values of another, and how
 *	  they become texts.
 *
 * A form is an expression of SQL with %v where the value stands, and %% for a
 * percent sign before a v.  No form
 * uses a cast that anybody but PostgreSQL made: it would run its maker's
 * function as whoever calls us.
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
} TypeMatch;

extern bool type_is_integer(Oid type);
extern bool type_is_number(Oid type);

/* A text, or what is compared as one; an enum too. */
extern bool type_is_text(Oid type);

/* Whether a column of a type can be generalized by leaves of another. */
extern bool match_types(Oid data_type, Oid leaf_type, TypeMatch *match);

/* The form by which a value of a type becomes its text. */
extern const char *text_form(Oid type);

/* Whether reading a text as a type runs no check of a user's. */
extern bool type_input_is_safe(Oid type);

/* An expression in a form. */
extern char *sql_as(const char *form, const char *expression);

/* The function by which PostgreSQL itself casts a type to another; false where there is none, InvalidOid where none is needed. */
extern bool builtin_cast(Oid from, Oid to, Oid *function);

#endif
