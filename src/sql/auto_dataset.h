/*
 * auto_dataset.h
 *	  Hierarchies that auto_dataset made.
 */
#ifndef ANONOPT_AUTO_DATASET_H
#define ANONOPT_AUTO_DATASET_H

/* The comment on a hierarchy that was made for a column: only its owner could write it. */
extern char *made_comment(const char *dataset, const char *column);

#endif
