/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reading of governance.conf: its sources, lines, records and faults.
 * Stages, each in files of its own:
 *
 *	source	files into memory, with the checks of who may write them
 *	lex	text into lines of words, each knowing where it stands
 *	record	lines into records of known keys with values of their type
 *	build	records into a policy
 *
 * Every stage reports all it can find and hands on what is sound, so that one
 * run tells the administrator everything.
 */
#ifndef GOVERNANCE_CONF_CONTEXT_H
#define GOVERNANCE_CONF_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"
#include "conf/conf.h"

#pragma GCC visibility push(hidden)

#define CONF_LINE_MAX 65536 /* bytes of a line of a file */
#define CONF_RECORD_MAX 1000000
#define CONF_TEXT_MAX (256u << 20) /* bytes of all files */
#define CONF_INCLUDE_MAX 16	   /* depth */
#define CONF_SOURCE_MAX 1000	   /* files */
#define CONF_FAULT_MAX 10000	   /* listed; more are only counted */
#define CONF_DEFAULT_MAX 1000	   /* DEFAULT records */

/* Where something stands.  Lines and columns count from 1. */
struct conf_place {
	uint32_t source;
	uint32_t line;
	uint32_t column;
};

struct conf_source {
	char *path;
	const char *text;
	size_t length;
	void *owned; /* text to free; NULL if it is the caller's */
	dev_t device;
	ino_t inode;
	uint32_t parent; /* who includes it, or CONF_NO_SOURCE */
};
#define CONF_NO_SOURCE UINT32_MAX

/* From this byte of a value on, text stands at another place. */
struct conf_jump {
	uint32_t offset;
	uint32_t line;
	uint32_t column;
};

/* "Key=value", or a bare word (key NULL). */
struct conf_word {
	const char *key;
	const char *value;
	uint32_t source;
	uint32_t line, column; /* of the key */
	uint32_t value_line, value_column;
	const struct conf_jump *jump;
	uint16_t jumps;
	int16_t id; /* enum conf_key_id, -1 before it is known */
	bool bad;   /* it has a fault already */
};

/* A logical line; later a record. */
struct conf_line {
	struct conf_word *word;
	uint32_t count;
};

/* Memory that lives as long as the reading. */
struct conf_arena {
	struct conf_chunk *chunk;
	size_t used;
};

struct conf_pending {
	struct conf_place at;
	bool warning;
	enum gov_code code;
	char *text;
};

struct conf_record;
struct conf_names;

struct conf {
	struct conf_arena arena;
	bool no_memory;

	struct conf_source *source;
	uint32_t sources;
	size_t bytes;	  /* of all sources */
	bool from_memory; /* Include is refused */
	uint64_t digest;  /* FNV-1a of all text so far */

	struct conf_line *line;
	size_t lines;
	bool too_many; /* records: said once */

	struct conf_record *record;
	size_t records;
	struct conf_names *names;
	const char *cluster; /* whose policy is made, or NULL */

	struct conf_pending *pending;
	size_t faults;
	size_t errors;
	size_t unlisted;       /* beyond CONF_FAULT_MAX */
	uint64_t nearest_work; /* spent on suggestions */
};

void conf_begin(struct conf *conf);
void conf_end(struct conf *conf);

/* NULL when out of memory, and then conf->no_memory is set. */
void *conf_alloc(struct conf *conf, size_t size);
char *conf_copy(struct conf *conf, const char *text, size_t length);

/*
 * Make room for one more element of an array that has `count`; *array is
 * moved.  false: out of memory, noted.
 */
bool conf_room(struct conf *conf, void *array, size_t count, size_t size);

/* Place of byte `offset` of a word's value. */
struct conf_place conf_value_at(const struct conf_word *word, size_t offset);
struct conf_place conf_key_at(const struct conf_word *word);

/* ---- faults.c ---- */

void conf_error(struct conf *conf, struct conf_place at, enum gov_code code,
		const char *format, ...) __attribute__((format(printf, 4, 5)));
void conf_warning(struct conf *conf, struct conf_place at, const char *format,
		  ...) __attribute__((format(printf, 3, 4)));

/* Sorted, without repetitions, for the caller to free. */
void conf_faults_deliver(struct conf *conf, struct gov_conf_faults *faults);

/* The nearest of several words to one that was not found. */
struct conf_nearest {
	struct conf *conf;
	const char *word;
	size_t length;
	const char *best;
	unsigned distance;
	char text[160]; /* result of conf_nearest_hint() */
};
void conf_nearest_begin(struct conf_nearest *nearest, struct conf *conf,
			const char *word);
void conf_nearest_try(struct conf_nearest *nearest, const char *candidate);
/* No more suggestions: long loops over candidates may stop. */
bool conf_nearest_tired(struct conf_nearest *nearest);
/* "; did you mean X?", or "" if nothing is near. */
const char *conf_nearest_hint(struct conf_nearest *nearest);

/* ---- source.c, lex.c ---- */

/* Read a file and all it includes into lines.  at: of the Include, or NULL. */
void conf_read_file(struct conf *conf, const char *path,
		    const struct conf_place *at, uint32_t parent);
void conf_read_memory(struct conf *conf, const char *text, size_t length,
		      const char *name);
void conf_lex(struct conf *conf, uint32_t source);

#pragma GCC visibility pop
#endif
