/*
 * entry_row.h
 *	  Rows of the tables in which releases are recorded, as structs.
 *
 * A list of fields says which column is which member.  Rows are read, checked
 * and written by it.  The owner of the database may write these tables, so
 * everything read from them is checked as if a stranger had typed it.
 */
#ifndef ANONOPT_ENTRY_ROW_H
#define ANONOPT_ENTRY_ROW_H

#include "catalog/own_objects.h"

typedef enum FieldKind
{
	FIELD_ID,					/* char *, of a uuid */
	FIELD_TEXT,					/* char *, NULL for null */
	FIELD_NAME,					/* the same, of a name, and */
	FIELD_JSON,					/* of jsonb */
	FIELD_WORD,					/* an enumeration, by its words; their number
								 * for null */
	FIELD_FLAG,					/* bool, by two words */
	FIELD_COUNT,				/* int64 */
	FIELD_FIGURE,				/* double */
	FIELD_TIME,					/* TimestampTz */
	FIELD_RELATION,				/* Oid; InvalidOid for null */
	FIELD_BYTES,				/* bytea * */
	FIELD_TEXTS,				/* char **, and so are */
	FIELD_NAMES,
	FIELD_INTEGERS,				/* int * */
	FIELD_COUNTS,				/* int64 * */
	FIELD_RELATIONS,			/* Oid *; InvalidOid for those that are gone */
	FIELD_CUTS,					/* Datum *, bit strings */
	FIELD_DIGESTS				/* Datum *, bytea */
} FieldKind;

#define FIELD_REQUIRED 0x01		/* not null */
#define FIELD_NULLS 0x02		/* elements may be null */
#define FIELD_OPTIONAL 0x04		/* an empty array is written as null */
#define FIELD_FIXED 0x08		/* an update must not change it */
#define FIELD_KEPT 0x10			/* nor must a refresh */
#define FIELD_UNWRITTEN 0x20	/* it is only read */

typedef struct EntryField
{
	const char *column;
	FieldKind	kind;
	int			flags;
	Size		at;				/* of the member */
	Size		given;			/* of another: the number of elements (int),
								 * or whether it is not null (bool); 0 for
								 * none */
	int64		least;			/* of a count */
	int64		most;
	const char *const *words;
	int			nwords;
	const char *read;			/* the expression, if it is not the column */
	const char *refresh;		/* a condition under which a refresh may write
								 * a value: %s */
} EntryField;

/* The beginning of a field's initializer. */
#define COLUMN(name, of_kind, of_flags, place) .column = name,.kind = of_kind,.flags = of_flags,.at = place

/* The words of a field. */
#define WORDS(list) .words = list,.nwords = lengthof(list)

/* Fails: what is recorded of a release is not sound. */
pg_noreturn extern void refuse_entry(const char *release);

/*
 * Rows with some fields; the rest of the statement names the tables, and one
 * parameter.
 */
extern QueryRows *entry_rows(const EntryField *fields, int nfields, const char *rest, Oid type, Datum value);

/* Reads a row of them into a struct. */
extern void entry_read(const QueryRows *rows, int row, const char *release, const EntryField *fields,
					   int nfields, void *into);

/*
 * Writes a struct as a row of a table of ours, with further columns, whose
 * values are expressions.
 */
extern void entry_insert(const char *table, const EntryField *fields, int nfields, const void *from,
						 const char *columns, const char *values);

/*
 * Updates rows of a table p; further assignments and the rest of the statement
 * are given, and the latter ends in a condition.  Returns the number of rows.
 */
extern uint64 entry_update(const char *table, const EntryField *fields, int nfields, const void *from,
						   bool refreshes,
						   const char *assignments, const char *rest);

/*
 * A relation, identified by its OID in the database of entry p and by its name
 * in any other; 0 if there is none.
 */
#define RESOLVED(number, name) "COALESCE(CASE WHEN p.made_in = anonopt.this_database() THEN " number \
	" ELSE to_regclass(left(" name ", 300))::oid::int8 END, 0)"

/* What an entry promises of k to whoever knows all columns, the most that its contents can tell together. */
#define PROMISED_K \
	"(SELECT max(x.threshold) FROM anonopt.published_promise x WHERE x.id = p.id AND x.model = 'k'" \
	" AND COALESCE(x.columns_known, cardinality(p.generalized)) >= cardinality(p.generalized))"

/* The relation of an entry, or NULL. */
#define FIND_RELEASE "anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by)"

#endif
