/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/orders_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "slurmgovd/state_file.h"

static const struct gov_state_file orders_file = {
	.name = "orders",
	.heading = "slurm-governance orders 1",
	.line_size = 256,
	.damaged = "order again what shall stand",
	.durable = true,
};

/* ---- reading ---- */

static int parse_line(const char *line, void *arg)
{
	struct gov_orders *orders = arg;
	char word[16], name[GOV_ORDER_NAME] = "", rest;
	struct gov_mark mark;
	uint32_t uid;
	int fields = sscanf(line, "%15s %" SCNu32 " %" SCNd64 " %63s %c", word,
			    &uid, &mark.since, name, &rest);

	if (fields < 3 || fields > 4 || mark.since <= 0)
		return -1;
	mark.by = uid;
	if (fields == 3 && strcmp(word, "hold-reclaims") == 0)
		orders->reclaims_held = mark;
	else if (fields == 3 && strcmp(word, "release-all") == 0)
		orders->let_go = mark;
	else if (fields == 4 && strcmp(word, "drain") == 0)
		return gov_orders_drain(orders, name, &mark) < 0 ? -1 : 0;
	else
		return -1;
	return 0;
}

int gov_orders_load(const char *directory, struct gov_orders *orders,
		    struct gov_error *error)
{
	memset(orders, 0, sizeof(*orders));
	if (!gov_state_file_load(&orders_file, directory, parse_line, orders,
				 error))
		return 0;
	gov_orders_free(orders);
	return -1;
}

/* ---- writing ---- */

static void put(FILE *file, const char *word, const struct gov_mark *mark,
		const char *name)
{
	if (mark->since)
		fprintf(file, "%s %" PRIu32 " %" PRId64 "%s%s\n", word,
			(uint32_t) mark->by, mark->since, *name ? " " : "",
			name);
}

static void put_orders(FILE *file, const void *arg)
{
	const struct gov_orders *orders = arg;

	put(file, "hold-reclaims", &orders->reclaims_held, "");
	put(file, "release-all", &orders->let_go, "");
	for (size_t i = 0; i < orders->drained_count; i++)
		put(file, "drain", &orders->drained[i].mark,
		    orders->drained[i].name);
}

int gov_orders_save(const char *directory, const struct gov_orders *orders,
		    struct gov_error *error)
{
	return gov_state_file_save(&orders_file, directory, put_orders, orders,
				   error);
}
