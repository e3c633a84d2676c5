/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/gres.h"

#include <stdio.h>
#include <string.h>

#include "request/submission.h"

struct sum {
	const struct gov_policy *policy;
	const char *text;
	gov_amount_t *amounts;
};

/* "gres/gpu=2,gres/gpu:h100=2" says the same GPUs twice. */
static bool says_whole(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += length)
		if (at[length] == '=' && (at == text || at[-1] == ','))
			return true;
	return false;
}

void gov_tres_add(const struct gov_policy *policy, const char *name,
		  gov_amount_t amount, gov_amount_t *amounts)
{
	uint32_t tres = gov_policy_find_tres(policy, name);

	if (tres != GOV_NONE)
		amounts[tres] = gov_amount_add(amounts[tres], amount);
}

static int visit(const struct gov_tres_entry *entry, void *arg)
{
	char typed[sizeof(entry->name) + sizeof(entry->type) + 1];
	struct sum *sum = arg;

	if (!entry->type[0] || !says_whole(sum->text, entry->name))
		gov_tres_add(sum->policy, entry->name, entry->amount,
			     sum->amounts);
	if (!entry->type[0])
		return 0;
	snprintf(typed, sizeof(typed), "%s:%s", entry->name, entry->type);
	gov_tres_add(sum->policy, typed, entry->amount, sum->amounts);
	return 0;
}

int gov_gres_add(const struct gov_policy *policy, const char *text,
		 gov_amount_t *amounts)
{
	struct sum sum = { policy, text, amounts };

	if (!text || !strcmp(text, "(null)"))
		return 0;
	return gov_tres_walk(text, visit, &sum, NULL) ? -1 : 0;
}

static int visit_gpu(const struct gov_tres_entry *entry, void *arg)
{
	gov_amount_t *gpus = arg;

	if (!strcmp(entry->name, "gres/gpu"))
		*gpus = gov_amount_add(*gpus, entry->amount);
	return 0;
}

gov_amount_t gov_gres_gpus(const char *text)
{
	gov_amount_t gpus = 0;

	if (text && strcmp(text, "(null)"))
		gov_tres_walk(text, visit_gpu, &gpus, NULL);
	return gpus;
}
