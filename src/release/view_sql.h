/*
 * view_sql.h
 *	  A release as one plain SQL statement.
 */
#ifndef ANONOPT_VIEW_SQL_H
#define ANONOPT_VIEW_SQL_H

#include "release/release.h"

/*
 * The statement of a release that has been read.  Fails if it promises
 * something that the statement would not count again.
 */
extern char *view_sql(const Release *release);

#endif
