/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws of the lexer:
 *
 *  - A line is words of the form Key=value, or bare words, separated by
 *    blanks and tabs.  Blanks around '=' are allowed.
 *  - '#' outside quotes begins a comment, which ends with its line whatever
 *    stands there; \# is a '#'.
 *  - A '\' that ends a line (blanks may follow it) joins it with the next.
 *    Within joined lines a line that is only a comment counts as not there.
 *    A list joined after a comma may be indented.
 *  - A value, or a part of it, may stand in "quotes", within which blanks,
 *    '#', \" and \\ are allowed.  A quoted part ends on its (joined) line.
 *  - Keys are case-insensitive.  "Include path" reads another file in place.
 *  - There are no other control characters than tab, CR before LF, and LF.
 */
#include "conf/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/keys.h"

#define WORDS_MAX 1000 /* of a line */

struct lexer {
	struct conf *conf;
	uint32_t source;
	const char *at; /* next byte */
	const char *end;
	const char *line_start;
	uint32_t line;
	bool control_said; /* control characters: once a line */
	/* The logical line so far. */
	struct conf_word *word;
	uint32_t words;
	/* The value being read. */
	char *text;
	size_t length;
	struct conf_jump *jump;
	size_t jumps;
	const char *expected; /* where the next byte of the value would be */
};

