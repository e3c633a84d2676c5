/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools, their nodes and TRES, and the table of cells. */
#include "conf/build.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/hostlist.h"

/* ---- TRES ---- */

static uint32_t intern_tres(struct conf_build *build, const char *name)
{
	uint32_t tres = gov_policy_find_tres(build->policy, name);

	if (tres == GOV_NONE)
		tres = gov_policy_add_tres(build->policy, name);
	if (tres == GOV_NONE)
		build->conf->no_memory = true;
	return tres;
}

static void add_tres(struct conf_build *build, uint32_t pool,
		     const struct conf_word *word)
{
	struct conf_item item;
	struct conf_tres tres;
	uint32_t index;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		conf_read_tres(item.text, &tres);
		index = intern_tres(build, tres.name);
		if (index == GOV_NONE ||
		    gov_policy_pool_add_tres(build->policy, pool, index))
			build->conf->no_memory = true;
	}
}

/* Position of a TRES in the pool's list; GOV_NONE if it is not there. */
static uint32_t pool_tres(const struct gov_policy *policy, uint32_t pool,
			  const char *name)
{
	const struct gov_pool *p = &policy->pool[pool];
	uint32_t typed = GOV_NONE;

	for (uint32_t t = 0; t < p->tres_count; t++) {
		int means = conf_tres_means(name,
					    policy->tres[p->tres[t]].name);

		if (means == 2)
			return t;
		if (means && typed == GOV_NONE)
			typed = t;
	}
	return typed;
}

static void set_prices(struct conf_build *build, uint32_t pool,
		       const struct conf_word *word)
{
	struct conf_item item;
	struct conf_tres tres;
	uint32_t t;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		conf_read_tres(item.text, &tres);
		t = pool_tres(build->policy, pool, tres.name);
		if (t == GOV_NONE)
			conf_unknown_tres(build, word, item.offset, tres.name,
					  pool);
		else
			conf_read_price(tres.amount_text,
					&build->policy->pool[pool].price[t]);
	}
}

/* NodeTRES may say more than is counted, but must be amounts. */
static void check_node_tres(struct conf_build *build,
			    const struct conf_word *word)
{
	struct conf_item item;
	struct conf_tres tres;
	gov_amount_t amount;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		conf_read_tres(item.text, &tres);
		conf_read_amount(tres.name, tres.amount_text, &amount);
		if (amount == GOV_UNLIMITED || !amount)
			conf_error(
				build->conf, conf_value_at(word, item.offset),
				GOV_E_VALUE,
				"NodeTRES: expected what one node has of %.100s, more than 0",
				tres.name);
	}
}

/* ---- nodes ---- */

struct node_walk {
	struct conf_build *build;
	struct conf_name_set *seen; /* node → record of its pool */
	const struct conf_record *record;
	const struct conf_word *word;
	uint32_t pool;
};

static int add_node(const char *name, size_t offset, void *arg)
{
	struct node_walk *walk = arg;
	struct conf *conf = walk->build->conf;
	uint32_t self = (uint32_t) (walk->record - conf->record);
	char *copy = conf_copy(conf, name, strlen(name));
	uint32_t other = copy ? conf_name_put(conf, walk->seen, copy, self) :
				CONF_NO_NAME;

	if (other == self)
		conf_error(conf, conf_value_at(walk->word, offset),
			   GOV_E_DUPLICATE, "Nodes: %s is listed twice", name);
	else if (other != CONF_NO_NAME)
		conf_error(
			conf, conf_value_at(walk->word, offset),
			GOV_E_DUPLICATE,
			"Nodes: %s is in the pool %s already; a node belongs to one pool",
			name, conf->record[other].name->value);
	else if (!copy || gov_policy_pool_add_node(walk->build->policy,
						   walk->pool, name))
		conf->no_memory = true;
	return conf->no_memory;
}

/* A pool of licenses alone needs no nodes. */
static bool needs_nodes(const struct gov_policy *policy, uint32_t pool)
{
	const struct gov_pool *p = &policy->pool[pool];

	for (uint32_t t = 0; t < p->tres_count; t++)
		if (strncasecmp(policy->tres[p->tres[t]].name, "license/", 8))
			return true;
	return p->tres_count == 0;
}

