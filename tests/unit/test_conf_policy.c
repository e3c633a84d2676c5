/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sound text: what it means. */
#include <signal.h>

#include "tests/unit/test_conf.h"

START_TEST(defaults)
{
	struct gov_policy *p = conf_sound(CONF_BASE, NULL);
	const struct gov_unit *t = conf_unit(p, "t");
	struct gov_terms terms;

	ck_assert_ptr_null(p->cluster_name);
	ck_assert_int_eq(p->enforcement, GOV_ENFORCE);
	ck_assert_int_eq(p->idle_sharing, GOV_FAIR_SHARE);
	ck_assert_int_eq(p->task_order, GOV_TASK_RANK);
	ck_assert_int_eq(p->usage_half_life, 0);
	ck_assert(!p->share_unallocated);
	ck_assert(!p->ungoverned_allowed);
	ck_assert_int_eq(p->untyped_gpu, GOV_UNTYPED_ANY);
	ck_assert_uint_eq(p->max_evict_ratio_permille, 1500);
	ck_assert_int_eq(p->on_governor_down, GOV_DOWN_WAIT);
	ck_assert_str_eq(p->submit_socket, GOV_DEFAULT_SUBMIT_SOCKET);
	ck_assert_str_eq(p->listen, GOV_DEFAULT_LISTEN);
	ck_assert_uint_eq(p->submit_deadline_ms, 20);
	ck_assert_uint_eq(p->poll_interval_ms, 500);
	ck_assert_ptr_null(p->log_file);
	ck_assert_str_eq(p->log_level, "info");
	ck_assert_uint_eq(p->pool[0].oversell_permille, 1000);
	ck_assert_str_eq(t->account, "t");
	ck_assert_uint_eq(t->weight.numerator, 1);
	ck_assert_uint_eq(t->weight.denominator, 1);
	ck_assert_int_eq(t->strategy, GOV_LEND_AND_BORROW);
	ck_assert_int_eq(t->queueing, GOV_BEST_EFFORT);
	ck_assert_int_eq(t->preempt_within_team, GOV_PREEMPT_LOWER);
	ck_assert_int_eq(t->reclaim, GOV_PREEMPT_ANY);
	ck_assert_int_eq(t->preempt_while_borrowing, GOV_PREEMPT_NEVER);
	ck_assert_uint_eq(t->max_evictions, GOV_NONE);
	ck_assert_ptr_null(t->classes);
	ck_assert_ptr_null(t->pools);
	gov_policy_terms(p, gov_policy_find_unit(p, "t"), 0, &terms);
	ck_assert_int_eq(terms.signal, SIGTERM);
	ck_assert_int_eq(terms.grace, 120);
	ck_assert_int_eq(terms.on_reclaim, GOV_RECLAIM_REQUEUE);
	ck_assert_int_eq(terms.min_runtime, 900);
	ck_assert_int_eq(terms.min_loan, 0);
	ck_assert_int_eq(terms.on_checkpoint, 0);
	/* 50 % of 8 may be borrowed, all may be lent. */
	ck_assert_uint_eq(
		conf_quota(p, "t", "p", "gres/gpu:h100")->borrow_limit, 4);
	ck_assert_uint_eq(conf_quota(p, "t", "p", "gres/gpu:h100")->lend_limit,
			  GOV_UNLIMITED);
	ck_assert(p->finished);
	gov_policy_unref(p);
}
END_TEST

