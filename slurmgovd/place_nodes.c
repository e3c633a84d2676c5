/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes as the engine knows them, and which of them a job may use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "slurmgovd/log.h"
#include "slurmgovd/places_private.h"

static void forget_sets(struct gov_places_map *map)
{
	for (size_t i = 0; i < PLACE_SETS; i++) {
		free(map->set[i].key);
		gov_node_set_unref(map->set[i].set);
		map->set[i] = (struct place_set){ 0 };
	}
}

void gov_places_map_free(struct gov_places_map *map)
{
	if (!map)
		return;
	forget_sets(map);
	gov_machine_free(map->machine);
	free(map->sorted);
	free(map);
}

/* ---- nodes by name ---- */

static int by_name(const void *a, const void *b, void *arg)
{
	const struct gov_node_record *node = arg;

	return strcmp(node[*(const uint32_t *) a].name,
		      node[*(const uint32_t *) b].name);
}

uint32_t gov_place_node_of(const struct gov_places_map *map, const char *name)
{
	uint32_t low = 0, high = map->machine->node_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t at = map->sorted[middle];
		int order = strcmp(map->machine->node[at].name, name);

		if (!order)
			return at;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return GOV_NONE;
}

/* ---- what is counted ---- */

uint32_t gov_place_type_of(const struct gov_places_map *map, const char *type)
{
	char name[128];

	snprintf(name, sizeof(name), "gres/gpu:%.100s", type);
	for (uint32_t t = PLACE_TYPES; t < map->tres_count; t++)
		if (!strcmp(map->tres[t], name))
			return t;
	return GOV_NONE;
}

struct adding {
	struct gov_places_map *naming; /* types that are new get a name */
	const struct gov_places_map *map;
	gov_amount_t *amount;
};

static int add_entry(const struct gov_tres_entry *entry, void *arg)
{
	struct adding *adding = arg;
	uint32_t type;

	if (strcmp(entry->name, "gres/gpu"))
		return 0;
	adding->amount[PLACE_GPU] = gov_amount_add(adding->amount[PLACE_GPU],
						   entry->amount);
	if (!entry->type[0])
		return 0;
	type = gov_place_type_of(adding->map, entry->type);
	if (type == GOV_NONE && adding->naming &&
	    adding->naming->tres_count < GOV_PLACE_TRES) {
		type = adding->naming->tres_count++;
		snprintf(adding->naming->tres[type],
			 sizeof(adding->naming->tres[type]), "gres/gpu:%.100s",
			 entry->type);
	}
	if (type != GOV_NONE)
		adding->amount[type] = gov_amount_add(adding->amount[type],
						      entry->amount);
	return 0;
}

static void add_gpus(struct adding adding, const char *text)
{
	if (text && strcmp(text, "(null)"))
		gov_tres_walk(text, add_entry, &adding, NULL);
}

void gov_place_add_gpus(const struct gov_places_map *map, const char *text,
			gov_amount_t *amount)
{
	add_gpus((struct adding){ .map = map, .amount = amount }, text);
}

/* ---- telling the engine ---- */

static bool takes_jobs(const struct gov_node_record *node)
{
	return node->healthy && node->installed && !node->reserved;
}

static void count_nodes(struct gov_places_map *map, struct gov_place_node *to)
{
	snprintf(map->tres[PLACE_CPU], sizeof(map->tres[0]), "cpu");
	snprintf(map->tres[PLACE_MEM], sizeof(map->tres[0]), "mem");
	snprintf(map->tres[PLACE_GPU], sizeof(map->tres[0]), "gres/gpu");
	map->tres_count = PLACE_TYPES;
	for (uint32_t i = 0; i < map->machine->node_count; i++) {
		const struct gov_node_record *node = &map->machine->node[i];
		struct adding adding = { map, map, to[i].has };

		to[i].leaf = node->leaf;
		to[i].usable = takes_jobs(node);
		to[i].has[PLACE_CPU] = node->cpus;
		to[i].has[PLACE_MEM] = node->memory;
		add_gpus(adding, node->gres);
	}
}

