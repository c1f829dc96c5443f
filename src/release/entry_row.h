/*
 * entry_row.h
 *	  Rows of anonopt.published and anonopt.published_content.
 *
 * The owner of the database may write these tables, so everything read from
 * them is checked as if a stranger had typed it.
 */
#ifndef ANONOPT_ENTRY_ROW_H
#define ANONOPT_ENTRY_ROW_H

#include "catalog/own_objects.h"
#include "release/release_entry.h"

/* A row that is read; its columns are counted from 1. */
typedef struct EntryRow
{
	const QueryRows *rows;
	int			number;
	const char *what;			/* for errors */
} EntryRow;

pg_noreturn extern void refuse_entry(const EntryRow *row);

/*
 * Columns of a row.  A NULL array counts as empty; arrays with
 * several dimensions are refused, and those with NULLs unless they may be.
 */
extern Datum row_field(const EntryRow *row, int column, bool *isnull);
extern char *text_field(const EntryRow *row, int column);
extern char *required_text(const EntryRow *row, int column);
extern int64 number_field(const EntryRow *row, int column, int64 least, int64 most);
extern Datum *elements_field(const EntryRow *row, int column, Oid type, int *n);
extern char **texts_field(const EntryRow *row, int column, int *n);
extern char **nullable_texts_field(const EntryRow *row, int column, int *n);
extern int *integers_field(const EntryRow *row, int column, int *n);
extern Oid *oids_field(const EntryRow *row, int column, int *n);

/*
 * The generalization in six columns from first on, and the columns of a
 * statement about anonopt.published p.
 */
extern Generalization generalization_field(const EntryRow *row, int first, int nattrs);

#define GENERALIZATION_COLUMNS "p.levels, p.cuts, p.recoding_name, " RESOLVED("p.recoding", "p.recoding_name") ", p.labels, p.cut_labels"
#define GENERALIZATION_TYPES INT4ARRAYOID, VARBITARRAYOID, TEXTOID, INT8OID, TEXTOID, TEXTARRAYOID

/*
 * A relation, identified by its OID in this database and by its name in any
 * other; 0 if there is none.
 */
#define RESOLVED(number, name) "COALESCE(CASE WHEN p.made_in = anonopt.this_database() THEN " number \
	" ELSE to_regclass(left(" name ", 300))::oid::int8 END, 0)"

#define RESOLVED_HIERARCHIES "ARRAY(SELECT " RESOLVED("x.h", "x.n") " FROM unnest(p.hierarchies, p.hierarchy_names) WITH ORDINALITY x (h, n, i)" \
	" ORDER BY x.i)"

/* The relation of an entry, or NULL. */
#define FIND_RELEASE "anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by)"

#endif
