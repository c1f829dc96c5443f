/*
 * compat.h
 *	  Differences between PostgreSQL 14 and 18, each defined once under the
 *	  newest name, so that no other file asks for a version.
 */
#ifndef ANONOPT_COMPAT_H
#define ANONOPT_COMPAT_H

#include "postgres.h"

#include "funcapi.h"
#include "storage/shm_mq.h"

#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 190000
#error "anonopt is written for PostgreSQL 14 to 18"
#endif

#ifndef HAVE_INT128
#error "anonopt needs 128-bit integers: losses are exact integer sums"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 160000
#define pgstat_get_local_beentry_by_index(index) pgstat_fetch_stat_local_beentry(index)
#endif

#if PG_VERSION_NUM >= 160000
#define pg_class_ownercheck(relation, role) object_ownercheck(RelationRelationId, relation, role)
#define pg_proc_aclcheck(function, role, mode) object_aclcheck(ProcedureRelationId, function, role, mode)
#define pg_namespace_aclcheck(schema, role, mode) object_aclcheck(NamespaceRelationId, schema, role, mode)
#endif

#if PG_VERSION_NUM >= 150000
#define send_and_flush(queue, size, bytes) shm_mq_send(queue, size, bytes, false, true)
#else
#define send_and_flush(queue, size, bytes) shm_mq_send(queue, size, bytes, false)
#endif

#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#define setup_parse_fixed_parameters parse_fixed_parameters
extern void InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags);
#endif

#endif
