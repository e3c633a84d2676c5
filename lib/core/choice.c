/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/choice.h"

/* Can the job have it, now or once its victims are gone? */
static bool viable(struct gov_option option)
{
	return option.fit > GOV_FIT_NO_VICTIMS;
}

bool gov_option_better(struct gov_option a, struct gov_option b,
		       enum gov_preference preference)
{
	if (a.fit == GOV_FIT_NEVER || b.fit == GOV_FIT_NEVER)
		return a.fit != GOV_FIT_NEVER;
	if (viable(a) != viable(b))
		return viable(a);
	if (preference == GOV_PREFER_PREEMPTION && a.level != b.level)
		return a.level < b.level;
	if (a.fit != b.fit)
		return a.fit > b.fit;
	return a.level < b.level;
}

struct gov_option gov_option_worst(struct gov_option a, struct gov_option b,
				   enum gov_preference preference)
{
	return gov_option_better(a, b, preference) ? b : a;
}

bool gov_option_suffices(struct gov_option option,
			 const struct gov_fungibility *how)
{
	if (!viable(option))
		return false;
	if (option.fit != GOV_FIT_NOW && how->look_on_if_preempting)
		return false;
	return !option.level || !how->look_on_if_borrowing;
}

struct gov_choice gov_choose(
	const struct gov_fungibility *how, uint32_t first, uint32_t count,
	struct gov_option (*try_option)(uint32_t index, void *arg), void *arg)
{
	struct gov_choice choice = { .index = GOV_NONE };

	for (uint32_t i = first; i < count; i++) {
		struct gov_option option = try_option(i, arg);

		choice.next = i + 1 < count ? i + 1 : 0;
		if (gov_option_suffices(option, how)) {
			choice.index = i;
			choice.option = option;
			return choice;
		}
		if (option.fit != GOV_FIT_NEVER &&
		    (choice.index == GOV_NONE ||
		     gov_option_better(option, choice.option,
				       how->preference))) {
			choice.index = i;
			choice.option = option;
		}
	}
	return choice;
}
