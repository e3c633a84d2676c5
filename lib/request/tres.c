/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TRES text as Slurm and administrators write it. */
#include "request/submission.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define ENTRIES_MAX 1000
#define NUMBER_MAX 40

/* A piece of the text that is walked. */
struct span {
	const char *start;
	size_t length;
};

static size_t digits_of(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && isdigit((unsigned char) text[n]))
		n++;
	return n;
}

/*
 * What Slurm takes for a count: digits, then nothing or k, m, g, t, p,
 * perhaps with b or ib.  Anything else after a colon is a type.
 */
static bool looks_like_count(struct span span)
{
	size_t digits = digits_of(span.start, span.length);
	const char *suffix = span.start + digits;
	size_t left = span.length - digits;

	if (!digits || left > 3)
		return false;
	if (!left)
		return true;
	return strchr("kmgtpKMGTP", *suffix) &&
	       (left == 1 || !strncasecmp(suffix + 1, "b", left - 1) ||
		!strncasecmp(suffix + 1, "ib", left - 1));
}

/* "4kb" for things other than memory: powers of 1000. */
static int parse_decimal_suffix(const char *name, char *number, size_t length,
				gov_amount_t *amount)
{
	static const char letters[] = "kmgtp";
	char letter = (char) tolower((unsigned char) number[length - 2]);
	const char *at = letter ? strchr(letters, letter) : NULL;
	gov_amount_t value;

	if (!at)
		return -1;
	number[length - 2] = '\0';
	if (gov_amount_parse(name, number, &value))
		return -1;
	for (ptrdiff_t power = at - letters; power >= 0; power--) {
		if (value > GOV_AMOUNT_MAX / 1000)
			return -1;
		value *= 1000;
	}
	*amount = value;
	return 0;
}

int gov_tres_parse_amount(const char *name, const char *text,
			  gov_amount_t *amount)
{
	bool memory = !strcasecmp(name, "mem");
	char number[NUMBER_MAX];
	size_t length = strnlen(text, sizeof(number));

	if (length == sizeof(number)) /* zeros in front, or malformed */
		return gov_amount_parse(name, text, amount);
	memcpy(number, text, length + 1);
	if (length < 3 || tolower((unsigned char) number[length - 1]) != 'b')
		return gov_amount_parse(name, number, amount);
	if (tolower((unsigned char) number[length - 2]) == 'i' && length > 3)
		number[length - 2] = '\0'; /* KiB is K */
	else if (memory)
		number[length - 1] = '\0'; /* Slurm: GB of memory is G */
	else
		return parse_decimal_suffix(name, number, length, amount);
	if (isdigit((unsigned char) number[strlen(number) - 1]))
		return -1;
	return gov_amount_parse(name, number, amount);
}

/* Copy in lower case; only what names are made of. 0 or -1. */
static int copy_name(char *to, size_t size, const char *prefix,
		     struct span from)
{
	size_t used = strlen(prefix);

	if (!from.length || from.length >= size - used)
		return -1;
	memcpy(to, prefix, used);
	for (size_t i = 0; i < from.length; i++) {
		char c = from.start[i];

		if (!isalnum((unsigned char) c) && !strchr("_.+-@", c))
			return -1;
		to[used++] = (char) tolower((unsigned char) c);
	}
	to[used] = '\0';
	return 0;
}

static int read_amount(struct gov_tres_entry *entry, struct span span)
{
	char number[NUMBER_MAX];

	if (span.length >= sizeof(number) ||
	    memchr(span.start, '\0', span.length))
		return -1;
	memcpy(number, span.start, span.length);
	number[span.length] = '\0';
	entry->amount_given = true;
	return gov_tres_parse_amount(entry->name, number, &entry->amount);
}

/* Cut span at the first of the separators; *rest is what follows, if any. */
static bool cut(struct span *span, const char *separators, struct span *rest)
{
	for (size_t i = 0; i < span->length; i++) {
		if (!strchr(separators, span->start[i]))
			continue;
		rest->start = span->start + i + 1;
		rest->length = span->length - i - 1;
		span->length = i;
		return true;
	}
	return false;
}

/* name, name:count, name=count */
static int read_plain(struct gov_tres_entry *entry, const char *prefix,
		      struct span text)
{
	struct span count = { 0 };
	bool counted = cut(&text, ":=", &count);

	if (copy_name(entry->name, sizeof(entry->name), prefix, text))
		return -1;
	return counted ? read_amount(entry, count) : 0;
}

