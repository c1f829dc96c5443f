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
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "release/entry_row.h"
#include "release/pseudonym.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* People that are stored as one part. */
#define PART_PEOPLE 500000

/*
 * A person in a content: the beginning of the pseudonym, and a digest of the
 * person's classes.
 */
typedef struct LinkedPerson
{
	uint64		person;
	uint64		classes;
} LinkedPerson;

typedef struct LinkedPeople
{
	Pseudonym  *pseudonym;
	Size		n;
	LinkedPerson *people;
} LinkedPeople;

/* Collects people while rows are visited. */
typedef struct PeopleCollector
{
	const Release *release;
	Pseudonym  *pseudonym;
	MemoryContext row;
	KeyCounter *persons;
	uint64	   *classes;
	Size		room;
} PeopleCollector;

static void
collect_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	PeopleCollector *collector = arg;
	const Release *release = collector->release;
	uint32		class = release->classes->class_of[release->spool.tuple_of[group]];
	uint8		bytes[PSEUDONYM_BYTES];
	const unsigned char *at = bytes;
	MemoryContext old;
	uint32		number;

	if (class == NO_CLASS || nulls[collector->pseudonym->spooled])
		return;
	old = MemoryContextSwitchTo(collector->row);
	pseudonym_of(collector->pseudonym, values[collector->pseudonym->spooled], bytes);
	MemoryContextSwitchTo(old);
	MemoryContextReset(collector->row);
	*key_counter_candidate(collector->persons) = take_number(&at, sizeof(uint64));
	number = key_counter_add(collector->persons, 1);
	if (number >= collector->room)
		collector->classes = budget_grow(collector->persons->context, collector->classes, sizeof(uint64), &collector->room);
	if (collector->persons->counts[number] == 1)
		collector->classes[number] = 0;
	/* a sum, because rows have no order */
	collector->classes[number] += word_hash((uint64) class + 1);
}

/* The people in a column of pseudonyms that a release is about to show. */
static LinkedPeople *
collect_people(Release *release, Pseudonym *pseudonym)
{
	LinkedPeople *people = palloc0(sizeof(LinkedPeople));
	PeopleCollector collector = {.release = release,.pseudonym = pseudonym};

	collector.row = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	collector.persons = key_counter_create(CurrentMemoryContext, 1, 1024);
	spool_visit(&release->spool, collect_row, &collector);
	people->pseudonym = pseudonym;
	people->n = collector.persons->nkeys;
	people->people = budget_alloc(sizeof(LinkedPerson), people->n + 1);
	for (Size i = 0; i < people->n; i++)
	{
		people->people[i].person = collector.persons->keys[i];
		people->people[i].classes = collector.classes[i];
	}
	MemoryContextDelete(collector.row);
	return people;
}

/* ------------------------------------------------------- what was written down */

/* A content with pseudonyms. */
typedef struct KnownLink
{
	char	   *id;
	int			version;
	char	   *name;
	int64		k;
	Oid			relation;
	Datum		secret_name;
} KnownLink;

static KnownLink *
read_links(const char *condition, Oid type, Datum value, int *n)
{
	const Oid	results[] = {TEXTOID, INT8OID, TEXTOID, INT8OID, INT8OID, BYTEAOID};
	QueryRows  *rows = read_catalog(psprintf("SELECT l.id::text, l.version::int8, p.name, p.k, COALESCE(" FIND_RELEASE "::int8, p.relation), l.secret_name"
											 " FROM anonopt.published_link l JOIN anonopt.published p ON p.id = l.id"
											 " WHERE l.part = 0 AND octet_length(l.people) > 0 AND %s ORDER BY p.published_at, l.id, l.version", condition),
									1, &type, &value, lengthof(results), results);
	KnownLink  *links;

	*n = rows->n;
	links = palloc(sizeof(KnownLink) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		EntryRow	row = {rows, i, "of earlier times"};
		bool		isnull;
		Datum		secret_name = row_field(&row, 6, &isnull);

		links[i].id = required_text(&row, 1);
		links[i].version = (int) number_field(&row, 2, 0, PG_INT32_MAX);
		links[i].name = required_text(&row, 3);
		links[i].k = number_field(&row, 4, 1, PG_INT32_MAX);
		links[i].relation = (Oid) number_field(&row, 5, 0, OID_MAX);
		if (isnull)
			refuse_entry(&row);
		links[i].secret_name = PointerGetDatum(PG_DETOAST_DATUM_COPY(secret_name));
	}
	return links;
}

