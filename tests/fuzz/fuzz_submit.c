/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets between plugin and governor: any bytes decode or are refused, what
 * decodes survives encoding, and a request is worked out to sane amounts.
 */
#include <string.h>

#include "conf/conf.h"
#include "harness.h"
#include "wire/submit.h"

static const char policy_text[] =
	"PoolName=h100 Nodes=g[1-4] "
	"TRES=gres/gpu:h100,cpu,mem,node,license/ansys,gres/shard\n"
	"PoolName=mixed Nodes=m[1-2] TRES=gres/gpu:a,gres/gpu:b,cpu\n"
	"PoolName=plain Nodes=p[1-2] TRES=gres/gpu,cpu,mem\n"
	"TeamName=t Members=m\n"
	"Quota Team=t Pool=h100 TRES=gres/gpu=8\n";

static const struct gov_policy *get_policy(void)
{
	static struct gov_policy *policy;
	struct gov_conf_faults faults;

	if (policy)
		return policy;
	policy = gov_conf_parse(policy_text, strlen(policy_text), "fuzz", NULL,
				&faults);
	FUZZ_ASSERT(policy);
	gov_conf_faults_free(&faults);
	return policy;
}

/* ---- amounts ---- */

static void check_request(const struct gov_policy *policy, uint32_t pool,
			  const struct gov_request *request)
{
	FUZZ_ASSERT(request->count <= GOV_REQUEST_MAX);
	for (uint32_t i = 0; i < request->count; i++) {
		uint32_t cell = request->item[i].cell;

		FUZZ_ASSERT(cell < policy->cell_count);
		FUZZ_ASSERT(policy->cell[cell].pool == pool);
		FUZZ_ASSERT(request->item[i].amount);
		FUZZ_ASSERT(request->item[i].amount <= GOV_AMOUNT_MAX);
		for (uint32_t j = 0; j < i; j++)
			FUZZ_ASSERT(request->item[j].cell != cell);
	}
}

static void estimate(const struct gov_submission *submission)
{
	const struct gov_policy *policy = get_policy();
	gov_amount_t tres[16] = { 8, 64, 512000, 1, 4, 2, 8, 8 };
	struct gov_node_shape shape = {
		.tres = tres,
		.cpus = 64,
		.memory = 512000,
		.gpus = 8,
		.sockets = 2,
		.threads = 2,
		.default_memory = GOV_SUB_UNSET,
		.default_memory_per_cpu = 4000,
	};

	FUZZ_ASSERT(policy->tres_count <= 16);
	for (uint32_t pool = 0; pool < policy->pool_count; pool++) {
		struct gov_request request = { 0 };
		struct gov_error error = { 0 };
		int rc = gov_request_estimate(submission, policy, pool,
					      pool ? &shape : NULL, &request,
					      &error);

		FUZZ_ASSERT(rc == 0 ||
			    (rc == -1 && (error.code == GOV_R_REQUEST ||
					  error.code == GOV_R_NO_POOL)));
		if (!rc || error.code == GOV_R_NO_POOL)
			check_request(policy, pool, &request);
	}
}

/* ---- packets ---- */

/* The greatest number stands for "unset", which a sequence never is. */
static bool same_sequence(uint64_t a, uint64_t b)
{
	return a == b || a == GOV_SUB_UNSET || b == GOV_SUB_UNSET;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void check_submission(const struct gov_submit_request *request)
{
	static uint8_t packet[GOV_PACKET_MAX];
	struct gov_submit_request again;
	long length = gov_submit_request_encode(request, packet,
						sizeof(packet));

	/* What came in a packet fits into one. */
	FUZZ_ASSERT(length > 0);
	FUZZ_ASSERT(!gov_submit_request_decode(packet, (size_t) length, &again,
					       NULL));
	FUZZ_ASSERT(again.kind == request->kind);
	FUZZ_ASSERT(same_sequence(again.sequence, request->sequence));
	FUZZ_ASSERT(again.submission.uid == request->submission.uid);
	FUZZ_ASSERT(again.submission.memory == request->submission.memory);
	FUZZ_ASSERT(again.submission.hold == request->submission.hold);
	FUZZ_ASSERT(same_text(again.submission.account,
			      request->submission.account));
	FUZZ_ASSERT(same_text(again.submission.tres_per_node,
			      request->submission.tres_per_node));
	FUZZ_ASSERT(!strcmp(again.modification.job_id,
			    request->modification.job_id));
	estimate(&request->submission);
	gov_array_count(request->submission.array, NULL);
}

static void check_answer(const struct gov_answer *answer)
{
	static uint8_t packet[GOV_PACKET_MAX];
	struct gov_answer again;
	long length = gov_answer_encode(answer, packet, sizeof(packet));

	FUZZ_ASSERT(length > 0);
	FUZZ_ASSERT(!gov_answer_decode(packet, (size_t) length, &again, NULL));
	FUZZ_ASSERT(same_sequence(again.sequence, answer->sequence));
	FUZZ_ASSERT(again.action == answer->action);
	FUZZ_ASSERT(same_text(again.message, answer->message));
	FUZZ_ASSERT(same_text(again.admin_comment, answer->admin_comment));
	FUZZ_ASSERT(same_text(again.grant, answer->grant));
	FUZZ_ASSERT(again.site_factor == answer->site_factor);
}

void fuzz_submit(const uint8_t *data, size_t size)
{
	struct gov_submit_request request;
	struct gov_answer answer;
	struct gov_error error;
	int rc;

	if (size > GOV_PACKET_MAX)
		return;
	rc = gov_submit_request_decode(data, size, &request, &error);
	FUZZ_ASSERT(rc == 0 || (rc == -1 && error.code == GOV_E_PROTOCOL));
	if (!rc)
		check_submission(&request);
	rc = gov_answer_decode(data, size, &answer, &error);
	FUZZ_ASSERT(rc == 0 || (rc == -1 && error.code == GOV_E_PROTOCOL));
	if (!rc)
		check_answer(&answer);
}
