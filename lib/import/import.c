/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An import: its memory and its notes. */
#include "import/hyperpod.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wire/printable.h"

void *hp_append(struct gov_import *import, void *array, size_t *count,
		size_t size)
{
	void *elements;
	char *grown;

	memcpy(&elements, array, sizeof(elements));
	grown = reallocarray(elements, *count + 1, size);
	if (!grown) {
		import->no_memory = true;
		return NULL;
	}
	memcpy(array, &grown, sizeof(grown));
	memset(grown + *count * size, 0, size);
	return grown + (*count)++ * size;
}

void hp_note(struct gov_import *import, const char *format, ...)
{
	char *text = NULL, **note;
	va_list args;

	if (import->notes == HP_NOTES_MAX)
		return;
	if (import->notes == HP_NOTES_MAX - 1)
		format = "there is more to say than fits here";
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (!text) {
		import->no_memory = true;
		return;
	}
	gov_make_printable(text);
	for (size_t i = 0; i < import->notes; i++)
		if (!strcmp(import->note[i], text)) {
			free(text);
			return;
		}
	note = hp_append(import, &import->note, &import->notes, sizeof(*note));
	if (note)
		*note = text;
	else
		free(text);
}

struct gov_import *gov_import_create(const char *cluster)
{
	struct gov_import *import = calloc(1, sizeof(*import));

	if (!import || !cluster)
		return import;
	import->wanted = strdup(cluster);
	if (import->wanted)
		return import;
	free(import);
	return NULL;
}

void gov_import_destroy(struct gov_import *import)
{
	if (!import)
		return;
	for (size_t i = 0; i < import->teams; i++) {
		free(import->team[i].title);
		free(import->team[i].id);
		free(import->team[i].description);
		free(import->team[i].share);
	}
	for (size_t i = 0; i < import->notes; i++)
		free(import->note[i]);
	free(import->note);
	free(import->team);
	free(import->type);
	free(import->scheduler.id);
	free(import->scheduler.class);
	free(import->wanted);
	free(import->cluster);
	free(import->files);
	free(import);
}

size_t gov_import_notes(const struct gov_import *import)
{
	return import->notes;
}

const char *gov_import_note(const struct gov_import *import, size_t index)
{
	return import->note[index];
}
