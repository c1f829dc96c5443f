/*
 * release_entry.c
 *	  Releases as they were written down: anonopt.published and its contents.
 *
 * A relation is known by its number and row type in the database where it
 * was written down, elsewhere by its id in a comment, and other relations by
 * their names.  What a name leads to is judged by its owner and its rows, not
 * by the entry.
 */
#include "release/release_entry.h"

#include "access/htup_details.h"
#include "base/budget.h"
#include "catalog/own_tables.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "engine/population.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

static const char *const form_names[] = {"table", "materialized view", "live view"};
static const char form_kinds[] = {RELKIND_RELATION, RELKIND_MATVIEW, RELKIND_VIEW};

const char *
release_form_name(ReleaseForm form)
{
	return form_names[form];
}

/* ------------------------------------------------------------------ reading */

/* The row that is read, and the memory for what is taken out of it. */
typedef struct Row
{
	HeapTuple	tuple;
	TupleDesc	desc;
	const char *what;			/* for errors */
} Row;

static void
refuse_entry(const Row *row)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("entry of release %s is not sound", row->what),
			 errhint("Drop the release and publish anew.")));
}

static Datum
field(const Row *row, int column, bool *isnull)
{
	return SPI_getbinval(row->tuple, row->desc, column, isnull);
}

static char *
text_field(const Row *row, int column)
{
	bool		isnull;
	Datum		value = field(row, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static char *
required_text(const Row *row, int column)
{
	char	   *text = text_field(row, column);

	if (text == NULL)
		refuse_entry(row);
	return text;
}

static int64
number_field(const Row *row, int column, int64 least, int64 most)
{
	bool		isnull;
	int64		value = DatumGetInt64(field(row, column, &isnull));

	if (isnull || value < least || value > most)
		refuse_entry(row);
	return value;
}

/* The elements of an array of one dimension without nulls; no element for NULL. */
static Datum *
elements_field(const Row *row, int column, Oid type, int *n)
{
	bool		isnull;
	Datum		value = field(row, column, &isnull);
	ArrayType  *array;
	Datum	   *elements;
	bool	   *nulls;
	int16		length;
	bool		byval;
	char		align;

	*n = 0;
	if (isnull)
		return NULL;
	array = DatumGetArrayTypePCopy(value);
	if (ARR_NDIM(array) > 1 || ARR_ELEMTYPE(array) != type || array_contains_nulls(array))
		refuse_entry(row);
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(array, type, length, byval, align, &elements, &nulls, n);
	return elements;
}

static char **
texts_field(const Row *row, int column, int *n)
{
	Datum	   *elements = elements_field(row, column, TEXTOID, n);
	char	  **texts = palloc(sizeof(char *) * (*n + 1));

	for (int i = 0; i < *n; i++)
		texts[i] = TextDatumGetCString(elements[i]);
	return texts;
}

static int *
integers_field(const Row *row, int column, int *n)
{
	Datum	   *elements = elements_field(row, column, INT4OID, n);
	int		   *integers = palloc(sizeof(int) * (*n + 1));

	for (int i = 0; i < *n; i++)
		integers[i] = DatumGetInt32(elements[i]);
	return integers;
}

static Oid *
oids_field(const Row *row, int column, int *n)
{
	Datum	   *elements = elements_field(row, column, INT8OID, n);
	Oid		   *oids = palloc(sizeof(Oid) * (*n + 1));

	for (int i = 0; i < *n; i++)
	{
		int64		oid = DatumGetInt64(elements[i]);

		oids[i] = oid > 0 && oid <= OID_MAX ? (Oid) oid : InvalidOid;
	}
	return oids;
}

/* A relation by its number here, elsewhere by its name; 0 for none. */
#define RESOLVED(number, name) "COALESCE(CASE WHEN p.made_in = anonopt.this_database() THEN " number \
	" ELSE to_regclass(left(" name ", 300))::oid::int8 END, 0)"

#define RESOLVED_HIERARCHIES "ARRAY(SELECT " RESOLVED("x.h", "x.n") " FROM unnest(p.hierarchies, p.hierarchy_names) WITH ORDINALITY x (h, n, i)" \
	" ORDER BY x.i)"

#define FIND_RELEASE "anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by)"

/* Runs a statement on our catalogs; SPI stays connected, names are PostgreSQL's own until the end. */
typedef struct CatalogReading
{
	MemoryContext context;
	int			names;
} CatalogReading;

static CatalogReading
begin_reading(const char *statement, int nargs, Oid *types, Datum *values)
{
	CatalogReading reading = {CurrentMemoryContext, sql_use_catalog_names()};

	sql_connect();
	read_catalog_rows(statement, nargs, types, values);
	MemoryContextSwitchTo(reading.context);
	return reading;
}

static void
end_reading(const CatalogReading *reading)
{
	sql_finish();
	sql_restore_names(reading->names);
	MemoryContextSwitchTo(reading->context);
}

/* The distributions of sensitive values, from the columns of a row that tells of one. */
static void
read_distribution(const Row *row, const ReleaseEntry *entry, Distribution *distribution)
{
	bool		isnull;
	int64		hierarchy = number_field(row, 3, 0, entry->nhierarchies);
	ArrayType  *values = DatumGetArrayTypePCopy(field(row, 4, &isnull));
	ArrayType  *leaves = DatumGetArrayTypePCopy(field(row, 5, &isnull));
	Datum	   *elements;
	bool	   *nulls;
	Datum	   *people;
	int			n;

	distribution->column = required_text(row, 1);
	distribution->distance = required_text(row, 2);
	distribution->hierarchy = hierarchy == 0 ? InvalidOid : entry->hierarchies[hierarchy - 1];
	deconstruct_array(values, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &distribution->nvalues);
	distribution->values = palloc(sizeof(char *) * (distribution->nvalues + 1));
	for (int i = 0; i < distribution->nvalues; i++)
		distribution->values[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
	deconstruct_array(leaves, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	if (n > 0)
	{
		if (n != distribution->nvalues)
			refuse_entry(row);
		distribution->leaves = palloc(sizeof(char *) * n);
		for (int i = 0; i < n; i++)
			distribution->leaves[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
	}
	if ((strcmp(distribution->distance, distance_name(DISTANCE_HIERARCHICAL)) == 0 && distribution->leaves == NULL) ||
		(distribution->leaves != NULL && !OidIsValid(distribution->hierarchy)))
		refuse_entry(row);
	people = elements_field(row, 6, INT8OID, &n);
	if (n != distribution->nvalues)
		refuse_entry(row);
	distribution->people = palloc(sizeof(int64) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		distribution->people[i] = DatumGetInt64(people[i]);
		if (distribution->people[i] < 0 || distribution->people[i] > INT64CONST(1) << 47)
			refuse_entry(row);
	}
}

static void
read_distributions(ReleaseEntry *entry)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(entry->id)};
	CatalogReading reading;

	reading = begin_reading("SELECT d ->> 'column', d ->> 'distance', (d ->> 'hierarchy')::int8,"
							" ARRAY(SELECT v FROM jsonb_array_elements_text(d -> 'values') WITH ORDINALITY x (v, i) ORDER BY i),"
							" ARRAY(SELECT v FROM jsonb_array_elements_text(d -> 'leaves') WITH ORDINALITY x (v, i) ORDER BY i),"
							" ARRAY(SELECT v::int8 FROM jsonb_array_elements_text(d -> 'people') WITH ORDINALITY x (v, i) ORDER BY i)"
							" FROM anonopt.published p, jsonb_array_elements(p.distributions) WITH ORDINALITY y (d, n)"
							" WHERE p.id = $1::uuid ORDER BY n", 1, types, values);
	entry->ndistributions = (int) SPI_processed;
	entry->distributions = palloc0(sizeof(Distribution) * (entry->ndistributions + 1));
	for (int i = 0; i < entry->ndistributions; i++)
	{
		Row			row = {SPI_tuptable->vals[i], SPI_tuptable->tupdesc, entry->name};

		read_distribution(&row, entry, &entry->distributions[i]);
	}
	end_reading(&reading);
}

/* Where t is promised, each sensitive column that is shown has its distribution. */
static void
require_distributions(const ReleaseEntry *entry)
{
	const Row	row = {NULL, NULL, entry->name};

	for (int i = 0; i < entry->nsensitive && entry->has_t; i++)
	{
		int			d = 0;

		while (d < entry->ndistributions && strcmp(entry->distributions[d].column, entry->sensitive[i]) != 0)
			d++;
		if (d == entry->ndistributions)
			refuse_entry(&row);
	}
}

static ReleaseForm
form_by_name(const Row *row, const char *name)
{
	for (int i = 0; i < lengthof(form_names); i++)
		if (strcmp(form_names[i], name) == 0)
			return (ReleaseForm) i;
	refuse_entry(row);
	return RELEASE_TABLE;
}

static void
read_recoding(const Row *row, ReleaseEntry *entry)
{
	int			labels;

	entry->recoding_name = text_field(row, 20);
	entry->has_recoding = entry->recoding_name != NULL;
	if (!entry->has_recoding)
		return;
	entry->recoding = (Oid) number_field(row, 21, 0, OID_MAX);
	labels = recoding_labels_by_name(required_text(row, 22));
	if (labels < 0)
		refuse_entry(row);
	entry->labels = (RecodingLabels) labels;
}

static ReleaseEntry *
read_entry(const Row *row, Oid relation)
{
	ReleaseEntry *entry = palloc0(sizeof(ReleaseEntry));
	bool		isnull;
	int			n;

	entry->relation = relation;
	entry->id = required_text(row, 1);
	entry->form = form_by_name(row, required_text(row, 2));
	entry->name = required_text(row, 3);
	entry->dataset = required_text(row, 4);
	entry->source = (Oid) number_field(row, 5, 0, OID_MAX);
	entry->levels = integers_field(row, 6, &entry->nlevels);
	entry->cuts = elements_field(row, 7, VARBITOID, &entry->ncuts);
	entry->k = number_field(row, 8, 1, PG_INT32_MAX);
	(void) field(row, 9, &isnull);
	entry->has_l = !isnull;
	if (entry->has_l)
		entry->l = number_field(row, 9, 1, PG_INT32_MAX);
	entry->t = DatumGetFloat8(field(row, 10, &isnull));
	entry->has_t = !isnull;
	entry->columns = texts_field(row, 11, &entry->ncolumns);
	entry->star = strcmp(required_text(row, 12), "star") == 0;
	entry->statement = text_field(row, 13);
	entry->generalized = texts_field(row, 14, &entry->ngeneralized);
	entry->sensitive = texts_field(row, 15, &entry->nsensitive);
	entry->hierarchies = oids_field(row, 16, &entry->nhierarchies);
	entry->hierarchy_names = texts_field(row, 17, &n);
	if (n == entry->nhierarchies)
		entry->digests = texts_field(row, 18, &n);
	entry->measures = required_text(row, 19);
	read_recoding(row, entry);
	if (n != entry->nhierarchies || entry->nhierarchies < entry->ngeneralized || entry->ngeneralized > MAX_ATTRIBUTES ||
		entry->ngeneralized == 0 || (entry->nlevels > 0 && entry->nlevels != entry->ngeneralized) ||
		(entry->ncuts > 0 && entry->ncuts != entry->ngeneralized) ||
		(entry->nlevels > 0) + (entry->ncuts > 0) + entry->has_recoding > 1 ||
		(entry->has_t && !(entry->t >= 0 && entry->t <= 1)))
		refuse_entry(row);
	return entry;
}

ReleaseEntry *
release_entry_find(Oid relation)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	ReleaseEntry *entry = NULL;
	CatalogReading reading;

	reading = begin_reading("SELECT p.id::text, p.form, p.name, p.dataset, " RESOLVED("p.source", "p.source_name") ", p.levels, p.cuts,"
							" p.k, p.l, p.t, p.columns::text[], p.suppressed, p.statement, p.generalized::text[], p.sensitive::text[],"
							" " RESOLVED_HIERARCHIES ", p.hierarchy_names, p.digests, p.measures::text,"
							" p.recoding_name, " RESOLVED("p.recoding", "p.recoding_name") ", p.labels"
							" FROM anonopt.published p WHERE " FIND_RELEASE " = $1 ORDER BY p.published_at DESC LIMIT 1",
							1, types, values);
	if (SPI_processed > 0)
	{
		Row			row = {SPI_tuptable->vals[0], SPI_tuptable->tupdesc, relation_sql_name(relation)};

		entry = read_entry(&row, relation);
	}
	end_reading(&reading);
	if (entry != NULL)
	{
		read_distributions(entry);
		require_distributions(entry);
	}
	return entry;
}

ReleaseEntry *
release_entry_require(Oid relation)
{
	ReleaseEntry *entry;

	if (get_rel_name(relation) == NULL)
		relation_is_missing(relation);
	entry = release_entry_find(relation);
	if (entry == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("relation %s is no release of anonopt", relation_sql_name(relation)),
				 errhint("See anonopt.release.")));
	/* another relation of that name would be no release */
	if (get_rel_relkind(relation) != form_kinds[entry->form])
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("relation %s is no longer what was published", relation_sql_name(relation)),
				 errhint("Drop it and publish anew.")));
	return entry;
}

