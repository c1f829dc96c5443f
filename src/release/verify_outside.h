/*
 * verify_outside.h
 *	  Measures a release's promises about people of another relation again.
 */
#ifndef ANONOPT_VERIFY_OUTSIDE_H
#define ANONOPT_VERIFY_OUTSIDE_H

#include "release/release_entry.h"
#include "release/release_promises.h"

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

#endif
