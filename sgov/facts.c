/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of settings, pools, classes and projects, and how they are written. */
#include "sgov/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/conf.h"
#include "sgov/format.h"

/* ---- values ---- */

char *sgov_exact_amount(const char *tres, gov_amount_t amount)
{
	static const char suffix[] = "MGTPE";
	unsigned s = 0;

	if (amount == GOV_UNLIMITED)
		return sgov_copy("UNLIMITED");
	if (strcasecmp(tres, "mem") != 0 || !amount)
		return sgov_printf("%llu", (unsigned long long) amount);
	for (; amount % 1024 == 0 && suffix[s + 1]; s++)
		amount /= 1024;
	return sgov_printf("%llu%c", (unsigned long long) amount, suffix[s]);
}

char *sgov_permille(uint64_t permille)
{
	return sgov_printf("%g", (double) permille / 1000);
}

char *sgov_list_add(char *list, const char *mark, const char *member)
{
	char *longer = sgov_printf("%s%s%s%s", list ? list : "",
				   list ? " " : "", mark, member);

	free(list);
	return longer;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The same members in order; takes the list. */
static char *sorted(char *list)
{
	char **word = NULL, *rest = list, *next, *result = NULL;
	size_t count = 0, length = 0;

	if (!list)
		return sgov_copy("");
	while ((next = strsep(&rest, " "))) {
		word = sgov_realloc(word, (count + 1) * sizeof(*word));
		word[count++] = next;
		length += strlen(next) + 1;
	}
	qsort(word, count, sizeof(*word), by_text);
	result = sgov_alloc(length + 1);
	next = result;
	for (size_t i = 0; i < count; i++) {
		if (i)
			*next++ = ' ';
		next = stpcpy(next, word[i]);
	}
	free(word);
	free(list);
	return result;
}

/* ---- adding ---- */

struct sgov_fact *sgov_fact_add(struct sgov_facts *facts,
				enum sgov_record record, const char *name,
				const char *key, char *value)
{
	struct sgov_fact *fact;

	if (!(facts->count & (facts->count + 1)) || !facts->item)
		facts->item = sgov_realloc(facts->item,
					   2 * (facts->count + 1) *
						   sizeof(*facts->item));
	fact = &facts->item[facts->count++];
	*fact = (struct sgov_fact){
		.record = record,
		.name = sgov_copy(name),
		.key = sgov_copy(key),
		.value = value,
	};
	return fact;
}

void sgov_fact_text(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, const char *value)
{
	sgov_fact_add(facts, record, name, key, sgov_copy(value ? value : ""));
}

void sgov_fact_name(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, const char *value)
{
	sgov_fact_add(facts, record, name, key, sgov_copy(value ? value : ""))
		->caseless = true;
}

void sgov_fact_flag(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, bool value)
{
	sgov_fact_text(facts, record, name, key, value ? "yes" : "no");
}

void sgov_fact_list(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, char *list)
{
	sgov_fact_add(facts, record, name, key, sorted(list))->list = true;
}

void sgov_fact_members(struct sgov_facts *facts, enum sgov_record record,
		       const char *name, const char *key,
		       const struct gov_member_list *members)
{
	char *list = NULL;

	for (uint32_t i = 0; i < members->count; i++)
		list = sgov_list_add(list,
				     members->item[i].kind == GOV_MEMBER_GROUP ?
					     "@" :
					     "",
				     members->item[i].name);
	sgov_fact_list(facts, record, name, key, list);
}

void sgov_fact_cells(struct sgov_facts *facts, enum sgov_record record,
		     const char *name, const char *key,
		     const gov_amount_t *amount)
{
	const struct gov_policy *policy = facts->policy;

	for (uint32_t c = 0; amount && c < policy->cell_count; c++) {
		const char *tres = policy->tres[policy->cell[c].tres].name;
		char *full;

		if (amount[c] == GOV_UNSET || amount[c] == GOV_UNLIMITED)
			continue;
		full = sgov_printf("%s %s %s", key,
				   policy->pool[policy->cell[c].pool].name,
				   tres);
		sgov_fact_add(facts, record, name, full,
			      sgov_exact_amount(tres, amount[c]));
		free(full);
	}
}

static char *seconds(int64_t value)
{
	char text[SGOV_TIME_TEXT];

	return sgov_copy(value == GOV_SECONDS_UNSET ?
				 "" :
				 sgov_format_duration(text, value));
}

void sgov_fact_terms(struct sgov_facts *facts, enum sgov_record record,
		     const char *name, uint32_t index,
		     const struct gov_terms *terms)
{
	const char *signal = terms->signal ? sigabbrev_np(terms->signal) : "";
	const struct {
		const char *key;
		char *value;
	} all[] = {
		[SGOV_SIGNAL] = { "ReclaimSignal",
				  signal ? sgov_copy(signal) :
					   sgov_printf("%d", terms->signal) },
		[SGOV_GRACE] = { "ReclaimGrace", seconds(terms->grace) },
		[SGOV_ON_RECLAIM] = { "OnReclaim",
				      sgov_copy(
					      terms->on_reclaim < 0 ? "" :
					      terms->on_reclaim	    ? "cancel" :
								  "requeue") },
		[SGOV_ON_CHECKPOINT] = { "ReclaimOnCheckpoint",
					 sgov_copy(
						 terms->on_checkpoint < 0 ? "" :
						 terms->on_checkpoint ? "yes" :
									"no") },
		[SGOV_MIN_RUNTIME] = { "MinRuntime",
				       seconds(terms->min_runtime) },
		[SGOV_MIN_LOAN] = { "MinLoan", seconds(terms->min_loan) },
	};

	for (int t = SGOV_SIGNAL; t <= SGOV_MIN_LOAN; t++) {
		struct sgov_fact *fact = sgov_fact_add(facts, record, name,
						       all[t].key,
						       all[t].value);

		fact->term = (enum sgov_term) t;
		fact->index = index;
	}
}

/* ---- the cluster ---- */

static void number(struct sgov_facts *facts, const char *key, uint64_t value)
{
	sgov_fact_add(facts, SGOV_SETTING, "", key,
		      sgov_printf("%llu", (unsigned long long) value));
}

static void settings(struct sgov_facts *facts)
{
	const struct gov_policy *p = facts->policy;
	static const char *const orders[] = { "Rank", "FirstCome", "Usage" };
	static const char *const down[] = { "wait", "pass", "reject" };
	struct gov_terms terms;

#define TEXT(key, value) sgov_fact_text(facts, SGOV_SETTING, "", key, value)
	TEXT("ClusterName", p->cluster_name);
	TEXT("Enforcement", p->enforcement ? "observe" : "enforce");
	TEXT("IdleSharing", p->idle_sharing ? "FirstCome" : "FairShare");
	TEXT("TaskOrder", orders[p->task_order]);
	sgov_fact_add(facts, SGOV_SETTING, "", "UsageHalfLife",
		      seconds(p->usage_half_life));
	TEXT("ShareUnallocated", p->share_unallocated ? "yes" : "no");
	TEXT("Ungoverned", p->ungoverned_allowed ? "allow" : "deny");
	TEXT("Reservations", p->reservations_exempt ? "exempt" : "govern");
	TEXT("UntypedGPU", p->untyped_gpu ? "refuse" : "any");
	sgov_fact_add(facts, SGOV_SETTING, "", "MaxEvictRatio",
		      sgov_permille(p->max_evict_ratio_permille));
	TEXT("MaxEvictRatioRules",
	     p->max_evict_ratio_all_rules ? "All" : "FairShare");
	sgov_fact_members(facts, SGOV_SETTING, "", "ExemptUsers", &p->exempt);
	sgov_fact_members(facts, SGOV_SETTING, "", "Operators", &p->operators);
	TEXT("OnGovernorDown", down[p->on_governor_down]);
	TEXT("GovernorSocket", p->submit_socket);
	TEXT("Listen", p->listen);
	number(facts, "SubmitDeadline", p->submit_deadline_ms);
	number(facts, "PollInterval", p->poll_interval_ms);
	number(facts, "MemberRefresh", p->member_refresh);
	number(facts, "MaxUpdatesPerSecond", p->max_updates_per_second);
	TEXT("LogFile", p->log_file);
	TEXT("LogLevel", p->log_level);
#undef TEXT
	gov_policy_terms(p, GOV_NONE, GOV_NONE, &terms);
	sgov_fact_terms(facts, SGOV_SETTING, "", GOV_NONE, &terms);
}

/* ---- pools, classes, projects ---- */

/* As sgov_list_add() makes it, for many. */
static char *nodes_of(const struct gov_pool *pool)
{
	size_t length = 0;
	char *list, *end;

	for (uint32_t i = 0; i < pool->node_count; i++)
		length += strlen(pool->nodes[i]) + 1;
	if (!length)
		return NULL;
	list = end = sgov_alloc(length);
	for (uint32_t i = 0; i < pool->node_count; i++) {
		if (i)
			*end++ = ' ';
		end = stpcpy(end, pool->nodes[i]);
	}
	return list;
}

static void pool(struct sgov_facts *facts, const struct gov_pool *p)
{
	char *tres = NULL;

	sgov_fact_text(facts, SGOV_POOL, p->name, "", "");
	sgov_fact_list(facts, SGOV_POOL, p->name, "Nodes", nodes_of(p));
	for (uint32_t i = 0; i < p->tres_count; i++) {
		const char *name = facts->policy->tres[p->tres[i]].name;
		double price = p->price ? p->price[i] : 0;
		char *key = sgov_printf("Price %s", name);

		tres = sgov_list_add(tres, "", name);
		sgov_fact_add(facts, SGOV_POOL, p->name, key,
			      sgov_printf("%.9g", price));
		free(key);
	}
	sgov_fact_list(facts, SGOV_POOL, p->name, "TRES", tres);
	sgov_fact_text(facts, SGOV_POOL, p->name, "Partition", p->partition);
	sgov_fact_text(facts, SGOV_POOL, p->name, "Constraint", p->constraint);
	sgov_fact_add(facts, SGOV_POOL, p->name, "Oversell",
		      sgov_permille(p->oversell_permille));
	sgov_fact_add(facts, SGOV_POOL, p->name, "BorrowedFactor",
		      sgov_permille(p->borrowed_permille));
	sgov_fact_add(facts, SGOV_POOL, p->name, "LentCredit",
		      sgov_permille(p->lent_permille));
}

static void class(struct sgov_facts *facts, uint32_t index)
{
	static const char *const preempt[] = { "Never", "LowerPriority",
					       "LowerOrNewer", "Any" };
	const struct gov_class *c = &facts->policy->class[index];

	sgov_fact_text(facts, SGOV_CLASS, c->name, "", "");
	sgov_fact_add(facts, SGOV_CLASS, c->name, "Weight",
		      sgov_printf("%u", c->weight));
	sgov_fact_flag(facts, SGOV_CLASS, c->name, "Default", c->is_default);
	sgov_fact_flag(facts, SGOV_CLASS, c->name, "Borrow", c->may_borrow);
	sgov_fact_add(facts, SGOV_CLASS, c->name, "MaxTime",
		      seconds(c->max_time));
	sgov_fact_text(facts, SGOV_CLASS, c->name, "PreemptWithinTeam",
		       c->preempt_set ? preempt[c->preempt_within_team] : "");
	sgov_fact_cells(facts, SGOV_CLASS, c->name, "MaxTRES", c->max_per_job);
	sgov_fact_terms(facts, SGOV_CLASS, c->name, index, &c->terms);
}

static void project(struct sgov_facts *facts, const struct gov_project *p)
{
	char *name = sgov_printf("%s %s", facts->policy->unit[p->team].name,
				 p->name);

	sgov_fact_text(facts, SGOV_PROJECT, name, "", "");
	sgov_fact_members(facts, SGOV_PROJECT, name, "Members", &p->members);
	sgov_fact_cells(facts, SGOV_PROJECT, name, "MaxTRES", p->max);
	sgov_fact_text(facts, SGOV_PROJECT, name, "Budget", p->budget);
	free(name);
}

/* ---- all ---- */

int sgov_fact_order(const struct sgov_fact *a, const struct sgov_fact *b)
{
	int order;

	if (a->record != b->record)
		return a->record < b->record ? -1 : 1;
	order = strcasecmp(a->name, b->name);
	return order ? order : strcasecmp(a->key, b->key);
}

static int in_order(const void *a, const void *b)
{
	return sgov_fact_order(a, b);
}

void sgov_facts_of(const struct gov_policy *policy, struct sgov_facts *facts)
{
	*facts = (struct sgov_facts){ .policy = policy };
	settings(facts);
	for (uint32_t i = 0; i < policy->pool_count; i++)
		pool(facts, &policy->pool[i]);
	for (uint32_t i = 0; i < policy->class_count; i++)
		class(facts, i);
	sgov_facts_of_units(facts);
	for (uint32_t i = 0; i < policy->project_count; i++)
		project(facts, &policy->project[i]);
	qsort(facts->item, facts->count, sizeof(*facts->item), in_order);
}

void sgov_facts_free(struct sgov_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		free(facts->item[i].name);
		free(facts->item[i].key);
		free(facts->item[i].value);
	}
	free(facts->item);
	*facts = (struct sgov_facts){ 0 };
}

const char *sgov_record_name(enum sgov_record record)
{
	static const char *const names[] = { "setting", "pool", "class",
					     "unit",	"team", "quota",
					     "project" };

	return names[record];
}