START_TEST(every_setting)
{
	struct gov_policy *p = conf_sound(
		"clustername=lab ENFORCEMENT=Observe idlesharing=firstcome\n"
		"UsageHalfLife=7-0 "
		"TaskOrder=FirstCome ShareUnallocated=yes Ungoverned=allow\n"
		"Reservations=exempt\n"
		"ExemptUsers=root,@wheel Operators=carol UntypedGPU=refuse\n"
		"MaxEvictRatio=2.25 MaxEvictRatioRules=All\n"
		"OnGovernorDown=reject GovernorSocket=/run/g/s Listen=[::1]:99\n"
		"SubmitDeadline=35 PollInterval=1.5s MemberRefresh=5:00\n"
		"MaxUpdatesPerSecond=7 LogFile=/var/log/g LogLevel=info,engine=debug\n"
		"ReclaimSignal=SIGUSR1 ReclaimGrace=1:30 OnReclaim=cancel\n"
		"ReclaimOnCheckpoint=yes\n"
		"MinRuntime=1:00:00 MinLoan=1-00:00:01\n" CONF_BASE,
		NULL);

	ck_assert_str_eq(p->cluster_name, "lab");
	ck_assert_int_eq(p->enforcement, GOV_OBSERVE);
	ck_assert_int_eq(p->idle_sharing, GOV_FIRST_COME);
	ck_assert_int_eq(p->task_order, GOV_TASK_FIRST_COME);
	ck_assert_int_eq(p->usage_half_life, 7 * 86400);
	ck_assert(p->share_unallocated);
	ck_assert(p->ungoverned_allowed);
	ck_assert(p->reservations_exempt);
	ck_assert_uint_eq(p->exempt.count, 2);
	ck_assert_str_eq(p->exempt.item[0].name, "root");
	ck_assert_int_eq(p->exempt.item[0].kind, GOV_MEMBER_USER);
	ck_assert_str_eq(p->exempt.item[1].name, "wheel");
	ck_assert_int_eq(p->exempt.item[1].kind, GOV_MEMBER_GROUP);
	ck_assert_str_eq(p->operators.item[0].name, "carol");
	ck_assert_int_eq(p->untyped_gpu, GOV_UNTYPED_REFUSE);
	ck_assert_uint_eq(p->max_evict_ratio_permille, 2250);
	ck_assert(p->max_evict_ratio_all_rules);
	ck_assert_int_eq(p->on_governor_down, GOV_DOWN_REJECT);
	ck_assert_str_eq(p->submit_socket, "/run/g/s");
	ck_assert_str_eq(p->listen, "[::1]:99");
	ck_assert_uint_eq(p->submit_deadline_ms, 35);
	ck_assert_uint_eq(p->poll_interval_ms, 1500);
	ck_assert_uint_eq(p->member_refresh, 300);
	ck_assert_uint_eq(p->max_updates_per_second, 7);
	ck_assert_str_eq(p->log_file, "/var/log/g");
	ck_assert_str_eq(p->log_level, "info,engine=debug");
	ck_assert_int_eq(p->terms.signal, SIGUSR1);
	ck_assert_int_eq(p->terms.grace, 90);
	ck_assert_int_eq(p->terms.on_reclaim, GOV_RECLAIM_CANCEL);
	ck_assert_int_eq(p->terms.min_runtime, 3600);
	ck_assert_int_eq(p->terms.min_loan, 86401);
	ck_assert_int_eq(p->terms.on_checkpoint, 1);
	gov_policy_unref(p);
}
END_TEST

START_TEST(every_spelling)
{
	/* Comments, continuation, quotes, blanks, CRLF, no last newline. */
	struct gov_policy *p = conf_sound(
		"\xef\xbb\xbf# a policy\r\n"
		"\tPOOLNAME = p Nodes= \"n[1-2]\",\\\n    m1 \\\r\n"
		"# not now: Nodes=x \\\n"
		"  TRES=cpu,mem# all\r\n"
		"\n   \n"
		"TeamName=t Members=\"a b\",@\"x#y\",z\\#w,\"q\\\"\" \\\n"
		"  \\\n"
		"  Description=\"it's # \\\\ odd\" # end \n"
		"Quota Team=T Pool=P TRES=CPU=1k,mem=2T",
		NULL);
	const struct gov_unit *t = conf_unit(p, "t");

	ck_assert_uint_eq(p->pool[0].node_count, 3);
	ck_assert_uint_ne(gov_policy_find_node(p, "m1"), GOV_NONE);
	ck_assert_uint_ne(gov_policy_find_node(p, "n2"), GOV_NONE);
	ck_assert_uint_eq(t->members.count, 4);
	ck_assert_str_eq(t->members.item[0].name, "a b");
	ck_assert_str_eq(t->members.item[1].name, "x#y");
	ck_assert_str_eq(t->members.item[2].name, "z#w");
	ck_assert_str_eq(t->members.item[3].name, "q\"");
	ck_assert_uint_eq(conf_quota(p, "t", "p", "cpu")->nominal, 1024);
	ck_assert_uint_eq(conf_quota(p, "t", "p", "mem")->nominal, 2097152);
	gov_policy_unref(p);
}
END_TEST

