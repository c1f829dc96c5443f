/*
 * standin.h
 *	  The little of a server that the engine needs, without one.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include "postgres.h"

#include <setjmp.h>

/* Where an error goes; its SQLSTATE and message. */
extern sigjmp_buf standin_error;
extern int	standin_sqlstate;
extern char standin_message[1024];

/* Everything that was allocated is freed, as at the end of a transaction. */
extern void standin_begin(void);
extern void standin_end(void);

#endif
