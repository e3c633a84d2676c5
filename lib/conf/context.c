/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life of a reading, and its memory. */
#include "conf/context.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

struct conf_chunk {
	struct conf_chunk *next;
	size_t size;
	max_align_t data[];
};

#define CHUNK ((size_t) 64 * 1024)

void conf_begin(struct conf *conf)
{
	*conf = (struct conf){ .digest = 0xcbf29ce484222325 };
}

void conf_end(struct conf *conf)
{
	struct conf_chunk *next;

	for (struct conf_chunk *c = conf->arena.chunk; c; c = next) {
		next = c->next;
		free(c);
	}
	for (uint32_t i = 0; i < conf->sources; i++)
		free(conf->source[i].owned);
	for (size_t i = 0; i < conf->faults; i++)
		free(conf->pending[i].text);
	free(conf->source);
	free(conf->line);
	free(conf->pending);
	*conf = (struct conf){ 0 };
}

void *conf_alloc(struct conf *conf, size_t size)
{
	struct conf_arena *arena = &conf->arena;
	size_t step = sizeof(max_align_t), room;
	struct conf_chunk *chunk = arena->chunk;

	size = (size + step - 1) / step * step;
	if (!chunk || size > chunk->size - arena->used) {
		room = size > CHUNK ? size : CHUNK;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk) {
			conf->no_memory = true;
			return NULL;
		}
		chunk->size = room;
		chunk->next = arena->chunk;
		arena->chunk = chunk;
		arena->used = 0;
	}
	arena->used += size;
	return (char *) chunk->data + arena->used - size;
}

char *conf_copy(struct conf *conf, const char *text, size_t length)
{
	char *copy = conf_alloc(conf, length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

bool conf_room(struct conf *conf, void *array, size_t count, size_t size)
{
	void *old, *grown;

	memcpy(&old, array, sizeof(old));
	grown = gov_array_room(old, count, size);
	if (!grown) {
		conf->no_memory = true;
		return false;
	}
	memcpy(array, &grown, sizeof(grown));
	return true;
}

struct conf_place conf_key_at(const struct conf_word *word)
{
	return (struct conf_place){ word->source, word->line, word->column };
}

struct conf_place conf_value_at(const struct conf_word *word, size_t offset)
{
	struct conf_place at = { word->source, word->value_line,
				 word->value_column };
	size_t from = 0;

	for (uint16_t i = 0; i < word->jumps; i++) {
		const struct conf_jump *jump = &word->jump[i];

		if (jump->offset > offset)
			break;
		from = jump->offset;
		at.line = jump->line;
		at.column = jump->column;
	}
	at.column += (uint32_t) (offset - from);
	return at;
}
