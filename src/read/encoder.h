/*
 * encoder.h
 *	  From a column's values to codes while rows are read.
 */
#ifndef ANONOPT_ENCODER_H
#define ANONOPT_ENCODER_H

#include "base/packed_key.h"
#include "read/value.h"

struct RangeLeaves;

typedef struct Encoder
{
	const char *column;			/* names for messages */
	const char *hierarchy;		/* NULL where any value is taken as it comes */
	ValueType	type;			/* of the values that come */
	uint32		null_code;
	Dictionary *dictionary;		/* of the leaves, or of what has come so far */
	uint32	   *codes;			/* of the dictionary's values, if they have a
								 * hierarchy */
	struct RangeLeaves *ranges; /* instead of a dictionary, where leaves are
								 * ranges */
	uint32		miss_code;		/* of a value without a leaf, or NO_LEAF where
								 * there must be none */
	uint32		ncodes;			/* codes are below this; 0 where it is not
								 * known */
	KeyField	field;			/* of the key that is counted */
} Encoder;

/* All encoders of a read, in the order of its arguments. */
typedef struct EncoderSet
{
	int			nencoders;
	Encoder    *encoders;
	int			nwords;			/* of the key that is counted */
	bool		has_count;		/* a last argument says how many people a row
								 * stands for */
} EncoderSet;

/* Takes values as they come: NULL is 0, others 1 and up. */
extern void encoder_open(Encoder *encoder, MemoryContext context, const char *column, Oid type);

/* Takes the leaves of a hierarchy: value or range by number, and their codes. */
extern void encoder_leaves(Encoder *encoder, MemoryContext context, const char *column,
						   const char *hierarchy, Oid type, Oid leaf_type,
						   const Datum *leaves, uint32 nleaves, const uint32 *codes,
						   uint32 null_code, uint32 ncodes);

/*
 * Where leaves are ranges from an included to an excluded end, the ends in
 * their order, as texts of their type, and the code of each interval between
 * them (NO_LEAF for a gap); false where they are not.  The last may include
 * its end, which is told.
 */
extern bool encoder_thresholds(const Encoder *encoder, Oid *type, int *n, char ***names, uint32 **codes,
							   bool *closed);

/* Gives values without a leaf a code of their own, the last. */
extern void encoder_admit_misses(Encoder *encoder);

/* Gives every encoder its field, when all are there. */
extern void encoders_lay_out(EncoderSet *set);

/* The code of a value, or NO_LEAF. */
extern uint32 encode(Encoder *encoder, Datum value, bool isnull);

/*
 * A value of the SQL type anonopt.opaque: this process's set and, if other
 * processes are to read it, the set as bytes.
 */
extern Datum encoders_value(EncoderSet *set, bool for_workers);

/* The set of such a value: the very one in the process that made it, a copy in a worker. */
extern EncoderSet *encoders_of_value(Datum value, MemoryContext context);

#endif
