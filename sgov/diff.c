/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff: two policies compared by what they mean.  Offline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/conf.h"
#include "sgov/ask.h"
#include "sgov/facts.h"
#include "sgov/files.h"
#include "sgov/json.h"
#include "sgov/options.h"
#include "sgov/table.h"

/* As diff(1) has them. */
enum { DIFF_SAME = 0, DIFF_DIFFERENT = 1, DIFF_TROUBLE = 2 };

static const struct sgov_column columns[] = {
	{ "CHANGE", false, false }, { "RECORD", false, false },
	{ "NAME", false, false },   { "KEY", false, false },
	{ "OLD", false, false },    { "NEW", false, false },
	{ NULL, false, false },
};

struct diff {
	struct sgov_facts old, new;
	struct sgov_table *table;
	struct json_object *list; /* NULL: a table is wanted */
	bool bare;		  /* for programs */
	size_t count;
};

static void put(struct diff *diff, const struct sgov_fact *old,
		const struct sgov_fact *new, const char *from, const char *to)
{
	const struct sgov_fact *fact = new ? new : old;
	const char *cell[] = {
		!old ? "added" :
		new  ? "changed" :
		       "removed",
		sgov_record_name(fact->record),
		fact->name,
		fact->key,
		from,
		/* A table leaves the last cell empty by itself. */
		*to || diff->bare ? to : "-",
	};
	static const char *const keys[] = { "change", "record", "name",
					    "key",    "old",	"new" };
	struct json_object *object = NULL;

	diff->count++;
	if (diff->list) {
		object = json_object_new_object();
		json_object_array_add(diff->list, object);
	}
	for (size_t i = 0; i < 6; i++) {
		if (!object)
			sgov_table_text(diff->table, cell[i]);
		else
			sgov_json_set(object, keys[i], cell[i]);
	}
}

/* Members of the sorted list that the other, sorted too, does not have. */
static char *beyond(const char *list, const char *other)
{
	char *copy = sgov_copy(list), *rest = copy, *word;
	char *result = sgov_alloc(strlen(list) + 1), *end = result;
	char *there = sgov_copy(other), *more = there, *next;

	next = strsep(&more, " ");
	while ((word = strsep(&rest, " "))) {
		while (next && strcmp(next, word) < 0)
			next = strsep(&more, " ");
		if (!*word || (next && !strcmp(next, word)))
			continue;
		if (end != result)
			*end++ = ' ';
		end = stpcpy(end, word);
	}
	free(copy);
	free(there);
	return result;
}

/* ---- terms of a reclaim that are said, but change nothing ---- */

static int64_t term_of(const struct gov_policy *policy, uint32_t team,
		       uint32_t class, enum sgov_term term)
{
	struct gov_terms terms;

	gov_policy_terms(policy, team, class, &terms);
	switch (term) {
	case SGOV_SIGNAL: return terms.signal;
	case SGOV_GRACE: return terms.grace;
	case SGOV_ON_RECLAIM: return terms.on_reclaim;
	case SGOV_ON_CHECKPOINT: return terms.on_checkpoint;
	case SGOV_MIN_RUNTIME: return terms.min_runtime;
	case SGOV_MIN_LOAN:
	case SGOV_NO_TERM: break;
	}
	return terms.min_loan;
}

/* Have any jobs that both policies know another term? */
static bool is_felt(const struct diff *diff, const struct sgov_fact *old,
		    const struct sgov_fact *new)
{
	const struct gov_policy *p = diff->old.policy, *q = diff->new.policy;
	bool of_class = old->record == SGOV_CLASS;
	uint32_t count = of_class ? p->unit_count : p->class_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t j = of_class ?
				     gov_policy_find_unit(q, p->unit[i].name) :
				     gov_policy_find_class(q, p->class[i].name);

		if (j == GOV_NONE || (of_class && !p->unit[i].is_team))
			continue;
		if (term_of(p, of_class ? i : old->index,
			    of_class ? old->index : i, old->term) !=
		    term_of(q, of_class ? j : new->index,
			    of_class ? new->index : j, old->term))
			return true;
	}
	return false;
}

