/*
 * rows_known.c
 *	  Promises against people who know several rows of a person.
 *
 * k for any r rows: take anybody who is shown and any r of their rows, or all
 * if they have fewer.  At least k people who are shown have r rows that look
 * like these, each for each: two that are alike need two.  An attacker who knows
 * r visits of somebody, and no more, finds k people whose visits they may be.
 *
 * What is left out are people, with all their rows.  If some of a person's rows
 * were hidden, the others would be a smaller part, which more people have; but
 * then an attacker who knows a hidden row would see that it is hidden, and whose
 * row is hidden depends on what else they have.
 *
 * The largest set of people.  Let A and B be sets of people who, shown alone,
 * keep the promise.  So do A and B together: a person is in one of them, say A,
 * where k people have each r of their rows, and all of those are still shown.
 * Likewise for every promise about single classes that a class keeps if more
 * people are added to it: k and l (more_keep_it in models.c).  So the union of
 * all sets that keep the promises is one of them, and the largest.  It is found
 * by taking away whoever breaks a promise until nobody does: nobody in the
 * largest set is ever taken away, because those who are shown include it.
 * Other promises about values or people elsewhere are refused beside this one:
 * adding people to a class that keeps t, alpha or presence may break it, so that
 * there need not be a largest set.  Promises about all classes together take
 * nobody away; they are measured on what is left.
 *
 * More general nodes leave out no more.  Rows that look alike look alike at
 * every node above.  So whoever has r rows like somebody's, each for each, has
 * them there, too, and the set that a node shows keeps the promise at a node
 * above it.  The largest set there includes it.
 *
 * A promise for r rows implies the same k for fewer, and thus k people in every
 * class: who has rows like the r has rows like any of them.  One row of a person
 * with several is part of r of them, or of all.
 */
#include "promise/model.h"

char *
rows_known_problem(const DeclaredPromise *promises, int n)
{
	bool		knows_rows = false;

	for (int i = 0; i < n; i++)
		knows_rows = knows_rows || promises[i].rows_known > 0;
	for (int i = 0; i < n && knows_rows; i++)
	{
		const Model *model = models[promises[i].model];

		if (promises[i].columns_known > 0)
			return psprintf("Not together with %s: one takes away classes, the other one people.", promise_text(&promises[i]));
		if (model->scope != ABOUT_ALL && !model->more_keep_it)
			return psprintf("Not together with %s: adding people to a class may break it, so that there is no largest set of people to show.",
							promise_text(&promises[i]));
	}
	return NULL;
}
