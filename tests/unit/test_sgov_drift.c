/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov drift on what scontrol prints. */
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "sgov/drift.h"
#include "tests/unit/unit.h"

static const char text[] = "PoolName=h100 Nodes=g[1-3] TRES=gres/gpu,cpu\n"
			   "PoolName=cpu Nodes=c1 TRES=cpu Partition=batch\n"
			   "TeamName=vision Account=acc Members=alice\n"
			   "TeamName=nlp Members=bob\n"
			   "Quota Team=vision Pool=h100 TRES=gres/gpu=8\n"
			   "Quota Team=nlp Pool=cpu TRES=cpu=8\n";

static struct drift drift;

static void start(void)
{
	struct gov_conf_faults faults = { 0 };

	drift = (struct drift){ .list = json_object_new_array() };
	drift.policy = gov_conf_parse(text, strlen(text), "test", NULL,
				      &faults);
	ck_assert_ptr_nonnull(drift.policy);
	gov_conf_faults_free(&faults);
}

/* All that was found has these words, in this order. */
static void expect(size_t count, const char *evidence, const char *mend)
{
	const char *all = json_object_to_json_string_ext(
		drift.list, JSON_C_TO_STRING_NOSLASHESCAPE);

	ck_assert_msg(drift.count == count, "%s", all);
	ck_assert_msg(strstr(all, evidence) != NULL, "%s", all);
	ck_assert_msg(strstr(all, mend) != NULL, "%s", all);
	json_object_put(drift.list);
	gov_policy_unref((struct gov_policy *) (uintptr_t) drift.policy);
}

static void nodes(const char *lines)
{
	char *copy = sgov_copy(lines);

	start();
	drift_nodes(&drift, copy);
	free(copy);
}

static void partitions(const char *lines)
{
	char *copy = sgov_copy(lines);

	start();
	drift_partitions(&drift, copy);
	free(copy);
}

#define G(n, gres) "NodeName=g" #n " CPUTot=4 Gres=" gres " State=IDLE\n"
#define C "NodeName=c1 CPUTot=4 Gres=(null)\n"

START_TEST(counts_of_gpus)
{
	nodes(G(1, "gpu:8") G(2, "gpu:h100:8(S:0-1),shard:32") G(3, "gpu:8") C);
	expect(0, "[", "]");
	nodes(G(1, "gpu:8") G(2, "gpu:4") G(3, "gpu:8") C);
	expect(1, "g2 of pool h100 has 4 GPUs, the others have 8",
	       "NodeName=g2 Gres=gpu:8");
	nodes(G(1, "(null)") G(2, "(null)") G(3, "(null)") C);
	expect(3, "g3 of pool h100 has no GPUs", "Gres=gpu:NUMBER");
	nodes(G(1, "gpu:8") G(3, "gpu:8") C G(9, "gpu:1"));
	expect(2, "node g2 of pool h100 is not known", "Nodes=...,g9");
	nodes(G(1, "gpu:8((((") "NodeName=\nGres=gpu:8\n\n" G(2, "gpu:8)")
		      G(3, "gpu:8") G(3, "gpu:1") C);
	ck_assert_uint_ge(drift.count, 1);
	expect(drift.count, "[", "]");
}
END_TEST

#define P(name, nodes, accounts) \
	"PartitionName=" name " " accounts " Nodes=" nodes " State=UP\n"

START_TEST(who_may_run_where)
{
	partitions(P("main", "g[1-3],c1", "AllowAccounts=ALL")
			   P("batch", "c1", "AllowAccounts=nlp,x"));
	expect(0, "[", "]");
	partitions(P("main", "g[1-3],c1", "AllowAccounts=x,vision")
			   P("batch", "c1", "AllowAccounts=ALL"));
	expect(1, "takes its account acc (main: AllowAccounts=x,vision)",
	       "scontrol update PartitionName=main AllowAccounts=x,vision,acc");
	/* Another one that takes it is enough; a pin is not. */
	partitions(P("a", "g1", "AllowAccounts=x") P("b", "g2",
						     "AllowAccounts=ACC")
			   P("batch", "c1", "AllowAccounts=x")
				   P("main", "c1", "AllowAccounts=ALL"));
	expect(1, "team nlp has a quota in pool cpu", "PartitionName=batch");
	partitions(P("main", "g[1-3],c1", "DenyAccounts=acc AllowAccounts=ALL")
			   P("batch", "c1", "AllowAccounts=ALL"));
	expect(1, "account acc", "DenyAccounts= without acc");
	partitions(P("main", "c1", "AllowAccounts=ALL"));
	expect(2, "pinned to the partition batch", "PartitionName=batch");
	partitions(P("batch", "(null)", "AllowAccounts=ALL")
			   P("main", "g[1-", "AllowAccounts=ALL"));
	expect(2, "no node of pool cpu is in the partition batch",
	       "Nodes=g1,...");
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, counts_of_gpus);
	tcase_add_test(tcase, who_may_run_where);
}

int main(void)
{
	return unit_main("sgov_drift", cases);
}
