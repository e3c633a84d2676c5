/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages and memory. */
#include "sgov/sgov.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sgov/format.h"
#include "wire/printable.h"

static void say(const char *kind, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void say(const char *kind, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text)
		gov_make_printable(text);
	fflush(stdout);
	fprintf(stderr, "sgov: %s: %s\n", kind, text ? text : "out of memory");
	free(text);
}

int sgov_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", format, args);
	va_end(args);
	return SGOV_ERROR;
}

void sgov_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning", format, args);
	va_end(args);
}

static void *must_be(void *memory)
{
	if (memory)
		return memory;
	fputs("sgov: error: out of memory\n", stderr);
	exit(SGOV_ERROR);
}

void *sgov_alloc(size_t size)
{
	return must_be(calloc(1, size ? size : 1));
}

void *sgov_realloc(void *memory, size_t size)
{
	return must_be(realloc(memory, size ? size : 1));
}

char *sgov_printf(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return must_be(text);
}

char *sgov_copy(const char *text)
{
	return must_be(strdup(text));
}
