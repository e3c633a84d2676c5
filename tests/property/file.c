/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Case files: one line a thing, so that a person can cut them further. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/policy.h"
#include "history.h"

/* ---- names of the numbers ---- */

struct field {
	const char *name;
	size_t offset;
};

#define FIELD(type, name)                   \
	{                                   \
#name, offsetof(type, name) \
	}

static const struct field spec_fields[] = { FIELD(struct spec, fair),
					    FIELD(struct spec, rank),
					    FIELD(struct spec,
						  share_unallocated),
					    FIELD(struct spec, clamp),
					    FIELD(struct spec, ratio_permille),
					    FIELD(struct spec, ratio_all),
					    FIELD(struct spec, min_runtime),
					    FIELD(struct spec, grace),
					    FIELD(struct spec, half_life),
					    FIELD(struct spec, pools),
					    FIELD(struct spec, tres),
					    FIELD(struct spec, units),
					    FIELD(struct spec, classes),
					    FIELD(struct spec, projects),
					    { NULL, 0 } };

static const struct field unit_fields[] = {
	FIELD(struct spec_unit, present),
	FIELD(struct spec_unit, team),
	FIELD(struct spec_unit, parent),
	FIELD(struct spec_unit, weight),
	FIELD(struct spec_unit, weight_scale),
	FIELD(struct spec_unit, strategy),
	FIELD(struct spec_unit, queueing),
	FIELD(struct spec_unit, within),
	FIELD(struct spec_unit, reclaim),
	FIELD(struct spec_unit, borrowing),
	FIELD(struct spec_unit, borrowing_max),
	FIELD(struct spec_unit, prefer_own),
	FIELD(struct spec_unit, min_runtime),
	FIELD(struct spec_unit, min_loan),
	FIELD(struct spec_unit, max_evictions),
	{ NULL, 0 }
};

static const struct field class_fields[] = { FIELD(struct spec_class, weight),
					     FIELD(struct spec_class,
						   may_borrow),
					     FIELD(struct spec_class, within),
					     { NULL, 0 } };

static const char *const event_name[EVENT_KINDS] = {
	[EVENT_SUBMIT] = "submit",
	[EVENT_PUT] = "put",
	[EVENT_START] = "start",
	[EVENT_END] = "end",
	[EVENT_REQUEUE] = "requeue",
	[EVENT_HOLD] = "hold",
	[EVENT_CHECKPOINT] = "checkpoint",
	[EVENT_SEEN] = "seen",
	[EVENT_CAPACITY] = "capacity",
	[EVENT_TIME] = "time",
	[EVENT_RESTART] = "restart",
	[EVENT_QUOTA] = "quota",
	[EVENT_UNIT] = "unit",
	[EVENT_GLOBAL] = "global",
	[EVENT_BAD_PUT] = "bad-put",
};

/* How many numbers of v[] an event has. */
static const int event_numbers[EVENT_KINDS] = {
	[EVENT_SUBMIT] = 6,	[EVENT_PUT] = 6,     [EVENT_START] = 1,
	[EVENT_END] = 1,	[EVENT_REQUEUE] = 1, [EVENT_HOLD] = 2,
	[EVENT_CHECKPOINT] = 1, [EVENT_SEEN] = 1,    [EVENT_CAPACITY] = 2,
	[EVENT_TIME] = 1,	[EVENT_QUOTA] = 5,   [EVENT_UNIT] = 3,
	[EVENT_GLOBAL] = 2,	[EVENT_BAD_PUT] = 2,
};

/* ---- writing ---- */

static void print_fields(FILE *file, const struct field *field,
			 const void *data)
{
	for (; field->name; field++) {
		int value;

		memcpy(&value, (const char *) data + field->offset,
		       sizeof(value));
		fprintf(file, " %s=%d", field->name, value);
	}
}

static void print_amount(FILE *file, uint64_t amount)
{
	if (amount == UNLIMITED)
		fputc('-', file);
	else
		fprintf(file, "%" PRIu64, amount);
}

static void print_amounts(FILE *file, const char *name, int index,
			  const uint64_t *amount)
{
	for (int c = 0; c < CELLS; c++) {
		if (amount[c] == UNLIMITED)
			continue;
		fprintf(file, "%s %d %d %" PRIu64 "\n", name, index, c,
			amount[c]);
	}
}

static void print_unit(FILE *file, int index, const struct spec_unit *unit)
{
	fprintf(file, "unit %d", index);
	print_fields(file, unit_fields, unit);
	fputc('\n', file);
	for (int c = 0; c < CELLS; c++) {
		const struct spec_quota *q = &unit->quota[c];

		if (!q->set)
			continue;
		fprintf(file, "quota %d %d %" PRIu64 " ", index, c, q->nominal);
		print_amount(file, q->borrow);
		fputc(' ', file);
		print_amount(file, q->lend);
		fputc('\n', file);
	}
	print_amounts(file, "usermax", index, unit->user_max);
}

