/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a value, and what was expected instead. */
#include "conf/values.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/hostlist.h"
#include "conf/names.h"

#define QUOTE "%.80s" /* text of others, within reason */

static void expected(struct conf *conf, struct conf_word *word, size_t offset,
		     const char *item, const char *hint)
{
	const struct conf_key *key = &conf_keys[word->id];
	char shape[512];

	word->bad = true;
	conf_error(conf, conf_value_at(word, offset), GOV_E_VALUE,
		   "%s=" QUOTE ": expected %s%s", key->name, item,
		   conf_key_expected(key, shape, sizeof(shape)), hint);
}

static void check_choice(struct conf *conf, struct conf_word *word,
			 const struct conf_choice *words)
{
	struct conf_nearest nearest;
	int value;

	if (conf_read_choice(words, word->value, &value))
		return;
	conf_nearest_begin(&nearest, conf, word->value);
	for (; words->word; words++)
		conf_nearest_try(&nearest, words->word);
	expected(conf, word, 0, word->value, conf_nearest_hint(&nearest));
}

/* Numbers and times within min..max, or a word such as unlimited. */
static void check_number(struct conf *conf, struct conf_word *word)
{
	const struct conf_key *key = &conf_keys[word->id];
	const char *text = word->value;
	int64_t value = -1;
	int special;
	bool ok;

	if (key->words && conf_read_choice(key->words, text, &special))
		return;
	if (key->type == CONF_T_SECONDS)
		ok = conf_read_seconds(text, &value);
	else if (key->type == CONF_T_MILLISECONDS)
		ok = conf_read_milliseconds(text, &value);
	else if (key->type == CONF_T_DECIMAL)
		ok = conf_read_decimal(text, 3, &value);
	else
		ok = conf_read_count(text, &value);
	if (!ok || value < key->min || value > key->max)
		expected(conf, word, 0, text, "");
}

/* ---- lists ---- */

typedef const char *check_item(const char *text);

/* Each check returns NULL, or what is wrong beyond "expected …". */
static const char *check_name_item(const char *text)
{
	return conf_is_name(text) ? NULL : "";
}

static const char *check_class_item(const char *text)
{
	return conf_is_name(text + (*text == '+' || *text == '-')) ? NULL : "";
}

static const char *check_member_item(const char *text)
{
	text += *text == '@';
	return *text && strlen(text) < 256 && *text != '@' ? NULL : "";
}

static const char *tres_hint(const char *text)
{
	if (!strncasecmp(text, "gpu", 3))
		return "; a GPU is gres/gpu, or gres/gpu:TYPE";
	if (!strncasecmp(text, "memory", 3))
		return "; memory is mem";
	if (!strncasecmp(text, "cpus", 4) || !strncasecmp(text, "core", 4))
		return "; processors are cpu";
	if (!strncasecmp(text, "nodes", 5))
		return "; nodes are node";
	if (strchr(text, ':') && !strchr(text, '='))
		return "; an amount is written with =";
	return "";
}

static const char *check_tres_item(const char *text)
{
	struct conf_tres tres;

	if (!conf_read_tres(text, &tres))
		return tres_hint(text);
	return tres.amount_text ? "; an amount has no place here" : NULL;
}

static const char *check_amount_item(const char *text)
{
	struct conf_tres tres;
	gov_amount_t amount;

	if (!conf_read_tres(text, &tres))
		return tres_hint(text);
	if (!tres.amount_text)
		return "; an amount is missing";
	return conf_read_amount(tres.name, tres.amount_text, &amount) ?
		       NULL :
		       "; the amount is not a whole number with or without K, M, G, T or P, or it is too large";
}

static const char *check_price_item(const char *text)
{
	struct conf_tres tres;
	double price;

	if (!conf_read_tres(text, &tres))
		return tres_hint(text);
	return tres.amount_text && conf_read_price(tres.amount_text, &price) ?
		       NULL :
		       "; the price is not a decimal number";
}

static const char *check_budget_item(const char *text)
{
	return conf_is_budget(text) ? NULL : "";
}

static const char *check_level_item(const char *text)
{
	return conf_is_log_level(text) ? NULL : "";
}

static check_item *const item_checks[] = {
	[CONF_T_NAMES] = check_name_item,
	[CONF_T_CLASSES] = check_class_item,
	[CONF_T_MEMBERS] = check_member_item,
	[CONF_T_TRES_NAMES] = check_tres_item,
	[CONF_T_TRES_AMOUNTS] = check_amount_item,
	[CONF_T_PRICES] = check_price_item,
	[CONF_T_BUDGET] = check_budget_item,
	[CONF_T_LOG_LEVEL] = check_level_item,
};

/* The part of an item that may not come twice. */
static char *identity(struct conf *conf, enum conf_type type, const char *text)
{
	if (type == CONF_T_CLASSES && (*text == '+' || *text == '-'))
		text++;
	if (type == CONF_T_MEMBERS)
		return conf_copy(conf, text, strlen(text));
	return conf_copy(conf, text, strcspn(text, "="));
}

