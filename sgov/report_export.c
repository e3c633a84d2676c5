/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage by team and day in the formats of others. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sgov/format.h"
#include "sgov/report.h"

void sgov_report_csv(const char *text, bool first)
{
	if (!first)
		putchar(',');
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf("%s%c", *text == '"' ? "\"" : "", *text);
	putchar('"');
}

/* ---- HyperPod's usage report ---- */

/* The three that it knows, of one team, pool and day. */
enum { NEURON, GPU, VCPU, DEVICES };

struct device {
	gov_sum_t own;
	gov_sum_t borrowed;
	bool whole; /* of any type; a typed one adds nothing then */
};

static bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

static void add_device(struct device *device, const struct gov_report_row *row)
{
	static const char *const names[DEVICES] = { "gres/neuron", "gres/gpu",
						    "cpu" };

	for (int d = 0; d < DEVICES; d++) {
		const char *tres = row->key.tres;
		bool whole = strcmp(tres, names[d]) == 0;

		if (!whole && (d == VCPU || !begins_with(tres, names[d]) ||
			       device[d].whole))
			continue;
		if (whole)
			device[d] = (struct device){ .whole = true };
		device[d].own += row->sums.own;
		device[d].borrowed += row->sums.borrowed;
	}
}

static bool same_line(const struct gov_report_key *a,
		      const struct gov_report_key *b)
{
	return a->period == b->period && strcmp(a->team, b->team) == 0 &&
	       strcmp(a->pool, b->pool) == 0;
}

static void put_line(const struct sgov_report *ask,
		     const struct gov_report_key *key,
		     const struct device *device)
{
	char text[GOV_SUM_TEXT];

	sgov_report_csv(sgov_report_period(ask, key->period, text), true);
	printf(",hyperpod-ns-%s", key->team);
	sgov_report_csv(key->team, false);
	sgov_report_csv(key->pool, false);
	for (int d = 0; d < DEVICES; d++) {
		const gov_sum_t sum[] = { device[d].own + device[d].borrowed,
					  device[d].own, device[d].borrowed };

		for (int i = 0; i < 3; i++)
			sgov_report_csv(sgov_report_hours(text, NULL, sum[i],
							  2),
					false);
	}
	putchar('\n');
}

static const char *zone_of(char *text, gov_time_t time)
{
	time_t at = time;
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(text, 64, "%Z", &tm);
	return text;
}

static void put_head(const struct sgov_report *ask)
{
	const struct gov_report_gap *gap;
	char zone[64], from[64], to[64];
	size_t gaps;

	puts("Product,slurm-governance");
	printf("Cluster");
	sgov_report_csv(ask->cluster, false);
	printf("\nReport type,Team summary\nDate generated,%s\n",
	       sgov_report_day(from, time(NULL)));
	printf("Date range (%s),%s to %s\n", zone_of(zone, ask->start),
	       sgov_report_day(from, ask->start),
	       sgov_report_day(to, ask->end - 1));
	gap = gov_report_gaps(ask->report, &gaps);
	for (size_t i = 0; i < gaps; i++)
		printf("Missing data period,%s to %s\n",
		       sgov_format_time(from, gap[i].from),
		       sgov_format_time(to, gap[i].to));
	putchar('\n');
}

void sgov_report_hyperpod(const struct sgov_report *ask)
{
	static const char *const names[DEVICES] = { "NeuronCore", "GPU",
						    "vCPU" };
	static const char *const shares[] = { "total", "allocated",
					      "borrowed" };
	size_t lines = 0;

	put_head(ask);
	printf("Date,Namespace,Team,Instance type");
	for (int d = 0; d < DEVICES; d++)
		for (int i = 0; i < 3; i++)
			printf(",%s %s utilization (hours)", names[d],
			       shares[i]);
	putchar('\n');
	for (size_t r = 0; r < ask->rows;) {
		const struct gov_report_key *key = &ask->row[r]->key;
		struct device device[DEVICES] = { 0 };
		gov_sum_t used = 0;

		for (; r < ask->rows && same_line(key, &ask->row[r]->key);
		     r++) {
			add_device(device, ask->row[r]);
			used += ask->row[r]->sums.own +
				ask->row[r]->sums.borrowed;
		}
		if (used <= 0)
			continue;
		put_line(ask, key, device);
		lines++;
	}
	if (!lines)
		puts("No Results");
}

