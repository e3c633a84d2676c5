/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people read: governance.conf(5) documents every key of the table and
 * no other, its example and the sample file are sound and mean what their
 * comments say.
 */
#include <ctype.h>

#include "conf/keys.h"
#include "core/engine.h"
#include "tests/unit/test_conf.h"

static const char *const kind_names[CONF_KINDS] = {
	[CONF_SETTING] = "settings", [CONF_POOL] = "pools",
	[CONF_CLASS] = "classes",    [CONF_PROFILE] = "profiles",
	[CONF_UNIT] = "units",	     [CONF_TEAM] = "teams",
	[CONF_QUOTA] = "quotas",     [CONF_PROJECT] = "projects",
};

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 200000);

	ck_assert_msg(file != NULL, "%s cannot be opened", path);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_gt(fread(text, 1, 199999, file), 0);
	fclose(file);
	return text;
}

/* "In: settings, pools." to bits; 0 if it is not such a line. */
static unsigned read_kinds(const char *line)
{
	unsigned kinds = 0;
	char word[32];

	if (strncmp(line, "In: ", 4))
		return 0;
	for (line += 4; isalpha((unsigned char) *line);) {
		size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz");
		int kind = 0;

		snprintf(word, sizeof(word), "%.*s", (int) length, line);
		while (kind < CONF_KINDS && strcmp(word, kind_names[kind]))
			kind++;
		ck_assert_msg(kind < CONF_KINDS, "the page says '%s'", word);
		kinds |= 1u << kind;
		line += length;
		line += strspn(line, ", ");
	}
	return kinds;
}

/* The text of an entry, up to the next tag or section. */
static void entry_text(const char *from, char *text, size_t size)
{
	const char *end = strstr(from, "\n.TP");
	const char *section = strstr(from, "\n.S");

	if (!end || (section && section < end))
		end = section;
	snprintf(text, size, "%.*s", (int) (end - from), from);
}

static void check_entry(int key, const char *body)
{
	const struct conf_choice *word = conf_keys[key].words;
	char text[4096];

	entry_text(body, text, sizeof(text));
	for (; word && word->word && conf_keys[key].type == CONF_T_CHOICE;
	     word++)
		/* "as above" is for the four words of preemption. */
		ck_assert_msg(strstr(text, word->word) ||
				      strstr(text, "as above"),
			      "the entry of %s lacks %s", conf_keys[key].name,
			      word->word);
}

START_TEST(the_page_has_every_key)
{
	char *page = read_text(MAN_PAGE), *line = page, *next;
	unsigned documented[CONF_KEYS] = { 0 };

	for (; *line; line = next) {
		char name[64] = "";
		unsigned kinds;
		int key;

		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		if (strncmp(line, ".BI ", 4) && strncmp(line, ".BR ", 4))
			continue;
		if (sscanf(line + 4, "%63[A-Za-z]=", name) != 1 ||
		    line[4 + strlen(name)] != '=')
			continue;
		kinds = read_kinds(next);
		if (!kinds)
			continue;
		for (key = 0; key < CONF_KEYS; key++)
			if (!strcmp(conf_keys[key].name, name) &&
			    conf_keys[key].kinds == kinds)
				break;
		ck_assert_msg(
			key < CONF_KEYS,
			"%s= is not in the table for these records: %.60s",
			name, next);
		ck_assert_msg(!documented[key], "%s is there twice", name);
		documented[key] = 1;
		check_entry(key, next);
	}
	for (int key = 0; key < CONF_KEYS; key++)
		ck_assert_msg(documented[key], "the page lacks %s=, in %x",
			      conf_keys[key].name, conf_keys[key].kinds);
	free(page);
}
END_TEST

START_TEST(the_table_is_sound)
{
	for (int i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];
		char text[512];

		ck_assert_ptr_nonnull(key->name);
		ck_assert_uint_ne(key->kinds, 0);
		ck_assert_uint_gt(strlen(key->help), 5);
		ck_assert_uint_gt(strlen(conf_key_expected(key, text,
							   sizeof(text))),
				  3);
		for (int j = 0; j < i; j++)
			ck_assert_msg(
				strcasecmp(key->name, conf_keys[j].name) ||
					!(key->kinds & conf_keys[j].kinds),
				"%s is there twice", key->name);
		for (int kind = 0; kind < CONF_KINDS; kind++)
			if (key->kinds >> kind & 1)
				ck_assert_int_eq(conf_key_find(kind, key->name),
						 i);
	}
	ck_assert_int_eq(conf_key_find(CONF_TEAM, "Nodes"), -1);
	ck_assert(conf_key_is_known("NODES", 5));
	ck_assert(!conf_key_is_known("NODES", 4));
}
END_TEST