void event_print(const struct event *event, FILE *file)
{
	fputs(event_name[event->kind], file);
	for (int i = 0; i < event_numbers[event->kind]; i++)
		fprintf(file, " %" PRId64, event->v[i]);
	for (int i = 0; i < event->items; i++)
		fprintf(file, " %d:%" PRIu64, event->item[i].cell,
			event->item[i].amount);
}

/* Is a unit that is not there at first mentioned by an event? */
static bool comes_back(const struct history *history, int unit)
{
	for (size_t i = 0; i < history->count; i++) {
		const struct event *event = &history->event[i];

		if ((event->kind == EVENT_UNIT || event->kind == EVENT_QUOTA) &&
		    event->v[0] == unit)
			return true;
	}
	return false;
}

void history_write(const struct history *history, FILE *file)
{
	const struct spec *spec = &history->spec;

	fprintf(file, "governance-history 1\nseed %" PRIu64 "\nspec",
		history->seed);
	print_fields(file, spec_fields, spec);
	fputs("\ncells", file);
	for (int c = 0; c < CELLS; c++)
		if (spec->has_cell[c])
			fprintf(file, " %d", c);
	fputc('\n', file);
	for (int i = 0; i < spec->classes; i++) {
		fprintf(file, "class %d", i);
		print_fields(file, class_fields, &spec->class[i]);
		fputc('\n', file);
	}
	for (int i = 0; i < spec->units; i++)
		if (spec->unit[i].present || comes_back(history, i))
			print_unit(file, i, &spec->unit[i]);
	for (int i = 0; i < spec->projects; i++) {
		fprintf(file, "project %d %d\n", i, spec->project[i].team);
		print_amounts(file, "projectmax", i, spec->project[i].max);
	}
	print_amounts(file, "capacity", 0, spec->capacity);
	fputs("events\n", file);
	for (size_t i = 0; i < history->count; i++) {
		event_print(&history->event[i], file);
		fputc('\n', file);
	}
}

/* ---- reading ---- */

static const char *reading;
static int line_number;

static void bad_line(const char *line)
{
	fprintf(stderr, "%s:%d: cannot read: %s\n", reading, line_number, line);
	exit(2);
}

static void read_fields(char *words, const struct field *fields, void *data)
{
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		char *value = strchr(word, '=');
		const struct field *field = fields;
		int number;

		if (!value)
			bad_line(word);
		*value++ = '\0';
		while (field->name && strcmp(field->name, word))
			field++;
		if (!field->name)
			bad_line(word);
		number = atoi(value);
		memcpy((char *) data + field->offset, &number, sizeof(number));
	}
}

static uint64_t read_amount(const char *text)
{
	return *text == '-' ? UNLIMITED : strtoull(text, NULL, 10);
}

static int read_index(const char *line, int index, int bound)
{
	if (index < 0 || index >= bound)
		bad_line(line);
	return index;
}

static void clear_amounts(uint64_t *amount)
{
	for (int c = 0; c < CELLS; c++)
		amount[c] = UNLIMITED;
}

static void clear_spec(struct spec *spec)
{
	memset(spec, 0, sizeof(*spec));
	clear_amounts(spec->capacity);
	for (int i = 0; i < PROJECTS; i++)
		clear_amounts(spec->project[i].max);
	for (int i = 0; i < UNITS; i++) {
		clear_amounts(spec->unit[i].user_max);
		for (int c = 0; c < CELLS; c++)
			spec->unit[i].quota[c].borrow =
				spec->unit[i].quota[c].lend = UNLIMITED;
	}
}

static void read_quota(struct spec *spec, const char *line, int unit, int cell,
		       const char *rest)
{
	char nominal[32], borrow[32], lend[32];
	struct spec_quota *q;

	if (sscanf(rest, "%31s %31s %31s", nominal, borrow, lend) != 3)
		bad_line(line);
	q = &spec->unit[read_index(line, unit, UNITS)].quota[cell];
	q->set = true;
	q->nominal = read_amount(nominal);
	q->borrow = read_amount(borrow);
	q->lend = read_amount(lend);
}

/* "name index cell ..." lines. */
static bool read_amounts(struct spec *spec, const char *line, const char *name,
			 int index, int cell, const char *rest)
{
	uint64_t amount = read_amount(rest);

	if (strcmp(name, "quota") && strcmp(name, "usermax") &&
	    strcmp(name, "projectmax") && strcmp(name, "capacity"))
		return false;
	read_index(line, cell, CELLS);
	if (!strcmp(name, "quota"))
		read_quota(spec, line, index, cell, rest);
	else if (!strcmp(name, "usermax"))
		spec->unit[read_index(line, index, UNITS)].user_max[cell] =
			amount;
	else if (!strcmp(name, "projectmax"))
		spec->project[read_index(line, index, PROJECTS)].max[cell] =
			amount;
	else
		spec->capacity[cell] = amount;
	return true;
}

