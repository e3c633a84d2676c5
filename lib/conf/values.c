/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of single values.  Nothing here depends on the locale. */
#include "conf/values.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool conf_is_name(const char *text)
{
	size_t length = 0;

	for (; text[length]; length++)
		if (!is_alnum(text[length]) && text[length] != '_' &&
		    (!length || !strchr(".-", text[length])))
			return false;
	return length && length < CONF_NAME_MAX;
}

bool conf_is_unlimited(const char *text)
{
	return !strcasecmp(text, "unlimited") || !strcasecmp(text, "infinite");
}

bool conf_read_choice(const struct conf_choice *words, const char *text,
		      int *value)
{
	for (; words->word; words++) {
		if (strcasecmp(words->word, text))
			continue;
		*value = words->value;
		return true;
	}
	return false;
}

bool conf_read_yes_no(const char *text, bool *value)
{
	static const struct conf_choice words[] = {
		{ "yes", 1 },	{ "no", 0 }, { "true", 1 },
		{ "false", 0 }, { "on", 1 }, { "off", 0 },
		{ "1", 1 },	{ "0", 0 },  { NULL, 0 }
	};
	int number;

	if (!conf_read_choice(words, text, &number))
		return false;
	*value = number;
	return true;
}

/* ---- numbers ---- */

/* Digits up to something else; NULL if there is none, or more than 18. */
static const char *read_digits(const char *text, int64_t *value)
{
	const char *p = text;

	for (*value = 0; is_digit(*p) && p - text < 18; p++)
		*value = *value * 10 + (*p - '0');
	return p == text || is_digit(*p) ? NULL : p;
}

bool conf_read_count(const char *text, int64_t *value)
{
	const char *end = read_digits(text, value);

	return end && !*end;
}

bool conf_read_decimal(const char *text, int decimals, int64_t *value)
{
	const char *p = read_digits(text, value), *point;

	if (!p || (*p && *p != '.') || (*p && !is_digit(p[1])))
		return false;
	point = *p ? p++ : NULL;
	for (int i = 0; i < decimals; i++) {
		int digit = point && is_digit(*p) ? *p++ - '0' : 0;

		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, digit, value))
			return false;
	}
	while (point && *p == '0')
		p++;
	return !*p;
}

bool conf_read_weight(const char *text, struct gov_weight *weight)
{
	int64_t millionths, a, b;

	if (!conf_read_decimal(text, 6, &millionths) ||
	    millionths > 100 * 1000000)
		return false;
	for (a = millionths, b = 1000000; b;) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	weight->numerator = (uint32_t) (millionths / a);
	weight->denominator = (uint32_t) (1000000 / a);
	return true;
}

bool conf_read_price(const char *text, double *price)
{
	int64_t billionths;

	if (!conf_read_decimal(text, 9, &billionths))
		return false;
	*price = (double) billionths / 1e9;
	return true;
}

/* ---- times ---- */

/* "a:b:c" into part; how many, or 0. */
static int read_clock(const char *text, int64_t part[3])
{
	const char *p = text;

	for (int i = 0; i < 3; i++) {
		p = read_digits(p, &part[i]);
		if (!p || part[i] > 1000000000000)
			return 0;
		if (!*p)
			return i + 1;
		if (*p++ != ':')
			return 0;
		/* "1:5" could be meant as 1:50. */
		if (!is_digit(p[0]) || !is_digit(p[1]))
			return 0;
	}
	return 0;
}

bool conf_read_seconds(const char *text, int64_t *seconds)
{
	const char *dash = strchr(text, '-');
	int64_t days = 0, p[3];
	int parts;

	if (dash) {
		const char *end = read_digits(text, &days);

		if (end != dash || days > 1000000000)
			return false;
		text = dash + 1;
	}
	parts = read_clock(text, p);
	if (!parts || (parts > 1 && p[1] > 59) || (parts > 2 && p[2] > 59) ||
	    (dash && p[0] > 23))
		return false;
	if (dash) /* D-HH, D-HH:MM, D-HH:MM:SS */
		*seconds = p[0] * 3600 + (parts > 1 ? p[1] * 60 : 0) +
			   (parts > 2 ? p[2] : 0);
	else if (parts == 3)
		*seconds = p[0] * 3600 + p[1] * 60 + p[2];
	else
		*seconds = parts == 2 ? p[0] * 60 + p[1] : p[0];
	*seconds += days * 86400;
	return true;
}

