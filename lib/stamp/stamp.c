/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outer form, which every version keeps, so that an old reader can find and
 * replace the stamp of a newer one:
 *
 *	[gov<version> key=value key=value]
 *
 * one blank between words, keys of [a-z_], values of [A-Za-z0-9_.@+-].  A
 * region is the longest run of text of that form from "[gov<digits> key=" on,
 * with or without its ']'; all other text belongs to others.
 */
#include "stamp/stamp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPENING "[gov"
#define STAMP_VERSION "1"

enum kind { NAME, COUNT, TIME, HEX, FLAG, STATE };

struct field {
	const char *key;
	enum kind kind;
	size_t offset;
	uint64_t max;
};

#define FIELD(key, kind, member, max)                              \
	{                                                          \
		key, kind, offsetof(struct gov_stamp, member), max \
	}

/* In the order of writing.  A field that is zero or empty is left out. */
static const struct field fields[] = {
	FIELD("state", STATE, state, 0),
	FIELD("team", NAME, team, 0),
	FIELD("project", NAME, project, 0),
	FIELD("class", NAME, class_name, 0),
	FIELD("pool", NAME, pool, 0),
	FIELD("nonce", HEX, nonce, UINT64_MAX),
	FIELD("submitted", TIME, submitted, INT64_MAX),
	FIELD("hold", FLAG, user_hold, 1),
	FIELD("noborrow", FLAG, no_borrow, 1),
	FIELD("evictions", COUNT, evictions, UINT32_MAX),
	FIELD("asker", COUNT, asker, UINT64_MAX),
	FIELD("deadline", TIME, deadline, INT64_MAX),
	FIELD("checkpoint", TIME, checkpoint, INT64_MAX),
	FIELD("rule", COUNT, rule, UINT8_MAX),
	FIELD("signalled", FLAG, signalled, 1),
	FIELD("signal", COUNT, signal, UINT8_MAX),
	FIELD("batch", FLAG, signal_batch, 1),
	FIELD("unadmitted", FLAG, unadmitted, 1),
	FIELD("released", FLAG, released, 1),
	FIELD("exempt", FLAG, exempt, 1),
	FIELD("operator", COUNT, operator_uid, UINT32_MAX),
	FIELD("ordered", TIME, ordered, INT64_MAX),
};
#define FIELDS (sizeof(fields) / sizeof(*fields))
_Static_assert(FIELDS < 32, "seen[] is a 32-bit mask");

static const char *const states[] = {
	[GOV_STAMP_UNDECIDED] = "undecided",
	[GOV_STAMP_WAITING] = "waiting",
	[GOV_STAMP_CLAIMING] = "claiming",
	[GOV_STAMP_ADMITTED] = "admitted",
	[GOV_STAMP_RECLAIMING] = "reclaiming",
};
#define STATES (sizeof(states) / sizeof(*states))

/* Not isalnum() and friends: their answer depends on the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_value(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       is_digit(c) || (c && strchr("_.@+-", c));
}

void gov_stamp_call_back(struct gov_stamp *stamp)
{
	stamp->state = GOV_STAMP_ADMITTED;
	stamp->asker = 0;
	stamp->deadline = 0;
	stamp->rule = 0;
	stamp->signalled = false;
}

void gov_stamp_init(struct gov_stamp *stamp)
{
	memset(stamp, 0, sizeof(*stamp));
}

/* ---- members of a struct gov_stamp by the table ---- */

static uint64_t get_number(const struct gov_stamp *stamp,
			   const struct field *field)
{
	const void *member = (const char *) stamp + field->offset;

	if (field->kind == FLAG)
		return *(const bool *) member;
	if (field->max == UINT8_MAX)
		return *(const uint8_t *) member;
	if (field->max == UINT32_MAX)
		return *(const uint32_t *) member;
	return *(const uint64_t *) member; /* int64_t: > max if negative */
}

static void set_number(struct gov_stamp *stamp, const struct field *field,
		       uint64_t number)
{
	void *member = (char *) stamp + field->offset;

	if (field->kind == FLAG)
		*(bool *) member = number;
	else if (field->max == UINT8_MAX)
		*(uint8_t *) member = (uint8_t) number;
	else if (field->max == UINT32_MAX)
		*(uint32_t *) member = (uint32_t) number;
	else
		*(uint64_t *) member = number;
}

