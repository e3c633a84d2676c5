/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payload of a grant, one line, fields in this order and no other:
 *
 *	govgrant1 kind=job uid=1000 team=vision project= class=training
 *	isolation= digest=0123456789abcdef issued=1765000000 signal=15
 *	grace=120
 *
 * A number has no sign and no leading zero.  "uid=any" is for kind undecided.
 */
#include "grant/grant.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "govgrant1"
#define SIGNAL_MAX 64

static const char *const kinds[] = {
	[GOV_GRANT_JOB] = "job",
	[GOV_GRANT_EXEMPT] = "exempt",
	[GOV_GRANT_UNDECIDED] = "undecided",
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

const char *gov_grant_kind_name(enum gov_grant_kind kind)
{
	return (unsigned) kind < KINDS ? kinds[kind] : NULL;
}

static bool is_name(const char *name, size_t size)
{
	size_t length = strnlen(name, size);

	if (length == size)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || strchr("_.@+-", c)))
			return false;
	}
	return true;
}

static bool is_digest(const char *digest, size_t size)
{
	return is_name(digest, size) &&
	       strspn(digest, "0123456789abcdef") == strlen(digest);
}

/* Which rule of grant.h the grant breaks, or NULL. */
static const char *broken_rule(const struct gov_grant *g)
{
	bool named;

	if (!gov_grant_kind_name(g->kind))
		return "its kind is unknown";
	if (!is_name(g->team, sizeof(g->team)) ||
	    !is_name(g->project, sizeof(g->project)) ||
	    !is_name(g->class_name, sizeof(g->class_name)) ||
	    !is_name(g->isolation, sizeof(g->isolation)))
		return "a name has a character that names do not have";
	if (!is_digest(g->digest, sizeof(g->digest)))
		return "its digest is not one";
	if ((g->kind == GOV_GRANT_UNDECIDED) != (g->uid == GOV_GRANT_ANY_UID))
		return "only an undecided grant is for any user";
	if (g->issued < 0 || g->reclaim_grace < 0 || g->reclaim_signal < 0 ||
	    g->reclaim_signal > SIGNAL_MAX)
		return "a number is out of range";
	named = g->team[0] || g->project[0] || g->class_name[0] ||
		g->isolation[0] || g->reclaim_signal || g->reclaim_grace;
	if (g->kind != GOV_GRANT_JOB && named)
		return "it names a team although it is not for a governed job";
	if (g->kind == GOV_GRANT_JOB && (!g->team[0] || !g->class_name[0]))
		return "it names no team or no class";
	return NULL;
}

int gov_grant_format(const struct gov_grant *grant, char *text, size_t size)
{
	char uid[16] = "any";
	int n;

	if (broken_rule(grant))
		return -1;
	if (grant->uid != GOV_GRANT_ANY_UID)
		snprintf(uid, sizeof(uid), "%" PRIu32, grant->uid);
	n = snprintf(text, size,
		     MAGIC " kind=%s uid=%s team=%s project=%s class=%s"
			   " isolation=%s digest=%s issued=%" PRId64
			   " signal=%d"
			   " grace=%" PRId64,
		     gov_grant_kind_name(grant->kind), uid, grant->team,
		     grant->project, grant->class_name, grant->isolation,
		     grant->digest, grant->issued, grant->reclaim_signal,
		     grant->reclaim_grace);
	return n < 0 || (size_t) n >= size ? -1 : n;
}

/* ---- reading ---- */

struct reader {
	const char *p;
	const char *end;
	const char *failed; /* the key that could not be read, or NULL */
};

/* The value of " key=value" at r->p, up to the next blank or the end. */
static const char *next_value(struct reader *r, const char *key, size_t *length)
{
	size_t n = strlen(key);
	const char *value, *stop;

	if (r->failed)
		return NULL;
	r->failed = key;
	if ((size_t) (r->end - r->p) < n + 2 || r->p[0] != ' ' ||
	    memcmp(r->p + 1, key, n) != 0 || r->p[n + 1] != '=')
		return NULL;
	value = r->p + n + 2;
	stop = memchr(value, ' ', (size_t) (r->end - value));
	r->p = stop ? stop : r->end;
	*length = (size_t) (r->p - value);
	r->failed = NULL;
	return value;
}

