/*
 * anonopt.c
 *	  Module of the extension anonopt.
 */
#include "compat.h"

PG_MODULE_MAGIC;
