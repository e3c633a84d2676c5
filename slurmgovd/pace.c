/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/pace.h"

#define USUAL 50	 /* ms that a call may take */
#define REST_MAX 10000	 /* ms */
#define BUSY_THREADS 128 /* half of what slurmctld has */
#define BUSY_QUEUE 1000
#define BUSY_FIRST 500 /* ms */
#define DOWN_FIRST 250 /* ms after the first call without an answer */

void gov_pace_init(struct gov_pace *pace, int64_t now)
{
	*pace = (struct gov_pace){ .tokens = 1, .filled = now };
}

int64_t gov_pace_take(struct gov_pace *pace, uint32_t per_second, int64_t now)
{
	double rate = per_second ? per_second : 1;

	pace->tokens += rate * (double) (now - pace->filled) / 1000;
	pace->filled = now;
	if (pace->tokens > rate)
		pace->tokens = rate;
	if (now < pace->resume)
		return pace->resume;
	if (pace->tokens >= 1) {
		pace->tokens -= 1;
		return 0;
	}
	return now + (int64_t) ((1 - pace->tokens) / rate * 1000) + 1;
}

void gov_pace_rest(struct gov_pace *pace, int64_t took, bool answered,
		   int64_t now)
{
	int64_t pause = took > USUAL ? took : 0;

	if (answered) {
		pace->down = 0;
	} else {
		pace->down = pace->down ? 2 * pace->down : DOWN_FIRST;
		if (pace->down > REST_MAX)
			pace->down = REST_MAX;
		pause = pace->down;
	}
	pace->resume = now + (pause < REST_MAX ? pause : REST_MAX);
}

bool gov_pace_load(struct gov_pace *pace, uint32_t threads, uint32_t queue,
		   int64_t now)
{
	if (threads < BUSY_THREADS && queue < BUSY_QUEUE) {
		pace->busy = 0;
		return false;
	}
	pace->busy = pace->busy ? 2 * pace->busy : BUSY_FIRST;
	if (pace->busy > REST_MAX)
		pace->busy = REST_MAX;
	if (pace->resume < now + pace->busy)
		pace->resume = now + pace->busy;
	return true;
}
