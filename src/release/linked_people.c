/*
 * linked_people.c
 *	  What releases with the same pseudonyms together reveal about each person.
 *
 * Rows with the same pseudonym belong to one person.  So anyone with several
 * releases whose pseudonyms use the same secret, of any data sets, or with one
 * release in which people have several rows, knows all classes that show a
 * person.  For each content we store, by pseudonym, a digest of these classes;
 * people whose digests agree in all contents cannot be distinguished.
 */
#include "base/budget.h"
#include "base/bytes.h"
#include "base/key_counter.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "release/entry_row.h"
#include "release/pseudonym.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"

/* People that are stored as one part. */
#define PART_PEOPLE 500000

/* A person as stored: the beginning of the pseudonym, and a digest of the classes. */
#define PACKED_PERSON (2 * sizeof(uint64))

typedef struct LinkedPeople
{
	Pseudonym  *pseudonym;
	MemoryContext row;			/* while rows are visited */
	const Release *release;
	KeyCounter *persons;		/* their pseudonyms; instead of counts,
								 * digests of their classes */
} LinkedPeople;

static void
collect_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	LinkedPeople *people = arg;
	uint32		class = people->release->classes->class_of[people->release->spool.tuple_of[group]];
	uint8		bytes[PSEUDONYM_BYTES];
	const unsigned char *at = bytes;
	MemoryContext old;
	uint32		number;

	if (class == NO_CLASS || nulls[people->pseudonym->spooled])
		return;
	old = MemoryContextSwitchTo(people->row);
	pseudonym_of(people->pseudonym, values[people->pseudonym->spooled], bytes);
	MemoryContextSwitchTo(old);
	MemoryContextReset(people->row);
	*key_counter_candidate(people->persons) = take_number(&at, sizeof(uint64));
	number = key_counter_add(people->persons, 0);
	/* a sum, because rows have no order */
	people->persons->counts[number] = (int64) ((uint64) people->persons->counts[number] + word_hash((uint64) class + 1));
}

/* The people in a column of pseudonyms that a release is about to show. */
static LinkedPeople *
collect_people(Release *release, Pseudonym *pseudonym)
{
	LinkedPeople *people = palloc0(sizeof(LinkedPeople));

	people->release = release;
	people->pseudonym = pseudonym;
	people->row = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	people->persons = key_counter_create(CurrentMemoryContext, 1, 1024);
	spool_visit(&release->spool, collect_row, people);
	MemoryContextDelete(people->row);
	return people;
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
	{COLUMN("version", FIELD_COUNT, FIELD_REQUIRED, offsetof(KnownLink, version)),.most = PG_INT32_MAX,.read = "l.version"},
	{COLUMN("name", FIELD_TEXT, FIELD_REQUIRED, offsetof(KnownLink, name))},
	{COLUMN("k", FIELD_COUNT, FIELD_REQUIRED, offsetof(KnownLink, k)),.least = 1,.most = PG_INT32_MAX,.read = PROMISED_K},
	{COLUMN("relation", FIELD_RELATION, FIELD_REQUIRED, offsetof(KnownLink, relation)),.read = "COALESCE(" FIND_RELEASE "::int8, p.relation)"},
	{COLUMN("secret_name", FIELD_BYTES, FIELD_REQUIRED, offsetof(KnownLink, secret_name)),.read = "l.secret_name"}
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
										   " WHERE l.part = 0 AND octet_length(l.people) > 0 AND %s ORDER BY p.published_at, l.id, l.version", condition),
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
								  psprintf("anonopt.published_link p WHERE p.id = '%s' AND p.version = " INT64_FORMAT " AND p.secret_name = $1 ORDER BY p.part",
										   link->id, link->version), BYTEAOID, PointerGetDatum(link->secret_name));

	for (int i = 0; i < rows->n; i++)
	{
		LinkPart	part;
		const unsigned char *at;

		entry_read(rows, i, link->name, people_fields, lengthof(people_fields), &part);
		if (VARSIZE_ANY_EXHDR(part.people) % PACKED_PERSON != 0)
			refuse_entry(link->name);
		at = (unsigned char *) VARDATA_ANY(part.people);
		for (Size n = VARSIZE_ANY_EXHDR(part.people) / PACKED_PERSON; n > 0; n--)
		{
			*key_counter_candidate(persons) = take_number(&at, sizeof(uint64));
			persons->counts[key_counter_add(persons, 0)] = (int64) take_number(&at, sizeof(uint64));
		}
	}
	return persons;
}

