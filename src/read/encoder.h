/*
 * encoder.h
 *	  Values of any type: compared, hashed, and numbered in order of arrival; and
 *	  a column's, encoded while rows are read.
 */
#ifndef ANONOPT_ENCODER_H
#define ANONOPT_ENCODER_H

#include "base/packed_key.h"
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

/* ----------------------------------------- encodes a column's values while rows are read */

struct RangeLeaves;

typedef struct Encoder
{
	const char *column;			/* names for messages */
	const char *hierarchy;		/* NULL if any value is accepted */
	ValueType	type;			/* of the values that come */
	uint32		null_code;
	Dictionary *dictionary;		/* of the leaves, or of the values so far */
	uint32	   *codes;			/* of the dictionary's values, if they have a
								 * hierarchy */
	struct RangeLeaves *ranges; /* instead of a dictionary, where leaves are
								 * ranges */
	uint32		miss_code;		/* of a value without a leaf, or NO_LEAF if
								 * that is an error */
	uint32		ncodes;			/* codes are below this; 0 if unknown */
	KeyField	field;			/* of the counted key */
} Encoder;

/* All encoders of a reading, in the order of the arguments. */
typedef struct EncoderSet
{
	int			nencoders;
	Encoder    *encoders;
	int			nwords;			/* of the counted key */
	bool		has_count;		/* the last argument is the number of people a
								 * row stands for */
} EncoderSet;

/* Numbers values in order of arrival: NULL is 0, others start at 1. */
extern void encoder_open(Encoder *encoder, MemoryContext context, const char *column, Oid type);

/* Uses the leaves of a hierarchy: values or ranges by number, and their codes. */
extern void encoder_leaves(Encoder *encoder, MemoryContext context, const char *column,
						   const char *hierarchy, Oid type, Oid leaf_type,
						   const Datum *leaves, uint32 nleaves, const uint32 *codes,
						   uint32 null_code, uint32 ncodes);

/*
 * If all leaves are ranges with an inclusive lower and an exclusive upper end,
 * returns the ends in order, as texts of their type, and the code of each
 * interval between them (NO_LEAF for a gap); otherwise returns false.  The
 * last range may include its upper end, which is returned.
 */
extern bool encoder_thresholds(const Encoder *encoder, Oid *type, int *n, char ***names, uint32 **codes,
							   bool *closed);

/* Assigns every encoder its field, once all have been created. */
extern void encoders_lay_out(EncoderSet *set);

/* The code of a value, or NO_LEAF. */
extern uint32 encode(Encoder *encoder, Datum value, bool isnull);

/*
 * A value of the SQL type anonopt.opaque: this process's set and, if other
 * processes will read it, the set as bytes.
 */
extern Datum encoders_value(EncoderSet *set, bool for_workers);

/*
 * The set of such a value: the original in the process that created it, a copy
 * in a worker.
 */
extern EncoderSet *encoders_of_value(Datum value, MemoryContext context);

#endif
