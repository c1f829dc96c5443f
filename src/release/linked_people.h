/*
 * linked_people.h
 *	  What releases with the same pseudonyms together reveal about each person.
 */
#ifndef ANONOPT_LINKED_PEOPLE_H
#define ANONOPT_LINKED_PEOPLE_H

#include "release/release.h"

/*
 * The groups of people who are indistinguishable in all releases that share a
 * secret.
 */
typedef struct LinkedGroups
{
	int			ncontents;
	List	   *relations;		/* without this release, which may not exist
								 * yet */
	List	   *names;
	int64		k;				/* the smallest promised k */
	int64		smallest;		/* people in the smallest group; 0 for none */
	int64		singled_out;	/* people in groups of fewer than k */
} LinkedGroups;

/*
 * Finds people whom a release's pseudonyms single out, and warns or, with
 * refuse, fails; keeps the people for release_links_insert.
 */
extern void linked_people_check(Release *release, bool look, bool refuse);

/* Stores the people whom a content's pseudonyms link. */
extern void linked_people_insert(const Release *release, const char *id);

/*
 * The same groups for the contents of a relation's releases and of all
 * releases that share their secrets; ncontents is 0 if there are none.
 */
extern LinkedGroups *linked_people_of_source(Oid source);

#endif