static void read_cells(struct spec *spec, char *words)
{
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		spec->has_cell[read_index(word, atoi(word), CELLS)] = 1;
}

static void read_spec_line(struct history *history, char *line)
{
	struct spec *spec = &history->spec;
	char name[32];
	int index = 0, cell = 0, used = 0, more = 0;

	if (sscanf(line, "%31s%n %d%n %d %n", name, &used, &index, &more, &cell,
		   &more) < 1)
		bad_line(line);
	if (!strcmp(name, "seed"))
		history->seed = strtoull(line + used, NULL, 10);
	else if (!strcmp(name, "spec"))
		read_fields(line + used, spec_fields, spec);
	else if (!strcmp(name, "cells"))
		read_cells(spec, line + used);
	else if (!strcmp(name, "class"))
		read_fields(line + more, class_fields,
			    &spec->class[read_index(line, index, CLASSES)]);
	else if (!strcmp(name, "unit"))
		read_fields(line + more, unit_fields,
			    &spec->unit[read_index(line, index, UNITS)]);
	else if (!strcmp(name, "project"))
		spec->project[read_index(line, index, PROJECTS)].team = cell;
	else if (!read_amounts(spec, line, name, index, cell, line + more))
		bad_line(line);
}

static void read_event(struct event *event, char *line)
{
	char *word = strtok(line, " ");
	int kind = 0;

	memset(event, 0, sizeof(*event));
	while (word && kind < EVENT_KINDS && strcmp(event_name[kind], word))
		kind++;
	if (!word || kind == EVENT_KINDS)
		bad_line(line);
	event->kind = kind;
	for (int i = 0; i < event_numbers[kind]; i++) {
		word = strtok(NULL, " ");
		if (!word)
			bad_line(line);
		event->v[i] = strtoll(word, NULL, 10);
	}
	while ((word = strtok(NULL, " "))) {
		struct item *item = &event->item[event->items];

		if (event->items == ITEMS ||
		    sscanf(word, "%d:%" SCNu64, &item->cell, &item->amount) !=
			    2)
			bad_line(word);
		read_index(word, item->cell, CELLS);
		event->items++;
	}
}

void history_read(struct history *history, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	bool events = false;
	ssize_t length;

	reading = path;
	line_number = 0;
	if (!file) {
		perror(path);
		exit(2);
	}
	memset(history, 0, sizeof(*history));
	clear_spec(&history->spec);
	while ((length = getline(&line, &size, file)) > 0) {
		line_number++;
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#' ||
		    !strncmp(line, "governance-history", 18))
			continue;
		if (!strcmp(line, "events")) {
			events = true;
		} else if (!events) {
			read_spec_line(history, line);
		} else {
			history->event = reallocarray(history->event,
						      history->count + 1,
						      sizeof(struct event));
			if (!history->event)
				exit(2);
			read_event(&history->event[history->count++], line);
		}
	}
	free(line);
	fclose(file);
}

/* ---- changes of the policy ---- */

static uint64_t limit_of(int64_t value)
{
	return value < 0 ? UNLIMITED : (uint64_t) value;
}

static void change_unit(struct spec_unit *unit, enum unit_field field,
			int value)
{
	switch (field) {
	case FIELD_PRESENT: unit->present = value; break;
	case FIELD_WEIGHT: unit->weight = value; break;
	case FIELD_STRATEGY: unit->strategy = value; break;
	case FIELD_QUEUEING: unit->queueing = value; break;
	case FIELD_WITHIN: unit->within = value; break;
	case FIELD_RECLAIM: unit->reclaim = value; break;
	case FIELD_BORROWING: unit->borrowing = value; break;
	case FIELD_PREFER_OWN: unit->prefer_own = value; break;
	case FIELD_MIN_RUNTIME: unit->min_runtime = value; break;
	case FIELD_MIN_LOAN: unit->min_loan = value; break;
	case FIELD_MAX_EVICTIONS: unit->max_evictions = value; break;
	case UNIT_FIELDS: break;
	}
}

void spec_change(struct spec *spec, const struct event *event)
{
	struct spec_quota *q;

	switch (event->kind) {
	case EVENT_UNIT:
		change_unit(&spec->unit[event->v[0]],
			    (enum unit_field) event->v[1], (int) event->v[2]);
		break;
	case EVENT_GLOBAL:
		if (event->v[0] == GLOBAL_FAIR)
			spec->fair = (int) event->v[1];
		else if (event->v[0] == GLOBAL_RANK)
			spec->rank = (int) event->v[1];
		else
			spec->share_unallocated = (int) event->v[1];
		break;
	case EVENT_QUOTA:
		q = &spec->unit[event->v[0]].quota[event->v[1]];
		q->set = true;
		q->nominal = limit_of(event->v[2]);
		q->borrow = limit_of(event->v[3]);
		q->lend = limit_of(event->v[4]);
		break;
	default: break;
	}
}