START_TEST(pools_and_cells)
{
	struct gov_policy *p = conf_usable(
		"PoolName=DEFAULT TRES=gres/gpu,cpu Oversell=1.5\n"
		"PoolName=a Nodes=a[1-3] Partition=gpu Constraint=\"x&y\"\n"
		"PoolName=b Nodes=b1 TRES=gres/gpu:h100,mem Oversell=2\n"
		"  # a license needs no node\n"
		"PoolName=l TRES=license/ansys\n"
		"PoolName=c Nodes=c1 Price=gres/gpu=2.50,cpu=0.000000001\n",
		NULL);
	const struct gov_pool *a = &p->pool[gov_policy_find_pool(p, "A")];
	const struct gov_pool *b = &p->pool[gov_policy_find_pool(p, "b")];
	const struct gov_pool *c = &p->pool[gov_policy_find_pool(p, "c")];

	ck_assert_uint_eq(p->cell_count, 2 + 2 + 1 + 2);
	ck_assert_uint_eq(p->tres_count, 5);
	ck_assert_str_eq(a->partition, "gpu");
	ck_assert_str_eq(a->constraint, "x&y");
	ck_assert_uint_eq(a->oversell_permille, 1500);
	ck_assert_uint_eq(b->oversell_permille, 2000);
	ck_assert_uint_eq(b->tres_count, 2);
	ck_assert_double_eq(c->price[0], 2.5);
	ck_assert_double_eq(c->price[1], 1e-9);
	ck_assert_double_eq(a->price[0], 0);
	gov_policy_unref(p);
}
END_TEST

START_TEST(classes)
{
	struct gov_policy *p = conf_usable(
		"PoolName=p Nodes=n[1-4] TRES=gres/gpu:h100,cpu\n"
		"PriorityClass=hi Weight=90 PreemptWithinTeam=Never\n"
		"PriorityClass=lo Weight=10 Borrow=no MaxTime=1:00:00\n"
		"PriorityClass=lo2 MaxTRES=gres/gpu=2 MinRuntime=0 "
		"ReclaimSignal=10\n",
		NULL);
	const struct gov_class *hi = conf_class(p, "HI");
	const struct gov_class *lo = conf_class(p, "lo");
	const struct gov_class *lo2 = conf_class(p, "lo2");

	ck_assert_uint_eq(hi->weight, 90);
	ck_assert(hi->preempt_set);
	ck_assert_int_eq(hi->preempt_within_team, GOV_PREEMPT_NEVER);
	ck_assert(hi->may_borrow);
	ck_assert(!lo->may_borrow);
	ck_assert(!lo->preempt_set);
	ck_assert_int_eq(lo->max_time, 3600);
	ck_assert_ptr_null(lo->max_per_job);
	ck_assert_uint_eq(lo2->weight, 0);
	ck_assert_uint_eq(lo2->max_per_job[0], 2);
	ck_assert_uint_eq(lo2->max_per_job[1], GOV_UNLIMITED);
	ck_assert_int_eq(lo2->terms.min_runtime, 0);
	ck_assert_int_eq(lo2->terms.signal, 10);
	ck_assert_int_eq(lo2->terms.grace, GOV_SECONDS_UNSET);
	/* No class is the default: one of weight 0 stands in. */
	ck_assert_uint_eq(p->class_count, 4);
	ck_assert(conf_class(p, "default")->is_default);
	ck_assert_uint_eq(conf_class(p, "default")->weight, 0);
	gov_policy_unref(p);
}
END_TEST

