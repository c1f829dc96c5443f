/*
 * entry_table.h
 *	  A dictionary: people by the leaves of their values.
 */
#ifndef ANONOPT_ENTRY_TABLE_H
#define ANONOPT_ENTRY_TABLE_H

#include "postgres.h"

/* Entries by their leaves; NO_LEAF for a value that has none. */
typedef struct EntryTable
{
	uint32		nentries;
	uint32	   *leaves;			/* nattrs an entry */
	int64	   *counts;
} EntryTable;

#endif
