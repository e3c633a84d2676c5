/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values as text, one reader for each type.  Readers return false on anything
 * that is not exactly of the type; bounds are the caller's.
 */
#ifndef GOVERNANCE_CONF_VALUES_H
#define GOVERNANCE_CONF_VALUES_H

#include "conf/context.h"
#include "conf/keys.h"
#include "core/policy.h"

#pragma GCC visibility push(hidden)

#define CONF_NAME_MAX 64  /* longest name of ours, with NUL */
#define CONF_TRES_MAX 256 /* longest TRES name, with NUL */

bool conf_is_name(const char *text);
/* "unlimited" or "infinite"; "none" could mean nothing as well. */
bool conf_is_unlimited(const char *text);
bool conf_read_yes_no(const char *text, bool *value);
bool conf_read_choice(const struct conf_choice *words, const char *text,
		      int *value);
bool conf_read_count(const char *text, int64_t *value);
/* A decimal number in units of 10^-decimals; more decimals: false. */
bool conf_read_decimal(const char *text, int decimals, int64_t *value);
bool conf_read_weight(const char *text, struct gov_weight *weight);
bool conf_read_seconds(const char *text, int64_t *seconds);
bool conf_read_milliseconds(const char *text, int64_t *milliseconds);
bool conf_read_signal(const char *text, int *signal);
bool conf_read_price(const char *text, double *price);
bool conf_is_budget(const char *text);
bool conf_is_listen(const char *text);
/* "info", or "engine=debug". */
extern const struct conf_choice conf_log_levels[];
extern const struct conf_choice conf_log_areas[];
bool conf_is_log_level(const char *text);

/*
 * The items of a comma list.  Commas in brackets do not count; blanks around
 * an item are dropped.  Begin with a zeroed iterator and the text in `next`.
 */
struct conf_item {
	const char *next; /* NULL: no more */
	const char *text; /* of the item at hand, NUL-terminated */
	size_t offset;	  /* of it in the list */
	const char *list;
	char buffer[512]; /* longer items are cut, and marked: */
	bool cut;
};
void conf_item_begin(struct conf_item *item, const char *list);
bool conf_item_next(struct conf_item *item);

/*
 * "gres/gpu:h100=16": a TRES and what is said of it.  amount_text is NULL
 * without '='.  false: not a TRES.
 */
struct conf_tres {
	char name[CONF_TRES_MAX];
	const char *amount_text; /* into text */
};
bool conf_read_tres(const char *text, struct conf_tres *tres);

/* One item of BorrowLimit= or LendLimit=. */
enum conf_limit_form {
	CONF_LIMIT_PERCENT, /* 50% */
	CONF_LIMIT_AMOUNT,  /* 4, 2T: of every TRES that the limit is for */
	CONF_LIMIT_TRES,    /* gres/gpu=4, gres/gpu=50% */
	CONF_LIMIT_NONE,    /* unlimited */
};
struct conf_limit {
	enum conf_limit_form form;
	bool is_percent;
	uint64_t percent;	 /* where is_percent */
	struct conf_tres tres;	 /* LIMIT_TRES */
	const char *amount_text; /* AMOUNT and TRES; into text */
};
bool conf_read_limit(const char *text, struct conf_limit *limit);

/* An amount of a TRES, or GOV_UNLIMITED. */
bool conf_read_amount(const char *tres, const char *text, gov_amount_t *amount);

/* ---- check.c: report what is wrong with a value ---- */

/* Check the value of a word whose key is known; sets word->bad. */
void conf_check_value(struct conf *conf, struct conf_word *word);

#pragma GCC visibility pop
#endif