bool conf_read_milliseconds(const char *text, int64_t *milliseconds)
{
	const char *unit = text + strspn(text, "0123456789.");
	char number[32];
	size_t length = (size_t) (unit - text);

	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (!strcasecmp(unit, "s"))
		return conf_read_decimal(number, 3, milliseconds);
	return (!*unit || !strcasecmp(unit, "ms")) &&
	       conf_read_count(number, milliseconds);
}

/* ---- words ---- */

bool conf_read_signal(const char *text, int *signal)
{
	static const struct conf_choice names[] = {
		{ "HUP", SIGHUP },     { "INT", SIGINT },   { "QUIT", SIGQUIT },
		{ "ABRT", SIGABRT },   { "KILL", SIGKILL }, { "USR1", SIGUSR1 },
		{ "USR2", SIGUSR2 },   { "PIPE", SIGPIPE }, { "ALRM", SIGALRM },
		{ "TERM", SIGTERM },   { "CONT", SIGCONT }, { "STOP", SIGSTOP },
		{ "TSTP", SIGTSTP },   { "TTIN", SIGTTIN }, { "TTOU", SIGTTOU },
		{ "URG", SIGURG },     { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ },
		{ "WINCH", SIGWINCH }, { NULL, 0 }
	};
	int64_t number;

	if (conf_read_count(text, &number)) {
		*signal = (int) number;
		return number >= 1 && number <= 64;
	}
	if (!strncasecmp(text, "SIG", 3))
		text += 3;
	return conf_read_choice(names, text, signal);
}

bool conf_is_listen(const char *text)
{
	const char *colon = strrchr(text, ':'), *port = text;
	const char *close = strchr(text, ']');
	int64_t number;

	if (colon) {
		size_t length = (size_t) (colon - text);

		port = colon + 1;
		if (text[0] == '[') {
			if (close != colon - 1 || length < 4 ||
			    strspn(text + 1, "0123456789abcdefABCDEF:.") !=
				    length - 2)
				return false;
		} else if (!length || length > 253) {
			return false;
		}
		for (size_t i = 0; text[0] != '[' && i < length; i++)
			if (!is_alnum(text[i]) && !strchr(".-_", text[i]))
				return false;
	}
	return conf_read_count(port, &number) && number >= 1 && number <= 65535;
}

/* As slurmgovd's log knows them. */
const struct conf_choice conf_log_levels[] = { { "fatal", 0 }, { "error", 1 },
					       { "info", 2 },  { "verbose", 3 },
					       { "debug", 4 }, { NULL, 0 } };
const struct conf_choice conf_log_areas[] = { { "main", 0 },   { "submit", 1 },
					      { "engine", 2 }, { "slurm", 3 },
					      { "client", 4 }, { "members", 5 },
					      { "grant", 6 },  { NULL, 0 } };

bool conf_is_log_level(const char *text)
{
	const char *equals = strchr(text, '=');
	char area[32];
	int value;

	if (!equals)
		return conf_read_choice(conf_log_levels, text, &value);
	if ((size_t) (equals - text) >= sizeof(area))
		return false;
	memcpy(area, text, (size_t) (equals - text));
	area[equals - text] = '\0';
	return conf_read_choice(conf_log_areas, area, &value) &&
	       conf_read_choice(conf_log_levels, equals + 1, &value);
}

bool conf_is_budget(const char *text)
{
	static const char *const periods[] = { "day", "week", "month",
					       "quarter", "year" };
	const char *slash = strrchr(text, '/'), *amount;
	struct conf_tres tres;
	char head[512];
	bool known = false;
	int64_t money;
	double hours;
	size_t length;

	for (size_t i = 0; slash && i < sizeof(periods) / sizeof(*periods); i++)
		known |= !strcasecmp(slash + 1, periods[i]);
	if (snprintf(head, sizeof(head), "%.*s",
		     known ? (int) (slash - text) : (int) strlen(text),
		     text) >= (int) sizeof(head))
		return false;
	if (conf_read_decimal(head, 2, &money))
		return true;
	length = strlen(head);
	if (length < 2 || (head[length - 1] | 0x20) != 'h')
		return false;
	head[length - 1] = '\0';
	if (!conf_read_tres(head, &tres))
		return false;
	amount = tres.amount_text;
	return amount && conf_read_price(amount, &hours);
}