/* The people of a content. */
static LinkedPeople *
load_link(const KnownLink *link)
{
	LinkedPeople *people = palloc0(sizeof(LinkedPeople));
	Oid			types[3] = {TEXTOID, INT4OID, BYTEAOID};
	Datum		values[3] = {CStringGetTextDatum(link->id), Int32GetDatum(link->version), link->secret_name};
	const Oid	results[] = {BYTEAOID};
	QueryRows  *rows = read_catalog("SELECT l.people FROM anonopt.published_link l WHERE l.id = $1::uuid AND l.version = $2"
									" AND l.secret_name = $3 ORDER BY l.part", 3, types, values, lengthof(results), results);

	for (int i = 0; i < rows->n; i++)
	{
		EntryRow	row = {rows, i, link->name};
		bool		isnull;
		Datum		value = row_field(&row, 1, &isnull);
		bytea	   *bytes = isnull ? NULL : DatumGetByteaPP(value);
		const unsigned char *at = isnull ? NULL : (unsigned char *) VARDATA_ANY(bytes);
		Size		n = isnull ? 0 : VARSIZE_ANY_EXHDR(bytes) / sizeof(LinkedPerson);
		LinkedPerson *grown;

		if (isnull || VARSIZE_ANY_EXHDR(bytes) % sizeof(LinkedPerson) != 0)
			refuse_entry(&row);
		grown = budget_alloc(sizeof(LinkedPerson), people->n + n + 1);
		if (people->n > 0)
			memcpy(grown, people->people, sizeof(LinkedPerson) * people->n);
		for (Size person = people->n; person < people->n + n; person++)
		{
			grown[person].person = take_number(&at, sizeof(uint64));
			grown[person].classes = take_number(&at, sizeof(uint64));
		}
		people->people = grown;
		people->n += n;
	}
	return people;
}

/* -------------------------------------------------------------------- groups */

/* The people of all contents, grouped by those indistinguishable so far. */
typedef struct PeopleGrouping
{
	MemoryContext context;
	KeyCounter *persons;
	Size		room;
	uint32	   *group_of;
	uint64	   *classes;		/* in the content being added */
	KeyCounter *groups;
} PeopleGrouping;

static uint32
number_of(PeopleGrouping *grouping, uint64 person)
{
	uint32		number;

	*key_counter_candidate(grouping->persons) = person;
	number = key_counter_add(grouping->persons, 1);
	return number;
}

static void
find_people(PeopleGrouping *grouping, const LinkedPeople *people)
{
	for (Size i = 0; i < people->n; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		(void) number_of(grouping, people->people[i].person);
	}
}

