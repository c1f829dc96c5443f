/*
 * archive.c
 *	  A bounded set of representatives: box-dominance, one a box.
 *
 * Values are cut into boxes of side epsilon.  A vector box-dominates another
 * if its box dominates the other's or, in one box, if its values do.  The
 * relation is transitive, hence two facts:
 *
 * No member is dominated by a candidate that ever came.  One that dominates
 * a member's values box-dominates it, and whatever kept that one out or
 * drove it out box-dominates the member too, or shares its box.
 *
 * Boxes of members are distinct and none dominates another, so all but one
 * of their coordinates tell them apart: there are never more members than
 * the product of the box counts without the largest.
 */
#include "search/archive.h"

#include <math.h>

#include "base/budget.h"

Archive *
archive_create(MemoryContext context, int nobjectives, const double *epsilon)
{
	Archive    *archive = MemoryContextAllocZero(context, sizeof(Archive));

	archive->context = context;
	archive->nobjectives = nobjectives;
	memcpy(archive->epsilon, epsilon, sizeof(double) * nobjectives);
	return archive;
}

void
archive_boxes(const Archive *archive, const double *values, double *boxes)
{
	for (int i = 0; i < archive->nobjectives; i++)
		boxes[i] = floor(values[i] / archive->epsilon[i]);
}

/* Whether a vector is nowhere worse than another; equal tells if it is nowhere better. */
static inline bool
covers(const double *a, const double *b, int n, bool *equal)
{
	*equal = true;
	for (int i = 0; i < n; i++)
	{
		if (a[i] < b[i])
			return false;
		if (a[i] > b[i])
			*equal = false;
	}
	return true;
}

bool
dominates(const double *a, const double *b, int n)
{
	bool		equal;

	return covers(a, b, n, &equal) && !equal;
}

static bool
box_dominates(const Archive *archive, const ArchiveMember *a, const ArchiveMember *b)
{
	bool		equal;

	if (!covers(a->boxes, b->boxes, archive->nobjectives, &equal))
		return false;
	return !equal || dominates(a->values, b->values, archive->nobjectives);
}

static bool
same_box(const Archive *archive, const ArchiveMember *a, const ArchiveMember *b)
{
	for (int i = 0; i < archive->nobjectives; i++)
		if (a->boxes[i] != b->boxes[i])
			return false;
	return true;
}

static void
drop_dominated(Archive *archive, const ArchiveMember *candidate)
{
	int			kept = 0;

	for (int i = 0; i < archive->nmembers; i++)
		if (!box_dominates(archive, candidate, &archive->members[i]))
			archive->members[kept++] = archive->members[i];
	archive->nmembers = kept;
}

bool
archive_offer(Archive *archive, uint32 item, const double *values)
{
	ArchiveMember candidate;

	candidate.item = item;
	memcpy(candidate.values, values, sizeof(double) * archive->nobjectives);
	archive_boxes(archive, values, candidate.boxes);
	drop_dominated(archive, &candidate);
	for (int i = 0; i < archive->nmembers; i++)
		if (box_dominates(archive, &archive->members[i], &candidate) ||
			same_box(archive, &archive->members[i], &candidate))
			return false;
	if (archive->nmembers == archive->capacity)
		archive->members = budget_grow(archive->context, archive->members, sizeof(ArchiveMember), &archive->capacity);
	archive->members[archive->nmembers++] = candidate;
	return true;
}
