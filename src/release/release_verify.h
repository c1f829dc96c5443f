/*
 * release_verify.h
 *	  Promises in a record, and measuring a release again.
 */
#ifndef ANONOPT_RELEASE_VERIFY_H
#define ANONOPT_RELEASE_VERIFY_H

#include "release/release.h"

/* Whether and how far a promise was kept. */
typedef struct PromiseVerdict
{
	bool		is_null;		/* not measured */
	double		measured;
	bool		ok;
	bool		unmeasured;		/* it cannot be measured, and may be kept or
								 * not */
} PromiseVerdict;

/* -------------------- measures a release's promises about people of another */

/*
 * Checks them, given whether people can be distinguished from rows, which
 * presence needs.
 */
extern void verify_outside(const ReleaseEntry *entry, bool by_rows, PromiseVerdict *verdicts);

/* ------------ measures those against people who know some columns or rows */

/*
 * Checks them, given the classes of the release and whether each row is a
 * person; tells what cannot be measured, unless that is not wanted.
 */
extern void verify_known(const ReleaseEntry *entry, const Population *classes, bool by_rows, bool tells,
						 PromiseVerdict *verdicts);

/* The people in its smallest class, by the column of persons, if it shows that; or -1. */
extern int64 verify_people(const ReleaseEntry *entry);

/* The release as a data set of flat labels, whose tuples are its classes; it has room for one column more. */
extern Dataset *dataset_of_release(const ReleaseEntry *entry);

/*
 * Labels of timestamps are texts in the data set's zone, if the data set still
 * exists; returns the level of settings to go back to.
 */
extern int	use_zone_of_release(const ReleaseEntry *entry);

typedef struct Verification
{
	const ReleaseEntry *entry;	/* with what was promised */
	PromiseVerdict *verdicts;	/* of its promises */
	int64		rows;
	bool		has_l;
	int64		l;				/* also if it was not promised */
	char	   *others;			/* as json, or NULL */
	bool		ok;
	bool		unmeasured;		/* something cannot be measured; ok covers the
								 * rest */
	List	  **broken;			/* if asked for: classes that break a promise
								 * about values */
} Verification;

extern void release_verify(Oid relation, Verification *result);

/*
 * Whether the rows of an entry's relation, which has been written for it, keep
 * what it promises; and classes that break a promise about their values, as
 * arrays of what their columns show, NULL for stars.  Where more people are shown with a value
 * than there are now, the entry's distributions count those.
 */
extern bool release_keeps(ReleaseEntry *entry, List **broken);

#endif
