/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/history.h"

#include <math.h>

/* Part of the old mean that is replaced in this time. */
static double replaced(double elapsed, double half_life)
{
	if (elapsed <= 0 || half_life <= 0)
		return 0;
	return 1 - exp2(-elapsed / half_life);
}

double gov_history_sample(double mean, double held, double elapsed,
			  double half_life)
{
	double part = replaced(elapsed, half_life);

	return mean * (1 - part) + held * part;
}

double gov_history_pending(double amount, double sample_interval,
			   double half_life)
{
	return amount * replaced(sample_interval, half_life);
}

double gov_history_score(const double *mean, const double *pending,
			 const double *weight, size_t count, double user_weight)
{
	double sum = 0;

	if (!(user_weight > 0))
		return INFINITY;
	for (size_t i = 0; i < count; i++)
		sum += (weight ? weight[i] : 1) *
		       (mean[i] + (pending ? pending[i] : 0));
	return sum / user_weight;
}