START_TEST(which_word_counts)
{
	/* The record; its profile; DEFAULT; the profile of that; settings. */
	struct gov_policy *p = conf_usable(
		"PoolName=p Nodes=n TRES=gres/gpu\n"
		"PriorityClass=a Weight=1\nPriorityClass=b Weight=2\n"
		"PriorityClass=c Weight=3 Default=yes\n"
		"Queueing=Strict PreferOwn=yes MaxEvictions=9\n"
		"ProfileName=one Weight=11 Strategy=Lend Classes=a,c\n"
		"ProfileName=two Weight=22 Isolation=node MaxEvictions=2\n"
		"TeamName=plain Members=m\n"
		"TeamName=DEFAULT Weight=33 Strategy=Borrow Members=m\n"
		"TeamName=after\n"
		"TeamName=named Profile=one Classes=+b,-c\n"
		"TeamName=own Profile=one Weight=44 PreferOwn=no\n"
		"TeamName=DEFAULT Profile=two Weight=34\n"
		"TeamName=later Classes=-a\n"
		"TeamName=over Profile=one MaxEvictions=unlimited\n",
		NULL);

	ck_assert_uint_eq(conf_unit(p, "plain")->weight.numerator, 1);
	ck_assert_int_eq(conf_unit(p, "plain")->queueing, GOV_STRICT);
	ck_assert(conf_unit(p, "plain")->prefer_own);
	ck_assert_uint_eq(conf_unit(p, "plain")->max_evictions, 9);
	ck_assert_uint_eq(conf_unit(p, "after")->weight.numerator, 33);
	ck_assert_int_eq(conf_unit(p, "after")->strategy, GOV_BORROW);
	ck_assert_uint_eq(conf_unit(p, "after")->members.count, 1);
	ck_assert_uint_eq(conf_unit(p, "named")->weight.numerator, 11);
	ck_assert_int_eq(conf_unit(p, "named")->strategy, GOV_LEND);
	ck_assert(conf_unit(p, "named")->classes[0]);
	ck_assert(conf_unit(p, "named")->classes[1]);
	ck_assert(!conf_unit(p, "named")->classes[2]);
	ck_assert_uint_eq(conf_unit(p, "own")->weight.numerator, 44);
	ck_assert(!conf_unit(p, "own")->prefer_own);
	ck_assert(!conf_unit(p, "own")->classes[1]);
	/* A DEFAULT adds to the one before it, and its profile is last. */
	ck_assert_uint_eq(conf_unit(p, "later")->weight.numerator, 34);
	ck_assert_int_eq(conf_unit(p, "later")->strategy, GOV_BORROW);
	ck_assert_str_eq(conf_unit(p, "later")->isolation, "node");
	ck_assert_uint_eq(conf_unit(p, "later")->max_evictions, 2);
	ck_assert(!conf_unit(p, "later")->classes[0]);
	ck_assert(conf_unit(p, "later")->classes[1]);
	ck_assert_uint_eq(conf_unit(p, "over")->weight.numerator, 11);
	ck_assert_ptr_null(conf_unit(p, "over")->isolation);
	ck_assert_uint_eq(conf_unit(p, "over")->max_evictions, GOV_NONE);
	gov_policy_unref(p);
}
END_TEST

START_TEST(teams)
{
	struct gov_policy *p = conf_usable(
		"PoolName=p Nodes=n TRES=gres/gpu:h100,cpu\n"
		"PoolName=q Nodes=m TRES=gres/gpu:a10,cpu\n"
		"UnitName=u Owners=carol Weight=3 Strategy=Lend\n"
		"UnitName=v Parent=U\n"
		"TeamName=t Parent=v Account=acc Members=a,@g Owners=o,@p "
		"Weight=0.5 Queueing=Strict PreemptWithinTeam=Any "
		"Reclaim=LowerPriority PreemptWhileBorrowing=LowerOrNewer "
		"PreemptWhileBorrowingMax=40 PreferOwn=yes MaxEvictions=0 "
		"MaxUserTRES=gres/gpu=2,gres/gpu:a10=1,cpu=unlimited "
		"Isolation=Namespace Pools=q,p "
		"MinLoan=3:00 OnReclaim=cancel\n",
		NULL);
	uint32_t index = gov_policy_find_account(p, "ACC");
	const struct gov_unit *t = &p->unit[index];

	ck_assert_str_eq(t->name, "t");
	ck_assert(t->is_team);
	ck_assert_str_eq(p->unit[t->parent].name, "v");
	ck_assert_uint_eq(t->depth, 2);
	ck_assert_uint_eq(t->weight.numerator, 1);
	ck_assert_uint_eq(t->weight.denominator, 2);
	ck_assert_int_eq(t->queueing, GOV_STRICT);
	ck_assert_int_eq(t->preempt_within_team, GOV_PREEMPT_ANY);
	ck_assert_int_eq(t->reclaim, GOV_PREEMPT_LOWER);
	ck_assert_int_eq(t->preempt_while_borrowing,
			 GOV_PREEMPT_LOWER_OR_NEWER);
	ck_assert_uint_eq(t->preempt_while_borrowing_max, 40);
	ck_assert(t->prefer_own);
	ck_assert_uint_eq(t->max_evictions, 0);
	ck_assert_str_eq(t->isolation, "namespace");
	ck_assert_uint_eq(t->pool_count, 2);
	ck_assert_str_eq(p->pool[t->pools[0]].name, "q");
	ck_assert_str_eq(p->pool[t->pools[1]].name, "p");
	ck_assert_uint_eq(t->owners.count, 2);
	ck_assert_uint_eq(t->user_max[0], 2);
	ck_assert_uint_eq(t->user_max[1], GOV_UNLIMITED);
	ck_assert_uint_eq(t->user_max[2], 1);
	ck_assert_int_eq(t->terms.min_loan, 180);
	ck_assert_int_eq(t->terms.on_reclaim, GOV_RECLAIM_CANCEL);
	ck_assert_int_eq(t->terms.grace, GOV_SECONDS_UNSET);
	ck_assert_int_eq(conf_unit(p, "u")->strategy, GOV_LEND);
	ck_assert_uint_eq(conf_unit(p, "u")->weight.numerator, 3);
	ck_assert_str_eq(conf_unit(p, "u")->owners.item[0].name, "carol");
	gov_policy_unref(p);
}
END_TEST

