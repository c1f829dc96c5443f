/*
 * release_attack.c
 *	  The people whom a release shows, as attackers see them.
 *
 * Where labels do not overlap, rows with the same labels are each other's
 * candidates, and the release itself is read.  Where they overlap, or hide whose
 * rows are whose, only the source tells which rows cover a person: it is read,
 * and generalized as a refresh would.  A sample is never drawn again.
 */
#include "release/release_attack.h"

#include "catalog/trusted_code.h"
#include "read/population_read.h"
#include "release/release_verify.h"
#include "utils/lsyscache.h"

static bool
is_named(char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Declares the shown columns of a release: those that are known can only be known. */
static Dataset *
declare_shown(const ReleaseEntry *entry, char *const *known, int nknown)
{
	Dataset    *dataset = dataset_of_release(entry);

	if (nknown >= 0)
		dataset->nattributes = 0;
	for (int i = 0; i < entry->nclass_columns && nknown >= 0; i++)
		if (is_named(known, nknown, entry->class_columns[i]))
			(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, entry->class_columns[i]);
	for (int i = 0; i < entry->nsensitive; i++)
		if (get_attnum(entry->relation, entry->sensitive[i]) > 0)
			(void) dataset_declare(dataset, is_named(known, nknown, entry->sensitive[i]) ?
								   ROLE_QUASI_IDENTIFIER : ROLE_SENSITIVE, entry->sensitive[i]);
	return dataset;
}

/* Reads the source, whose rows become classes as a refresh would make them. */
static Release *
read_source(const ReleaseEntry *entry)
{
	Release    *release = release_of_entry(entry);

	if (release->dataset->relation != entry->source)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("release %s was made from another relation than data set \"%s\" declares now",
						release->sql_name, entry->dataset),
				 errhint("If this change is wanted, call anonopt.republish.")));
	require_same_columns(release, entry, false);
	release_check(release);
	release_read_people(release);
	return release;
}

ShownPeople
release_read_attacked(const ReleaseEntry *entry, char *const *known, int nknown)
{
	bool		overlaps = entry->star || entry->nforms > 0 || entry->permuted || entry->has_people_k ||
	(entry->by.kind != BY_LEVELS && entry->by.kind != BY_CUTS);
	ShownPeople shown = {0};
	Release    *release;

	require_release_owner(entry->relation);
	require_trusted_relation(entry->relation);
	if (!overlaps || entry->is_private)
		return shown_as_read(population_read(declare_shown(entry, known, nknown)));
	release = read_source(entry);
	if (release->population != NULL)
		shown = shown_in_classes(release->classes, entry->permuted);
	release_close(release);
	return shown;
}
