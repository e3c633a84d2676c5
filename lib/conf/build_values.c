/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of records, whose form was checked, as values. */
#include "conf/build.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool usable(const struct conf_word *word)
{
	return word && !word->bad;
}

bool conf_get_choice(const struct conf_word *word, int *out)
{
	return usable(word) &&
	       conf_read_choice(conf_keys[word->id].words, word->value, out);
}

bool conf_get_yes_no(const struct conf_word *word, bool *out)
{
	return usable(word) && conf_read_yes_no(word->value, out);
}

bool conf_get_number(const struct conf_word *word, int64_t *out)
{
	const struct conf_key *key;
	int special;

	if (!usable(word))
		return false;
	key = &conf_keys[word->id];
	if (key->words && conf_read_choice(key->words, word->value, &special))
		return false; /* unlimited: as if nothing was said */
	switch (key->type) {
	case CONF_T_SECONDS: return conf_read_seconds(word->value, out);
	case CONF_T_MILLISECONDS:
		return conf_read_milliseconds(word->value, out);
	case CONF_T_DECIMAL: return conf_read_decimal(word->value, 3, out);
	default: return conf_read_count(word->value, out);
	}
}

bool conf_get_text(struct conf_build *build, const struct conf_word *word,
		   char **out)
{
	char *copy;

	if (!usable(word))
		return false;
	copy = strdup(word->value);
	if (!copy) {
		build->conf->no_memory = true;
		return false;
	}
	free(*out);
	*out = copy;
	return true;
}

void conf_get_members(struct conf_build *build, const struct conf_word *word,
		      struct gov_member_list *list)
{
	struct conf_item item;

	if (!usable(word))
		return;
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		bool group = item.text[0] == '@';

		if (gov_member_list_add(list,
					group ? GOV_MEMBER_GROUP :
						GOV_MEMBER_USER,
					item.text + group))
			build->conf->no_memory = true;
	}
}

void conf_get_terms(struct conf_build *build, const struct conf_record *record,
		    struct gov_terms *terms)
{
	const struct conf_word *word[KEY_MIN_LOAN + 1];
	const struct conf *conf = build->conf;
	bool yes;

	for (int key = KEY_RECLAIM_SIGNAL; key <= KEY_MIN_LOAN; key++)
		word[key] = record ? conf_find_word(conf, record, key) :
				     conf->names->setting[key];
	if (usable(word[KEY_RECLAIM_SIGNAL]))
		conf_read_signal(word[KEY_RECLAIM_SIGNAL]->value,
				 &terms->signal);
	conf_get_choice(word[KEY_ON_RECLAIM], &terms->on_reclaim);
	if (conf_get_yes_no(word[KEY_ON_CHECKPOINT], &yes))
		terms->on_checkpoint = yes;
	conf_get_number(word[KEY_RECLAIM_GRACE], &terms->grace);
	conf_get_number(word[KEY_MIN_RUNTIME], &terms->min_runtime);
	conf_get_number(word[KEY_MIN_LOAN], &terms->min_loan);
}

/* ---- TRES ---- */

int conf_tres_means(const char *asked, const char *counted)
{
	size_t length = strlen(asked);

	if (!strcasecmp(asked, counted))
		return 2;
	return !strncasecmp(asked, "gres/", 5) && !strchr(asked, ':') &&
	       !strncasecmp(asked, counted, length) && counted[length] == ':';
}

/* "gres/gpu:h100" is near to what is nearly "gres/gpu", too. */
static void try_tres(struct conf_nearest *nearest, const char *counted)
{
	size_t length = strcspn(counted, ":");
	char *untyped;

	conf_nearest_try(nearest, counted);
	if (!counted[length] || strchr(nearest->word, ':'))
		return;
	untyped = conf_copy(nearest->conf, counted, length);
	if (untyped)
		conf_nearest_try(nearest, untyped);
}

void conf_unknown_tres(struct conf_build *build, const struct conf_word *word,
		       size_t offset, const char *name, uint32_t pool)
{
	const struct gov_policy *policy = build->policy;
	struct conf_nearest nearest;

	if (build->unsure)
		return;
	conf_nearest_begin(&nearest, build->conf, name);
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (pool == GOV_NONE || policy->cell[c].pool == pool)
			try_tres(&nearest,
				 policy->tres[policy->cell[c].tres].name);
	conf_error(build->conf, conf_value_at(word, offset), GOV_E_REFERENCE,
		   "%s: %s%s counts %s%.100s%s", conf_keys[word->id].name,
		   pool == GOV_NONE ? "no pool" : "the pool ",
		   pool == GOV_NONE ? "" : policy->pool[pool].name,
		   pool == GOV_NONE ? "" : "no ", name,
		   conf_nearest_hint(&nearest));
}

static gov_amount_t *unlimited_row(struct conf_build *build)
{
	uint32_t count = build->policy->cell_count;
	gov_amount_t *row = malloc((count ? count : 1) * sizeof(*row));

	for (uint32_t c = 0; row && c < count; c++)
		row[c] = GOV_UNLIMITED;
	if (!row)
		build->conf->no_memory = true;
	return row;
}

void conf_get_cell_amounts(struct conf_build *build,
			   const struct conf_word *word, gov_amount_t **out)
{
	const struct gov_policy *policy = build->policy;
	struct conf_tres tres;
	struct conf_item item;
	gov_amount_t amount;
	gov_amount_t *row;

	row = usable(word) ? unlimited_row(build) : NULL;
	if (!row)
		return;
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		bool found = false;

		conf_read_tres(item.text, &tres);
		conf_read_amount(tres.name, tres.amount_text, &amount);
		for (uint32_t c = 0; c < policy->cell_count; c++) {
			const char *name =
				policy->tres[policy->cell[c].tres].name;

			if (!conf_tres_means(tres.name, name))
				continue;
			row[c] = gov_amount_min(row[c], amount);
			found = true;
		}
		if (!found)
			conf_unknown_tres(build, word, item.offset, tres.name,
					  GOV_NONE);
	}
	*out = row;
}
