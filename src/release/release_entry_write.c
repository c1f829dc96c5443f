/*
 * release_entry_write.c
 *	  Writes entries of releases.
 */
#include "release/release_entry.h"

#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"

static void
append_json_texts(StringInfo json, const char *name, char *const *texts, int n)
{
	appendStringInfo(json, ", \"%s\": [", name);
	for (int i = 0; i < n; i++)
	{
		appendStringInfoString(json, i > 0 ? ", " : "");
		if (texts[i] == NULL)
			appendStringInfoString(json, "null");
		else
			escape_json(json, texts[i]);
	}
	appendStringInfoChar(json, ']');
}

/*
 * The distributions as json, with a hierarchy given by its position among the
 * entry's.
 */
static char *
distributions_json(const ReleaseEntry *entry)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '[');
	for (int i = 0; i < entry->ndistributions; i++)
	{
		const Distribution *distribution = &entry->distributions[i];
		int			hierarchy = 0;

		for (int h = 0; h < entry->nhierarchies && OidIsValid(distribution->hierarchy); h++)
			if (entry->hierarchies[h] == distribution->hierarchy)
				hierarchy = h + 1;
		appendStringInfoString(&json, i > 0 ? ", {\"column\": " : "{\"column\": ");
		escape_json(&json, distribution->column);
		appendStringInfo(&json, ", \"distance\": \"%s\", \"hierarchy\": %d", distribution->distance, hierarchy);
		append_json_texts(&json, "values", distribution->values, distribution->nvalues);
		append_json_texts(&json, "leaves", distribution->leaves, distribution->leaves == NULL ? 0 : distribution->nvalues);
		appendStringInfoString(&json, ", \"people\": [");
		for (int v = 0; v < distribution->nvalues; v++)
			appendStringInfo(&json, "%s" INT64_FORMAT, v > 0 ? ", " : "", distribution->people[v]);
		appendStringInfoString(&json, "]}");
	}
	appendStringInfoChar(&json, ']');
	return json.data;
}

/* The time at which rows were written; a live view has none. */
#define FILLED_NOW(form) "CASE WHEN " form " <> 'live view' THEN clock_timestamp() END"

#define ENTRY_VALUES 27

/* The values of a generalization, of which there is only one. */
static void
set_generalization(const Generalization *by, int nattrs, Datum *values, char *nulls)
{
	switch (by->kind)
	{
		case BY_RECORDS:
			break;
		case BY_LEVELS:
			nulls[7] = ' ';
			values[7] = integers_datum(by->levels, nattrs);
			break;
		case BY_CUTS:
			nulls[8] = nulls[14] = ' ';
			values[14] = texts_datum((const char *const *) by->cuts.labels, by->cuts.nlabels);
			values[8] = PointerGetDatum(construct_array(by->cuts.bits, nattrs, VARBITOID, -1, false, TYPALIGN_INT));
			break;
		case BY_RECODING:
			nulls[21] = nulls[22] = nulls[23] = ' ';
			values[21] = ObjectIdGetDatum(by->recoding.table);
			values[22] = CStringGetTextDatum(by->recoding.name);
			values[23] = CStringGetTextDatum(recoding_labels_name(by->recoding.labels));
			break;
	}
}

/* The values of an entry, as the parameters of a statement. */
static void
entry_values(const ReleaseEntry *entry, Oid *types, Datum *values, char *nulls)
{
	const Oid	all_types[ENTRY_VALUES] = {TEXTOID, OIDOID, TEXTOID, TEXTOID, TEXTOID, OIDOID, TEXTOID, INT4ARRAYOID, VARBITARRAYOID,
		INT8OID, INT8OID, FLOAT8OID, NAMEARRAYOID, TEXTOID, TEXTARRAYOID, NAMEARRAYOID, NAMEARRAYOID, INT8ARRAYOID, TEXTARRAYOID, BYTEAARRAYOID, TEXTOID,
	OIDOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};

	memcpy(types, all_types, sizeof(all_types));
	memset(nulls, ' ', ENTRY_VALUES);
	values[0] = CStringGetTextDatum(entry->id);
	values[1] = ObjectIdGetDatum(entry->relation);
	values[2] = CStringGetTextDatum(entry->name);
	values[3] = CStringGetTextDatum(release_form_name(entry->form));
	values[4] = CStringGetTextDatum(entry->dataset);
	values[5] = ObjectIdGetDatum(entry->source);
	values[6] = CStringGetTextDatum(relation_sql_name(entry->source));
	nulls[7] = nulls[8] = nulls[14] = nulls[21] = nulls[22] = nulls[23] = 'n';
	set_generalization(&entry->by, entry->ngeneralized, values, nulls);
	values[9] = Int64GetDatum(entry->k);
	nulls[10] = entry->has_l ? ' ' : 'n';
	values[10] = Int64GetDatum(entry->l);
	nulls[11] = entry->has_t ? ' ' : 'n';
	values[11] = Float8GetDatum(entry->t);
	nulls[12] = entry->ncolumns == 0 ? 'n' : ' ';
	values[12] = names_datum(entry->columns, entry->ncolumns);
	values[13] = CStringGetTextDatum(entry->star ? "star" : "omit");
	values[15] = names_datum(entry->generalized, entry->ngeneralized);
	values[16] = names_datum(entry->sensitive, entry->nsensitive);
	values[17] = numbers_datum(entry->hierarchies, entry->nhierarchies);
	values[18] = texts_datum((const char *const *) entry->hierarchy_names, entry->nhierarchies);
	values[19] = PointerGetDatum(construct_array(entry->digests, entry->nhierarchies, BYTEAOID, -1, false, TYPALIGN_INT));
	values[20] = CStringGetTextDatum(entry->measures);
	values[24] = CStringGetTextDatum(distributions_json(entry));
	values[25] = CStringGetTextDatum(entry->promises_json);
	values[26] = CStringGetTextDatum(entry->covers_json);
}

