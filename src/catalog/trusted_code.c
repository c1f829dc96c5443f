/*
 * trusted_code.c
 *	  Whose code reading a relation can run, and with whose rights.
 *
 * A query runs more code than it names: views and policies, and in the
 * planner the constant parts of expressions in indexes, statistics,
 * constraints and partition keys.  All of it runs as the role that runs the
 * query.  A SELECT by hand is the caller's own risk, but a release is refreshed
 * and verified by jobs, so for a release there is one rule: a role runs only
 * its own code, a superuser's and PostgreSQL's.
 *
 * A check alone could not keep the rule, because an owner can add an index
 * between the check and the plan, and no lock that readers may take prevents
 * it.  So what counts first is who owns the relations, which does not change
 * while they are locked.  If the current role or a superuser owns all that is
 * read, nobody else can add code, and the functions found are all there are.
 * Otherwise the relation is read as its owner, on the same terms.
 *
 * For a report by a superuser, who may lock any table, tables are locked
 * against all that adds code: indexes, statistics, children, partitions,
 * constraints and policies.  Then the functions found are all there are, too,
 * whoever owns the tables.  Other roles may not take such a lock, which also keeps
 * VACUUM out.
 */
#include "catalog/trusted_code.h"

#include "access/relation.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic_ext.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "rewrite/rowsecurity.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

/* What reading a relation can reach. */
typedef struct Reached
{
	List	   *relations;
	CalledCode	code;
	bool		as_invoker;		/* a view that reads with its caller's rights */
	bool		is_frozen;		/* nobody can add code to tables meanwhile */
} Reached;

/* Whether a role may run code of another: its own, or a superuser's. */
static bool
role_trusts(Oid role, Oid owner)
{
	return owner == role || superuser_arg(owner);
}

Oid
function_owner(Oid function)
{
	return GetSysCacheOid1(PROCOID, Anum_pg_proc_proowner, ObjectIdGetDatum(function));
}

bool
function_is_trusted(Oid function)
{
	return role_trusts(GetUserId(), function_owner(function));
}

static Oid
type_owner(Oid type)
{
	Oid			owner = GetSysCacheOid1(TYPEOID, Anum_pg_type_typowner, ObjectIdGetDatum(type));

	if (!OidIsValid(owner))
		elog(ERROR, "type %u is missing", type);
	return owner;
}

bool
type_is_trusted(Oid type)
{
	return (type < FirstNormalObjectId && getBaseType(type) == type) ||
		role_trusts(GetUserId(), type_owner(getBaseType(type)));
}

/* -------------------------------------------------------------- what is reached */

/* An expression as it is stored; the relation cache would evaluate it. */
static void
reach_stored(Reached *reached, int cache, Oid object, AttrNumber column)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
	bool		isnull = true;
	Datum		stored = HeapTupleIsValid(tuple) ? SysCacheGetAttr(cache, tuple, column, &isnull) : (Datum) 0;

	if (!isnull)
		expression_code(stringToNode(TextDatumGetCString(stored)), &reached->code);
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
}

/* Expressions of indexes, statistics, partitions, constraints, defaults, generated columns and policies. */
static void
reach_expressions(Reached *reached, Relation relation)
{
	const TupleConstr *constraints = RelationGetDescr(relation)->constr;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(relation))
	{
		reach_stored(reached, INDEXRELID, lfirst_oid(cell), Anum_pg_index_indexprs);
		reach_stored(reached, INDEXRELID, lfirst_oid(cell), Anum_pg_index_indpred);
	}
	foreach(cell, RelationGetStatExtList(relation))
		reach_stored(reached, STATEXTOID, lfirst_oid(cell), Anum_pg_statistic_ext_stxexprs);
	if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		reach_stored(reached, PARTRELID, RelationGetRelid(relation), Anum_pg_partitioned_table_partexprs);
	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
		expression_code(stringToNode(constraints->check[i].ccbin), &reached->code);
	for (int i = 0; constraints != NULL && i < constraints->num_defval; i++)
		expression_code(stringToNode(constraints->defval[i].adbin), &reached->code);
	foreach(cell, relation->rd_rsdesc == NULL ? NIL : relation->rd_rsdesc->policies)
	{
		const RowSecurityPolicy *policy = lfirst(cell);

		expression_code((Node *) policy->qual, &reached->code);
		expression_code((Node *) policy->with_check_qual, &reached->code);
	}
}