static void add_nodes(struct conf_build *build, struct conf_record *record,
		      struct conf_name_set *seen)
{
	const struct conf_word *word = conf_find_word(build->conf, record,
						      KEY_NODES);
	struct node_walk walk = { build, seen, record, word, record->index };
	struct gov_error error;
	size_t fault;

	if (word)
		conf_hostlist_walk(word->value, add_node, &walk, &fault,
				   &error);
	else if (!conf_own_word(record, KEY_NODES) &&
		 needs_nodes(build->policy, record->index))
		conf_error(
			build->conf, record->at, GOV_E_VALUE,
			"the pool %s needs Nodes=, the nodes that belong to it",
			record->name->value);
}

/* ---- pools ---- */

/* A ratio, in thousandths; without its key it stays as it is. */
static void set_permille(const struct conf *conf,
			 const struct conf_record *record, enum conf_key_id key,
			 uint64_t *permille)
{
	int64_t number = (int64_t) *permille;

	conf_get_number(conf_find_word(conf, record, key), &number);
	*permille = (uint64_t) number;
}

static void build_pool(struct conf_build *build, struct conf_record *record,
		       struct conf_name_set *seen)
{
	struct conf *conf = build->conf;
	const struct conf_word *tres = conf_find_word(conf, record,
						      KEY_POOL_TRES);
	const struct conf_word *word;
	struct gov_pool *pool;

	record->index = gov_policy_add_pool(build->policy, record->name->value);
	if (record->index == GOV_NONE) {
		conf->no_memory = true;
		return;
	}
	if (tres)
		add_tres(build, record->index, tres);
	else if (!conf_own_word(record, KEY_POOL_TRES))
		conf_error(
			conf, record->at, GOV_E_VALUE,
			"the pool %s needs TRES=, what is counted in it, such as gres/gpu:h100,cpu,mem",
			record->name->value);
	build->unsure |= !tres;
	add_nodes(build, record, seen);
	pool = &build->policy->pool[record->index];
	conf_get_text(build, conf_find_word(conf, record, KEY_PARTITION),
		      &pool->partition);
	conf_get_text(build, conf_find_word(conf, record, KEY_CONSTRAINT),
		      &pool->constraint);
	set_permille(conf, record, KEY_OVERSELL, &pool->oversell_permille);
	set_permille(conf, record, KEY_BORROWED_FACTOR,
		     &pool->borrowed_permille);
	set_permille(conf, record, KEY_LENT_CREDIT, &pool->lent_permille);
	word = conf_find_word(conf, record, KEY_NODE_TRES);
	if (word)
		check_node_tres(build, word);
}

static void index_cells(struct conf_build *build)
{
	struct gov_policy *policy = build->policy;
	uint32_t cell = 0;

	build->pool_cell = conf_alloc(build->conf,
				      (policy->pool_count + 1) *
					      sizeof(*build->pool_cell));
	if (!build->pool_cell || gov_policy_make_cells(policy)) {
		build->conf->no_memory = true;
		return;
	}
	for (uint32_t p = 0; p < policy->pool_count; p++) {
		build->pool_cell[p] = cell;
		cell += policy->pool[p].tres_count;
	}
	build->pool_cell[policy->pool_count] = cell;
}

void conf_build_pools(struct conf_build *build)
{
	struct conf_name_set seen = { .exact = true };
	struct conf *conf = build->conf;

	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		struct conf_record *record = &conf->record[i];

		if (record->kind != CONF_POOL || !record->active ||
		    record->is_default)
			continue;
		if (record->name)
			build_pool(build, record, &seen);
		else
			build->unsure = true;
	}
	if (!build->policy->pool_count && !build->unsure)
		conf_error(
			conf, (struct conf_place){ 0, 1, 1 }, GOV_E_VALUE,
			"there is no pool; expected PoolName=... Nodes=... TRES=...");
	if (!conf->no_memory)
		index_cells(build);
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		const struct conf_record *record = &conf->record[i];
		const struct conf_word *word =
			record->index == GOV_NONE ?
				NULL :
				conf_find_word(conf, record, KEY_PRICE);

		if (word && record->kind == CONF_POOL)
			set_prices(build, record->index, word);
	}
}
