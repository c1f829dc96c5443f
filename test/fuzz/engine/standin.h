/*
 * standin.h
 *	  Replacements for the few server functions that the engine needs.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include "postgres.h"

#include <setjmp.h>

/* The target of an error, and its SQLSTATE and message. */
extern sigjmp_buf standin_error;
extern int	standin_sqlstate;
extern char standin_message[1024];

/* Frees all allocated memory, as at the end of a transaction. */
extern void standin_begin(void);
extern void standin_end(void);

#endif
