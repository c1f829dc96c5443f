/*
 * value.h
 *	  Values of any type: compared, hashed, and numbered in order of arrival.
 */
#ifndef ANONOPT_VALUE_H
#define ANONOPT_VALUE_H

#include "engine/hierarchy.h"

typedef enum ValueKind
{
	VALUE_INTEGER,				/* passed by value, and equal if the bits are
								 * equal */
	VALUE_TEXT,					/* equal if the bytes are equal, ordered as in
								 * collation C */
	VALUE_ANY					/* compared by the type's default operators */
} ValueKind;

typedef struct ValueType
{
	Oid			type;
	ValueKind	kind;
	int16		length;
	bool		byval;
	Oid			collation;
	FmgrInfo	hash;
	FmgrInfo	compare;
} ValueType;

struct valueindex_hash;

/* Distinct values, numbered in order of arrival. */
typedef struct Dictionary
{
	MemoryContext context;
	ValueType	type;
	uint32		nvalues;
	Size		capacity;
	Datum	   *values;
	struct valueindex_hash *index;
} Dictionary;

/* Types that are stored and ordered like integers. */
extern bool type_is_integer_like(Oid type);

/* Fails if a type has no order or cannot be hashed. */
extern void value_type_init(ValueType *type, Oid oid);

/*
 * The normal form in which a dictionary stores and finds a value; the same for
 * integers of all widths.
 */
extern Datum value_normal(const ValueType *type, Datum value);

/* A value as its type writes it. */
extern char *value_text(Oid type, Datum value);

/* The order of two values in normal form. */
extern int	value_compare(const ValueType *type, Datum a, Datum b);

extern Dictionary *dictionary_create(MemoryContext context, const ValueType *type);
extern uint32 dictionary_find(Dictionary *dictionary, Datum value);
extern uint32 dictionary_add(Dictionary *dictionary, Datum value, bool *known);

/* Each value's rank in the order of values. */
extern uint32 *dictionary_ranks(const Dictionary *dictionary);

#endif
