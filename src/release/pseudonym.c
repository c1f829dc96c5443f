/*
 * pseudonym.c
 *	  Keys shown as keyed hashes, HMAC-SHA-256 of a value's text; and what
 *	  releases with the same ones together reveal about each person.
 *
 * Without the secret, nobody can find the value of a pseudonym by trying all
 * values, as is possible with a plain hash.  The secret is stored in a table
 * that only the extension's owner may read, is never put into a statement, and
 * is not dumped.  Therefore only tables, which this process writes, can have
 * pseudonyms; a view would have to disclose the secret to its readers.
 *
 * Rows with the same pseudonym belong to one person.  So anyone with several
 * releases whose pseudonyms use the same secret, of any data sets, or with one
 * release in which people have several rows, knows all classes that show a
 * person.  For each content we store, by pseudonym, a digest of these classes;
 * people whose digests agree in all contents cannot be distinguished.
 */
#include "release/pseudonym.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/key_counter.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "release/entry_row.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static void
hash(pg_hmac_ctx * hmac, const uint8 * key, Size key_length, const uint8 * bytes, Size n, uint8 * result)
{
	if (pg_hmac_init(hmac, key, key_length) < 0 || pg_hmac_update(hmac, bytes, n) < 0 ||
		pg_hmac_final(hmac, result, PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a keyed hash");
}

/* The declared secret; NULL if there is none, which means a new one each time. */
static bytea *
declared_secret(const Dataset *dataset, const char *column)
{
	const Oid	type = BYTEAOID;
	QueryRows  *rows = read_catalog("SELECT secret FROM anonopt.pseudonym_secret WHERE dataset = $1"
									" AND column_name = $2",
									add_name(add_text(NULL, dataset->name), column), 1, &type);
	bool		isnull;
	Datum		secret;

	if (rows->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("secret of column \"%s\" of data set \"%s\" is missing", column, dataset->name),
				 errdetail("Secrets are not dumped."),
				 errhint("Call anonopt.set_pseudonym again.")));
	secret = row_value(rows, 0, 0, &isnull);
	return isnull ? NULL : DatumGetByteaPP(secret);
}

Pseudonym *
pseudonym_begin(const Dataset *dataset, const char *column, Oid type, int spooled)
{
	Pseudonym  *pseudonym = palloc0(sizeof(Pseudonym));
	bytea	   *secret = declared_secret(dataset, column);
	uint8		name[PG_SHA256_DIGEST_LENGTH];
	Oid			output;
	bool		varlena;

	pseudonym->column = column;
	pseudonym->spooled = spooled;
	pseudonym->declared = secret != NULL;
	pseudonym->key_length = secret != NULL ? VARSIZE_ANY_EXHDR(secret) : PG_SHA256_DIGEST_LENGTH;
	pseudonym->key = palloc(pseudonym->key_length + 1);
	if (secret != NULL)
		memcpy(pseudonym->key, VARDATA_ANY(secret), pseudonym->key_length);
	else
		strong_random(pseudonym->key, pseudonym->key_length);
	pseudonym->hmac = pg_hmac_create(PG_SHA256);
	if (pseudonym->hmac == NULL)
		elog(ERROR, "could not compute a keyed hash");

	/*
	 * no value's text begins with a zero byte, so this is never a value's
	 * pseudonym
	 */
	hash(pseudonym->hmac, pseudonym->key, pseudonym->key_length, (const uint8 *) "\0anonopt secret", 15,
		 name);
	pseudonym->secret_name = palloc(VARHDRSZ + SECRET_NAME_BYTES);
	SET_VARSIZE(pseudonym->secret_name, VARHDRSZ + SECRET_NAME_BYTES);
	memcpy(VARDATA(pseudonym->secret_name), name, SECRET_NAME_BYTES);
	getTypeOutputInfo(type, &output, &varlena);
	fmgr_info(output, &pseudonym->output);
	return pseudonym;
}

void
pseudonym_end(Pseudonym *pseudonym)
{
	pg_hmac_free(pseudonym->hmac);
	explicit_bzero(pseudonym->key, pseudonym->key_length);
}

/* A value's pseudonym. */
static void
pseudonym_of(Pseudonym *pseudonym, Datum value, uint8 * result)
{
	char	   *text = OutputFunctionCall(&pseudonym->output, value);
	uint8		whole[PG_SHA256_DIGEST_LENGTH];

	hash(pseudonym->hmac, pseudonym->key, pseudonym->key_length, (const uint8 *) text, strlen(text), whole);
	memcpy(result, whole, PSEUDONYM_BYTES);
	pfree(text);
}

Datum
pseudonym_text(Pseudonym *pseudonym, Datum value)
{
	uint8		bytes[PSEUDONYM_BYTES];
	char		digits[2 * PSEUDONYM_BYTES + 1];

	pseudonym_of(pseudonym, value, bytes);
	for (int i = 0; i < PSEUDONYM_BYTES; i++)
		snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
	return CStringGetTextDatum(digits);
}

/* ----------------------------------------- the people whom pseudonyms link */

/* While the people of a release that is about to be shown are collected. */
typedef struct PeopleCollector
{
	const Release *release;
	Pseudonym  *pseudonym;
} PeopleCollector;

static void
collect_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	PeopleCollector *collector = arg;
	Pseudonym  *pseudonym = collector->pseudonym;
	uint32		class = collector->release->classes->class_of[collector->release->spool.tuple_of[group]];
	uint8		bytes[PSEUDONYM_BYTES];
	const unsigned char *at = bytes;
	uint32		number;

	if (class == NO_CLASS || nulls[pseudonym->spooled])
		return;
	pseudonym_of(pseudonym, values[pseudonym->spooled], bytes);
	*key_counter_candidate(pseudonym->persons) = take_number(&at, sizeof(uint64));
	number = key_counter_add(pseudonym->persons, 0);
	/* a sum, because rows have no order */
	pseudonym->persons->counts[number] =
		(int64) ((uint64) pseudonym->persons->counts[number] + word_hash((uint64) class + 1));
}