/* ---- writing ---- */

static int append(char *text, size_t size, size_t *used, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));

static int append(char *text, size_t size, size_t *used, const char *format,
		  ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + *used, size - *used, format, args);
	va_end(args);
	if (n < 0 || (size_t) n >= size - *used)
		return -1;
	*used += (size_t) n;
	return 0;
}

static int append_name(const struct gov_stamp *stamp, const struct field *field,
		       char *text, size_t size, size_t *used)
{
	const char *name = (const char *) stamp + field->offset;
	size_t length = strnlen(name, GOV_STAMP_NAME);

	if (length == GOV_STAMP_NAME)
		return -1;
	for (size_t i = 0; i < length; i++)
		if (!is_value(name[i]))
			return -1;
	if (!length)
		return 0;
	return append(text, size, used, " %s=%s", field->key, name);
}

static int append_field(const struct gov_stamp *stamp,
			const struct field *field, char *text, size_t size,
			size_t *used)
{
	uint64_t number;

	if (field->kind == STATE)
		return (unsigned) stamp->state >= STATES ?
			       -1 :
			       append(text, size, used, " %s=%s", field->key,
				      states[stamp->state]);
	if (field->kind == NAME)
		return append_name(stamp, field, text, size, used);
	number = get_number(stamp, field);
	if (number > field->max)
		return -1;
	if (!number)
		return 0;
	if (field->kind == HEX)
		return append(text, size, used, " %s=%" PRIx64, field->key,
			      number);
	return append(text, size, used, " %s=%" PRIu64, field->key, number);
}

int gov_stamp_format(const struct gov_stamp *stamp, char *text, size_t size)
{
	size_t used = 0;

	if (!size || append(text, size, &used, OPENING STAMP_VERSION))
		return -1;
	for (size_t i = 0; i < FIELDS; i++)
		if (append_field(stamp, &fields[i], text, size, &used))
			return -1;
	if (append(text, size, &used, "]"))
		return -1;
	return (int) used;
}

/* ---- finding ---- */

struct region {
	const char *begin;
	const char *end;   /* behind it */
	const char *words; /* the blank before the first key */
	bool closed;	   /* it has its ']' */
};

/* Behind " key=value" at p, or NULL if there is no such word. */
static const char *skip_word(const char *p)
{
	const char *key;

	if (*p++ != ' ')
		return NULL;
	for (key = p; is_key(*p); p++)
		;
	if (p == key || *p++ != '=')
		return NULL;
	while (is_value(*p))
		p++;
	return p;
}

static bool match_region(const char *p, struct region *region)
{
	const char *next;

	region->begin = p;
	if (strncmp(p, OPENING, strlen(OPENING)) != 0)
		return false;
	p += strlen(OPENING);
	if (!is_digit(*p))
		return false;
	while (is_digit(*p))
		p++;
	region->words = p;
	while ((next = skip_word(p)))
		p = next;
	if (p == region->words)
		return false;
	region->closed = *p == ']';
	region->end = p + region->closed;
	return true;
}

/* Linear: a region never contains the start of another. */
static bool find_region(const char *text, struct region *region)
{
	for (const char *p = text; (p = strchr(p, '[')); p++)
		if (match_region(p, region))
			return true;
	return false;
}

/* ---- reading ---- */

static int parse_number(const char *value, size_t length, unsigned base,
			uint64_t max, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t n = 0;

	if (!length || (length > 1 && value[0] == '0'))
		return -1;
	for (size_t i = 0; i < length; i++) {
		const char *digit = memchr(digits, value[i], base);

		if (!digit || __builtin_mul_overflow(n, (uint64_t) base, &n) ||
		    __builtin_add_overflow(n, (uint64_t) (digit - digits), &n))
			return -1;
	}
	if (n > max)
		return -1;
	*number = n;
	return 0;
}

static int parse_value(struct gov_stamp *stamp, const struct field *field,
		       const char *value, size_t length)
{
	uint64_t number;

	switch (field->kind) {
	case STATE:
		for (size_t i = 0; i < STATES; i++)
			if (strlen(states[i]) == length &&
			    memcmp(states[i], value, length) == 0) {
				stamp->state = (enum gov_stamp_state) i;
				return 0;
			}
		return -1;
	case NAME:
		if (!length || length >= GOV_STAMP_NAME)
			return -1;
		memcpy((char *) stamp + field->offset, value, length);
		return 0;
	default:
		if (parse_number(value, length, field->kind == HEX ? 16 : 10,
				 field->max, &number))
			return -1;
		set_number(stamp, field, number);
		return 0;
	}
}