/* Splits the groups by one more content; people who are not in it stay together. */
static void
part_people(PeopleGrouping *grouping, const LinkedPeople *people)
{
	uint32		n = grouping->persons->nkeys;

	memset(grouping->classes, 0, sizeof(uint64) * ((Size) n + 1));
	for (Size i = 0; i < people->n; i++)
		grouping->classes[number_of(grouping, people->people[i].person)] = people->people[i].classes;
	grouping->groups = key_counter_create(grouping->context, 2, 1024);
	for (uint32 i = 0; i < n; i++)
	{
		uint64	   *key = key_counter_candidate(grouping->groups);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		key[0] = grouping->group_of[i];
		key[1] = grouping->classes[i];
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
		Size		npersons = grouping.persons->nkeys;

		if (pass == 1)
		{
			grouping.group_of = budget_alloc_zero(sizeof(uint32), npersons + 1);
			grouping.classes = budget_alloc_zero(sizeof(uint64), npersons + 1);
		}
		for (int i = 0; i < result->ncontents; i++)
		{
			const LinkedPeople *people = own;

			MemoryContextSwitchTo(content);
			if (i < n)
				people = load_link(&links[i]);
			MemoryContextSwitchTo(context);
			if (pass == 0)
				find_people(&grouping, people);
			else
				part_people(&grouping, people);
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
		result->names = lappend(result->names, links[i].name);
	}
	for (uint32 i = 0; grouping.groups != NULL && i < grouping.groups->nkeys; i++)
		if (grouping.groups->counts[i] < result->k)
			result->singled_out += grouping.groups->counts[i];
	MemoryContextDelete(context);
	return result;
}

/* Names of the other releases, each once. */
static char *
other_names(const LinkedGroups *groups, const char *own)
{
	StringInfoData names;
	ListCell   *cell;
	List	   *told = NIL;

	initStringInfo(&names);
	foreach(cell, groups->names)
	{
		char	   *name = lfirst(cell);
		ListCell   *before;
		bool		known = strcmp(name, own) == 0;

		foreach(before, told)
			known = known || strcmp(lfirst(before), name) == 0;
		if (known)
			continue;
		told = lappend(told, name);
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", name);
	}
	return names.data;
}

static void
tell(const Release *release, const Pseudonym *pseudonym, const LinkedGroups *groups, bool refuse)
{
	int			level = refuse ? ERROR : WARNING;
	const char *names = other_names(groups, release->sql_name);

	ereport(level,
			(errcode(refuse ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE : ERRCODE_WARNING),
			 errmsg_plural("pseudonyms in column \"%s\" of release %s single out " INT64_FORMAT " person",
						   "pseudonyms in column \"%s\" of release %s single out " INT64_FORMAT " people",
						   (unsigned long) groups->singled_out, pseudonym->column, release->sql_name, groups->singled_out),
			 *names == '\0' ? errdetail("Rows with the same pseudonym belong to one person: the smallest group of people with the same classes is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
										groups->smallest, groups->k) :
			 errdetail("Joined by it with %s, the smallest group of people with the same classes is " INT64_FORMAT "; " INT64_FORMAT " is promised.",
					   names, groups->smallest, groups->k),
			 errhint("See anonopt.release_risk; give the data set a secret of its own with anonopt.set_pseudonym, leave the column out with anonopt.set_identifier, or generalize further.")));
}

/* Others who are about to show pseudonyms by a secret wait, as in composition.c. */
static void
lock_secret(const bytea *name)
{
	LockDatabaseObject(own_relation("published_link"), hash_any((const unsigned char *) VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)), 0, ExclusiveLock);
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
		bytea	   *name = palloc(VARHDRSZ + SECRET_NAME_BYTES);
		int			n = 0;

		release->linked = lappend(release->linked, people);
		if (!look)
			continue;
		SET_VARSIZE(name, VARHDRSZ + SECRET_NAME_BYTES);
		memcpy(VARDATA(name), pseudonym->secret_name, SECRET_NAME_BYTES);
		if (pseudonym->declared)
			lock_secret(name);
		if (pseudonym->declared)
			links = read_links("l.secret_name = $1", BYTEAOID, PointerGetDatum(name), &n);
		groups = group_people(links, n, people, release->spec.promise.k);
		if (groups->smallest > 0 && groups->smallest < groups->k)
			tell(release, pseudonym, groups, refuse);
	}
}

void
linked_people_insert(const Release *release, const char *id)
{
	Oid			types[5] = {TEXTOID, INT4OID, TEXTOID, BYTEAOID, BYTEAOID};
	ListCell   *cell;

	foreach(cell, release->linked)
	{
		const LinkedPeople *people = lfirst(cell);
		bytea	   *name = palloc(VARHDRSZ + SECRET_NAME_BYTES);
		int			part = 0;

		SET_VARSIZE(name, VARHDRSZ + SECRET_NAME_BYTES);
		memcpy(VARDATA(name), people->pseudonym->secret_name, SECRET_NAME_BYTES);
		for (Size first = 0; first < people->n || part == 0; first += PART_PEOPLE)
		{
			Size		size = sizeof(LinkedPerson) * Min(people->n - first, PART_PEOPLE);
			bytea	   *bytes = palloc(VARHDRSZ + size);
			unsigned char *at = (unsigned char *) VARDATA(bytes);
			Datum		values[5] = {CStringGetTextDatum(id), Int32GetDatum(part), CStringGetTextDatum(people->pseudonym->column),
			PointerGetDatum(name), PointerGetDatum(bytes)};

			SET_VARSIZE(bytes, VARHDRSZ + size);
			for (Size person = first; person < Min(people->n, first + PART_PEOPLE); person++)
			{
				put_number(&at, people->people[person].person, sizeof(uint64));
				put_number(&at, people->people[person].classes, sizeof(uint64));
			}
			write_catalog("INSERT INTO anonopt.published_link (id, version, part, column_name, secret_name, people)"
						  " SELECT $1::uuid, (SELECT COALESCE(max(o.version) + CASE WHEN $2 = 0 THEN 1 ELSE 0 END, 0) FROM anonopt.published_link o"
						  " WHERE o.id = $1::uuid AND o.column_name = $3::name), $2, $3::name, $4, $5", 5, types, values, NULL);
			pfree(bytes);
			part++;
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