/* ---- the comparison ---- */

static void compare(struct diff *diff, const struct sgov_fact *old,
		    const struct sgov_fact *new)
{
	char *gone, *come;

	if (old->caseless ? !strcasecmp(old->value, new->value) :
			    !strcmp(old->value, new->value))
		return;
	if (old->term && old->record != SGOV_SETTING &&
	    !is_felt(diff, old, new))
		return;
	if (!old->list) {
		put(diff, old, new, old->value, new->value);
		return;
	}
	gone = beyond(old->value, new->value);
	come = beyond(new->value, old->value);
	put(diff, old, new, gone, come);
	free(gone);
	free(come);
}

static bool same_record(const struct sgov_fact *a, const struct sgov_fact *b)
{
	return a->record == b->record && !strcasecmp(a->name, b->name);
}

/*
 * A fact that one policy has.  Of a record that the other does not have at
 * all its first fact, that it is there, is enough.
 */
static void alone(struct diff *diff, const struct sgov_facts *facts, size_t *at,
		  bool is_old)
{
	const struct sgov_fact *fact = &facts->item[*at];

	put(diff, is_old ? fact : NULL, is_old ? NULL : fact,
	    is_old ? fact->value : "", is_old ? "" : fact->value);
	++*at;
	while (!*fact->key && *at < facts->count &&
	       same_record(&facts->item[*at], fact))
		++*at;
}

static void compare_all(struct diff *diff)
{
	size_t i = 0, j = 0;

	while (i < diff->old.count || j < diff->new.count) {
		int order = i == diff->old.count ?
				    1 :
			    j == diff->new.count ?
				    -1 :
				    sgov_fact_order(&diff->old.item[i],
						    &diff->new.item[j]);

		if (order < 0)
			alone(diff, &diff->old, &i, true);
		else if (order > 0)
			alone(diff, &diff->new, &j, false);
		else
			compare(diff, &diff->old.item[i++],
				&diff->new.item[j++]);
	}
}

static int show(const struct sgov *sgov, struct diff *diff, const char *old,
		const char *new)
{
	struct json_object *answer;

	diff->bare = sgov->format != SGOV_TABLE;
	if (sgov->format == SGOV_JSON)
		diff->list = json_object_new_array();
	else
		diff->table = sgov_table_create(sgov, columns);
	compare_all(diff);
	if (diff->list) {
		answer = sgov_own_answer("diff");
		sgov_json_set(answer, "old", old);
		sgov_json_set(answer, "new", new);
		json_object_object_add(answer, "differences", diff->list);
		sgov_json_print(answer);
		json_object_put(answer);
	} else {
		if (diff->count || sgov->format == SGOV_PARSABLE)
			sgov_table_print(diff->table);
		sgov_table_destroy(diff->table);
	}
	if (fflush(stdout) || ferror(stdout))
		return DIFF_TROUBLE; /* main() says it */
	return diff->count ? DIFF_DIFFERENT : DIFF_SAME;
}

int sgov_diff(struct sgov *sgov, int argc, char **argv)
{
	const char *cluster = NULL, *old, *new;
	const struct sgov_option options[] = {
		{ "cluster", 'M', "NAME",
		  "as the cluster NAME reads files for several", &cluster },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct gov_policy *before, *after;
	struct diff diff = { .count = 0 };
	char buffer[4096];
	int status;
	char **operand = sgov_parse_operands(sgov, options, argc, argv, 1, 2,
					     &status);

	if (!operand)
		return status;
	new = operand[1] ? operand[1] : operand[0];
	old = operand[1] ? operand[0] : gov_conf_path(buffer, sizeof(buffer));
	before = sgov_load_policy(old, cluster);
	after = sgov_load_policy(new, cluster);
	status = DIFF_TROUBLE;
	if (before && after) {
		sgov_facts_of(before, &diff.old);
		sgov_facts_of(after, &diff.new);
		status = show(sgov, &diff, old, new);
		sgov_facts_free(&diff.old);
		sgov_facts_free(&diff.new);
	}
	gov_policy_unref(before);
	gov_policy_unref(after);
	return status;
}