/* ---- lists ---- */

void conf_item_begin(struct conf_item *item, const char *list)
{
	item->list = item->next = list;
	item->text = item->buffer;
	item->offset = 0;
	item->cut = false;
}

bool conf_item_next(struct conf_item *item)
{
	const char *from = item->next, *end, *to;
	int depth = 0;
	size_t length;

	if (!from)
		return false;
	for (end = from; *end && (*end != ',' || depth > 0); end++)
		depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
	item->next = *end ? end + 1 : NULL;
	for (to = end; from < to && strchr(" \t", *from);)
		from++;
	while (to > from && strchr(" \t", to[-1]))
		to--;
	item->offset = (size_t) (from - item->list);
	length = (size_t) (to - from);
	item->cut = length >= sizeof(item->buffer);
	if (item->cut)
		length = sizeof(item->buffer) - 1;
	memcpy(item->buffer, from, length);
	item->buffer[length] = '\0';
	return true;
}

/* ---- TRES ---- */

/*
 * "gpu:h100" after "gres/": a name and perhaps a type.  A type that is a
 * number would be an amount in the language of requests, so there is none.
 */
static bool is_tres_name(const char *name, bool typed)
{
	const char *colon = strchr(name, ':'), *p = name;

	if (colon && (!typed || colon == name || !colon[1] ||
		      strspn(colon + 1, "0123456789") == strlen(colon + 1)))
		return false;
	for (; *p; p++)
		if (p != colon && !is_alnum(*p) && !strchr("_.+-@", *p))
			return false;
	return p > name;
}

static bool is_tres(const char *name)
{
	static const char *const plain[] = { "cpu", "mem", "node", "billing" };
	static const char *const kinds[] = { "gres/", "license/", "bb/" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (!strcmp(name, plain[i]))
			return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			return is_tres_name(name + strlen(kinds[i]), i == 0);
	return false;
}

bool conf_read_tres(const char *text, struct conf_tres *tres)
{
	size_t length = strcspn(text, "="), i = 0;

	if (!length || length >= sizeof(tres->name))
		return false;
	memcpy(tres->name, text, length);
	tres->name[length] = '\0';
	for (; tres->name[i] && tres->name[i] != '/'; i++)
		if (tres->name[i] >= 'A' && tres->name[i] <= 'Z')
			tres->name[i] = (char) (tres->name[i] - 'A' + 'a');
	tres->amount_text = text[length] ? text + length + 1 : NULL;
	return is_tres(tres->name);
}

bool conf_read_amount(const char *tres, const char *text, gov_amount_t *amount)
{
	if (conf_is_unlimited(text)) {
		*amount = GOV_UNLIMITED;
		return true;
	}
	return !gov_amount_parse(tres, text, amount);
}

/* "50%"; false: it is not a percentage. */
static bool read_percent(const char *text, uint64_t *percent)
{
	size_t length = strlen(text);
	char number[20];
	int64_t value;

	if (!length || text[length - 1] != '%' || length > sizeof(number))
		return false;
	memcpy(number, text, length - 1);
	number[length - 1] = '\0';
	if (!conf_read_count(number, &value))
		return false;
	*percent = (uint64_t) value;
	return true;
}

bool conf_read_limit(const char *text, struct conf_limit *limit)
{
	gov_amount_t amount;

	*limit = (struct conf_limit){ .form = CONF_LIMIT_PERCENT,
				      .amount_text = text };
	if (conf_is_unlimited(text)) {
		limit->form = CONF_LIMIT_NONE;
		return true;
	}
	if (strchr(text, '=')) {
		limit->form = CONF_LIMIT_TRES;
		if (!conf_read_tres(text, &limit->tres))
			return false;
		limit->amount_text = limit->tres.amount_text;
	}
	limit->is_percent = read_percent(limit->amount_text, &limit->percent);
	if (limit->form == CONF_LIMIT_TRES)
		return limit->is_percent ||
		       conf_read_amount(limit->tres.name, limit->amount_text,
					&amount);
	if (limit->is_percent)
		return true;
	limit->form = CONF_LIMIT_AMOUNT;
	/* The TRES is not known yet; memory is the one that takes most. */
	return !gov_amount_parse("mem", text, &amount);
}