/* ---- limits ---- */

/* A team with 5 h100, 5 a10 and 10 cpu, and what is said on each level. */
static struct gov_policy *limited(const char *settings, const char *profile,
				  const char *team, const char *quota)
{
	char text[2048];

	snprintf(
		text, sizeof(text),
		"%s\n"
		"PoolName=p Nodes=n TRES=gres/gpu:h100,gres/gpu:a10,cpu\n"
		"ProfileName=f Description=x %s\n"
		"TeamName=t Members=m Profile=f %s\n"
		"Quota Team=t Pool=p TRES=gres/gpu:h100=5,gres/gpu:a10=5,cpu=10 %s\n",
		settings, profile, team, quota);
	return conf_usable(text, NULL);
}

START_TEST(limits)
{
	static const struct {
		const char *settings, *profile, *team, *quota;
		gov_amount_t h100, a10, cpu;
	} c[] = {
		/* 50 % of one's own, rounded down, unless something is said */
		{ "", "", "", "", 2, 2, 5 },
		{ "", "", "", "BorrowLimit=0", 0, 0, 0 },
		{ "", "", "", "BorrowLimit=60%", 3, 3, 6 },
		{ "", "", "", "BorrowLimit=10000%", 500, 500, 1000 },
		{ "", "", "", "BorrowLimit=4", 4, 4, 4 },
		{ "", "", "", "BorrowLimit=500%,4", 4, 4, 4 },
		{ "", "", "", "BorrowLimit=20%,4", 1, 1, 2 },
		{ "", "", "", "BorrowLimit=unlimited", GOV_UNLIMITED,
		  GOV_UNLIMITED, GOV_UNLIMITED },
		/* what a list does not name has what it would have without */
		{ "", "", "", "BorrowLimit=gres/gpu=4,cpu=50", 4, 4, 50 },
		{ "", "", "", "BorrowLimit=gres/gpu:h100=9", 9, 2, 5 },
		{ "", "", "", "BorrowLimit=gres/gpu=9,gres/gpu:a10=1", 9, 1,
		  5 },
		{ "", "", "", "BorrowLimit=100%,gres/gpu=1", 1, 1, 10 },
		{ "", "", "", "BorrowLimit=gres/gpu=60%,cpu=9", 3, 3, 9 },
		{ "", "", "", "BorrowLimit=unlimited,cpu=1", GOV_UNLIMITED,
		  GOV_UNLIMITED, 1 },
		/* the nearest word that says anything of the cell decides */
		{ "BorrowLimit=20%", "", "", "", 1, 1, 2 },
		{ "BorrowLimit=20%", "BorrowLimit=40%", "", "", 2, 2, 4 },
		{ "", "BorrowLimit=40%", "BorrowLimit=80%", "", 4, 4, 8 },
		{ "", "BorrowLimit=40%", "", "BorrowLimit=16", 16, 16, 16 },
		{ "", "BorrowLimit=40%", "BorrowLimit=cpu=7",
		  "BorrowLimit=gres/gpu:a10=0", 2, 0, 7 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct gov_policy *p = limited(c[i].settings, c[i].profile,
					       c[i].team, c[i].quota);
		const struct gov_quota *q = conf_unit(p, "t")->quota;

		ck_assert_msg(q[0].borrow_limit == c[i].h100 &&
				      q[1].borrow_limit == c[i].a10 &&
				      q[2].borrow_limit == c[i].cpu,
			      "case %zu: %llu %llu %llu", i,
			      (unsigned long long) q[0].borrow_limit,
			      (unsigned long long) q[1].borrow_limit,
			      (unsigned long long) q[2].borrow_limit);
		for (int k = 0; k < 3; k++)
			ck_assert_uint_eq(q[k].lend_limit, GOV_UNLIMITED);
		gov_policy_unref(p);
	}
}
END_TEST

START_TEST(lend_limits)
{
	struct gov_policy *p = limited("LendLimit=10%", "LendLimit=75%", "",
				       "LendLimit=gres/gpu:a10=0");
	const struct gov_quota *q = conf_unit(p, "t")->quota;

	ck_assert_uint_eq(q[0].lend_limit, 3);
	ck_assert_uint_eq(q[1].lend_limit, 0);
	ck_assert_uint_eq(q[2].lend_limit, 7);
	gov_policy_unref(p);
}
END_TEST

START_TEST(unset_is_not_zero)
{
	struct gov_policy *p = conf_usable(
		"PoolName=p Nodes=n TRES=gres/gpu,cpu\n"
		"PoolName=q Nodes=m TRES=gres/gpu,cpu\n"
		"TeamName=t Members=m BorrowLimit=unlimited\n"
		"TeamName=guest Members=m\n"
		"Quota Team=t Pool=p TRES=gres/gpu=4\n"
		"Quota Team=guest Pool=p TRES=gres/gpu=0 BorrowLimit=4\n"
		"Quota Team=guest Pool=q TRES=gres/gpu=8 ActivationState=disabled\n",
		NULL);

	ck_assert(conf_quota(p, "t", "p", "gres/gpu")->set);
	ck_assert(!conf_quota(p, "t", "p", "cpu")->set);
	/* No Quota record: no part in the pool, whatever the limit. */
	ck_assert(!conf_quota(p, "t", "q", "gres/gpu")->set);
	ck_assert_uint_eq(conf_quota(p, "t", "q", "gres/gpu")->borrow, 0);
	ck_assert(conf_quota(p, "guest", "p", "gres/gpu")->set);
	ck_assert_uint_eq(conf_quota(p, "guest", "p", "gres/gpu")->nominal, 0);
	ck_assert_uint_eq(conf_quota(p, "guest", "p", "gres/gpu")->borrow, 4);
	ck_assert(!conf_quota(p, "guest", "q", "gres/gpu")->set);
	gov_policy_unref(p);
}
END_TEST

START_TEST(limits_of_units)
{
	struct gov_policy *p = conf_usable(
		"PoolName=p Nodes=n TRES=gres/gpu,cpu\nBorrowLimit=10%\n"
		"UnitName=top BorrowLimit=50% LendLimit=gres/gpu=3\n"
		"UnitName=mid Parent=top\n"
		"UnitName=own BorrowLimit=20%\n"
		"TeamName=a Parent=mid Members=m\n"
		"TeamName=b Parent=mid Members=m\n"
		"TeamName=c Parent=own Members=m\n"
		"Quota Team=a Pool=p TRES=gres/gpu=6\n"
		"Quota Team=b Pool=p TRES=gres/gpu=5\n"
		"Quota Unit=own Pool=p TRES=gres/gpu=10\n"
		"Quota Team=c Pool=p TRES=gres/gpu=0\n",
		NULL);
	const struct gov_quota *q;

	/* Half of what it and those below are guaranteed: of 11. */
	q = conf_quota(p, "top", "p", "gres/gpu");
	ck_assert(q->set);
	ck_assert_uint_eq(q->nominal, 0);
	ck_assert_uint_eq(q->borrow_limit, 5);
	ck_assert_uint_eq(q->lend_limit, 3);
	/* Nobody below has a part in cpu: no limit there. */
	ck_assert(!conf_quota(p, "top", "p", "cpu")->set);
	/* Neither default nor setting limits a unit. */
	ck_assert(!conf_quota(p, "mid", "p", "gres/gpu")->set);
	q = conf_quota(p, "own", "p", "gres/gpu");
	ck_assert_uint_eq(q->nominal, 10);
	ck_assert_uint_eq(q->borrow_limit, 2);
	ck_assert_uint_eq(q->lend_limit, GOV_UNLIMITED);
	gov_policy_unref(p);
}
END_TEST

START_TEST(quota_defaults)
{
	struct gov_policy *p =
		conf_usable("PoolName=p Nodes=n TRES=gres/gpu\n"
			    "TeamName=a Members=m BorrowLimit=7\n"
			    "Quota Team=DEFAULT Pool=p BorrowLimit=100%\n"
			    "Quota Team=a TRES=gres/gpu=6\n"
			    "ProjectName=DEFAULT Team=a Members=x\n"
			    "ProjectName=j\n",
			    NULL);

	ck_assert_uint_eq(conf_quota(p, "a", "p", "gres/gpu")->nominal, 6);
	ck_assert_uint_eq(conf_quota(p, "a", "p", "gres/gpu")->borrow_limit, 6);
	ck_assert_uint_eq(p->project_count, 1);
	ck_assert_str_eq(p->project[0].members.item[0].name, "x");
	gov_policy_unref(p);
}
END_TEST

START_TEST(projects)
{
	struct gov_policy *p = conf_sound(
		CONF_BASE
		"ProjectName=j Team=t MaxTRES=gres/gpu=8,mem=1T "
		"Budget=gres/gpu=2000h/month,100.50/year Members=m,@g\n"
		"ProjectName=k Team=t\n",
		NULL);
	uint32_t t = gov_policy_find_unit(p, "t");
	const struct gov_project *j =
		&p->project[gov_policy_find_project(p, t, "J")];
	const struct gov_project *k =
		&p->project[gov_policy_find_project(p, t, "k")];

	ck_assert_uint_eq(j->max[0], 8);
	ck_assert_uint_eq(j->max[1], GOV_UNLIMITED);
	ck_assert_uint_eq(j->max[2], 1048576);
	ck_assert_str_eq(j->budget, "gres/gpu=2000h/month,100.50/year");
	ck_assert_uint_eq(j->members.count, 2);
	ck_assert_ptr_null(k->max);
	ck_assert_ptr_null(k->budget);
	gov_policy_unref(p);
}
END_TEST

/* ---- clusters ---- */

static const char scoped[] =
	"Enforcement=enforce\n"
	"Cluster=b Enforcement=observe TaskOrder=FirstCome\n"
	"PoolName=p Nodes=n Cluster=a TRES=cpu\n"
	"PoolName=p Nodes=m,o Cluster=B,c TRES=cpu\n"
	"TeamName=DEFAULT Weight=7 Cluster=b\n"
	"TeamName=t Members=m\n"
	"Quota Team=t Pool=p TRES=cpu=1 Cluster=a\n"
	"Quota Team=t Pool=p TRES=cpu=2 Cluster=b\n";

START_TEST(clusters)
{
	struct gov_policy *a = conf_sound(scoped, "a");
	struct gov_policy *b = conf_sound(scoped, "b");
	struct gov_policy *c = conf_usable(scoped, "c");

	ck_assert_int_eq(a->enforcement, GOV_ENFORCE);
	ck_assert_int_eq(b->enforcement, GOV_OBSERVE);
	ck_assert_int_eq(c->enforcement, GOV_ENFORCE);
	ck_assert_int_eq(c->task_order, GOV_TASK_RANK);
	ck_assert_uint_eq(a->pool[0].node_count, 1);
	ck_assert_uint_eq(b->pool[0].node_count, 2);
	ck_assert_uint_eq(conf_quota(a, "t", "p", "cpu")->nominal, 1);
	ck_assert_uint_eq(conf_quota(b, "t", "p", "cpu")->nominal, 2);
	ck_assert(!conf_quota(c, "t", "p", "cpu")->set);
	ck_assert_uint_eq(conf_unit(a, "t")->weight.numerator, 1);
	ck_assert_uint_eq(conf_unit(b, "t")->weight.numerator, 7);
	ck_assert_str_eq(a->cluster_name, "a");
	gov_policy_unref(a);
	gov_policy_unref(b);
	gov_policy_unref(c);
}
END_TEST

START_TEST(cluster_of_the_file)
{
	char text[1024];
	struct gov_conf_faults faults;
	struct gov_policy *p;

	snprintf(text, sizeof(text), "%sClusterName=b\n", scoped);
	p = conf_sound(text, NULL);
	ck_assert_str_eq(p->cluster_name, "b");
	ck_assert_int_eq(p->enforcement, GOV_OBSERVE);
	gov_policy_unref(p);

	/* Nobody says which: what is scoped is left out, and that is said. */
	p = gov_conf_parse(scoped, strlen(scoped), "test", NULL, &faults);
	ck_assert_ptr_null(p);
	ck_assert_uint_eq(faults.item[0].line, 1);
	ck_assert_int_eq(faults.item[0].warning,
			 faults.count > 1 && faults.item[0].code == GOV_OK);
	conf_print(&faults);
	gov_conf_faults_free(&faults);
}
END_TEST

/* ---- FillRatio: hyperpod's worked numbers ---- */

#define P5                                                    \
	"PoolName=p Nodes=n[1-8] TRES=gres/gpu:h100,cpu,mem " \
	"NodeTRES=gres/gpu:h100=8,cpu=192,mem=2048G\n"        \
	"TeamName=t Members=m\n"

#define G5                                               \
	"PoolName=p Nodes=n[1-8] TRES=gres/gpu,cpu,mem " \
	"NodeTRES=gres/gpu=4,cpu=96,mem=384G\n"          \
	"TeamName=t Members=m\n"

static void fills_in(const char *pool, const char *gpus, const char *tres,
		     gov_amount_t gpu, gov_amount_t cpu, gov_amount_t gib)
{
	char text[1024];
	struct gov_policy *p;

	snprintf(text, sizeof(text),
		 "%sQuota Team=t Pool=p TRES=%s FillRatio=yes\n", pool, tres);
	p = conf_sound(text, NULL);
	ck_assert_uint_eq(conf_quota(p, "t", "p", gpus)->nominal, gpu);
	ck_assert_uint_eq(conf_quota(p, "t", "p", "cpu")->nominal, cpu);
	ck_assert_uint_eq(conf_quota(p, "t", "p", "mem")->nominal, gib * 1024);
	ck_assert(conf_quota(p, "t", "p", gpus)->set);
	gov_policy_unref(p);
}

static void fills(const char *tres, gov_amount_t gpu, gov_amount_t cpu,
		  gov_amount_t gib)
{
	fills_in(P5, "gres/gpu:h100", tres, gpu, cpu, gib);
}

START_TEST(fill_ratio)
{
	fills("gres/gpu=4", 4, 96, 1024);
	fills("cpu=48", 0, 48, 512);
	fills("mem=512G", 0, 48, 512);
	fills("gres/gpu=16,cpu=200", 16, 200, 4096);
	fills("gres/gpu=16,cpu=200,mem=2G", 16, 200, 2);
	fills("gres/gpu=1", 1, 24, 256);
	fills_in(G5, "gres/gpu", "gres/gpu=16", 16, 384, 1536);
	fills_in(G5, "gres/gpu", "gres/gpu=16,cpu=200,mem=2G", 16, 200, 2);
	/* Half of all, named by any of the three (but no GPUs follow). */
	fills_in(G5, "gres/gpu", "gres/gpu=16,cpu=384,mem=1536G", 16, 384,
		 1536);
	fills_in(G5, "gres/gpu", "cpu=384", 0, 384, 1536);
	fills_in(G5, "gres/gpu", "mem=1536G", 0, 384, 1536);
}
END_TEST

/* mig-<g>.<mem>gb counts g slices of the 7 that a whole GPU has. */
START_TEST(fill_ratio_of_slices)
{
	struct gov_policy *p = conf_usable(
		"PoolName=a Nodes=n TRES=gres/gpu:1g.5gb,cpu,mem "
		"NodeTRES=gres/gpu=8,cpu=96,mem=1152G\n"
		"PoolName=b Nodes=m TRES=gres/gpu:3g.40gb,gres/gpu:h100,cpu,mem "
		"NodeTRES=gres/gpu:h100=8,gres/gpu=8,cpu=192,mem=2048G\n"
		"TeamName=t Members=m\n"
		"Quota Team=t Pool=a TRES=gres/gpu=4 FillRatio=yes\n"
		"Quota Team=t Pool=b TRES=gres/gpu:3g.40gb=2 FillRatio=yes\n",
		NULL);

	ck_assert_uint_eq(conf_quota(p, "t", "a", "cpu")->nominal, 6);
	ck_assert_uint_eq(conf_quota(p, "t", "a", "mem")->nominal / 1024, 82);
	ck_assert_uint_eq(conf_quota(p, "t", "b", "cpu")->nominal, 20);
	ck_assert_uint_eq(conf_quota(p, "t", "b", "mem")->nominal / 1024, 219);
	ck_assert_uint_eq(conf_quota(p, "t", "b", "gres/gpu:h100")->nominal, 0);
	gov_policy_unref(p);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, defaults);
	tcase_add_test(tcase, every_setting);
	tcase_add_test(tcase, every_spelling);
	tcase_add_test(tcase, pools_and_cells);
	tcase_add_test(tcase, classes);
	tcase_add_test(tcase, which_word_counts);
	tcase_add_test(tcase, teams);
	tcase_add_test(tcase, limits);
	tcase_add_test(tcase, lend_limits);
	tcase_add_test(tcase, unset_is_not_zero);
	tcase_add_test(tcase, limits_of_units);
	tcase_add_test(tcase, quota_defaults);
	tcase_add_test(tcase, projects);
	tcase_add_test(tcase, clusters);
	tcase_add_test(tcase, cluster_of_the_file);
	tcase_add_test(tcase, fill_ratio);
	tcase_add_test(tcase, fill_ratio_of_slices);
}

int main(void)
{
	return unit_main("conf_policy", cases);
}