/* ------------------------------------------------------------------ writing */

static Datum
texts_datum(char *const *texts, int n, Oid type)
{
	Datum	   *elements = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		elements[i] = type == NAMEOID ? name_datum(texts[i]) : CStringGetTextDatum(texts[i]);
	return PointerGetDatum(type == NAMEOID ? construct_array(elements, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR) :
						   construct_array(elements, n, TEXTOID, -1, false, TYPALIGN_INT));
}

static Datum
integers_datum(const int *integers, int n)
{
	Datum	   *elements = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		elements[i] = Int32GetDatum(integers[i]);
	return PointerGetDatum(construct_array(elements, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

static Datum
numbers_datum(const Oid *oids, int n)
{
	Datum	   *elements = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		elements[i] = Int64GetDatum(oids[i]);
	return PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
}

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

/* The distributions as json, a hierarchy by its place among the entry's. */
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

#define ENTRY_VALUES 24

/* What is written of an entry, as the parameters of a statement. */
static void
entry_values(const ReleaseEntry *entry, Oid *types, Datum *values, char *nulls)
{
	const Oid	all_types[ENTRY_VALUES] = {TEXTOID, OIDOID, TEXTOID, TEXTOID, TEXTOID, OIDOID, TEXTOID, INT4ARRAYOID, VARBITARRAYOID,
		INT8OID, INT8OID, FLOAT8OID, NAMEARRAYOID, TEXTOID, TEXTOID, NAMEARRAYOID, NAMEARRAYOID, INT8ARRAYOID, TEXTARRAYOID, TEXTARRAYOID, TEXTOID,
	OIDOID, TEXTOID, TEXTOID};

	memcpy(types, all_types, sizeof(all_types));
	memset(nulls, ' ', ENTRY_VALUES);
	values[0] = CStringGetTextDatum(entry->id);
	values[1] = ObjectIdGetDatum(entry->relation);
	values[2] = CStringGetTextDatum(entry->name);
	values[3] = CStringGetTextDatum(form_names[entry->form]);
	values[4] = CStringGetTextDatum(entry->dataset);
	values[5] = ObjectIdGetDatum(entry->source);
	values[6] = CStringGetTextDatum(relation_sql_name(entry->source));
	nulls[7] = entry->nlevels == 0 ? 'n' : ' ';
	values[7] = integers_datum(entry->levels, entry->nlevels);
	nulls[8] = entry->ncuts == 0 ? 'n' : ' ';
	values[8] = PointerGetDatum(construct_array(entry->cuts, entry->ncuts, VARBITOID, -1, false, TYPALIGN_INT));
	values[9] = Int64GetDatum(entry->k);
	nulls[10] = entry->has_l ? ' ' : 'n';
	values[10] = Int64GetDatum(entry->l);
	nulls[11] = entry->has_t ? ' ' : 'n';
	values[11] = Float8GetDatum(entry->t);
	nulls[12] = entry->ncolumns == 0 ? 'n' : ' ';
	values[12] = texts_datum(entry->columns, entry->ncolumns, NAMEOID);
	values[13] = CStringGetTextDatum(entry->star ? "star" : "omit");
	nulls[14] = entry->statement == NULL ? 'n' : ' ';
	values[14] = entry->statement == NULL ? (Datum) 0 : CStringGetTextDatum(entry->statement);
	values[15] = texts_datum(entry->generalized, entry->ngeneralized, NAMEOID);
	values[16] = texts_datum(entry->sensitive, entry->nsensitive, NAMEOID);
	values[17] = numbers_datum(entry->hierarchies, entry->nhierarchies);
	values[18] = texts_datum(entry->hierarchy_names, entry->nhierarchies, TEXTOID);
	values[19] = texts_datum(entry->digests, entry->nhierarchies, TEXTOID);
	values[20] = CStringGetTextDatum(psprintf("[%s, %s]", entry->measures, distributions_json(entry)));
	nulls[21] = nulls[22] = nulls[23] = entry->has_recoding ? ' ' : 'n';
	values[21] = ObjectIdGetDatum(entry->recoding);
	values[22] = entry->has_recoding ? CStringGetTextDatum(entry->recoding_name) : (Datum) 0;
	values[23] = CStringGetTextDatum(recoding_labels_name(entry->labels));
}

static void
write_entry(const char *statement, const ReleaseEntry *entry)
{
	Oid			types[ENTRY_VALUES + 1];
	Datum		values[ENTRY_VALUES + 1];
	char		nulls[ENTRY_VALUES + 2] = {0};
	int			names = sql_use_catalog_names();

	entry_values(entry, types, values, nulls);
	types[ENTRY_VALUES] = NAMEOID;
	values[ENTRY_VALUES] = name_datum(GetUserNameFromId(GetUserId(), false));
	nulls[ENTRY_VALUES] = ' ';
	if (write_catalog(statement, ENTRY_VALUES + 1, types, values, nulls) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("release %s could not be written down", entry->name)));
	sql_restore_names(names);
}

void
release_entry_insert(const ReleaseEntry *entry)
{
	write_entry("INSERT INTO anonopt.published (id, relation, row_type, made_in, name, form, dataset, source, source_name, levels, cuts,"
				" k, l, t, columns, suppressed, statement, generalized, sensitive, hierarchies, hierarchy_names, digests, measures,"
				" distributions, recoding, recoding_name, labels, published_by, published_at)"
				" SELECT $1::uuid, $2::int8, c.reltype::int8, anonopt.this_database(), $3, $4, $5, $6::int8, $7, $8, $9, $10, $11, $12, $13, $14,"
				" $15, $16, $17, $18, $19, $20, $21::jsonb -> 0, $21::jsonb -> 1, $22::int8, $23, $24, $25, clock_timestamp()"
				" FROM pg_class c WHERE c.oid = $2", entry);
}

void
release_entry_update(const ReleaseEntry *entry)
{
	write_entry("UPDATE anonopt.published p SET relation = $2::int8, row_type = c.reltype::int8, made_in = anonopt.this_database(), name = $3,"
				" source = $6::int8, source_name = $7, statement = $15, hierarchies = $18, hierarchy_names = $19, digests = $20,"
				" measures = $21::jsonb -> 0, distributions = $21::jsonb -> 1, recoding = $22::int8, recoding_name = $23, published_by = $25, published_at = clock_timestamp()"
				" FROM pg_class c WHERE c.oid = $2 AND p.id = $1::uuid"
				" AND $4 = p.form AND $5 = p.dataset AND $8 IS NOT DISTINCT FROM p.levels AND $9 IS NOT DISTINCT FROM p.cuts AND $10 = p.k"
				" AND $11 IS NOT DISTINCT FROM p.l AND $12 IS NOT DISTINCT FROM p.t AND $13 IS NOT DISTINCT FROM p.columns AND $14 = p.suppressed"
				" AND $16 = p.generalized AND $17 = p.sensitive AND $24 IS NOT DISTINCT FROM p.labels", entry);
}

/* ----------------------------------------------------------------- contents */

/* Rows of a content that are written as one part. */
#define PART_ROWS 500000

static Datum
labels_datum(const Content *content)
{
	int			n = 0;
	int			at = 0;
	Datum	   *elements;
	bool	   *nulls;
	int			bounds[1] = {1};

	for (int a = 0; a < content->nattrs; a++)
		n += content->nlabels[a];
	elements = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * ((Size) n + 1));
	nulls = MemoryContextAllocHuge(CurrentMemoryContext, (Size) n + 1);
	for (int a = 0; a < content->nattrs; a++)
		for (uint32 code = 0; code < content->nlabels[a]; code++)
		{
			nulls[at] = content->labels[a][code] == NULL;
			elements[at] = nulls[at] ? (Datum) 0 : CStringGetTextDatum(content->labels[a][code]);
			at++;
		}
	return PointerGetDatum(construct_md_array(elements, nulls, 1, &n, bounds, TEXTOID, -1, false, TYPALIGN_INT));
}

void
release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference)
{
	Oid			types[8] = {TEXTOID, INT4OID, NAMEARRAYOID, TEXTARRAYOID, INT4ARRAYOID, BYTEAOID, INT8OID, BYTEAOID};
	Datum		values[8];
	char		nulls[9] = "        ";
	int			names = sql_use_catalog_names();
	uint32		n = content->rows->nkeys;
	int			part = 0;

	values[0] = CStringGetTextDatum(entry->id);
	values[2] = texts_datum(content->values, content->nvalues, NAMEOID);
	values[3] = labels_datum(content);
	values[4] = integers_datum((const int *) content->nlabels, content->nattrs);
	nulls[6] = difference < 0 ? 'n' : ' ';
	values[6] = Int64GetDatum(difference);
	nulls[7] = content->tuples == NULL ? 'n' : ' ';
	values[7] = content->tuples == NULL ? (Datum) 0 : PointerGetDatum(content_pack_tuples(content));
	for (uint32 first = 0; first < n || part == 0; first += PART_ROWS)
	{
		bytea	   *bytes = content_pack(content, first, Min(n - first, PART_ROWS));

		values[1] = Int32GetDatum(part);
		values[5] = PointerGetDatum(bytes);
		write_catalog("INSERT INTO anonopt.published_content (id, version, part, made_at, told, labels, nlabels, rows, difference, tuples)"
					  " SELECT $1::uuid, (SELECT COALESCE(max(o.version) + CASE WHEN $2 = 0 THEN 1 ELSE 0 END, 0)"
					  " FROM anonopt.published_content o WHERE o.id = $1::uuid), $2, clock_timestamp(), $3, $4, $5, $6, $7, $8", 8, types, values, nulls);
		pfree(bytes);
		part++;
		nulls[2] = nulls[3] = nulls[4] = nulls[6] = nulls[7] = 'n';
	}
	sql_restore_names(names);
}