/* name, name:count, name:type, name:type:count; "=" before a count too */
static int read_gres(struct gov_tres_entry *entry, struct span text)
{
	struct span type = { 0 }, count = { 0 };
	bool counted = cut(&text, "=", &count);
	bool typed = cut(&text, ":", &type);

	if (typed && !counted) {
		counted = cut(&type, ":", &count);
		if (!counted && looks_like_count(type)) {
			count = type;
			counted = true;
			typed = false;
		}
	}
	if (copy_name(entry->name, sizeof(entry->name), "gres/", text))
		return -1;
	if (typed && copy_name(entry->type, sizeof(entry->type), "", type))
		return -1;
	return counted ? read_amount(entry, count) : 0;
}

static bool begins(struct span *text, const char *word)
{
	size_t length = strlen(word);

	if (text->length <= length || strncasecmp(text->start, word, length) ||
	    !strchr(":/", text->start[length]))
		return false;
	text->start += length + 1;
	text->length -= length + 1;
	return true;
}

/* TRES that are no GRES though they come without a family in front. */
static bool is_plain(struct span text)
{
	static const char *const plain[] = { "cpu",	"mem",	  "node",
					     "billing", "energy", "vmem",
					     "pages" };
	struct span rest;

	cut(&text, ":=", &rest);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strlen(plain[i]) == text.length &&
		    !strncasecmp(plain[i], text.start, text.length))
			return true;
	return false;
}

/* fs/disk, ic/ofed, bb/...: families that we only pass through */
static int read_other_family(struct gov_tres_entry *entry, struct span text)
{
	char prefix[32];
	struct span family = text, rest;

	cut(&family, "/", &rest);
	if (family.length + 2 > sizeof(prefix) ||
	    copy_name(prefix, sizeof(prefix) - 1, "", family))
		return -1;
	strcat(prefix, "/");
	return read_plain(entry, prefix, rest);
}

static int read_entry(struct gov_tres_entry *entry, struct span text,
		      bool licenses)
{
	memset(entry, 0, sizeof(*entry));
	entry->amount = 1;
	if (licenses || begins(&text, "license"))
		return read_plain(entry, "license/", text);
	if (begins(&text, "gres"))
		return read_gres(entry, text);
	if (is_plain(text))
		return read_plain(entry, "", text);
	if (memchr(text.start, '/', text.length))
		return read_other_family(entry, text);
	return read_gres(entry, text);
}

/*
 * The next entry from *at; *at moves behind its separator.  Separators inside
 * parentheses ("gpu:h100:2(IDX:0,3)") do not count; the parenthesis is left
 * out.  -1: unbalanced.
 */
static int next_entry(const char **at, struct span *entry)
{
	const char *p = *at + strcspn(*at, ",;|(");

	*entry = (struct span){ *at, (size_t) (p - *at) };
	if (*p == '(') {
		p = strchr(p, ')');
		if (!p || (p[1] && !strchr(",;|", p[1])))
			return -1;
		p++;
	}
	*at = *p ? p + 1 : p;
	while (entry->length && isblank((unsigned char) *entry->start)) {
		entry->start++;
		entry->length--;
	}
	while (entry->length &&
	       isblank((unsigned char) entry->start[entry->length - 1]))
		entry->length--;
	return 0;
}

static bool is_none(struct span text)
{
	return text.length == 4 && !strncasecmp(text.start, "none", 4);
}

static int malformed(const char *text, bool licenses, struct gov_error *error)
{
	if (licenses)
		return gov_error_set(error, GOV_R_REQUEST,
				     "the license request '%.60s' cannot be "
				     "understood; write name:count, like "
				     "matlab:2",
				     text);
	return gov_error_set(error, GOV_R_REQUEST,
			     "the resource request '%.60s' cannot be "
			     "understood; write name[:type][:count], like "
			     "gpu:h100:4",
			     text);
}

static int walk(const char *text, bool licenses,
		int (*visit)(const struct gov_tres_entry *entry, void *arg),
		void *arg, struct gov_error *error)
{
	const char *at = text;
	unsigned entries = 0;

	while (at && *at) {
		struct gov_tres_entry entry;
		const char *begin = at;
		struct span span;
		int stop;

		if (next_entry(&at, &span))
			return malformed(begin, licenses, error);
		if (!span.length || is_none(span))
			continue;
		if (++entries > ENTRIES_MAX)
			return gov_error_set(error, GOV_R_REQUEST,
					     "a list of more than %d resources "
					     "is not accepted",
					     ENTRIES_MAX);
		if (read_entry(&entry, span, licenses))
			return malformed(begin, licenses, error);
		stop = visit(&entry, arg);
		if (stop)
			return stop;
	}
	return 0;
}

int gov_tres_walk(const char *text,
		  int (*visit)(const struct gov_tres_entry *entry, void *arg),
		  void *arg, struct gov_error *error)
{
	return walk(text, false, visit, arg, error);
}

int gov_license_walk(const char *text,
		     int (*visit)(const struct gov_tres_entry *entry,
				  void *arg),
		     void *arg, struct gov_error *error)
{
	return walk(text, true, visit, arg, error);
}