static int tell_engine(struct gov_governor *g, struct gov_places_map *map)
{
	uint32_t count = map->machine->node_count;
	struct gov_place_node *node = calloc(count + 1, sizeof(*node));
	const char *tres[GOV_PLACE_TRES];
	struct gov_error error;
	int rc;

	if (!node)
		return -1;
	count_nodes(map, node);
	for (uint32_t t = 0; t < map->tres_count; t++)
		tres[t] = map->tres[t];
	rc = gov_engine_set_nodes(g->engine, node, count, tres, map->tres_count,
				  &error);
	free(node);
	return rc;
}

static struct gov_places_map *make_map(struct gov_governor *g)
{
	struct gov_places_map *map = calloc(1, sizeof(*map));
	uint32_t count = g->machine->node_count;

	if (!map)
		return NULL;
	map->policy = g->policy;
	map->machine = gov_machine_copy(g->machine);
	map->sorted = calloc(count + 1, sizeof(*map->sorted));
	if (map->machine && map->sorted) {
		for (uint32_t i = 0; i < count; i++)
			map->sorted[i] = i;
		qsort_r(map->sorted, count, sizeof(*map->sorted), by_name,
			map->machine->node);
		if (!tell_engine(g, map))
			return map;
	}
	gov_places_map_free(map);
	return NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Is all there that was, but for which nodes take jobs? */
static bool same_machine(const struct gov_machine *a,
			 const struct gov_machine *b)
{
	if (a->node_count != b->node_count ||
	    a->partition_count != b->partition_count)
		return false;
	for (uint32_t i = 0; i < a->node_count; i++) {
		const struct gov_node_record *x = &a->node[i];
		const struct gov_node_record *y = &b->node[i];

		if (!same_text(x->name, y->name) || x->cpus != y->cpus ||
		    x->memory != y->memory || !same_text(x->gres, y->gres) ||
		    !same_text(x->features, y->features) || x->leaf != y->leaf)
			return false;
	}
	for (uint32_t i = 0; i < a->partition_count; i++)
		if (!same_text(a->partition[i].name, b->partition[i].name) ||
		    !same_text(a->partition[i].nodes, b->partition[i].nodes))
			return false;
	return true;
}

static void tell_all_jobs(struct gov_governor *g, struct gov_now now)
{
	for (size_t i = 0; i < g->jobs.size; i++)
		if (g->jobs.slot[i].id)
			gov_judge(g, g->jobs.slot[i].value, now);
}

void gov_places_update(struct gov_governor *g, struct gov_now now)
{
	if (g->map && same_machine(g->map->machine, g->machine)) {
		for (uint32_t i = 0; i < g->machine->node_count; i++)
			gov_engine_set_node_usable(
				g->engine, i, takes_jobs(&g->machine->node[i]));
		return;
	}
	gov_places_map_free(g->map);
	g->map = make_map(g);
	if (!g->map) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory for the places of jobs on nodes: who gives "
			"way is chosen by amounts alone");
		gov_engine_set_nodes(g->engine, NULL, 0, NULL, 0, NULL);
	}
	if (!g->health.ready)
		return;
	tell_all_jobs(g, now);
	gov_hold_places(g);
}

/* ---- which nodes a job may use ---- */

struct choice {
	struct gov_governor *g;
	struct gov_places_map *map;
	const struct gov_tracked *job;
	bool *member; /* per node */
};

/* Mark the nodes of a hostlist; -1: it is not understood. */
static int mark(const struct choice *c, const char *hosts, bool *marked)
{
	char **names = NULL;
	long count = gov_hostlist_expand(hosts, &names, NULL);

	for (long i = 0; i < count; i++) {
		uint32_t node = gov_place_node_of(c->map, names[i]);

		if (node != GOV_NONE)
			marked[node] = true;
	}
	gov_hostlist_free(names, count);
	return count < 0 ? -1 : 0;
}