START_TEST(the_example_of_the_page)
{
	char *page = read_text(MAN_PAGE);
	char *from = strstr(page, ".\\\" example\n");
	char *end = from ? strstr(from, ".\\\" end\n") : NULL;
	struct gov_policy *p;

	ck_assert_ptr_nonnull(end);
	*end = '\0';
	p = conf_sound(strchr(from, '\n') + 1, NULL);
	ck_assert_uint_eq(
		conf_quota(p, "vision", "h100", "gres/gpu:h100")->borrow, 32);
	ck_assert_uint_eq(conf_quota(p, "nlp", "h100", "gres/gpu:h100")->borrow,
			  16);
	gov_policy_unref(p);
	free(page);
}
END_TEST

/* ---- the sample ---- */

static struct gov_policy *load_sample(void)
{
	char *text = read_text(SAMPLE);
	struct gov_policy *p = conf_sound(text, NULL);

	free(text);
	return p;
}

START_TEST(sample_settings)
{
	struct gov_policy *p = load_sample();

	ck_assert_str_eq(p->cluster_name, "lab");
	ck_assert_int_eq(p->enforcement, GOV_ENFORCE);
	ck_assert_int_eq(p->idle_sharing, GOV_FAIR_SHARE);
	ck_assert_int_eq(p->task_order, GOV_TASK_RANK);
	ck_assert(p->share_unallocated);
	ck_assert(!p->ungoverned_allowed);
	ck_assert_uint_eq(p->exempt.count, 1);
	ck_assert_int_eq(p->operators.item[0].kind, GOV_MEMBER_GROUP);
	ck_assert_int_eq(p->terms.signal, 15);
	ck_assert_int_eq(p->terms.grace, 120);
	ck_assert_int_eq(p->terms.on_reclaim, GOV_RECLAIM_REQUEUE);
	ck_assert_int_eq(p->terms.min_runtime, 900);
	ck_assert_uint_eq(p->max_evict_ratio_permille, 1500);
	ck_assert_int_eq(p->on_governor_down, GOV_DOWN_WAIT);
	ck_assert_uint_eq(p->submit_deadline_ms, 20);
	ck_assert_uint_eq(p->poll_interval_ms, 500);
	ck_assert_uint_eq(p->member_refresh, 60);
	ck_assert_str_eq(p->listen, "6822");
	ck_assert_str_eq(p->log_file, "/var/log/slurm/slurmgovd.log");
	ck_assert_str_eq(p->log_level, "info");
	gov_policy_unref(p);
}
END_TEST

START_TEST(sample_pools_and_classes)
{
	struct gov_policy *p = load_sample();
	const struct gov_class *debug = conf_class(p, "debug");

	ck_assert_uint_eq(p->pool_count, 2);
	ck_assert_uint_eq(p->pool[0].node_count, 4);
	ck_assert_uint_eq(p->pool[1].node_count, 8);
	ck_assert_double_eq(p->pool[0].price[0], 2.5);
	ck_assert_double_eq(p->pool[1].price[0], 0.6);
	ck_assert_uint_eq(p->class_count, 3);
	ck_assert_uint_eq(conf_class(p, "inference")->weight, 90);
	ck_assert(conf_class(p, "training")->is_default);
	ck_assert_uint_eq(debug->weight, 50);
	ck_assert_int_eq(debug->max_time, 3600);
	ck_assert(!debug->may_borrow);
	ck_assert_uint_eq(debug->max_per_job[0], 2);
	gov_policy_unref(p);
}
END_TEST

START_TEST(sample_teams)
{
	struct gov_policy *p = load_sample();
	const struct gov_unit *vision = conf_unit(p, "vision");
	const struct gov_unit *nlp = conf_unit(p, "nlp");
	uint32_t inference = gov_policy_find_class(p, "inference");
	uint32_t training = gov_policy_find_class(p, "training");

	ck_assert_str_eq(p->unit[vision->parent].name, "lab1");
	ck_assert_str_eq(p->unit[nlp->parent].name, "speech");
	ck_assert_uint_eq(vision->weight.numerator, 30);
	ck_assert_str_eq(nlp->account, "nlp");
	ck_assert(!vision->classes[inference]);
	ck_assert(nlp->classes[inference]);
	ck_assert(nlp->classes[training]);
	ck_assert_str_eq(vision->isolation, "namespace");
	ck_assert_uint_eq(nlp->user_max[0], 8);
	ck_assert_uint_eq(conf_unit(p, "students")->members.count, 1);
	ck_assert_uint_eq(p->project[0].max[0], 8);
	ck_assert_str_eq(p->project[0].budget, "gres/gpu=2000h/month");
	gov_policy_unref(p);
}
END_TEST

