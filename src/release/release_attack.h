/*
 * release_attack.h
 *	  The people whom a release shows, as attackers see them.
 */
#ifndef ANONOPT_RELEASE_ATTACK_H
#define ANONOPT_RELEASE_ATTACK_H

#include "engine/attack.h"
#include "release/release.h"

/* An attack that is not by any columns: a linkage with a relation or release, or refinement. */
typedef struct AttackLink
{
	AttackFigures figures;
	int			n;
	char	  **names;			/* of the columns */
	const char *target;
} AttackLink;

/*
 * Reads a release of the caller whose known columns, if there are some, are
 * the only ones; there is no population if it has no rows.  Unless links is
 * NULL, adds AttackLinks: with a register of people, if there is one, whose values
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
 * The figures of a release whose classes have been chosen, as json:
 *
 *	{"residual": [ROW, …], "initial": {RISK, "singling_out": [ROW, …]}}
 *
 * Each ROW is {"attack", "known", "target", "people", "certain", "highest",
 * "expected", "baseline"}, as anonopt.attack returns them, for any 1, 2, 3 and
 * all known columns; initial ones, of the source as it is, are of singling out
 * alone, beside the risk that its classes pose.  What takes too much time or memory is left out, or null.  NULL if there
 * are no classes: of a live view.
 */
extern char *release_attack_figures(const Release *release);

/* Likewise what links a content that was just recorded with others: [ROW, …]. */
extern char *release_link_figures(const ReleaseEntry *entry);

/*
 * How easily people are recognized in classes of these sizes, with the numbers
 * of small ones: the beginning of an object of json.
 */
extern void append_risk(StringInfo json, const int64 *sizes, uint32 n);

/* Adds figures of something, in memory of their own, or null if that does not suffice for them. */
extern void append_within_memory(StringInfo json, const void *of, void (*append) (StringInfo json, const void *of));

#endif
