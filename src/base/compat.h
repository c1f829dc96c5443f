/*
 * compat.h
 *	  Differences between PostgreSQL 14 and 19, each defined once under the
 *	  newest name, so that no other file asks for a version.
 */
#ifndef ANONOPT_COMPAT_H
#define ANONOPT_COMPAT_H

#include "postgres.h"

#include "funcapi.h"
#include "storage/shm_mq.h"

#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 200000
#error "anonopt is written for PostgreSQL 14 to 19"
#endif

#ifndef HAVE_INT128
#error "anonopt needs 128-bit integers: losses are exact integer sums"
#endif

#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

#if PG_VERSION_NUM < 170000
#define AmBackgroundWorkerProcess() IsBackgroundWorker
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 160000
#define pgstat_get_local_beentry_by_index(index) pgstat_fetch_stat_local_beentry(index)
#endif

#if PG_VERSION_NUM < 160000
#define object_ownercheck(catalog, object, role) old_ownercheck_##catalog(object, role)
#define object_aclcheck(catalog, object, role, mode) old_aclcheck_##catalog(object, role, mode)
#define old_ownercheck_RelationRelationId pg_class_ownercheck
#define old_aclcheck_ProcedureRelationId pg_proc_aclcheck
#define old_aclcheck_NamespaceRelationId pg_namespace_aclcheck
#endif

#if PG_VERSION_NUM < 150000
#define shm_mq_send(queue, size, bytes, nowait, force_flush) shm_mq_send(queue, size, bytes, nowait)
#endif

#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#define setup_parse_fixed_parameters parse_fixed_parameters
extern void InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags);
#endif

#endif