/* Into an array of the given size; its characters are checked later on. */
static void read_name(struct reader *r, const char *key, char *name,
		      size_t size)
{
	size_t length;
	const char *value = next_value(r, key, &length);

	if (!value)
		return;
	if (length >= size || memchr(value, '\0', length)) {
		r->failed = key;
		return;
	}
	memcpy(name, value, length);
	name[length] = '\0';
}

static int64_t to_number(struct reader *r, const char *key, const char *value,
			 size_t length, int64_t max)
{
	int64_t n = 0;

	if (!length || (length > 1 && value[0] == '0'))
		goto bad;
	for (size_t i = 0; i < length; i++)
		if (value[i] < '0' || value[i] > '9' ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, value[i] - '0', &n))
			goto bad;
	if (n <= max)
		return n;
bad:
	r->failed = key;
	return 0;
}

static int64_t read_number(struct reader *r, const char *key, int64_t max)
{
	size_t length;
	const char *value = next_value(r, key, &length);

	return value ? to_number(r, key, value, length, max) : 0;
}

static void read_kind(struct reader *r, struct gov_grant *grant)
{
	size_t length;
	const char *value = next_value(r, "kind", &length);

	if (!value)
		return;
	for (size_t i = 0; i < KINDS; i++)
		if (strlen(kinds[i]) == length &&
		    memcmp(kinds[i], value, length) == 0) {
			grant->kind = (enum gov_grant_kind) i;
			return;
		}
	r->failed = "kind";
}

static void read_uid(struct reader *r, struct gov_grant *grant)
{
	size_t length;
	const char *value = next_value(r, "uid", &length);

	if (!value)
		return;
	if (length == 3 && memcmp(value, "any", 3) == 0)
		grant->uid = GOV_GRANT_ANY_UID;
	else
		grant->uid = (uint32_t) to_number(r, "uid", value, length,
						  UINT32_MAX - 1);
}

static void read_fields(struct reader *r, struct gov_grant *g)
{
	read_kind(r, g);
	read_uid(r, g);
	read_name(r, "team", g->team, sizeof(g->team));
	read_name(r, "project", g->project, sizeof(g->project));
	read_name(r, "class", g->class_name, sizeof(g->class_name));
	read_name(r, "isolation", g->isolation, sizeof(g->isolation));
	read_name(r, "digest", g->digest, sizeof(g->digest));
	g->issued = read_number(r, "issued", INT64_MAX);
	g->reclaim_signal = (int) read_number(r, "signal", SIGNAL_MAX);
	g->reclaim_grace = read_number(r, "grace", INT64_MAX);
}

static int malformed(struct gov_grant *grant, struct gov_error *error,
		     const char *what, const char *detail)
{
	memset(grant, 0, sizeof(*grant));
	return gov_error_set(error, GOV_E_PROTOCOL,
			     "the grant of this job cannot be read (%s%s): "
			     "the governor and this node may be of different "
			     "releases; tell your administrator",
			     what, detail);
}

int gov_grant_parse(const char *text, size_t length, struct gov_grant *grant,
		    struct gov_error *error)
{
	const size_t magic = strlen(MAGIC);
	struct reader r = { text + magic, text + length, NULL };
	const char *rule;

	memset(grant, 0, sizeof(*grant));
	if (length < magic || memcmp(text, MAGIC, magic) != 0)
		return malformed(grant, error, "it is not of version ", MAGIC);
	read_fields(&r, grant);
	if (r.failed)
		return malformed(grant, error, "at ", r.failed);
	if (r.p != r.end)
		return malformed(grant, error, "text behind its last field",
				 "");
	rule = broken_rule(grant);
	return rule ? malformed(grant, error, rule, "") : 0;
}
