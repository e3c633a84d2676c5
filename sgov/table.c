/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sgov/format.h"
#include "wire/printable.h"

struct sgov_table {
	const struct sgov_column *column;
	size_t columns;
	bool parsable;
	bool header;
	bool color;
	int indent;
	char **cell; /* rows one after another */
	size_t cells;
	size_t space;
};

struct sgov_table *sgov_table_create(const struct sgov *sgov,
				     const struct sgov_column *columns)
{
	struct sgov_table *table = sgov_alloc(sizeof(*table));
	const char *no_color = getenv("NO_COLOR");

	table->column = columns;
	while (columns[table->columns].name)
		table->columns++;
	table->parsable = sgov->format == SGOV_PARSABLE;
	table->header = sgov->header;
	table->color = !table->parsable && isatty(STDOUT_FILENO) &&
		       !(no_color && *no_color);
	return table;
}

void sgov_table_destroy(struct sgov_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->cells; i++)
		free(table->cell[i]);
	free(table->cell);
	free(table);
}

void sgov_table_text(struct sgov_table *table, const char *text)
{
	char *copy = sgov_copy(text ? text : "");

	gov_make_printable(copy);
	if (table->parsable)
		for (char *p = copy; (p = strchr(p, '|'));)
			*p = '?';
	if (table->cells == table->space) {
		table->space = table->space ? 2 * table->space : 64;
		table->cell = sgov_realloc(table->cell,
					   table->space * sizeof(*table->cell));
	}
	table->cell[table->cells++] = copy;
}

void sgov_table_number(struct sgov_table *table, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	sgov_table_text(table, text);
}

void sgov_table_amount(struct sgov_table *table, const char *tres,
		       gov_amount_t amount)
{
	char text[SGOV_AMOUNT_TEXT];

	sgov_table_text(table, sgov_format_amount(text, tres, amount,
						  table->parsable));
}

void sgov_table_time(struct sgov_table *table, int64_t when)
{
	char text[SGOV_TIME_TEXT];

	sgov_table_text(table, sgov_format_time(text, when));
}

void sgov_table_duration(struct sgov_table *table, int64_t seconds)
{
	char text[SGOV_TIME_TEXT];

	sgov_table_text(table, sgov_format_duration(text, seconds));
}

void sgov_table_indent(struct sgov_table *table, int blanks)
{
	table->indent = blanks;
}

static bool is_shown(const struct sgov_table *table, size_t column)
{
	return table->parsable || !table->column[column].parsable_only;
}

static size_t last_shown(const struct sgov_table *table)
{
	size_t last = table->columns - 1;

	while (last && !is_shown(table, last))
		last--;
	return last;
}

static void print_parsable(const struct sgov_table *table,
			   const char *const *row)
{
	for (size_t i = 0; i < table->columns; i++)
		printf("%s%s", i ? "|" : "", row[i]);
	putchar('\n');
}

/* row: columns cells.  The last one is not padded. */
static void print_aligned(const struct sgov_table *table,
			  const char *const *row, const int *width)
{
	size_t last = last_shown(table);

	printf("%*s", table->indent, "");
	for (size_t i = 0; i <= last; i++) {
		const char *text = row[i];
		int pad;

		if (!is_shown(table, i))
			continue;
		if (!*text && i != last)
			text = "-";
		pad = width[i] - sgov_text_width(text);
		if (table->column[i].right)
			printf("%*s%s", pad, "", text);
		else
			printf("%s%*s", text, i == last ? 0 : pad, "");
		if (i != last)
			fputs("  ", stdout);
	}
}

static void print_header(const struct sgov_table *table, const int *width)
{
	const char **name = sgov_alloc(table->columns * sizeof(*name));

	for (size_t i = 0; i < table->columns; i++)
		name[i] = table->column[i].name;
	if (table->parsable) {
		print_parsable(table, name);
	} else {
		fputs(table->color ? "\033[1m" : "", stdout);
		print_aligned(table, name, width);
		puts(table->color ? "\033[0m" : "");
	}
	free(name);
}

static int *measure(const struct sgov_table *table)
{
	int *width = sgov_alloc(table->columns * sizeof(*width));

	for (size_t i = 0; i < table->columns; i++)
		width[i] = table->header ?
				   sgov_text_width(table->column[i].name) :
				   1;
	for (size_t i = 0; i < table->cells; i++) {
		int w = sgov_text_width(table->cell[i]);

		if (w > width[i % table->columns])
			width[i % table->columns] = w;
	}
	return width;
}

void sgov_table_print(const struct sgov_table *table)
{
	int *width = measure(table);

	if (table->header)
		print_header(table, width);
	for (size_t i = 0; i + table->columns <= table->cells;
	     i += table->columns) {
		const char *const *row = (const char *const *) table->cell + i;

		if (table->parsable) {
			print_parsable(table, row);
			continue;
		}
		print_aligned(table, row, width);
		putchar('\n');
	}
	free(width);
}