/* ------------------------------------------------------- what was written down */

/* A content with pseudonyms. */
typedef struct KnownLink
{
	char	   *id;
	int64		version;
	char	   *name;
	int64		k;
	Oid			relation;
	bytea	   *secret_name;
} KnownLink;

/* A part of its people. */
typedef struct LinkPart
{
	char	   *column;
	bytea	   *secret_name;
	bytea	   *people;
} LinkPart;

/* Members of a content's row, and of a part's. */
static const EntryField link_fields[] = {
	{COLUMN("id", FIELD_ID, FIELD_REQUIRED, offsetof(KnownLink, id))},
	{COLUMN("version", FIELD_COUNT, FIELD_REQUIRED,
			offsetof(KnownLink, version)),.most = PG_INT32_MAX,.read = "l.version"},
	{COLUMN("name", FIELD_TEXT, FIELD_REQUIRED, offsetof(KnownLink, name))},
	{COLUMN("k", FIELD_COUNT, FIELD_REQUIRED,
			offsetof(KnownLink, k)),.least = 1,.most = PG_INT32_MAX,.read = PROMISED_K},
	{COLUMN("relation", FIELD_RELATION, FIELD_REQUIRED,
			offsetof(KnownLink, relation)),.read = "COALESCE(" FIND_RELEASE "::int8, p.relation)"},
	{COLUMN("secret_name", FIELD_BYTES, FIELD_REQUIRED,
			offsetof(KnownLink, secret_name)),.read = "l.secret_name"}
};

static const EntryField people_fields[] = {
	{COLUMN("column_name", FIELD_NAME, FIELD_REQUIRED, offsetof(LinkPart, column))},
	{COLUMN("secret_name", FIELD_BYTES, FIELD_REQUIRED, offsetof(LinkPart, secret_name))},
	{COLUMN("people", FIELD_BYTES, FIELD_REQUIRED, offsetof(LinkPart, people))}
};

