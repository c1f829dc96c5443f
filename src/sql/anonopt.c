/*
 * anonopt.c
 *	  Module of the extension anonopt.
 */
#include "base/compat.h"

#include "sql/search_call.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	session_define_settings();
}
