/*
 * entry_table.h
 *	  A dictionary of people, given by the leaves of their values.
 */
#ifndef ANONOPT_ENTRY_TABLE_H
#define ANONOPT_ENTRY_TABLE_H

#include "postgres.h"

/* Entries by their leaves; NO_LEAF for a value without one. */
typedef struct EntryTable
{
	uint32		nentries;
	uint32	   *leaves;			/* nattrs per entry */
	int64	   *counts;
} EntryTable;

#endif
