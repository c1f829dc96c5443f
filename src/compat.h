/*
 * compat.h
 *	  Differences between PostgreSQL 14 and 18, each defined once under the
 *	  newest name, so that no other file asks for a version.
 */
#ifndef ANONOPT_COMPAT_H
#define ANONOPT_COMPAT_H

#include "postgres.h"

#include "funcapi.h"

#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 190000
#error "anonopt is written for PostgreSQL 14 to 18"
#endif

#ifndef HAVE_INT128
#error "anonopt needs 128-bit integers: losses are exact integer sums"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM >= 160000
#define pg_class_ownercheck(relation, role) object_ownercheck(RelationRelationId, relation, role)
#endif

#if PG_VERSION_NUM < 150000
#define setup_parse_fixed_parameters parse_fixed_parameters
extern void InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags);
#endif

#endif
