/*
 * verify_outside.h
 *	  Promises of a release about people of another relation, measured anew.
 */
#ifndef ANONOPT_VERIFY_OUTSIDE_H
#define ANONOPT_VERIFY_OUTSIDE_H

#include "release/release_entry.h"
#include "release/release_promises.h"

/* Judges them; whether people can be told from rows, as presence needs. */
extern void verify_outside(const ReleaseEntry *entry, bool by_rows, PromiseVerdict *verdicts);

#endif
