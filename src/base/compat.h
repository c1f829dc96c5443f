/*
 * compat.h
 *	  Differences between PostgreSQL 14 and 19, each defined once under the
 *	  newest name, so that no other file checks the version.
 */
#ifndef ANONOPT_COMPAT_H
#define ANONOPT_COMPAT_H

#include "postgres.h"

#include "access/tableam.h"
#include "catalog/index.h"
#include "funcapi.h"
#include "storage/shm_mq.h"
#include "utils/rangetypes.h"
#include "utils/tuplesort.h"

#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 200000
#error "anonopt is written for PostgreSQL 14 to 19"
#endif

#ifndef HAVE_INT128
#error "anonopt needs 128-bit integers: losses are exact integer sums"
#endif

/* include these headers before defining macros named like their functions */
#if PG_VERSION_NUM >= 190000
#include "commands/repack.h"
#else
#include "commands/cluster.h"
#define finish_heap_swap(old, fresh, system, by_content, check, internal, reindex, xid, multi, persistence) \
	finish_heap_swap(old, fresh, system, by_content, check, internal, xid, multi, persistence)
#define TupleDescFinalize(desc) ((void) (desc))
#define table_beginscan(table, snapshot, nkeys, keys, flags) table_beginscan(table, snapshot, nkeys, keys)
#endif

#if PG_VERSION_NUM < 190000
#include "tcop/tcopprot.h"
#define pg_plan_query(query, source, options, parameters, explain) pg_plan_query(query, source, options, parameters)
#endif

#if PG_VERSION_NUM < 180000
#include "executor/executor.h"
#define pg_noreturn pg_attribute_noreturn()
#define ExecutorRun(query, direction, count) ExecutorRun(query, direction, count, true)
#endif

#if PG_VERSION_NUM < 170000
/* includes the operator classes' options in the description of the index */
#define index_create(heap, name, oid, parent, constraint, file, info, columns, method, tablespace, collations, classes, options, order, \
	targets, parameters, flags, constraint_flags, system, internal, made) \
	((info)->ii_OpclassOptions = (options), index_create(heap, name, oid, parent, constraint, file, info, columns, method, tablespace, \
		collations, classes, order, parameters, flags, constraint_flags, system, internal, made))
#define AmBackgroundWorkerProcess() IsBackgroundWorker
#endif

#if PG_VERSION_NUM >= 160000
#include "parser/parse_relation.h"
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 160000
#define make_range(cache, lower, upper, empty, context) make_range(cache, lower, upper, empty)
#define pgstat_get_local_beentry_by_index(index) pgstat_fetch_stat_local_beentry(index)
#define rd_newRelfilelocatorSubid rd_newRelfilenodeSubid
#define rd_firstRelfilelocatorSubid rd_firstRelfilenodeSubid
#define RelationAssumeNewRelfilelocator(relation) RelationAssumeNewRelfilenode(relation)
#define object_ownercheck(catalog, object, role) old_ownercheck_##catalog(object, role)
#define object_aclcheck(catalog, object, role, mode) old_aclcheck_##catalog(object, role, mode)
#define old_ownercheck_RelationRelationId pg_class_ownercheck
#define old_aclcheck_ProcedureRelationId pg_proc_aclcheck
#define old_aclcheck_NamespaceRelationId pg_namespace_aclcheck
#define tuplesort_getdatum(sort, forward, copy, value, isnull, abbreviated) \
	tuplesort_getdatum(sort, forward, value, isnull, abbreviated)
#endif

#if PG_VERSION_NUM < 150000
#define make_new_heap(old, tablespace, method, persistence, lock) \
	((void) (method), make_new_heap(old, tablespace, persistence, lock))
#define RelationHasSecurityInvoker(relation) false
#define parse_analyze_fixedparams(tree, source, types, n, environment) parse_analyze(tree, source, types, n, environment)
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
extern void InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags);
#endif

#endif
