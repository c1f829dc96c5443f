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
 * the only ones; there is no population if it has no rows.  Unless links is
 * NULL, adds AttackFigures: with a register of people, if there is one, whose values
 * are generalized as a refresh would; or with other releases; and refinement.
 */
extern ShownPeople release_read_attacked(const ReleaseEntry *entry, char *const *known, int nknown, Oid people,
										 List **links);

/* Fails if more columns would be known than quasi-identifiers can be. */
extern void require_knowable(int columns);

/* Fails because a register has none of the columns. */
pg_noreturn extern void refuse_register(Oid relation);

/*
 * Links what a release shows with the last content of each other release of
 * these people of which the caller is told; says how many are left out.
 */
extern List *release_attack_links(const ReleaseEntry *entry, double most_pairs);

/* The most pairs of rows for some seconds, and for figures that are counted beside publishing. */
#define MOST_PAIRS 3e8
#define MOST_PAIRS_OF_FIGURES 2e7

/*
 * The people whom a release shows whose classes have been chosen, sought among
 * candidates if labels overlap, or always; and these classes, with that of stars.
 * Whether they are those shown: not if some are held back, or people left out of them.
 */
extern ShownPeople release_shown_people(const Release *release, bool as_candidates, Classes **counted);
extern bool release_shows_classes(const Release *release);

#endif
