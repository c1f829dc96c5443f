/*
 * linked_people.h
 *	  What releases that show one pseudonym tell together of each person.
 */
#ifndef ANONOPT_LINKED_PEOPLE_H
#define ANONOPT_LINKED_PEOPLE_H

#include "release/release.h"

/* The groups of people whom releases that share a secret leave alike. */
typedef struct LinkedGroups
{
	int			ncontents;
	List	   *relations;		/* without this release's, which may not be
								 * there yet */
	List	   *names;
	int64		k;				/* the least that is promised */
	int64		smallest;		/* people in the smallest group; 0 for none */
	int64		singled_out;	/* people in groups of fewer than k */
} LinkedGroups;

/* Finds whom a release's pseudonyms let follow, and warns or, with refuse, fails; keeps it for release_links_insert. */
extern void linked_people_check(Release *release, bool look, bool refuse);

/* Writes down what a content's pseudonyms link. */
extern void linked_people_insert(const Release *release, const char *id);

/* The same groups of what a relation's releases and all that share their secrets showed; ncontents is 0 for none. */
extern LinkedGroups *linked_people_of_source(Oid source);

#endif