static void
read_known(const Row *row, KnownContent *known)
{
	int			n;
	bool		isnull;

	known->id = required_text(row, 1);
	known->version = DatumGetInt32(field(row, 2, &isnull));
	if (isnull)
		known->version = -1;
	known->relation = (Oid) number_field(row, 3, 0, OID_MAX);
	known->name = required_text(row, 4);
	known->dataset = required_text(row, 5);
	known->k = number_field(row, 6, 1, PG_INT32_MAX);
	known->levels = integers_field(row, 7, &known->nlevels);
	known->cuts = elements_field(row, 8, VARBITOID, &known->ncuts);
	known->generalized = texts_field(row, 9, &known->nattrs);
	known->hierarchies = oids_field(row, 10, &n);
	known->difference = DatumGetInt64(field(row, 11, &isnull));
	if (isnull || known->difference < 0)
		known->difference = -1;
	known->recoding = text_field(row, 12);
	known->labels = text_field(row, 13);
	if (known->nattrs == 0 || known->nattrs > MAX_ATTRIBUTES || n < known->nattrs ||
		(known->nlevels > 0 && known->nlevels != known->nattrs) || (known->ncuts > 0 && known->ncuts != known->nattrs))
		refuse_entry(row);
}

KnownContent *
known_contents(Oid source, int *n)
{
	Oid			types[1] = {INT8OID};
	Datum		values[1] = {Int64GetDatum(source)};
	KnownContent *contents;
	CatalogReading reading;

	reading = begin_reading("SELECT p.id::text, c.version, COALESCE(" FIND_RELEASE "::int8, p.relation), p.name, p.dataset, p.k, p.levels, p.cuts,"
							" p.generalized::text[], " RESOLVED_HIERARCHIES ", c.difference, p.recoding_name, p.labels"
							" FROM anonopt.published p LEFT JOIN anonopt.published_content c ON c.id = p.id AND c.part = 0"
							" WHERE " RESOLVED("p.source", "p.source_name") " = $1 ORDER BY COALESCE(c.made_at, p.published_at), p.id",
							1, types, values);
	*n = (int) SPI_processed;
	contents = palloc0(sizeof(KnownContent) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		Row			row = {SPI_tuptable->vals[i], SPI_tuptable->tupdesc, "of earlier times"};

		read_known(&row, &contents[i]);
	}
	end_reading(&reading);
	return contents;
}

