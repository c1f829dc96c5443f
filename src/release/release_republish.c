/*
 * release_republish.c
 *	  Gives a release another generalization or promise.
 *
 * It stays the same relation, with its grants and dependent objects, and so
 * keeps its columns.  The current declaration is used: hierarchies may differ
 * from those it was made with.
 */
#include "release/release_parts.h"

#include "catalog/sql.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "release/composition.h"
#include "release/pseudonym.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

Release *
release_republish_begin(Oid relation, ReleaseEntry **entry)
{
	Release    *release;

	*entry = release_lock_entry(relation);
	PushActiveSnapshot(GetTransactionSnapshot());
	release = release_of_entry(*entry);
	if (release->records != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("release %s shows a generalization per record", release->sql_name),
				 errhint("Drop it, and call anonopt.publish_records again.")));
	return release;
}

/* Updates the comment that states the promise, unless somebody has replaced it. */
static void
write_comment(const Release *release, const ReleaseEntry *entry)
{
	char	   *comment = GetComment(entry->relation, RelationRelationId, 0);

	if (comment != NULL && strncmp(comment, "anonopt release ", 16) == 0)
		CreateComments(entry->relation, RelationRelationId, 0, release_comment(release, entry->id));
}

void
release_republish(Release *release, const ReleaseEntry *entry)
{
	Oid			relation = entry->relation;
	ReleaseEntry *now;
	FreshRows  *fresh = NULL;

	release->writes = true;
	release_check(release);
	release_read(release);
	check_same_columns(release, entry, relation);
	if (release->form != RELEASE_LIVE_VIEW)
	{
		release_choose_classes(release);
		composition_check(release);
		release_check_names(release);
		fresh = release_fresh_rows(release, relation);
	}
	release_check_names(release);
	if (release->form == RELEASE_LIVE_VIEW)
		live_check_source(release);
	if (release->form == RELEASE_MATERIALIZED_VIEW)
		depend_on_read(release, relation);
	now = entry_of_release(release, entry->id, relation);
	release_entry_replace(now);
	if (release->content != NULL)
		release_content_insert(now, release->content, release->difference);
	linked_people_insert(release, now->id);
	if (fresh != NULL)
		release_swap_rows(fresh);
	write_comment(release, entry);
	PopActiveSnapshot();
	release_close(release);
}
