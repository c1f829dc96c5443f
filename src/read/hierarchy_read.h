/*
 * hierarchy_read.h
 *	  Hierarchy tables: read, checked, and matched with a column's type.
 */
#ifndef ANONOPT_HIERARCHY_READ_H
#define ANONOPT_HIERARCHY_READ_H
#include "catalog/relations.h"

#include "catalog/type_match.h"
#include "engine/hierarchy.h"
#include "engine/population.h"
#include "read/encoder.h"

/* The rows of a hierarchy table, in the order of leaves. */
typedef struct HierarchyRows
{
	Oid			relation;
	char	   *name;			/* for messages */
	LeafTable	table;
	Datum	   *leaves;			/* without NULL, which is the last row of a
								 * table that has it */
	uint32		nleaves;
	TypeMatch	match;
	List	   *faults;
} HierarchyRows;

typedef struct HierarchyFault
{
	const char *problem;
	int			level;
	List	   *labels;			/* texts, NULL for a null */
} HierarchyFault;

typedef struct LoadedHierarchy
{
	Hierarchy  *hierarchy;
	HierarchyRows *rows;
	uint32	   *codes;			/* of the rows' leaves */
	uint32		unknown_leaf;	/* of values without a leaf, or NO_LEAF */
} LoadedHierarchy;

/* The kind of leaves of a type. */
extern LeafKind leaf_kind(Oid type);

/* Reads a table and collects all its faults. */
extern HierarchyRows *hierarchy_read_rows(Oid relation, Oid data_type, const char *column);

/* Reads a sound hierarchy or fails with 23514. */
extern LoadedHierarchy *hierarchy_load(Oid relation, Oid data_type, const char *column);

/*
 * Allows values without a leaf, which are shown as the last level's label;
 * fails unless that level has a single label.
 */
extern void hierarchy_admit_unknown(LoadedHierarchy *loaded, const char *column);

/*
 * Replaces leaves by the labels of a level: values with the same label are one.
 * Fails with 23514 if there is no such level.
 */
extern void hierarchy_raise(LoadedHierarchy *loaded, int level, const char *column);

/* Creates the encoder of a column with this hierarchy. */
extern void hierarchy_encoder(const LoadedHierarchy *loaded, const char *column,
							  MemoryContext context, Encoder *encoder);

#endif