static bool
is_table(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE;
}

static void reach_relation(Reached *reached, Oid oid);

static void
reach_rules(Reached *reached, Relation relation)
{
	for (int i = 0; relation->rd_rules != NULL && i < relation->rd_rules->numLocks; i++)
	{
		ListCell   *cell;

		foreach(cell, relation->rd_rules->rules[i]->actions)
		{
			ListCell   *read;

			expression_code(lfirst(cell), &reached->code);
			foreach(read, query_relations(lfirst(cell)))
				reach_relation(reached, lfirst_oid(read));
		}
		expression_code(relation->rd_rules->rules[i]->qual, &reached->code);
	}
}

static void
reach_relation(Reached *reached, Oid oid)
{
	Relation	relation;
	ListCell   *cell;

	if (list_member_oid(reached->relations, oid))
		return;
	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (reached->is_frozen && is_table(oid))
		LockRelationOid(oid, ShareUpdateExclusiveLock);
	relation = relation_open_existing(oid);
	reached->relations = lappend_oid(reached->relations, oid);
	if (oid >= FirstNormalObjectId)
	{
		reach_expressions(reached, relation);
		if (relation->rd_rel->relkind == RELKIND_VIEW)
			reach_rules(reached, relation);

		/*
		 * Partitions and children are read with a table.  The planner may use
		 * a partition's constraint, which is an expression of its parents.
		 */
		if (relation->rd_rel->relispartition)
			foreach(cell, get_partition_ancestors(oid))
				reach_relation(reached, lfirst_oid(cell));
		if (relation->rd_rel->relhassubclass)
			foreach(cell, find_inheritance_children(oid, AccessShareLock))
				reach_relation(reached, lfirst_oid(cell));
		reached->as_invoker |= relation->rd_rel->relkind == RELKIND_VIEW && RelationHasSecurityInvoker(relation);
	}
	relation_close(relation, NoLock);
}

/* --------------------------------------------------------------------- the rule */

static void
refuse_relation(Oid relation, Oid role, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("reading %s for a release could run another role's code as role \"%s\"",
					relation_sql_name(relation), GetUserNameFromId(role, false)),
			 errdetail("%s", detail),
			 errhint("A release reads only relations whose code belongs to one role or to superusers. Publish as that role, or change the owner.")));
}

/* Fails unless a role may run all the code that reading a relation can reach. */
static void
require_trust(Oid relation, Oid role, const Reached *reached)
{
	ListCell   *cell;

	foreach(cell, reached->code.functions)
	{
		Oid			owner = function_owner(lfirst_oid(cell));

		if (!role_trusts(role, owner))
			refuse_relation(relation, role, psprintf("Function %s belongs to role \"%s\".", format_procedure_qualified(lfirst_oid(cell)),
													 GetUserNameFromId(owner, true)));
	}
	foreach(cell, reached->code.domains)
		if (!role_trusts(role, type_owner(lfirst_oid(cell))))
		refuse_relation(relation, role, psprintf("Domain %s belongs to role \"%s\".", format_type_be_qualified(lfirst_oid(cell)),
												 GetUserNameFromId(type_owner(lfirst_oid(cell)), true)));
	foreach(cell, reached->relations)
	{
		Oid			owner = relation_owner(lfirst_oid(cell));

		if (!role_trusts(role, owner) && !(reached->is_frozen && is_table(lfirst_oid(cell))))
			refuse_relation(relation, role, psprintf("Relation %s belongs to role \"%s\", who could give it an index with any function.",
													 relation_sql_name(lfirst_oid(cell)), GetUserNameFromId(owner, false)));
	}
}

