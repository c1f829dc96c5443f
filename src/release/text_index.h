/*
 * text_index.h
 *	  An index of texts, including NULL.
 */
#ifndef ANONOPT_TEXT_INDEX_H
#define ANONOPT_TEXT_INDEX_H

#include "postgres.h"

typedef struct TextIndex
{
	uint32		n;
	const char *const *texts;
	uint32	   *order;
} TextIndex;

/* Orders texts by their bytes, NULL last. */
extern int	compare_texts(const char *a, const char *b);

extern TextIndex index_texts(const char *const *texts, uint32 n);

/* The number of a text, or PG_UINT32_MAX. */
extern uint32 find_text(const TextIndex *index, const char *text);

#endif