static const struct field *find_field(const char *key, size_t length)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strlen(fields[i].key) == length &&
		    memcmp(fields[i].key, key, length) == 0)
			return &fields[i];
	return NULL;
}

/* One word " key=value".  An unknown key is skipped, a second one is wrong. */
static int parse_word(struct gov_stamp *stamp, uint32_t *seen, const char *word,
		      const char *end)
{
	const char *key = word + 1;
	const char *equals = memchr(key, '=', (size_t) (end - key));
	const struct field *field = find_field(key, (size_t) (equals - key));
	uint32_t bit;

	if (!field)
		return 0;
	bit = UINT32_C(1) << (field - fields);
	if (*seen & bit)
		return -1;
	*seen |= bit;
	return parse_value(stamp, field, equals + 1,
			   (size_t) (end - equals - 1));
}

static int parse_region(const struct region *region, struct gov_stamp *stamp)
{
	const char *version = region->begin + strlen(OPENING);
	const char *p = region->words;
	const char *next;
	uint32_t seen = 0;

	gov_stamp_init(stamp);
	if (!region->closed || region->end - region->begin >= GOV_STAMP_TEXT)
		return -1;
	if (p - version != (ptrdiff_t) strlen(STAMP_VERSION) ||
	    strncmp(version, STAMP_VERSION, strlen(STAMP_VERSION)) != 0)
		return -1;
	for (; (next = skip_word(p)); p = next)
		if (parse_word(stamp, &seen, p, next))
			return -1;
	return seen & 1 ? 0 : -1; /* without a state it says nothing */
}

int gov_stamp_parse(const char *comment, struct gov_stamp *stamp)
{
	struct region region;
	int found = 0;

	gov_stamp_init(stamp);
	for (const char *p = comment; p && find_region(p, &region);
	     p = region.end) {
		if (parse_region(&region, stamp) == 0)
			return 1;
		found = -1;
	}
	if (found)
		gov_stamp_init(stamp);
	return found;
}

/* ---- replacing ---- */

struct output {
	char *text; /* has room for all that is ever put */
	size_t length;
};

static void put(struct output *out, const char *text, size_t length)
{
	memcpy(out->text + out->length, text, length);
	out->length += length;
}

/*
 * Leave a stamp out.  In front, the blank behind it was ours and goes too.
 * Elsewhere two blanks stay between what was around it: no stamp has two, so
 * the pieces cannot become one.  Returns where to go on.
 */
static const char *leave_out(struct output *out, const char *end)
{
	size_t n = out->length;
	unsigned blanks = 0;

	if (!n)
		return end + (*end == ' ');
	if (!*end)
		return end;
	if (out->text[n - 1] == ' ')
		blanks += 1 + (n > 1 && out->text[n - 2] == ' ');
	if (end[0] == ' ')
		blanks += 1 + (end[1] == ' ');
	for (; blanks < 2; blanks++)
		put(out, " ", 1);
	return end;
}

char *gov_stamp_apply(const char *comment, const struct gov_stamp *stamp)
{
	char text[GOV_STAMP_TEXT];
	int length = 0;
	struct region region;
	struct output out = { NULL, 0 };
	const char *p = comment ? comment : "";

	if (stamp && (length = gov_stamp_format(stamp, text, sizeof(text))) < 0)
		return NULL;
	/* A region is longer than the blanks that may replace it. */
	out.text = malloc(strlen(p) + (size_t) length + 2);
	if (!out.text)
		return NULL;
	if (stamp && !find_region(p, &region)) {
		put(&out, text, (size_t) length);
		if (*p)
			put(&out, " ", 1);
		stamp = NULL;
	}
	for (; find_region(p, &region); stamp = NULL) {
		put(&out, p, (size_t) (region.begin - p));
		p = region.end;
		if (stamp)
			put(&out, text, (size_t) length);
		else
			p = leave_out(&out, p);
	}
	put(&out, p, strlen(p) + 1);
	return out.text;
}
