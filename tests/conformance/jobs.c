/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jobs.h"

#include <string.h>

#include "text.h"

void books_open(struct gov_books *books, const struct world_cluster *cluster)
{
	if (!cluster->policy)
		text_fail("policy refused: %s", cluster->error.text);
	if (gov_books_init(books, cluster->policy))
		text_fail("out of memory");
}

/* Items of a kind come by rising cell. */
static void fill_key(struct gov_kind_key *key, uint32_t team,
		     const struct gov_job *job)
{
	*key = (struct gov_kind_key){
		.team = team,
		.project = GOV_NONE,
		.class = job->class,
		.user = job->user,
	};
	for (uint32_t i = 0; i < job->request.count; i++) {
		uint32_t k = key->count++;

		for (; k && key->item[k - 1].cell > job->request.item[i].cell;
		     k--)
			key->item[k] = key->item[k - 1];
		key->item[k] = (struct gov_item){
			job->request.item[i].cell,
			job->request.item[i].amount,
		};
	}
}

void books_add(struct gov_books *books, uint32_t team,
	       const struct gov_job *job)
{
	struct gov_record *record = gov_store_add(&books->store, job->id);
	struct gov_kind_key key;

	fill_key(&key, team, job);
	if (!record || !(record->kind = gov_books_kind(books, &key)))
		text_fail("out of memory");
	record->submitted = job->submitted;
	record->started = job->started;
	record->state = GOV_JOB_RUNNING;
	record->requeueable = true;
	gov_books_charge(books, record->kind);
	gov_store_link(&books->store, record);
}

void books_add_running(struct gov_books *books, const struct world *world,
		       const struct world_cluster *cluster)
{
	struct json_object *running = text_get(world->json, "running");

	for (size_t i = 0; i < text_length(running); i++) {
		struct json_object *record = text_at(running, i);
		struct world_place place = world_team(world,
						      text_string(record,
								  "team"));
		struct gov_job job;

		if (place.cluster != cluster)
			continue;
		world_running(world, record, &job);
		books_add(books, place.unit, &job);
	}
}

const char *rule_name(enum gov_rule rule)
{
	switch (rule) {
	case GOV_RULE_WITHIN_TEAM: return "in_team";
	case GOV_RULE_RECLAIM: return "reclaim";
	case GOV_RULE_FAIR_SHARE: return "fair_share";
	case GOV_RULE_WHILE_BORROWING: return "reclaim_while_borrowing";
	default: return "none";
	}
}

void set_share_rules(struct gov_search *search, struct json_object *json)
{
	struct json_object *rules = text_get(text_get(json, "config"),
					     "strategies");

	for (size_t i = 0; i < text_length(rules) && i < 2; i++)
		search->share_rule[i] = strcmp(json_object_get_string(
						       text_at(rules, i)),
					       "le_final_share") ?
						GOV_SHARE_INITIAL :
						GOV_SHARE_FINAL;
}
