/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/verdict.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "govverdict1 "

static const char *const kinds[] = {
	[VERDICT_GRANTED] = "granted",
	[VERDICT_REFUSED] = "refused",
	[VERDICT_MISSING] = "missing",
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Sentences are of gov_error_set(), which leaves no control characters. */
static bool is_sentence(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char) text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return length > 0;
}

int verdict_format(const struct verdict *v, char *text, size_t size)
{
	char second[GOV_GRANT_TEXT] = "";
	int n;

	if ((unsigned) v->kind >= KINDS)
		return -1;
	if (v->kind == VERDICT_GRANTED &&
	    gov_grant_format(&v->grant, second, sizeof(second)) < 0)
		return -1;
	if (v->kind == VERDICT_REFUSED) {
		size_t length = strnlen(v->sentence, sizeof(v->sentence));

		if (length == sizeof(v->sentence) ||
		    !is_sentence(v->sentence, length))
			return -1;
		memcpy(second, v->sentence, length + 1);
	}
	n = snprintf(text, size, MAGIC "%s %" PRIu32 "\n%s%s", kinds[v->kind],
		     v->uid, second, second[0] ? "\n" : "");
	return n < 0 || (size_t) n >= size ? -1 : n;
}

/* The rest of a line behind *p, without its end; NULL: there is no end. */
static const char *next_line(const char **p, const char *end, size_t *length)
{
	const char *line = *p;
	const char *stop = memchr(line, '\n', (size_t) (end - line));

	if (!stop)
		return NULL;
	*length = (size_t) (stop - line);
	*p = stop + 1;
	return line;
}

static int parse_uid(const char *text, size_t length, uint32_t *uid)
{
	uint64_t n = 0;

	if (!length || length > 10 || (length > 1 && text[0] == '0'))
		return -1;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		n = n * 10 + (uint64_t) (text[i] - '0');
	}
	if (n > UINT32_MAX)
		return -1;
	*uid = (uint32_t) n;
	return 0;
}

/* "govverdict1 KIND UID" */
static int parse_first(const char *line, size_t length, struct verdict *v)
{
	const size_t magic = strlen(MAGIC);

	if (length < magic || memcmp(line, MAGIC, magic) != 0)
		return -1;
	line += magic;
	length -= magic;
	for (size_t i = 0; i < KINDS; i++) {
		size_t n = strlen(kinds[i]);

		if (length <= n || memcmp(line, kinds[i], n) != 0 ||
		    line[n] != ' ')
			continue;
		v->kind = (enum verdict_kind) i;
		return parse_uid(line + n + 1, length - n - 1, &v->uid);
	}
	return -1;
}

static int parse_second(const char *line, size_t length, struct verdict *v)
{
	if (v->kind == VERDICT_GRANTED)
		return gov_grant_parse(line, length, &v->grant, NULL);
	if (length >= sizeof(v->sentence) || !is_sentence(line, length))
		return -1;
	memcpy(v->sentence, line, length);
	return 0;
}

int verdict_parse(const char *text, size_t length, struct verdict *v)
{
	const char *p = text;
	const char *end = text + length;
	const char *line;
	size_t n;

	memset(v, 0, sizeof(*v));
	line = next_line(&p, end, &n);
	if (!line || parse_first(line, n, v))
		return -1;
	if (v->kind != VERDICT_MISSING) {
		line = next_line(&p, end, &n);
		if (!line || parse_second(line, n, v))
			return -1;
	}
	return p == end ? 0 : -1;
}
