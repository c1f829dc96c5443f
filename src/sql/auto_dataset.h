/*
 * auto_dataset.h
 *	  The hierarchies that auto_dataset creates.
 */
#ifndef ANONOPT_AUTO_DATASET_H
#define ANONOPT_AUTO_DATASET_H

/*
 * The comment on a hierarchy made for a column, which only the hierarchy's
 * owner can write.
 */
extern char *made_comment(const char *dataset, const char *column);

#endif