/* -------------------------------------------------------------------- groups */

/* The people of all contents, grouped by those indistinguishable so far. */
typedef struct PeopleGrouping
{
	MemoryContext context;
	KeyCounter *persons;		/* instead of counts, classes in the content
								 * being added; 0 for those who are not in it */
	uint32	   *group_of;
	KeyCounter *groups;
} PeopleGrouping;

/* Finds the people of a content among all; takes over their classes. */
static void
find_people(PeopleGrouping *grouping, const KeyCounter *persons)
{
	for (uint32 i = 0; i < persons->nkeys; i++)
	{
		uint32		number;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		*key_counter_candidate(grouping->persons) = persons->keys[i];
		number = key_counter_add(grouping->persons, 0);
		grouping->persons->counts[number] = persons->counts[i];
	}
}

/* Splits the groups by one more content; people who are not in it stay together. */
static void
part_people(PeopleGrouping *grouping, const KeyCounter *persons)
{
	memset(grouping->persons->counts, 0, sizeof(int64) * grouping->persons->nkeys);
	find_people(grouping, persons);
	grouping->groups = key_counter_create(grouping->context, 2, 1024);
	for (uint32 i = 0; i < grouping->persons->nkeys; i++)
	{
		uint64	   *key = key_counter_candidate(grouping->groups);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		key[0] = grouping->group_of[i];
		key[1] = grouping->persons->counts[i];
		grouping->group_of[i] = key_counter_add(grouping->groups, 1);
	}
}

/*
 * Groups the people of such contents, and of one that is not stored yet, if
 * given.
 */
static LinkedGroups *
group_people(const KnownLink *links, int n, const LinkedPeople *own, int64 k)
{
	LinkedGroups *result = palloc0(sizeof(LinkedGroups));
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt linked people", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	MemoryContext content = AllocSetContextCreate(context, "anonopt content", ALLOCSET_DEFAULT_SIZES);
	PeopleGrouping grouping = {.context = context};

	result->ncontents = n + (own != NULL ? 1 : 0);
	result->k = k;
	grouping.persons = key_counter_create(context, 1, 1024);
	for (int pass = 0; pass < 2; pass++)
	{
		if (pass == 1)
			grouping.group_of = budget_alloc_zero(sizeof(uint32), (Size) grouping.persons->nkeys + 1);
		for (int i = 0; i < result->ncontents; i++)
		{
			const KeyCounter *persons;

			MemoryContextSwitchTo(content);
			persons = i < n ? load_link(&links[i]) : own->persons;
			MemoryContextSwitchTo(context);
			if (pass == 0)
				find_people(&grouping, persons);
			else
				part_people(&grouping, persons);
			MemoryContextReset(content);
		}
	}
	for (uint32 i = 0; grouping.groups != NULL && i < grouping.groups->nkeys; i++)
	{
		int64		people = grouping.groups->counts[i];

		result->smallest = result->smallest == 0 ? people : Min(result->smallest, people);
	}
	MemoryContextSwitchTo(old);
	for (int i = 0; i < n; i++)
	{
		result->k = Min(result->k, links[i].k);
		result->relations = list_append_unique_oid(result->relations, links[i].relation);
		result->names = list_append_unique(result->names, makeString(links[i].name));
	}
	for (uint32 i = 0; grouping.groups != NULL && i < grouping.groups->nkeys; i++)
		if (grouping.groups->counts[i] < result->k)
			result->singled_out += grouping.groups->counts[i];
	MemoryContextDelete(context);
	return result;
}

static void
tell(const Release *release, const Pseudonym *pseudonym, const LinkedGroups *groups, bool refuse)
{
	int			level = refuse ? ERROR : WARNING;
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&names);
	foreach(cell, groups->names)
		if (strcmp(strVal(lfirst(cell)), release->sql_name) != 0)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", strVal(lfirst(cell)));
	ereport(level,
			(errcode(refuse ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE : ERRCODE_WARNING),
			 errmsg_plural("pseudonyms in column \"%s\" of release %s single out " INT64_FORMAT " person",
						   "pseudonyms in column \"%s\" of release %s single out " INT64_FORMAT " people",
						   (unsigned long) groups->singled_out, pseudonym->column, release->sql_name, groups->singled_out),
			 names.len == 0 ? errdetail("Rows with the same pseudonym belong to one person: the smallest group of people with the same classes is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
										groups->smallest, groups->k) :
			 errdetail("Joined by it with %s, the smallest group of people with the same classes is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
					   names.data, groups->smallest, groups->k),
			 errhint("See anonopt.release_risk; give the data set a secret of its own with anonopt.set_pseudonym, leave the column out with anonopt.set_identifier, or generalize further.")));
}

