/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/report_read.h"

#include <stdio.h>

#include "ledger/report_private.h"
#include "ledger/walk.h"

struct reader {
	struct gov_report *report;
	struct gov_report_source *source;
};

void gov_report_note_cluster(struct gov_report_source *source,
			     const struct gov_record *record)
{
	if (record->kind == GOV_RECORD_SEGMENT && record->cluster)
		snprintf(source->cluster, sizeof(source->cluster), "%s",
			 record->cluster);
}

static int visit(void *arg, const struct gov_record *record,
		 const struct gov_chain *before, struct gov_error *error)
{
	struct reader *reader = arg;

	gov_report_note_cluster(reader->source, record);
	return gov_report_take(reader->report, record, error);
}

/* Whether it is as it was written is for who verifies. */
static int replay(struct gov_report *report, struct gov_report_source *source,
		  struct gov_error *error)
{
	struct reader reader = { report, source };
	struct gov_walk walk = { .directory = source->directory,
				 .trust = true,
				 .no_head = true,
				 .visit = visit,
				 .arg = &reader };

	if (gov_walk(&walk, error))
		return -1;
	source->segments = walk.segments;
	source->records = walk.records;
	return gov_report_settle(report, source->now, error);
}

int gov_report_read(struct gov_report *report, struct gov_report_source *source,
		    struct gov_error *error)
{
	const struct gov_report_query *query = &report->query;
	gov_time_t last = query->bound[query->periods];
	int rc = 1;

	if (!source->no_index && gov_index_serves(query, source->now))
		rc = gov_index_read(report, source, error);
	source->indexed = rc == 0;
	if (rc <= 0)
		return rc;
	/* Nothing behind the end counts. */
	if (source->now > last)
		source->now = last;
	return replay(report, source, error);
}
