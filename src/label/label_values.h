/*
 * label_values.h
 *	  What labels of numbers and moments say, as values: ranges, their ends, their
 *	  middle.
 */
#ifndef ANONOPT_LABEL_VALUES_H
#define ANONOPT_LABEL_VALUES_H

#include "engine/classes.h"
#include "read/hierarchy_read.h"

#include "utils/typcache.h"

/* How columns with labels are shown. */
typedef enum ColumnsAs
{
	AS_TEXT,
	AS_RANGE,
	AS_BOUNDS,					/* two columns */
	AS_MIDDLE,
	COLUMNS_AS
} ColumnsAs;

extern const char *const columns_as_names[COLUMNS_AS];

/* What a column shows of a label. */
typedef enum LabelPart
{
	LABEL_TEXT,
	LABEL_RANGE,
	LABEL_LOW,
	LABEL_HIGH,
	LABEL_MIDDLE
} LabelPart;

/* The labels of an attribute, all of which are runs of values in their order. */
typedef struct LabelValues
{
	const Attribute *attr;
	const HierarchyRows *rows;
	bool		from_data;		/* labels say only what they say */
	TypeCacheEntry *range;
	Oid			subtype;
} LabelValues;

/*
 * NULL if leaves are no numbers or moments, or if some label is not a run of
 * them.  This depends on the hierarchy alone.
 */
extern LabelValues *label_values(const Attribute *attr, const LoadedHierarchy *loaded);

extern Oid	label_part_type(const LabelValues *values, LabelPart part);

/* The range of a label over a run of leaves; null if that holds nothing but NULL. */
extern NullableDatum label_range(const LabelValues *values, const char *label, uint32 first, uint32 end);

/* What the text of a label says, whatever it covers; and the range that says nothing. */
extern NullableDatum label_said_range(const LabelValues *values, const char *label);
extern NullableDatum label_any_range(const LabelValues *values);

extern bool label_has_end(const LabelValues *values, NullableDatum range);

/* A part of a range; null for an end that it does not have. */
extern NullableDatum label_part(const LabelValues *values, NullableDatum range, LabelPart part);

/* A run of leaves. */
typedef struct LeafRun
{
	uint32		first;
	uint32		end;
} LeafRun;

/* Runs of some labels, which hold nothing so far; makes one hold some leaves, too. */
extern LeafRun *empty_runs(uint32 n);

static inline void
widen_run(LeafRun *run, uint32 first, uint32 leaves)
{
	run->first = Min(run->first, first);
	run->end = Max(run->end, first + leaves);
}

/*
 * By code, the smallest run that holds everything that the label of an
 * attribute of labelled classes covers.
 */
extern LeafRun *label_runs(const Classes *classes, int a);

#endif