/* The labels of a content, from those of all attributes in a row. */
static bool
take_labels(Content *content, const Row *row)
{
	bool		isnull;
	Datum		value = field(row, 2, &isnull);
	Datum	   *elements = NULL;
	bool	   *nulls = NULL;
	int			nlabels = 0;
	int			nattrs;
	int		   *counts = integers_field(row, 3, &nattrs);
	int			at = 0;

	if (isnull || nattrs != content->nattrs)
		return false;
	deconstruct_array(DatumGetArrayTypePCopy(value), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &nlabels);
	for (int a = 0; a < nattrs; a++)
	{
		if (counts[a] < 0 || counts[a] > nlabels - at)
			return false;
		content->nlabels[a] = counts[a];
		content->labels[a] = palloc(sizeof(char *) * ((Size) counts[a] + 1));
		for (int i = 0; i < counts[a]; i++, at++)
			content->labels[a][i] = nulls[at] ? NULL : TextDatumGetCString(elements[at]);
	}
	return true;
}

/* The tuples of a recoding's content, if it is one. */
static bool
take_tuples(Content *content, const Row *row)
{
	bool		isnull;
	Datum		bytes = field(row, 5, &isnull);

	return isnull || content_unpack_tuples(content, DatumGetByteaPP(bytes));
}

Content *
known_content_load(const KnownContent *known, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Oid			types[2] = {TEXTOID, INT4OID};
	Datum		values[2] = {CStringGetTextDatum(known->id), Int32GetDatum(known->version)};
	Content    *content = NULL;
	CatalogReading reading;

	reading = begin_reading("SELECT c.told::text[], c.labels, c.nlabels, c.rows, c.tuples FROM anonopt.published_content c"
							" WHERE c.id = $1::uuid AND c.version = $2 ORDER BY c.part", 2, types, values);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Row			row = {SPI_tuptable->vals[i], SPI_tuptable->tupdesc, known->name};
		bool		isnull;
		Datum		bytes = field(&row, 4, &isnull);

		if (i == 0)
		{
			int			nvalues;
			char	  **told = texts_field(&row, 1, &nvalues);

			content = content_create(context, known->nattrs, nvalues, 1024);
			content->attrs = known->generalized;
			content->values = told;
			if (!take_labels(content, &row) || !take_tuples(content, &row))
				refuse_entry(&row);
		}
		if (isnull || !content_unpack(content, DatumGetByteaPP(bytes)))
			refuse_entry(&row);
	}
	end_reading(&reading);
	MemoryContextSwitchTo(old);
	return content;
}