/* Only marked nodes (or only the others) stay. */
static int restrict_to(struct choice *c, const char *hosts, bool wanted)
{
	uint32_t count = c->map->machine->node_count;
	bool *marked = calloc(count + 1, sizeof(*marked));
	int rc = marked ? mark(c, hosts, marked) : -1;

	for (uint32_t i = 0; !rc && i < count; i++)
		c->member[i] = c->member[i] && marked[i] == wanted;
	free(marked);
	return rc;
}

/* Nodes of any of its partitions. */
static int restrict_to_partitions(struct choice *c)
{
	const struct gov_machine *machine = c->map->machine;
	uint32_t count = machine->node_count;
	bool *marked = calloc(count + 1, sizeof(*marked));
	int rc = marked ? 0 : -1;

	for (uint32_t i = 0; !rc && i < machine->partition_count; i++) {
		const struct gov_partition_record *p = &machine->partition[i];

		if (gov_partition_is_asked(&c->job->record->submission, p) &&
		    p->nodes)
			rc = mark(c, p->nodes, marked);
	}
	for (uint32_t i = 0; !rc && i < count; i++)
		c->member[i] = c->member[i] && marked[i];
	free(marked);
	return rc;
}

/* "a&b": all of these. */
static void restrict_to_features(struct choice *c, const char *features)
{
	char word[256];

	while (*features) {
		size_t length = strcspn(features, "&");

		snprintf(word, sizeof(word), "%.*s", (int) length, features);
		for (uint32_t i = 0; i < c->map->machine->node_count; i++)
			c->member[i] =
				c->member[i] &&
				gov_has_word(c->map->machine->node[i].features,
					     word);
		features += length + (features[length] == '&');
	}
}

static struct gov_node_set *make_set(struct choice *c)
{
	const struct gov_job_record *record = c->job->record;
	const struct gov_submission *s = &record->submission;
	const struct gov_machine *machine = c->map->machine;
	struct gov_node_set *set = NULL;

	c->member = calloc(machine->node_count + 1, sizeof(*c->member));
	if (!c->member)
		return NULL;
	for (uint32_t i = 0; i < machine->node_count; i++)
		c->member[i] = gov_policy_find_node(c->g->policy,
						    machine->node[i].name) ==
			       c->job->pool;
	if (s->features)
		restrict_to_features(c, s->features);
	if (!restrict_to_partitions(c) &&
	    !(s->nodelist && restrict_to(c, s->nodelist, true)) &&
	    !(record->excluded && restrict_to(c, record->excluded, false)))
		set = gov_node_set_create(c->member, machine->node_count);
	free(c->member);
	return set;
}

static char *key_of(const struct gov_tracked *job)
{
	const struct gov_job_record *record = job->record;
	const struct gov_submission *s = &record->submission;
	char *key;

	if (asprintf(&key, "%u|%s|%s|%s|%s", job->pool,
		     s->partition ? s->partition : "",
		     s->features ? s->features : "",
		     s->nodelist ? s->nodelist : "",
		     record->excluded ? record->excluded : "") < 0)
		return NULL;
	return key;
}

struct gov_node_set *gov_place_allowed(struct gov_governor *g,
				       const struct gov_tracked *job,
				       const char **unknown)
{
	struct choice choice = { .g = g, .map = g->map, .job = job };
	const struct gov_submission *s = &job->record->submission;
	struct place_set *to;
	char *key;

	if (s->features && strpbrk(s->features, "|,[]*()!")) {
		*unknown = "a constraint with alternatives or counts";
		return NULL;
	}
	if (g->map->policy != g->policy)
		forget_sets(g->map);
	g->map->policy = g->policy;
	key = key_of(job);
	if (!key)
		return NULL;
	for (size_t i = 0; i < PLACE_SETS; i++)
		if (g->map->set[i].key && !strcmp(g->map->set[i].key, key)) {
			free(key);
			return g->map->set[i].set;
		}
	to = &g->map->set[g->map->next_set++ % PLACE_SETS];
	free(to->key);
	gov_node_set_unref(to->set);
	to->key = key;
	to->set = make_set(&choice);
	return to->set;
}
