/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a call prints on stdout, as text. */
#ifndef GOVERNANCE_TESTS_CAPTURE_H
#define GOVERNANCE_TESTS_CAPTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int capture_saved;
static FILE *capture_file;

static void capture_start(void)
{
	fflush(stdout);
	capture_saved = dup(STDOUT_FILENO);
	capture_file = tmpfile();
	ck_assert_ptr_nonnull(capture_file);
	ck_assert_int_ge(dup2(fileno(capture_file), STDOUT_FILENO), 0);
}

/* malloc()ed. */
static char *capture_end(void)
{
	long size;
	char *text;

	fflush(stdout);
	dup2(capture_saved, STDOUT_FILENO);
	close(capture_saved);
	fseek(capture_file, 0, SEEK_END);
	size = ftell(capture_file);
	rewind(capture_file);
	text = calloc(1, (size_t) size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, (size_t) size, capture_file),
			  (size_t) size);
	fclose(capture_file);
	return text;
}

#endif
