/*
 * copied_relation.h
 *	  Rows of a relation that the current role must not read itself.
 */
#ifndef ANONOPT_COPIED_RELATION_H
#define ANONOPT_COPIED_RELATION_H

#include "base/compat.h"

#include "nodes/parsenodes.h"
#include "utils/queryenvironment.h"

/*
 * The rows of a relation, read as its owner, as a relation with the same
 * columns that a statement may name; only those listed by number are filled.
 * NULL if the current role may read the relation itself: see reading_role.
 */
extern EphemeralNamedRelation copied_relation(Oid relation, const List *columns, const char *name);

#endif