static void
write_entry(const char *statement, const ReleaseEntry *entry)
{
	Oid			types[ENTRY_VALUES + 1];
	Datum		values[ENTRY_VALUES + 1];
	char		nulls[ENTRY_VALUES + 2] = {0};

	entry_values(entry, types, values, nulls);
	types[ENTRY_VALUES] = NAMEOID;
	values[ENTRY_VALUES] = name_datum(GetUserNameFromId(GetUserId(), false));
	nulls[ENTRY_VALUES] = ' ';
	if (write_catalog(statement, ENTRY_VALUES + 1, types, values, nulls) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not write the entry of release %s", entry->name)));
}

void
release_entry_insert(const ReleaseEntry *entry)
{
	write_entry("INSERT INTO anonopt.published (id, relation, row_type, made_in, name, form, dataset, source, source_name, levels, cuts,"
				" k, l, t, columns, suppressed, generalized, sensitive, hierarchies, hierarchy_names, digests, measures,"
				" distributions, promises, covers, recoding, recoding_name, labels, cut_labels, published_by, published_at, filled_at)"
				" SELECT $1::uuid, $2::int8, c.reltype::int8, anonopt.this_database(), $3, $4, $5, $6::int8, $7, $8, $9, $10, $11, $12, $13, $14,"
				" $16, $17, $18, $19, $20, $21::jsonb, $25::jsonb, $26::jsonb, NULLIF($27::jsonb, 'null'), $22::int8, $23, $24, $15, $28, clock_timestamp(), " FILLED_NOW("$4")
				" FROM pg_class c WHERE c.oid = $2", entry);
}

void
release_entry_replace(const ReleaseEntry *entry)
{
	write_entry("UPDATE anonopt.published p SET relation = $2::int8, row_type = c.reltype::int8, made_in = anonopt.this_database(), name = $3,"
				" source = $6::int8, source_name = $7, levels = $8, cuts = $9, k = $10, l = $11, t = $12, "
				" sensitive = $17, hierarchies = $18, hierarchy_names = $19, digests = $20, measures = $21::jsonb,"
				" distributions = $25::jsonb, promises = $26::jsonb, covers = NULLIF($27::jsonb, 'null'), recoding = $22::int8, recoding_name = $23, labels = $24, cut_labels = $15, published_by = $28,"
				" published_at = clock_timestamp(), filled_at = " FILLED_NOW("p.form")
				" FROM pg_class c WHERE c.oid = $2 AND p.id = $1::uuid AND $4 = p.form AND $5 = p.dataset"
				" AND $13 IS NOT DISTINCT FROM p.columns AND $14 = p.suppressed AND $16 = p.generalized", entry);
}

void
release_entry_update(const ReleaseEntry *entry, bool same_rows)
{
	write_entry(psprintf("UPDATE anonopt.published p SET relation = $2::int8, row_type = c.reltype::int8, made_in = anonopt.this_database(), name = $3,"
						 " source = $6::int8, source_name = $7, cuts = $9, cut_labels = $15, hierarchies = $18, hierarchy_names = $19, digests = $20,"
						 " measures = $21::jsonb, distributions = $25::jsonb, promises = $26::jsonb, covers = NULLIF($27::jsonb, 'null'), k = $10, l = $11, t = $12, recoding = $22::int8, recoding_name = $23, filled_at = " FILLED_NOW("p.form") "%s"
						 " FROM pg_class c WHERE c.oid = $2 AND p.id = $1::uuid"
						 " AND $4 = p.form AND $5 = p.dataset AND $8 IS NOT DISTINCT FROM p.levels AND ($9 IS NULL) = (p.cuts IS NULL)"
						 " AND $10 >= p.k AND COALESCE($11 >= p.l, p.l IS NULL) AND COALESCE($12 <= p.t, p.t IS NULL) AND $13 IS NOT DISTINCT FROM p.columns AND $14 = p.suppressed"
						 " AND $16 = p.generalized AND $17 = p.sensitive AND $24 IS NOT DISTINCT FROM p.labels AND $28 IS NOT NULL",
						 same_rows ? "" : ", published_by = $28, published_at = clock_timestamp()"), entry);
}