bool
may_select(Oid relation, const List *columns)
{
	ListCell   *cell;

	if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return true;
	foreach(cell, columns)
		if (pg_attribute_aclcheck(relation, lfirst_int(cell), GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		return false;
	return true;
}

void
require_columns_select(Oid relation, const List *columns)
{
	if (!may_select(relation, columns))
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
}

Oid
reading_role(Oid relation, const List *columns)
{
	Reached		reached = {0};
	Oid			caller = GetUserId();
	bool		foreign = false;
	Oid			role;
	ListCell   *cell;

	reach_relation(&reached, relation);
	role = relation_owner(relation);
	if (role_trusts(caller, role))
		role = caller;
	require_trust(relation, role, &reached);
	if (role == caller)
		return caller;
	require_columns_select(relation, columns);

	/*
	 * The owner must not read other rows than the current role: row security
	 * and the user mappings of foreign servers depend on the role.
	 */
	foreach(cell, reached.relations)
		foreign = foreign || get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE;
	if (foreign || reached.as_invoker || check_enable_rls(relation, caller, true) == RLS_ENABLED ||
		check_enable_rls(relation, role, true) == RLS_ENABLED)
		refuse_relation(relation, caller,
						psprintf("It belongs to role \"%s\", for whom %s may show other rows.", GetUserNameFromId(role, false),
								 foreign ? "a foreign server" : reached.as_invoker ? "a view with security_invoker" : "row security"));
	return role;
}

void
require_trusted_relation(Oid relation)
{
	Reached		reached = {0};

	reach_relation(&reached, relation);
	require_trust(relation, GetUserId(), &reached);
}

/* Whether data sets are held to own code, and one was refused since. */
static bool own_code_only;
static bool own_code_is_refused;

void
own_code_begin(void)
{
	own_code_only = true;
	own_code_is_refused = false;
}

void
own_code_end(void)
{
	own_code_only = own_code_is_refused = false;
}

bool
own_code_refused(void)
{
	return own_code_is_refused;
}

void
require_own_code(Oid relation)
{
	Reached		reached = {0};
	Oid			owner;

	/* what is gone is said by whoever reads it */
	if (!own_code_only || !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)))
		return;
	owner = relation_owner(relation);
	if (owner == GetUserId() || (!superuser() && has_privs_of_role(GetUserId(), owner)))
		return;
	own_code_is_refused = true;
	reached.is_frozen = superuser() && !RecoveryInProgress();
	reach_relation(&reached, relation);
	require_trust(relation, GetUserId(), &reached);
	own_code_is_refused = false;
}

void
query_require(const BoundQuery *bound, const List *relations)
{
	ListCell   *cell;

	foreach(cell, bound->relations)
		if (lfirst_oid(cell) >= FirstNormalObjectId && !list_member_oid(relations, lfirst_oid(cell)))
		relation_has_changed(lfirst_oid(cell));
	foreach(cell, bound->code.domains)
		if (!role_trusts(GetUserId(), type_owner(lfirst_oid(cell))))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("domain %s belongs to another role", format_type_be_qualified(lfirst_oid(cell)))));
	foreach(cell, bound->code.functions)
		if (!function_is_trusted(lfirst_oid(cell)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function %s belongs to another role", format_procedure_qualified(lfirst_oid(cell)))));
}

/* ------------------------------------------------------------------- other roles */

ActingAs
act_as(Oid role)
{
	ActingAs	before;

	GetUserIdAndSecContext(&before.user, &before.context);
	before.settings = NewGUCNestLevel();
	if (role != before.user)
		SetUserIdAndSecContext(role, before.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	return before;
}

void
act_end(const ActingAs *before)
{
	AtEOXact_GUC(false, before->settings);
	SetUserIdAndSecContext(before->user, before->context);
}
