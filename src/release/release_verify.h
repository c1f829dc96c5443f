/*
 * release_verify.h
 *	  Promises in a record, and measuring a release again.
 */
#ifndef ANONOPT_RELEASE_VERIFY_H
#define ANONOPT_RELEASE_VERIFY_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "release/release.h"
#include "release/release_entry.h"
#include "utils/queryenvironment.h"

/* ----------------- the promises of a release other than k, l, and t for all */

/* Whether and how far a promise was kept. */
typedef struct PromiseVerdict
{
	bool		is_null;		/* not measured */
	double		measured;
	bool		ok;
	bool		untold;			/* it cannot be measured, and may be kept or
								 * not */
} PromiseVerdict;

/* A data set's promises as json, except for k. */
extern char *promises_json(const Dataset *dataset);

/* The same for a release, by model, each with its verdict. */
extern char *verdicts_json(int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts);

/* Appends the promises other than k, l and t to a comment. */
extern void append_promises(StringInfo text, const Dataset *dataset);

/* -------------------- measures a release's promises about people of another */

/*
 * Checks them, given whether people can be distinguished from rows, which
 * presence needs.
 */
extern void verify_outside(const ReleaseEntry *entry, bool by_rows, PromiseVerdict *verdicts);

/*
 * Labels of timestamps are texts in the data set's zone, if the data set still
 * exists; returns the level of settings to go back to.
 */
extern int	use_zone_of_release(const ReleaseEntry *entry);

/* Loads the hierarchy of a column of a type. */
extern Hierarchy *load_hierarchy(Oid relation, Oid type, const char *column);

/* -------------- the leaves under the labels of a release that are not those */

/* A label, and a run of leaves with it, or values without a leaf. */
typedef struct LabelCover
{
	char	   *label;			/* or NULL */
	bool		unknown;		/* values without a leaf; else */
	char	   *first;			/* leaves; NULL for NULL's */
	char	   *last;
} LabelCover;

/* By quasi-identifier. */
typedef struct LabelCovers
{
	int			n[MAX_ATTRIBUTES];
	LabelCover *covers[MAX_ATTRIBUTES];
} LabelCovers;

/*
 * Those of a release that has been read, to be stored; "null" if they are not
 * needed.
 */
extern char *covers_json(const Release *release);

/* The stored ones. */
extern LabelCovers *covers_of_entry(const ReleaseEntry *entry);

typedef struct Verification
{
	int64		promised_k;
	bool		k_is_null;
	int64		k;
	bool		has_l;
	int64		promised_l;
	bool		l_is_null;
	int64		l;
	int64		rows;
	bool		has_t;
	double		promised_t;
	bool		t_is_null;
	double		t;
	char	   *others;			/* as json, or NULL */
	bool		is_filled;
	TimestampTz filled_at;
	bool		ok;
	bool		untold;			/* something cannot be measured; ok covers the
								 * rest */
} Verification;

extern void release_verify(Oid relation, Verification *result);

#endif
