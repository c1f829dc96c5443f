/*
 * store.h
 *	  Tuple counts that are kept, and whether they may be used.
 */
#ifndef ANONOPT_STORE_H
#define ANONOPT_STORE_H

#include "dataset.h"

typedef struct Store
{
	Oid			table;
	char	   *problem;		/* why it is not to be used; NULL if it is */
} Store;

/* A data set's store, or NULL; SPI is connected. */
extern Store *store_of(const Dataset *dataset);

#endif
