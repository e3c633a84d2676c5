/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast slurmctld may be asked: MaxUpdatesPerSecond, and less while it is
 * slow or away.  Times are milliseconds of one clock.
 */
#ifndef GOVERNANCE_SLURMGOVD_PACE_H
#define GOVERNANCE_SLURMGOVD_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct gov_pace {
	double tokens; /* saved up, so that a quiet time allows a
				   burst of one second */
	int64_t filled;
	int64_t resume; /* not before; slurmctld is slow or away */
	int64_t busy;	/* the last rest because it is busy, or 0 */
	int64_t down;	/* the last rest because it was away, or 0 */
};

/* One call at once. */
void gov_pace_init(struct gov_pace *pace, int64_t now);
/* 0: a call may be made, and is counted; else when to ask again. */
int64_t gov_pace_take(struct gov_pace *pace, uint32_t per_second, int64_t now);
/*
 * A call has ended now, after so many milliseconds.  If that is more than
 * usual the next one waits as long, so that a slow slurmctld has half of its
 * time for others; where it did not answer the wait doubles up to ten seconds.
 */
void gov_pace_rest(struct gov_pace *pace, int64_t took, bool answered,
		   int64_t now);

/*
 * slurmctld said now how many requests it is serving and how many messages of
 * its own wait.  Where that is much the next call waits, the longer the longer
 * it goes on, up to ten seconds: fewer and fewer, but never none.
 * true: that is so.
 */
bool gov_pace_load(struct gov_pace *pace, uint32_t threads, uint32_t queue,
		   int64_t now);

#endif