static struct conf_place here(const struct lexer *lex)
{
	return (struct conf_place){ lex->source, lex->line,
				    (uint32_t) (lex->at - lex->line_start) +
					    1 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool at_line_end(const struct lexer *lex)
{
	return lex->at == lex->end || *lex->at == '\n' ||
	       (*lex->at == '\r' && lex->at + 1 < lex->end &&
		lex->at[1] == '\n');
}

/* ---- physical lines ---- */

static const char *line_end(const struct lexer *lex)
{
	const char *end = lex->at == lex->end ?
				  NULL :
				  memchr(lex->at, '\n',
					 (size_t) (lex->end - lex->at));

	return end ? end : lex->end;
}

/*
 * Step over the end of the line to the beginning of the next.  Lines that are
 * too long are reported here and stepped over as well.
 */
static void next_line(struct lexer *lex)
{
	for (bool again = true; again && lex->at < lex->end;) {
		lex->at = line_end(lex);
		if (lex->at == lex->end)
			return;
		lex->at++;
		lex->line++;
		lex->line_start = lex->at;
		lex->control_said = false;
		again = line_end(lex) - lex->at > CONF_LINE_MAX;
		if (again)
			conf_error(lex->conf, here(lex), GOV_E_SYNTAX,
				   "a line of more than 64 KiB");
	}
}

static void first_line(struct lexer *lex)
{
	if (lex->end - lex->at >= 3 && !memcmp(lex->at, "\xef\xbb\xbf", 3))
		lex->at += 3; /* the byte order mark of some editors */
	lex->line_start = lex->at;
	if (line_end(lex) - lex->at <= CONF_LINE_MAX)
		return;
	conf_error(lex->conf, here(lex), GOV_E_SYNTAX,
		   "a line of more than 64 KiB");
	next_line(lex);
}

/* Is the line from p on blank up to its end (or up to a comment)? */
static bool rest_is_blank(const struct lexer *lex, const char *p, bool comment)
{
	while (p < lex->end && (is_blank(*p) || *p == '\r'))
		p++;
	return p == lex->end || *p == '\n' || (comment && *p == '#');
}

static bool is_comment_line(const struct lexer *lex)
{
	return rest_is_blank(lex, lex->at, true) &&
	       !rest_is_blank(lex, lex->at, false);
}

/* Cross continuations, so that the next byte is one of the logical line. */
static void join_lines(struct lexer *lex)
{
	while (lex->at < lex->end && *lex->at == '\\' &&
	       rest_is_blank(lex, lex->at + 1, false)) {
		do
			next_line(lex);
		while (lex->at < lex->end && is_comment_line(lex));
	}
}

/* A comment that ends in '\' looks as if it, or the record, went on. */
static void warn_of_joined_comment(struct lexer *lex)
{
	const char *end = line_end(lex);

	while (end > lex->at && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	if (lex->words && end[-1] == '\\')
		conf_warning(
			lex->conf, here(lex),
			"a \\ in a comment does not join lines: the record ends here");
}

static void skip_comment(struct lexer *lex)
{
	warn_of_joined_comment(lex);
	lex->at = line_end(lex);
}

/* ---- bytes ---- */

static bool at_control(const struct lexer *lex)
{
	unsigned char c = (unsigned char) *lex->at;

	return (c < 0x20 || c == 0x7f) && c != '\t' && !at_line_end(lex);
}

/* true: the byte at hand is a control character, which was reported. */
static bool skip_control(struct lexer *lex)
{
	unsigned char c = (unsigned char) *lex->at;

	if (!at_control(lex))
		return false;
	if (!lex->control_said)
		conf_error(lex->conf, here(lex), GOV_E_SYNTAX,
			   c ? "a control character (byte 0x%02x)" :
			       "a NUL byte (0x%02x): this is not a text file",
			   c);
	lex->control_said = true;
	lex->at++;
	return true;
}

static void skip_blanks(struct lexer *lex)
{
	for (;;) {
		join_lines(lex);
		if (at_line_end(lex))
			return;
		if (is_blank(*lex->at))
			lex->at++;
		else if (!skip_control(lex))
			return;
	}
}

/* ---- values ---- */

/* Append the byte at hand to the value, noting where it stands. */
static void take(struct lexer *lex)
{
	struct conf *conf = lex->conf;

	if (!conf_room(conf, &lex->text, lex->length, 1))
		return;
	if (lex->length && lex->at != lex->expected && lex->jumps < 60000 &&
	    conf_room(conf, &lex->jump, lex->jumps, sizeof(*lex->jump)))
		lex->jump[lex->jumps++] = (struct conf_jump){
			(uint32_t) lex->length, lex->line, here(lex).column
		};
	lex->text[lex->length++] = *lex->at++;
	lex->expected = lex->at;
}

static void take_quoted(struct lexer *lex, struct conf_place *start)
{
	struct conf_place quote = here(lex);

	lex->at++;
	join_lines(lex);
	if (!lex->length)
		*start = here(lex);
	while (!at_line_end(lex) && *lex->at != '"') {
		if (*lex->at == '\\' && lex->at + 1 < lex->end &&
		    (lex->at[1] == '"' || lex->at[1] == '\\'))
			lex->at++;
		if (!skip_control(lex))
			take(lex);
		join_lines(lex);
	}
	if (at_line_end(lex))
		conf_error(
			lex->conf, quote, GOV_E_SYNTAX,
			"this quote is not closed on its line: expected another \"");
	else
		lex->at++;
}

/*
 * Cross continuations within a value.  After a comma the next line may be
 * indented, as people do with long lists.
 */
static void join_value(struct lexer *lex)
{
	uint32_t line = lex->line;

	join_lines(lex);
	if (line == lex->line || !lex->length ||
	    lex->text[lex->length - 1] != ',')
		return;
	while (lex->at < lex->end && is_blank(*lex->at))
		lex->at++;
}

static bool ends_value(const struct lexer *lex, const char *stop)
{
	return at_line_end(lex) || is_blank(*lex->at) || at_control(lex) ||
	       strchr(stop, *lex->at);
}

/*
 * Read bytes up to a blank or one of `stop`, quoted parts as they are, into
 * lex->text.  Returns where the first one stands.
 */
static struct conf_place read_text(struct lexer *lex, const char *stop)
{
	struct conf_place start = here(lex);

	lex->length = 0;
	lex->jumps = 0;
	lex->expected = NULL;
	while (!ends_value(lex, stop)) {
		if (*lex->at == '"') {
			take_quoted(lex, &start);
		} else {
			if (*lex->at == '\\' && lex->at + 1 < lex->end &&
			    lex->at[1] == '#')
				lex->at++;
			take(lex);
		}
		join_value(lex);
	}
	return start;
}

static void keep_value(struct lexer *lex, struct conf_word *word,
		       struct conf_place start)
{
	size_t size = lex->jumps * sizeof(*lex->jump);
	struct conf_jump *jump = NULL;

	word->value = conf_copy(lex->conf, lex->text ? lex->text : "",
				lex->length);
	word->value_line = start.line;
	word->value_column = start.column;
	word->jump = NULL;
	word->jumps = 0;
	if (size && (jump = conf_alloc(lex->conf, size))) {
		memcpy(jump, lex->jump, size);
		word->jump = jump;
		word->jumps = (uint16_t) lex->jumps;
	}
}

/* ---- words ---- */

/* After "Key=" and blanks: does the next key begin already? */
static bool next_is_key(const struct lexer *lex)
{
	const char *p = lex->at;

	while (p < lex->end && is_key_char(*p))
		p++;
	return p < lex->end && *p == '=' && p > lex->at &&
	       conf_key_is_known(lex->at, (size_t) (p - lex->at));
}

static void read_value(struct lexer *lex, struct conf_word *word)
{
	struct conf_place start = here(lex), before = start;
	bool blanks;

	skip_blanks(lex);
	blanks = before.line != here(lex).line ||
		 before.column != here(lex).column;
	if (!at_line_end(lex) && *lex->at != '#' &&
	    !(blanks && next_is_key(lex)))
		start = read_text(lex, "#");
	else
		lex->length = 0;
	keep_value(lex, word, start);
	if (!lex->length) {
		word->bad = true;
		conf_error(
			lex->conf, start, GOV_E_SYNTAX,
			"%.60s= has no value; leave the key out to have its default",
			word->key);
	}
}

static void add_word(struct lexer *lex, const struct conf_word *word)
{
	if (lex->conf->no_memory)
		return;
	if (lex->words == WORDS_MAX)
		conf_error(lex->conf, conf_key_at(word), GOV_E_SYNTAX,
			   "more than %d words on a line", WORDS_MAX);
	if (lex->words >= WORDS_MAX)
		return;
	if (conf_room(lex->conf, &lex->word, lex->words, sizeof(*word)))
		lex->word[lex->words++] = *word;
}

static void check_key(struct lexer *lex, struct conf_word *word)
{
	const char *key = word->key;
	size_t length = strlen(key), i = 0;

	while (is_key_char(key[i]))
		i++;
	if (!key[i] && length)
		return;
	word->bad = true;
	if (!length)
		conf_error(lex->conf, conf_key_at(word), GOV_E_SYNTAX,
			   "expected a key before =");
	else if (i + 1 == length && strchr("+-*/", key[i]))
		conf_error(
			lex->conf, conf_key_at(word), GOV_E_SYNTAX,
			"%.60s= is not known here, expected %.*s=; to add to the classes of a profile write Classes=+name",
			key, (int) i, key);
	else
		conf_error(
			lex->conf, conf_value_at(word, i), GOV_E_SYNTAX,
			(unsigned char) key[i] >= 0x80 ?
				"%.60s is not a key: it has a byte that is not ASCII, perhaps a blank pasted from a web page" :
				"%.60s is not a key: expected letters, digits, _ and . before =",
			key);
}

static void read_word(struct lexer *lex)
{
	struct conf_word word = { .source = lex->source, .id = -1 };
	struct conf_place start = here(lex), key_start;
	const char *before = lex->at;

	word.line = start.line;
	word.column = start.column;
	key_start = read_text(lex, "=#");
	keep_value(lex, &word, key_start);
	skip_blanks(lex);
	if (!at_line_end(lex) && *lex->at == '=') {
		word.key = word.value ? word.value : "";
		check_key(lex, &word);
		lex->at++;
		read_value(lex, &word);
	} else if (lex->at == before) {
		lex->at++; /* cannot be: never stand still */
	}
	if (word.value)
		add_word(lex, &word);
}

/* ---- lines ---- */

static void include(struct lexer *lex, const struct conf_word *word)
{
	struct conf_place at = conf_value_at(word, 0);
	struct conf *conf = lex->conf;
	const char *from = conf->source[lex->source].path;
	const char *slash = strrchr(from, '/');
	char *path;

	if (conf->from_memory) {
		conf_error(
			conf, at, GOV_E_VALUE,
			"Include is not possible in text that is not a file");
		return;
	}
	if (word->value[0] == '/' || !slash)
		path = strdup(word->value);
	else if (asprintf(&path, "%.*s/%s", (int) (slash - from), from,
			  word->value) < 0)
		path = NULL;
	if (path)
		conf_read_file(conf, path, &at, lex->source);
	else
		conf->no_memory = true;
	free(path);
}

/* true: the line was an Include, and is dealt with. */
static bool is_include(struct lexer *lex)
{
	const struct conf_word *word = lex->word;

	if (strcasecmp(word->key ? word->key : word->value, "Include"))
		return false;
	if (!word->key && lex->words == 2 && !word[1].key)
		include(lex, &word[1]);
	else
		conf_error(
			lex->conf, conf_key_at(word), GOV_E_SYNTAX,
			"expected Include and the path of one file, without =; a path with blanks or = is written in quotes");
	return true;
}

static void end_line(struct lexer *lex)
{
	struct conf *conf = lex->conf;
	size_t size = lex->words * sizeof(*lex->word);
	struct conf_word *word;

	if (!lex->words || is_include(lex))
		return;
	if (conf->lines >= CONF_RECORD_MAX) {
		if (!conf->too_many)
			conf_error(conf, conf_key_at(lex->word), GOV_E_VALUE,
				   "more than %d records", CONF_RECORD_MAX);
		conf->too_many = true;
		return;
	}
	word = conf_alloc(conf, size);
	if (!word ||
	    !conf_room(conf, &conf->line, conf->lines, sizeof(*conf->line)))
		return;
	memcpy(word, lex->word, size);
	conf->line[conf->lines++] = (struct conf_line){ word, lex->words };
}

void conf_lex(struct conf *conf, uint32_t source)
{
	struct lexer lex = {
		.conf = conf,
		.source = source,
		.line = 1,
		.at = conf->source[source].text,
		.end = conf->source[source].text + conf->source[source].length,
	};

	first_line(&lex);
	while (lex.at < lex.end && !conf->no_memory) {
		lex.words = 0;
		for (;;) {
			skip_blanks(&lex);
			if (at_line_end(&lex))
				break;
			if (*lex.at == '#')
				skip_comment(&lex);
			else
				read_word(&lex);
		}
		end_line(&lex);
		next_line(&lex);
	}
	free(lex.word);
	free(lex.text);
	free(lex.jump);
}
