/*
 * dataset_rights.h
 *	  Declarations as this statement has left them, and their ownership.
 */
#ifndef ANONOPT_DATASET_RIGHTS_H
#define ANONOPT_DATASET_RIGHTS_H

#include "catalog/dataset.h"

/*
 * Pushes a snapshot that sees what this statement has declared so far, and what
 * others have committed, whatever the transaction's isolation.
 */
extern void see_own_changes(void);

/* Loads a declaration as this statement has left it. */
extern Dataset *dataset_load_latest(const char *name);

/* The same; fails with 42501 unless the caller may change it. */
extern Dataset *dataset_load_owned(const char *name);

/* The same two without the columns, for dropping. */
extern Dataset *dataset_load_latest_entry(const char *name);
extern Dataset *dataset_load_owned_entry(const char *name);

#endif
