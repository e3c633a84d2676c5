/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much a user has had lately: an exponentially decayed mean of what its
 * jobs held, TRES by TRES, and the score that orders the users of a team.
 *
 * A job just admitted has not been sampled yet.  Until it is, what the next
 * sample would bring counts as pending, so that one user's many jobs do not
 * all go before that sample.
 */
#ifndef GOVERNANCE_CORE_HISTORY_H
#define GOVERNANCE_CORE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Mean after `elapsed` seconds in which `held` was held all the time.  The
 * old mean halves every `half_life` seconds; half_life 0 keeps no memory of
 * its decay: the old mean stays.  Negative times count as 0.
 */
double gov_history_sample(double mean, double held, double elapsed,
			  double half_life);

/* What a job holding `amount` adds before its first sample. */
double gov_history_pending(double amount, double sample_interval,
			   double half_life);

/*
 * Sum over TRES of weight * (mean + pending), divided by the user's weight.
 * pending and weight may be NULL (0 and 1).  A user of weight 0 or less comes
 * last whatever it had: infinity.
 */
double gov_history_score(const double *mean, const double *pending,
			 const double *weight, size_t count,
			 double user_weight);

#endif
