/*
 * anonopt.c
 *	  Module of the extension anonopt.
 */
#include "compat.h"

#include "session.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	session_define_settings();
}