static KnownLink *
read_links(const char *condition, Oid type, Datum value, int *n)
{
	QueryRows  *rows = entry_rows(link_fields, lengthof(link_fields),
								  psprintf("anonopt.published_link l JOIN anonopt.published p ON p.id = l.id"
										   " WHERE l.part = 0 AND octet_length(l.people) > 0 AND %s"
										   " ORDER BY p.published_at, l.id, l.version", condition),
								  type, value);
	KnownLink  *links;

	*n = rows->n;
	links = palloc(sizeof(KnownLink) * (*n + 1));
	for (int i = 0; i < *n; i++)
		entry_read(rows, i, "of earlier times", link_fields, lengthof(link_fields), &links[i]);
	return links;
}

/* The people of a content. */
static KeyCounter *
load_link(const KnownLink *link)
{
	KeyCounter *persons = key_counter_create(CurrentMemoryContext, 1, 1024);
	QueryRows  *rows = entry_rows(people_fields, lengthof(people_fields),
								  psprintf("anonopt.published_link p WHERE p.id = '%s' AND p.version = "
										   INT64_FORMAT " AND p.secret_name = $1 ORDER BY p.part",
										   link->id, link->version), BYTEAOID,
								  PointerGetDatum(link->secret_name));

	for (int i = 0; i < rows->n; i++)
	{
		LinkPart	part;

		entry_read(rows, i, link->name, people_fields, lengthof(people_fields), &part);
		if (!keys_unpack(persons, -1, sizeof(int64), part.people))
			refuse_entry(link->name);
	}
	return persons;
}

/* -------------------------------------------------------------------- groups */

/*
 * Groups the people of such contents, and of one that is not stored yet, if
 * given, by those indistinguishable in all of them.
 */
static LinkedGroups *
group_people(const KnownLink *links, int n, const KeyCounter *own, int64 k)
{
	LinkedGroups *result = palloc0(sizeof(LinkedGroups));
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt linked people",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	MemoryContext content = AllocSetContextCreate(context, "anonopt content", ALLOCSET_DEFAULT_SIZES);
	KeyCounter *everybody = key_counter_create(context, 1, 1024);
	uint32	   *group_of = NULL;
	Size		room = 0;
	KeyCounter *groups = NULL;

	result->ncontents = n + (own != NULL ? 1 : 0);
	result->k = k;
	for (int i = 0; i < result->ncontents; i++)
	{
		const KeyCounter *persons;

		MemoryContextSwitchTo(content);
		persons = i < n ? load_link(&links[i]) : own;
		MemoryContextSwitchTo(context);
		/* instead of counts, everybody's class in this content, or 0 */
		memset(everybody->counts, 0, sizeof(int64) * everybody->nkeys);
		for (uint32 person = 0; person < persons->nkeys; person++)
		{
			if (person % 65536 == 0)
				CHECK_FOR_INTERRUPTS();
			*key_counter_candidate(everybody) = persons->keys[person];
			(void) key_counter_add(everybody, persons->counts[person]);
		}
		/* those who were in no content so far are a group, too */
		while (everybody->nkeys >= room)
		{
			Size		before = room;

			group_of = budget_grow(context, group_of, sizeof(uint32), &room);
			memset(group_of + before, 0xff, sizeof(uint32) * (room - before));
		}
		groups = split_groups(context, group_of, everybody->nkeys, everybody->counts, NULL);
		MemoryContextReset(content);
	}
	MemoryContextSwitchTo(old);
	for (int i = 0; i < n; i++)
	{
		result->k = Min(result->k, links[i].k);
		result->relations = list_append_unique_oid(result->relations, links[i].relation);
		result->names = list_append_unique(result->names, makeString(links[i].name));
	}
	for (uint32 i = 0; groups != NULL && i < groups->nkeys; i++)
	{
		result->smallest = least_people(result->smallest, groups->counts[i]);
		if (groups->counts[i] < result->k)
			result->singled_out += groups->counts[i];
	}
	MemoryContextDelete(context);
	return result;
}

