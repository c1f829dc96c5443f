/*
 * release_attack.h
 *	  The people whom a release shows, as attackers see them.
 */
#ifndef ANONOPT_RELEASE_ATTACK_H
#define ANONOPT_RELEASE_ATTACK_H

#include "engine/attack.h"
#include "release/release.h"

/*
 * Reads a release of the caller whose known columns, if there are some, are
 * the only ones; its population is NULL if it has no rows.
 */
extern ShownPeople release_read_attacked(const ReleaseEntry *entry, char *const *known, int nknown);

#endif