static bytea *
secret_name_bytes(const Pseudonym *pseudonym)
{
	bytea	   *name = palloc(VARHDRSZ + SECRET_NAME_BYTES);

	SET_VARSIZE(name, VARHDRSZ + SECRET_NAME_BYTES);
	memcpy(VARDATA(name), pseudonym->secret_name, SECRET_NAME_BYTES);
	return name;
}

void
linked_people_check(Release *release, bool look, bool refuse)
{
	ListCell   *cell;

	foreach(cell, release->pseudonyms)
	{
		Pseudonym  *pseudonym = lfirst(cell);
		LinkedPeople *people = collect_people(release, pseudonym);
		KnownLink  *links = NULL;
		LinkedGroups *groups;
		bytea	   *name = secret_name_bytes(pseudonym);
		int			n = 0;

		release->linked = lappend(release->linked, people);
		if (!look)
			continue;

		/*
		 * others who are about to show pseudonyms by the secret wait, as in
		 * composition.c
		 */
		if (pseudonym->declared)
		{
			LockDatabaseObject(own_relation("published_link"), hash_any((const unsigned char *) VARDATA(name), SECRET_NAME_BYTES), 0, ExclusiveLock);
			links = read_links("l.secret_name = $1", BYTEAOID, PointerGetDatum(name), &n);
		}
		groups = group_people(links, n, people, release->promise.k);
		if (groups->smallest > 0 && groups->smallest < groups->k)
			tell(release, pseudonym, groups, refuse);
	}
}

void
linked_people_insert(const Release *release, const char *id)
{
	ListCell   *cell;

	foreach(cell, release->linked)
	{
		const LinkedPeople *people = lfirst(cell);
		LinkPart	part = {.column = unconstify(char *, people->pseudonym->column),.secret_name = secret_name_bytes(people->pseudonym)};
		int			number = 0;

		for (Size first = 0; first < people->persons->nkeys || number == 0; first += PART_PEOPLE)
		{
			Size		end = Min(people->persons->nkeys, first + PART_PEOPLE);
			Size		size = PACKED_PERSON * (end - first);
			unsigned char *at;

			part.people = palloc(VARHDRSZ + size);
			SET_VARSIZE(part.people, VARHDRSZ + size);
			at = (unsigned char *) VARDATA(part.people);
			for (Size person = first; person < end; person++)
			{
				put_number(&at, people->persons->keys[person], sizeof(uint64));
				put_number(&at, (uint64) people->persons->counts[person], sizeof(uint64));
			}
			entry_insert("published_link", people_fields, lengthof(people_fields), &part, "id, version, part",
						 psprintf("'%s', (SELECT COALESCE(max(o.version) + %d, 0) FROM anonopt.published_link o"
								  " WHERE o.id = '%s' AND o.column_name = $1::name), %d", id, number == 0 ? 1 : 0, id, number));
			pfree(part.people);
			number++;
		}
	}
}

LinkedGroups *
linked_people_of_source(Oid source)
{
	int			n;
	KnownLink  *links = read_links("l.secret_name IN (SELECT o.secret_name FROM anonopt.published_link o JOIN anonopt.published q ON q.id = o.id"
								   " WHERE COALESCE(CASE WHEN q.made_in = anonopt.this_database() THEN q.source"
								   " ELSE to_regclass(left(q.source_name, 300))::oid::int8 END, 0) = $1)", INT8OID, Int64GetDatum(source), &n);

	return group_people(links, n, NULL, PG_INT64_MAX);
}

/* ----------------- digests of tuples of leaves, which are the same in every */

uint64 **
leaf_digests(const Population *population)
{
	uint64	  **digests = palloc(sizeof(uint64 *) * (population->nattrs + 1));

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;

		digests[a] = budget_alloc(sizeof(uint64), (Size) hierarchy->nleaves + 1);
		for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
		{
			const char *label = hierarchy->labels[0][leaf];

			digests[a][leaf] = label == NULL ? 1 : portable_digest(label, strlen(label));
		}
	}
	return digests;
}

uint64
tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple)
{
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	uint64		digest = 0;

	for (int i = 0; i < nattrs; i++)
	{
		int			a = attrs == NULL ? i : attrs[i];

		digest = hash_combine64(digest, digests[a][key_get(key, &population->attrs[a].field)]);
	}
	return digest;
}