static void check_repeated(struct conf *conf, struct conf_word *word,
			   struct conf_name_set *seen,
			   const struct conf_item *item)
{
	const struct conf_key *key = &conf_keys[word->id];
	const char *name = identity(conf, key->type, item->text);

	if (!name || key->type == CONF_T_BUDGET ||
	    conf_name_put(conf, seen, name, 0) == CONF_NO_NAME)
		return;
	word->bad = true;
	conf_error(conf, conf_value_at(word, item->offset), GOV_E_DUPLICATE,
		   "%s: " QUOTE " is listed twice", key->name, name);
}

static void check_list(struct conf *conf, struct conf_word *word)
{
	const struct conf_key *key = &conf_keys[word->id];
	struct conf_name_set seen = { .exact = key->type == CONF_T_MEMBERS };
	struct conf_item item;
	const char *wrong;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		if (item.cut)
			wrong = "; this item is too long";
		else if (!*item.text)
			wrong = "; an item of the list is empty";
		else
			wrong = item_checks[key->type](item.text);
		if (wrong)
			expected(conf, word, item.offset, item.text, wrong);
		else
			check_repeated(conf, word, &seen, &item);
	}
}

/* Classes=a,b is the list, Classes=+a,-b changes one: not both at once. */
static void check_classes(struct conf *conf, struct conf_word *word)
{
	struct conf_item item;
	int relative = 0, absolute = 0;

	check_list(conf, word);
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		if (*item.text == '+' || *item.text == '-')
			relative++;
		else
			absolute++;
		if (!relative || !absolute)
			continue;
		word->bad = true;
		conf_error(
			conf, conf_value_at(word, item.offset), GOV_E_VALUE,
			"Classes: either all items begin with + or -, or none does");
		return;
	}
}

/* ---- limits ---- */

static void check_limit(struct conf *conf, struct conf_word *word)
{
	const struct conf_key *key = &conf_keys[word->id];
	struct conf_name_set seen = { 0 };
	struct conf_item item;
	struct conf_limit limit;
	const char *name;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		if (item.cut || !conf_read_limit(item.text, &limit)) {
			expected(
				conf, word, item.offset, item.text,
				strcasecmp(item.text, "none") ?
					tres_hint(item.text) :
					"; write unlimited for no limit, 0 for nothing");
			continue;
		}
		if (limit.is_percent && limit.percent > (uint64_t) key->max)
			expected(conf, word, item.offset, item.text, "");
		name = limit.form == CONF_LIMIT_PERCENT ?
			       "a percentage" :
		       limit.form == CONF_LIMIT_AMOUNT ?
			       "an amount" :
		       limit.form == CONF_LIMIT_NONE ?
			       "unlimited" :
			       conf_copy(conf, limit.tres.name,
					 strlen(limit.tres.name));
		if (!name ||
		    conf_name_put(conf, &seen, name, 0) == CONF_NO_NAME)
			continue;
		word->bad = true;
		conf_error(conf, conf_value_at(word, item.offset),
			   GOV_E_DUPLICATE, "%s: " QUOTE " is given twice",
			   key->name, name);
	}
}

/* ---- nodes ---- */

static int count_host(const char *name, size_t offset, void *arg)
{
	return 0;
}

static void check_hosts(struct conf *conf, struct conf_word *word)
{
	struct gov_error error;
	size_t fault;

	if (!conf_hostlist_walk(word->value, count_host, NULL, &fault, &error))
		return;
	word->bad = true;
	conf_error(conf, conf_value_at(word, fault), error.code, "%s: %s",
		   conf_keys[word->id].name, error.text);
}

/* ---- the rest ---- */

static bool is_path(const struct conf_key *key, const char *text)
{
	size_t length = strlen(text);

	return text[0] == '/' && length >= (size_t) key->min &&
	       length <= (size_t) key->max;
}

static bool is_sound(const struct conf_key *key, const char *text)
{
	struct gov_weight weight;
	int signal;

	switch (key->type) {
	case CONF_T_NAME: return conf_is_name(text);
	case CONF_T_PATH: return is_path(key, text);
	case CONF_T_WEIGHT: return conf_read_weight(text, &weight);
	case CONF_T_SIGNAL: return conf_read_signal(text, &signal);
	case CONF_T_LISTEN: return conf_is_listen(text);
	default: return true;
	}
}

void conf_check_value(struct conf *conf, struct conf_word *word)
{
	const struct conf_key *key = &conf_keys[word->id];
	bool yes;

	switch (key->type) {
	case CONF_T_CHOICE: check_choice(conf, word, key->words); break;
	case CONF_T_YES_NO:
		if (!conf_read_yes_no(word->value, &yes))
			expected(conf, word, 0, word->value, "");
		break;
	case CONF_T_COUNT:
	case CONF_T_DECIMAL:
	case CONF_T_SECONDS:
	case CONF_T_MILLISECONDS: check_number(conf, word); break;
	case CONF_T_NAMES:
	case CONF_T_MEMBERS:
	case CONF_T_TRES_NAMES:
	case CONF_T_TRES_AMOUNTS:
	case CONF_T_PRICES:
	case CONF_T_BUDGET:
	case CONF_T_LOG_LEVEL: check_list(conf, word); break;
	case CONF_T_CLASSES: check_classes(conf, word); break;
	case CONF_T_LIMIT: check_limit(conf, word); break;
	case CONF_T_HOSTS: check_hosts(conf, word); break;
	default:
		if (!is_sound(key, word->value))
			expected(conf, word, 0, word->value, "");
	}
}