static void holds(const struct gov_policy *p, const char *team,
		  const char *pool, const char *tres, gov_amount_t nominal,
		  gov_amount_t borrow, gov_amount_t lend)
{
	const struct gov_quota *q = conf_quota(p, team, pool, tres);

	ck_assert(q->set);
	ck_assert_uint_eq(q->nominal, nominal);
	ck_assert_uint_eq(q->borrow, borrow);
	ck_assert_uint_eq(q->lend, lend);
}

START_TEST(sample_quotas)
{
	struct gov_policy *p = load_sample();

	holds(p, "vision", "h100", "gres/gpu:h100", 16, 16, 12);
	holds(p, "vision", "h100", "cpu", 384, 384, 288);
	holds(p, "vision", "h100", "mem", 4 << 20, 4 << 20, 3 << 20);
	holds(p, "vision", "a10", "gres/gpu:a10", 24, 24, 18);
	holds(p, "nlp", "h100", "gres/gpu:h100", 8, 16, 0);
	holds(p, "nlp", "a10", "gres/gpu:a10", 0, 8, 0);
	holds(p, "students", "a10", "gres/gpu:a10", 0, 4, GOV_UNLIMITED);
	ck_assert(!conf_quota(p, "nlp", "h100", "cpu")->counted);
	ck_assert(!conf_quota(p, "students", "h100", "gres/gpu:h100")->set);
	/* Of the whole unit speech. */
	ck_assert_uint_eq(
		conf_quota(p, "speech", "h100", "gres/gpu:h100")->borrow, 16);
	ck_assert_uint_eq(
		conf_quota(p, "speech", "a10", "gres/gpu:a10")->borrow, 16);
	ck_assert(!conf_quota(p, "lab1", "h100", "gres/gpu:h100")->set);
	gov_policy_unref(p);
}
END_TEST

static void put(struct gov_engine *engine, uint64_t id, const char *team,
		enum gov_job_state state, gov_amount_t gpus)
{
	const struct gov_policy *p = gov_engine_policy(engine);
	struct gov_error error;
	struct gov_job job = {
		.id = id,
		.team = gov_policy_find_unit(p, team),
		.project = GOV_NONE,
		.class = gov_policy_find_class(p, "training"),
		.submitted = (gov_time_t) id,
		.started = state == GOV_JOB_RUNNING ? (gov_time_t) id : 0,
		.state = (uint8_t) state,
		.requeueable = true,
		.request.count = 1,
		.request.item[0].amount = gpus,
	};

	job.request.item[0].cell =
		gov_policy_find_cell(p, gov_policy_find_pool(p, "a10"),
				     gov_policy_find_tres(p, "gres/gpu:a10"));
	ck_assert_msg(!gov_engine_put(engine, &job, &error), "%s", error.text);
}

/* As it is shipped: what vision lends it has again when it asks. */
START_TEST(sample_gives_an_owner_its_own_back)
{
	struct gov_policy *p = load_sample();
	struct gov_decision_list list = { 0 };
	struct gov_engine *engine;
	struct gov_error error;

	engine = gov_engine_create(p, &error);
	ck_assert_ptr_nonnull(engine);
	gov_engine_set_capacity(
		engine,
		gov_policy_find_cell(p, gov_policy_find_pool(p, "a10"),
				     gov_policy_find_tres(p, "gres/gpu:a10")),
		24);
	for (uint64_t id = 1; id <= 8; id++)
		put(engine, id, "nlp", GOV_JOB_RUNNING, 1);
	for (uint64_t id = 11; id <= 14; id++)
		put(engine, id, "students", GOV_JOB_RUNNING, 1);
	put(engine, 20, "vision", GOV_JOB_WAITING, 16);
	ck_assert_int_eq(gov_engine_decide(engine, 1000, &list, &error), 0);
	ck_assert_int_eq(gov_engine_job(engine, 20)->state, GOV_JOB_CLAIMING);
	/* 12 are free. */
	ck_assert_uint_eq(list.count, 4);
	for (size_t i = 0; i < list.count; i++)
		ck_assert_int_eq(list.item[i].kind, GOV_NOTICE);
	gov_decision_list_free(&list);
	gov_engine_destroy(engine);
	gov_policy_unref(p);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, the_page_has_every_key);
	tcase_add_test(tcase, the_table_is_sound);
	tcase_add_test(tcase, the_example_of_the_page);
	tcase_add_test(tcase, sample_settings);
	tcase_add_test(tcase, sample_pools_and_classes);
	tcase_add_test(tcase, sample_teams);
	tcase_add_test(tcase, sample_quotas);
	tcase_add_test(tcase, sample_gives_an_owner_its_own_back);
}

int main(void)
{
	return unit_main("conf_man", cases);
}
