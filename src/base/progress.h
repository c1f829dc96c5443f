/*
 * progress.h
 *	  The progress of a running search.
 */
#ifndef ANONOPT_PROGRESS_H
#define ANONOPT_PROGRESS_H

#include "base/compat.h"

#include "utils/backend_progress.h"
#include "utils/timestamp.h"

/* "anon" as a number, far from PostgreSQL's own commands. */
#define PROGRESS_COMMAND_ANONOPT ((ProgressCommandType) 0x616e6f6e)

/* A loss is shown as the bits of its number, its sign turned: 0 means none. */
static inline int64
number_to_show(double loss)
{
	int64		bits;

	memcpy(&bits, &loss, sizeof(bits));
	return bits ^ PG_INT64_MIN;
}

static inline double
shown_number(int64 bits)
{
	double		loss;

	bits ^= PG_INT64_MIN;
	memcpy(&loss, &bits, sizeof(loss));
	return loss;
}

/* While the relation is read, rows are done; then what the search counts. */
typedef enum ProgressPhase
{
	PHASE_READING,
	PHASE_SEARCHING,
	PHASE_WRITING
} ProgressPhase;

/* The indexes of the numbers in an entry. */
enum
{
	PARAM_ALGORITHM,
	PARAM_PHASE,
	PARAM_DONE,
	PARAM_TOTAL,
	PARAM_FOUND,
	PARAM_LOSS,
	PARAM_BOUND
};

typedef enum Algorithm
{
	ALGORITHM_LATTICE,
	ALGORITHM_PARETO,
	ALGORITHM_OPTIMIZE,
	ALGORITHM_POKA,
	ALGORITHM_PBG_EA,
	ALGORITHM_QUALITY,
	ALGORITHM_EFFICIENCY,
	ALGORITHM_NSGA2,
	ALGORITHM_REFERENCE_DIRECTION,
	ALGORITHM_ARUBA,
	ALGORITHM_BTDA,
	ALGORITHM_ARUBA_BUDGET,
	ALGORITHM_ARUBA_BALANCE,
	ALGORITHM_CREATE_RECODING,
	ALGORITHM_EXTEND_RECODING,
	ALGORITHM_RECODING_CURVE,
	ALGORITHM_RECODING_BOUND
} Algorithm;

extern const char *algorithm_name(Algorithm algorithm);

/* A search goes on: perhaps its caller is to be told where it is. */
extern void progress_tell(void);

/* Whether a time limit, or 0, has passed, now or before. */
static inline bool
time_is_up(int64 deadline, bool *in_time)
{
	progress_tell();
	if (*in_time && deadline != 0 && GetCurrentTimestamp() >= deadline)
		*in_time = false;
	return !*in_time;
}

extern void progress_define_settings(void);

/* A search begins to read its relation; rows have been read for it. */
extern void progress_begin(Algorithm algorithm, Oid relation);
extern void progress_rows(int64 rows);

/*
 * The relation has been read and the search of a number of nodes begins; -1 if
 * there are too many to report.
 */
extern void progress_search(int64 total);

/* Reports the nodes measured so far, and the nodes found. */
extern void progress_update(int64 done, int64 found);

/* Reports, of a search that does not measure nodes, how many of what it has done something with. */
extern void progress_did(const char *did, const char *what, int64 done, int64 total);

/* Reports a better answer: how many there were, and its loss. */
extern void progress_better(int64 answers, double loss);

/* Reports what no answer loses less than. */
extern void progress_bound(double bound);

/* The search is over, and its result is written. */
extern void progress_write(void);

extern void progress_end(void);

#endif
