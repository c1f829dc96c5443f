/*
 * column_meaning.h
 *	  What a column's name suggests about its values.
 */
#ifndef ANONOPT_COLUMN_MEANING_H
#define ANONOPT_COLUMN_MEANING_H

#include "base/compat.h"

typedef enum ColumnMeaning
{
	MEANS_NAME,					/* a person's name */
	MEANS_CONTACT,				/* what leads to a person: a phone, an account */
	MEANS_PRIVATE,				/* what should not be learned */
	MEANS_WIDELY_KNOWN,			/* birth, sex and place, which registers list */
	MEANS_KNOWN					/* what neighbours and colleagues know */
} ColumnMeaning;

extern bool column_means(const char *column, ColumnMeaning meaning);

#endif