static void
tell(const Release *release, const Pseudonym *pseudonym, const LinkedGroups *groups)
{
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&names);
	foreach(cell, groups->names)
		if (strcmp(strVal(lfirst(cell)), release->sql_name) != 0)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", strVal(lfirst(cell)));
	ereport(composition_level(),
			(errcode(composition_errcode(composition_level())),
			 errmsg_plural("pseudonyms in column \"%s\" of release %s single out " INT64_FORMAT " person",
						   "pseudonyms in column \"%s\" of release %s single out " INT64_FORMAT " people",
						   (unsigned long) groups->singled_out, pseudonym->column, release->sql_name,
						   groups->singled_out),
			 names.len == 0 ? errdetail("Rows with the same pseudonym belong to one person: the smallest group of people with the same classes is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
										groups->smallest, groups->k) :
			 errdetail("Joined by it with %s, the smallest group of people with the same classes is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
					   names.data, groups->smallest, groups->k),
			 errhint("See anonopt.release_risk; give the data set a secret of its own with anonopt.set_pseudonym, leave the column out with anonopt.set_identifier, or generalize further.")));
}

void
linked_people_check(Release *release)
{
	ListCell   *cell;

	foreach(cell, release->pseudonyms)
	{
		Pseudonym  *pseudonym = lfirst(cell);
		PeopleCollector collector = {release, pseudonym};
		KnownLink  *links = NULL;
		LinkedGroups *groups;
		int			n = 0;

		pseudonym->persons = key_counter_create(CurrentMemoryContext, 1, 1024);
		spool_visit(&release->spool, collect_row, &collector);
		if (composition_level() == 0)
			continue;

		/*
		 * others who are about to show pseudonyms by the secret wait, as in
		 * composition.c
		 */
		if (pseudonym->declared)
		{
			LockDatabaseObject(own_relation("published_link"),
							   hash_any((const unsigned char *) VARDATA(pseudonym->secret_name),
										SECRET_NAME_BYTES),
							   0, ExclusiveLock);
			links = read_links("l.secret_name = $1", BYTEAOID, PointerGetDatum(pseudonym->secret_name), &n);
		}
		groups = group_people(links, n, pseudonym->persons, release->promise.k);
		if (groups->smallest > 0 && groups->smallest < groups->k)
			tell(release, pseudonym, groups);
	}
}

void
linked_people_insert(const Release *release, const char *id)
{
	ListCell   *cell;

	foreach(cell, release->pseudonyms)
	{
		const Pseudonym *pseudonym = lfirst(cell);
		LinkPart	part = {.column = unconstify(char *,
												 pseudonym->column),.secret_name = pseudonym->secret_name};
		uint32		n = pseudonym->persons->nkeys;
		int			number = 0;

		for (uint32 first = 0; first < n || number == 0; first += PART_KEYS)
		{
			part.people = keys_pack(pseudonym->persons, -1, sizeof(int64), first, Min(n - first, PART_KEYS));
			entry_insert("published_link", people_fields, lengthof(people_fields), &part, "id, version, part",
						 psprintf("'%s', (SELECT COALESCE(max(o.version) + %d, 0) FROM"
								  " anonopt.published_link o"
								  " WHERE o.id = '%s' AND o.column_name = $1::name), %d", id,
								  number == 0 ? 1 : 0, id, number));
			pfree(part.people);
			number++;
		}
	}
}

LinkedGroups *
linked_people_of_source(Oid source)
{
	int			n;
	KnownLink  *links = read_links(psprintf("l.secret_name IN (SELECT o.secret_name FROM"
											" anonopt.published_link o"
											" WHERE o.id IN (SELECT anonopt.releases_of_people($1, %u)))",
											GetUserId()), OIDOID, ObjectIdGetDatum(source), &n);

	return group_people(links, n, NULL, PG_INT64_MAX);
}
