/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collecting what is wrong, and finding the word that was meant. */
#include "conf/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX 1024
#define WORD_MAX 64 /* longer words are not compared */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define WORK_MAX 20000 /* it is slow there, and nothing new */
#else
#define WORK_MAX (100u * 1000 * 1000) /* steps spent on suggestions */
#endif

/* Text of files is quoted in it: nothing may reach a terminal as it is. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char) *text < 0x20 || *text == 0x7f)
			*text = '?';
}

static void add(struct conf *conf, struct conf_place at, bool warning,
		enum gov_code code, const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));

static void add(struct conf *conf, struct conf_place at, bool warning,
		enum gov_code code, const char *format, va_list args)
{
	char text[TEXT_MAX];
	struct conf_pending *pending;

	if (!warning)
		conf->errors++;
	if (conf->faults >= CONF_FAULT_MAX) {
		conf->unlisted++;
		return;
	}
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		strcpy(text, "unprintable fault");
	make_printable(text);
	if (!conf_room(conf, &conf->pending, conf->faults,
		       sizeof(*conf->pending)))
		return;
	pending = &conf->pending[conf->faults];
	*pending = (struct conf_pending){
		.at = at,
		.warning = warning,
		.code = code,
		.text = strdup(text),
	};
	if (pending->text)
		conf->faults++;
	else
		conf->no_memory = true;
}

void conf_error(struct conf *conf, struct conf_place at, enum gov_code code,
		const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(conf, at, false, code, format, args);
	va_end(args);
}

void conf_warning(struct conf *conf, struct conf_place at, const char *format,
		  ...)
{
	va_list args;

	va_start(args, format);
	add(conf, at, true, GOV_OK, format, args);
	va_end(args);
}

/* ---- delivery ---- */

static int by_place(const void *a, const void *b)
{
	const struct conf_pending *x = a, *y = b;

	if (x->at.source != y->at.source)
		return x->at.source < y->at.source ? -1 : 1;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.column != y->at.column)
		return x->at.column < y->at.column ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void append(struct conf *conf, struct gov_conf_faults *faults,
		   const char *path, const struct conf_pending *from,
		   const char *text)
{
	struct gov_conf_fault *fault = &faults->item[faults->count];

	*fault = (struct gov_conf_fault){
		.file = strdup(path),
		.line = from->at.line,
		.column = from->at.column,
		.warning = from->warning,
		.code = from->code,
		.text = strdup(text),
	};
	if (!fault->file || !fault->text) {
		free(fault->file);
		free(fault->text);
		conf->no_memory = true;
		return;
	}
	faults->count++;
	if (!fault->warning)
		faults->errors++;
}

static const char *path_of(const struct conf *conf, uint32_t source)
{
	return source < conf->sources ? conf->source[source].path : "";
}

/* The last item when there are more faults than are listed. */
static void append_rest(struct conf *conf, struct gov_conf_faults *faults)
{
	struct conf_pending rest = { .at = { 0, 1, 1 }, .code = GOV_E_VALUE };
	char text[64];

	snprintf(text, sizeof(text), "%zu more faults are not listed",
		 conf->unlisted);
	rest.warning = !conf->errors;
	append(conf, faults, path_of(conf, 0), &rest, text);
}

void conf_faults_deliver(struct conf *conf, struct gov_conf_faults *faults)
{
	struct conf_pending none = { .at = { 0, 1, 1 }, .code = GOV_E_NOMEM };

	*faults = (struct gov_conf_faults){ 0 };
	faults->item = calloc(conf->faults + 2, sizeof(*faults->item));
	if (!faults->item) {
		faults->errors = 1;
		return;
	}
	if (conf->faults)
		qsort(conf->pending, conf->faults, sizeof(*conf->pending),
		      by_place);
	for (size_t i = 0; i < conf->faults; i++) {
		const struct conf_pending *p = &conf->pending[i];

		if (i && !by_place(p - 1, p))
			continue; /* a profile used by several teams */
		append(conf, faults, path_of(conf, p->at.source), p, p->text);
	}
	if (conf->unlisted)
		append_rest(conf, faults);
	if (conf->no_memory)
		append(conf, faults, path_of(conf, 0), &none, "out of memory");
	if (!faults->errors && (conf->errors || conf->no_memory))
		faults->errors = 1;
}

void gov_conf_faults_free(struct gov_conf_faults *faults)
{
	if (!faults)
		return;
	for (size_t i = 0; i < faults->count; i++) {
		free(faults->item[i].file);
		free(faults->item[i].text);
	}
	free(faults->item);
	*faults = (struct gov_conf_faults){ 0 };
}

char *gov_conf_fault_string(const struct gov_conf_fault *fault)
{
	char *line;

	if (asprintf(&line, "%s:%u:%u: %s: %s", fault->file, fault->line,
		     fault->column, fault->warning ? "warning" : "error",
		     fault->text) < 0)
		return NULL;
	make_printable(line);
	return line;
}

/* ---- suggestions ---- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits, exchanges of neighbours counted as one; case does not matter. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[3][WORD_MAX + 1];

	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned) j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *last = row[(i - 1) % 3];
		unsigned *before = row[(i + 1) % 3];

		now[0] = (unsigned) i;
		for (size_t j = 1; j <= m; j++) {
			char x = lower(a[i - 1]), y = lower(b[j - 1]);

			now[j] = min3(last[j] + 1, now[j - 1] + 1,
				      last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b[j - 2]) &&
			    y == lower(a[i - 2]) && before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return row[n % 3][m];
}

void conf_nearest_begin(struct conf_nearest *nearest, struct conf *conf,
			const char *word)
{
	*nearest = (struct conf_nearest){ .conf = conf,
					  .word = word,
					  .length = strlen(word) };
	nearest->distance = (unsigned) (nearest->length + 2) / 3 + 1;
}

/* Nobody reads the ten-thousandth suggestion, and the search takes time. */
bool conf_nearest_tired(struct conf_nearest *nearest)
{
	nearest->conf->nearest_work++;
	return nearest->conf->nearest_work > WORK_MAX ||
	       nearest->conf->faults >= CONF_FAULT_MAX;
}

void conf_nearest_try(struct conf_nearest *nearest, const char *candidate)
{
	size_t length = strlen(candidate), longer, shorter;
	unsigned d;

	if (!nearest->length || nearest->length > WORD_MAX ||
	    length > WORD_MAX || conf_nearest_tired(nearest))
		return;
	longer = length > nearest->length ? length : nearest->length;
	shorter = length + nearest->length - longer;
	/* One is the beginning of the other: as near as one or two letters. */
	if (shorter >= 3 && !strncasecmp(nearest->word, candidate, shorter)) {
		d = length > nearest->length ? 1 : 2;
	} else if (longer - shorter < nearest->distance) {
		d = distance(nearest->word, nearest->length, candidate, length);
		nearest->conf->nearest_work += longer * shorter;
	} else {
		d = nearest->distance;
	}
	nearest->conf->nearest_work += 16;
	if (d < nearest->distance && d < longer) {
		nearest->distance = d;
		nearest->best = candidate;
	}
}

const char *conf_nearest_hint(struct conf_nearest *nearest)
{
	nearest->text[0] = '\0';
	if (nearest->best)
		snprintf(nearest->text, sizeof(nearest->text),
			 "; did you mean %s?", nearest->best);
	return nearest->text;
}
