/*
 * box_archive.c
 *	  A bounded set of representatives, one box-dominant each: the archive of
 *	  PBG-EA.
 *
 * Costs are divided into boxes of side epsilon.  A vector box-dominates
 * another if its box dominates the other's or, within one box, if its costs
 * do.  The relation is transitive, which has two consequences:
 *
 * No member is dominated by any candidate so far.  A candidate that dominates
 * a member's costs box-dominates it, and the vector that kept out or removed
 * the candidate box-dominates the member as well, or shares its box.
 *
 * Boxes of members are distinct and none dominates another, so they differ
 * even without one of their coordinates: the number of members is at most the
 * product of all box counts except the largest.
 */
#include "search/front.h"

Archive *
archive_create(MemoryContext context, int nobjectives, const double *epsilon)
{
	Archive    *archive = MemoryContextAllocZero(context, sizeof(Archive));

	archive->boxes = front_create(context, nobjectives, sizeof(ArchiveMember));
	memcpy(archive->epsilon, epsilon, sizeof(double) * nobjectives);
	return archive;
}

static void
find_box(const Archive *archive, const double *costs, double *box)
{
	for (int i = 0; i < archive->boxes->ncosts; i++)
		box[i] = ceil(costs[i] / archive->epsilon[i]);
}

/* Whether a member in the same box or in a better one keeps a vector out. */
static bool
is_kept_out(const Archive *archive, const double *costs, const double *box)
{
	bool		equal;
	int			found = front_find(archive->boxes, box, &equal);

	return found >= 0 && !(equal && dominates(costs, archive_member(archive, found)->costs, archive->boxes->ncosts));
}

bool
archive_refuses(const Archive *archive, const double *costs)
{
	double		box[MAX_OBJECTIVES];

	find_box(archive, costs, box);
	return is_kept_out(archive, costs, box);
}

bool
archive_offer(Archive *archive, uint32 item, const double *costs)
{
	double		box[MAX_OBJECTIVES];
	ArchiveMember *member;

	find_box(archive, costs, box);
	if (is_kept_out(archive, costs, box))
		return false;
	member = front_add(archive->boxes, box);
	member->item = item;
	memcpy(member->costs, costs, sizeof(double) * archive->boxes->ncosts);
	return true;
}

int
archive_find_box(const Archive *archive, const double *costs)
{
	double		box[MAX_OBJECTIVES];
	bool		equal;
	int			found;

	find_box(archive, costs, box);
	found = front_find(archive->boxes, box, &equal);
	return found >= 0 && equal ? found : -1;
}