/* ---- FOCUS, the FinOps Open Cost and Usage Specification ---- */

static const char focus_header[] =
	"BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,"
	"BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass,"
	"ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,"
	"ConsumedQuantity,ConsumedUnit,ContractedCost,EffectiveCost,"
	"InvoiceIssuerName,ListCost,PricingCategory,PricingQuantity,"
	"PricingUnit,ProviderName,PublisherName,ResourceId,ResourceName,"
	"ResourceType,ServiceCategory,ServiceName,SkuId,SubAccountId,"
	"SubAccountName";

/* One charge of a row. */
struct charge {
	const char *category; /* "Usage" or "Credit" */
	const char *what;     /* "own quota" */
	const char *pricing;  /* "Standard", "Dynamic" or "" */
	gov_sum_t hours;
	gov_sum_t money;
};

static void put_utc(gov_time_t time)
{
	time_t at = time;
	char text[64];
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(text, sizeof(text), ",%Y-%m-%dT%H:%M:%SZ", &tm);
	fputs(text, stdout);
}

/* The begin of the month after. */
static gov_time_t month_end(gov_time_t time)
{
	return sgov_report_month(sgov_report_month(time) + 32 * 86400);
}

static void put_account(const struct sgov_report *ask)
{
	sgov_report_csv(ask->cluster, false);
	sgov_report_csv(ask->cluster, false);
	sgov_report_csv(ask->currency, false);
}

static void put_charge(const struct sgov_report *ask,
		       const struct gov_report_key *key,
		       const struct charge *charge)
{
	gov_time_t start = ask->bound[key->period];
	bool memory = strcmp(key->tres, "mem") == 0;
	char money[GOV_SUM_TEXT], hours[GOV_SUM_TEXT], unit[300], text[600];

	gov_sum_text(money, charge->money, GOV_SUM_MONEY, 9);
	sgov_report_hours(hours, key->tres, charge->hours, 9);
	snprintf(unit, sizeof(unit), "%.200s Hours",
		 memory ? "GiB" : key->tres);
	fputs(money, stdout);
	put_account(ask);
	put_utc(month_end(start));
	put_utc(sgov_report_month(start));
	printf(",%s,", charge->category);
	snprintf(text, sizeof(text), "%.200s in %.200s, %s", key->tres,
		 key->pool, charge->what);
	sgov_report_csv(text, false);
	printf(",Usage-Based");
	put_utc(ask->bound[key->period + 1]);
	put_utc(start);
	printf(",%s", hours);
	sgov_report_csv(unit, false);
	printf(",%s,%s", money, money);
	sgov_report_csv(ask->cluster, false);
	printf(",%s,%s,%s", money, charge->pricing, hours);
	sgov_report_csv(unit, false);
	printf(",slurm-governance,slurm-governance");
	sgov_report_csv(key->pool, false);
	sgov_report_csv(key->pool, false);
	printf(",Pool,Compute,Slurm");
	snprintf(text, sizeof(text), "%.200s/%.200s", key->pool, key->tres);
	sgov_report_csv(text, false);
	sgov_report_csv(key->team, false);
	sgov_report_csv(key->team, false);
	putchar('\n');
}

void sgov_report_focus(const struct sgov_report *ask)
{
	puts(focus_header);
	for (size_t r = 0; r < ask->rows; r++) {
		const struct gov_report_sums *sums = &ask->row[r]->sums;
		const struct charge charges[] = {
			{ "Usage", "own quota", "Standard", sums->own,
			  sums->own_cost },
			{ "Usage", "borrowed", "Dynamic", sums->borrowed,
			  sums->borrowed_cost },
			{ "Credit", "lent", "", sums->lent, -sums->credit },
		};

		for (size_t i = 0; i < 3; i++)
			if (charges[i].hours && *ask->row[r]->key.team)
				put_charge(ask, &ask->row[r]->key, &charges[i]);
	}
}
