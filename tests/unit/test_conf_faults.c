/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every kind of fault: where it is said to be, and what is said. */
#include "tests/unit/test_conf.h"

struct expected {
	const char *text; /* after CONF_BASE */
	unsigned line;	  /* in text */
	unsigned column;
	enum gov_code code; /* GOV_OK: a warning */
	const char *says;   /* part of the sentence */
};

static void check_one(const struct expected *e, const char *base,
		      unsigned base_lines)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy;
	char text[4096];
	const struct gov_conf_fault *f;

	snprintf(text, sizeof(text), "%s%s", base, e->text);
	policy = gov_conf_parse(text, strlen(text), "test", "lab", &faults);
	f = faults.item;
	ck_assert_msg(faults.count == 1, "'%s': %zu faults, first %s", e->text,
		      faults.count, faults.count ? f->text : "");
	ck_assert_msg(f->line == e->line + base_lines && f->column == e->column,
		      "'%s': said at %u:%u, expected %u:%u: %s", e->text,
		      f->line, f->column, e->line + base_lines, e->column,
		      f->text);
	ck_assert_msg(f->code == e->code, "'%s': code %d: %s", e->text, f->code,
		      f->text);
	ck_assert_msg(strstr(f->text, e->says), "'%s': '%s' lacks '%s'",
		      e->text, f->text, e->says);
	ck_assert_int_eq(f->warning, e->code == GOV_OK);
	ck_assert_uint_eq(faults.errors, f->warning ? 0 : 1);
	/* Nothing half-sound is handed out. */
	ck_assert_msg((policy == NULL) == !f->warning, "'%s'", e->text);
	gov_policy_unref(policy);
	gov_conf_faults_free(&faults);
}

static void check_all(const struct expected *e, size_t count, const char *base,
		      unsigned base_lines)
{
	for (size_t i = 0; i < count; i++)
		check_one(&e[i], base, base_lines);
}
#define CHECK_BASE(table)                                             \
	check_all(table, sizeof(table) / sizeof(*(table)), CONF_BASE, \
		  CONF_BASE_LINES)

START_TEST(syntax)
{
	static const struct expected e[] = {
		{ "Foo\n", 1, 1, GOV_E_SYNTAX, "expected Key=value" },
		{ "Enforcement\n", 1, 1, GOV_E_SYNTAX, "= is missing" },
		{ "UnitName=x Weight\n", 1, 12, GOV_E_SYNTAX, "= is missing" },
		{ "=x\n", 1, 1, GOV_E_SYNTAX, "expected a key before =" },
		{ "UnitName=x  Weight+=3\n", 1, 13, GOV_E_SYNTAX, "Weight=" },
		{ "TaskOrder=\n", 1, 11, GOV_E_SYNTAX, "has no value" },
		{ "TaskOrder= # x\n", 1, 11, GOV_E_SYNTAX, "has no value" },
		{ "TaskOrder=\"\"\n", 1, 12, GOV_E_SYNTAX, "has no value" },
		{ "UnitName=x Weight= Owners=a\n", 1, 19, GOV_E_SYNTAX,
		  "Weight= has no value" },
		{ "UnitName=x Description=\"a b\n", 1, 24, GOV_E_SYNTAX,
		  "not closed" },
		{ "UnitName=x Owners=a b\n", 1, 21, GOV_E_SYNTAX,
		  "expected Key=value" },
		{ "a/b=c\n", 1, 2, GOV_E_SYNTAX, "is not a key" },
		{ "UnitName=x \xc2\xa0Weight=3\n", 1, 12, GOV_E_SYNTAX,
		  "not ASCII" },
		{ "UnitName=x\rOwners=a\n", 1, 11, GOV_E_SYNTAX,
		  "control character" },
		{ "Include=x\n", 1, 1, GOV_E_SYNTAX, "without =" },
		{ "Include\n", 1, 1, GOV_E_SYNTAX, "path of one file" },
		{ "Include a b\n", 1, 1, GOV_E_SYNTAX, "path of one file" },
		{ "Include a\n", 1, 9, GOV_E_VALUE, "not a file" },
		{ "UnitName=x Owners=a # y \\\nOnReclaim=cancel\n", 1, 21,
		  GOV_OK, "the record ends here" },
		{ "Weight=3 UnitName=x\n", 1, 10, GOV_E_SYNTAX,
		  "must come first" },
		{ "Quota=t Team=t Pool=p TRES=cpu=1\n", 1, 1, GOV_E_SYNTAX,
		  "without =" },
		{ "Quota\n", 1, 1, GOV_E_SYNTAX, "Quota Team=" },
		{ "UnitName=x Owners=a \\\n Weight=a\n", 2, 9, GOV_E_VALUE,
		  "Weight=a" },
		{ "UnitName=x Owners=a,\\\n b,a\n", 2, 4, GOV_E_DUPLICATE,
		  "a is listed twice" },
		{ "UnitName=x Owners=\"a,\\\"q\",\"\"a\n", 1, 29,
		  GOV_E_DUPLICATE, "listed twice" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(unknown_words)
{
	static const struct expected e[] = {
		{ "Enforcment=observe\n", 1, 1, GOV_E_UNKNOWN_KEY,
		  "did you mean Enforcement?" },
		{ "ENFORCE=observe\n", 1, 1, GOV_E_UNKNOWN_KEY,
		  "did you mean Enforcement?" },
		{ "Wibble=observe\n", 1, 1, GOV_E_UNKNOWN_KEY, "Wibble" },
		{ "TaemName=x Members=a\n"
		  "Quota Team=x Pool=p TRES=gres/gpu=1\n",
		  1, 1, GOV_E_UNKNOWN_KEY, "did you mean TeamName?" },
		{ "UnitName=x Wieght=3\n", 1, 12, GOV_E_UNKNOWN_KEY,
		  "did you mean Weight?" },
		{ "UnitName=x Members=a\n", 1, 12, GOV_E_UNKNOWN_KEY,
		  "belongs to a profile, a team, a project" },
		{ "Members=a,b Foo=1\n", 1, 1, GOV_E_UNKNOWN_KEY,
		  "belongs to a profile" },
		{ "Enforcement=obsreve\n", 1, 13, GOV_E_VALUE,
		  "expected enforce or observe; did you mean observe?" },
		{ "IdleSharing=x\n", 1, 13, GOV_E_VALUE,
		  "expected FairShare or FirstCome" },
		{ "UnitName=x Strategy=LendOnly\n", 1, 21, GOV_E_VALUE,
		  "LendAndBorrow, Lend, Borrow or DontLend; did you mean Lend?" },
		{ "ShareUnallocated=perhaps\n", 1, 18, GOV_E_VALUE,
		  "yes or no" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(values)
{
	static const struct expected e[] = {
		{ "PriorityClass=d Weight=101\n", 1, 24, GOV_E_VALUE,
		  "from 0 to 100" },
		{ "PriorityClass=d Weight=-1\n", 1, 24, GOV_E_VALUE,
		  "from 0 to 100" },
		{ "PriorityClass=d Weight=99999999999999999999\n", 1, 24,
		  GOV_E_VALUE, "from 0 to 100" },
		{ "UnitName=x Weight=100.5\n", 1, 19, GOV_E_VALUE,
		  "from 0 to 100" },
		{ "UnitName=x Weight=1.0000001\n", 1, 19, GOV_E_VALUE,
		  "6 decimals" },
		{ "UnitName=a/b\n", 1, 10, GOV_E_VALUE, "expected a name" },
		{ "UnitName=-b\n", 1, 10, GOV_E_VALUE, "expected a name" },
		{ "UnitName=a234567890123456789012345678901234567890123456789"
		  "012345678901234\n",
		  1, 10, GOV_E_VALUE, "1 to 63" },
		{ "ReclaimGrace=1:60\n", 1, 14, GOV_E_VALUE, "a time" },
		{ "ReclaimGrace=1:2\n", 1, 14, GOV_E_VALUE, "a time" },
		{ "ReclaimGrace=1:60:00\n", 1, 14, GOV_E_VALUE, "a time" },
		{ "ReclaimGrace=1-24:00:00\n", 1, 14, GOV_E_VALUE, "a time" },
		{ "ReclaimGrace=8-00:00:00\n", 1, 14, GOV_E_VALUE,
		  "to 604800" },
		{ "ReclaimGrace=-5\n", 1, 14, GOV_E_VALUE, "a time" },
		{ "ReclaimGrace=5m\n", 1, 14, GOV_E_VALUE, "a time" },
		{ "ReclaimSignal=SIGFOO\n", 1, 15, GOV_E_VALUE, "a signal" },
		{ "ReclaimSignal=65\n", 1, 15, GOV_E_VALUE, "a signal" },
		{ "MaxEvictRatio=0.9\n", 1, 15, GOV_E_VALUE, "from 1.000" },
		{ "MaxEvictRatio=1.0001\n", 1, 15, GOV_E_VALUE, "3 decimals" },
		{ "SubmitDeadline=2s\n", 1, 16, GOV_E_VALUE, "to 1000ms" },
		{ "PollInterval=2\n", 1, 14, GOV_E_VALUE, "from 50ms" },
		{ "GovernorSocket=run/x\n", 1, 16, GOV_E_VALUE,
		  "an absolute path" },
		{ "GovernorSocket=/a2345678901234567890123456789012345678901234"
		  "567890123456789012345678901234567890123456789012345678901234"
		  "5678\n",
		  1, 16, GOV_E_VALUE, "an absolute path" },
		{ "Listen=0\n", 1, 8, GOV_E_VALUE, "a port" },
		{ "Listen=65536\n", 1, 8, GOV_E_VALUE, "a port" },
		{ "Listen=host\n", 1, 8, GOV_E_VALUE, "a port" },
		{ "Listen=[::1:5\n", 1, 8, GOV_E_VALUE, "a port" },
		{ "LogLevel=info,engine=loud\n", 1, 15, GOV_E_VALUE,
		  "fatal, error, info" },
		{ "LogLevel=debug,motor=info\n", 1, 16, GOV_E_VALUE,
		  "main, submit, engine" },
		{ "Operators=a,,b\n", 1, 13, GOV_E_VALUE, "is empty" },
		{ "Operators=a,@\n", 1, 13, GOV_E_VALUE, "@groups" },
		{ "PoolName=q Nodes=x[1-2 TRES=cpu\n", 1, 23, GOV_E_SYNTAX,
		  "hostlist" },
		{ "PoolName=q Nodes=x[2-1] TRES=cpu\n", 1, 20, GOV_E_SYNTAX,
		  "downwards" },
		{ "PriorityClass=d Weight=1 MaxTime=90\n", 1, 34, GOV_OK,
		  "is in seconds; for minutes write 90:00" },
		{ "ProjectName=j Team=t Budget=lots\n", 1, 29, GOV_E_VALUE,
		  "h/month" },
		{ "ProjectName=j Team=t Budget=gres/gpu=5h/fortnight\n", 1, 29,
		  GOV_E_VALUE, "h/month" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(tres_and_limits)
{
	static const struct expected e[] = {
		{ "PoolName=q Nodes=x TRES=gpu,cpu\n", 1, 25, GOV_E_VALUE,
		  "a GPU is gres/gpu" },
		{ "PoolName=q Nodes=x TRES=cpu,gres/gpu:4\n", 1, 29,
		  GOV_E_VALUE, "written with =" },
		{ "PoolName=q Nodes=x TRES=cpu=4\n", 1, 25, GOV_E_VALUE,
		  "no place here" },
		{ "PoolName=q Nodes=x TRES=cpu,mem,cpu\n", 1, 33,
		  GOV_E_DUPLICATE, "cpu is listed twice" },
		{ "Quota Unit=u Pool=p TRES=cpu\n", 1, 26, GOV_E_VALUE,
		  "amount is missing" },
		{ "Quota Unit=u Pool=p TRES=cpu=1.5\n", 1, 26, GOV_E_VALUE,
		  "whole number" },
		{ "Quota Unit=u Pool=p TRES=cpu=18446744073709551615\n", 1, 26,
		  GOV_E_VALUE, "too large" },
		{ "Quota Unit=u Pool=p TRES=mem=-2T\n", 1, 26, GOV_E_VALUE,
		  "whole number" },
		{ "Quota Unit=u Pool=p TRES=mem=2X\n", 1, 26, GOV_E_VALUE,
		  "whole number" },
		{ "Quota Unit=u Pool=p TRES=cpu=4,gres/gpu:h10=4\n", 1, 32,
		  GOV_E_REFERENCE, "did you mean gres/gpu:h100?" },
		{ "Quota Unit=u Pool=p TRES=node=4\n", 1, 26, GOV_E_REFERENCE,
		  "the pool p counts no node" },
		{ "Quota Unit=u Pool=p TRES=cpu=18446744073709551613\n"
		  "UnitName=v\nQuota Unit=v Pool=p TRES=cpu=1\n",
		  3, 1, GOV_E_OVERFLOW, "more than 64 bits" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 BorrowLimit=10001%\n", 1, 44,
		  GOV_E_VALUE, "up to 10000%" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 LendLimit=101%\n", 1, 42,
		  GOV_E_VALUE, "up to 100%" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 LendLimit=cpu=101%\n", 1, 42,
		  GOV_E_VALUE, "up to 100%" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 LendLimit=cpu=x%\n", 1, 42,
		  GOV_E_VALUE, "up to 100%" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 LendLimit=none\n", 1, 42,
		  GOV_E_VALUE, "write unlimited for no limit, 0 for nothing" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 BorrowLimit=1,50%,60%\n", 1,
		  50, GOV_E_DUPLICATE, "a percentage is given twice" },
		{ "Quota Unit=u Pool=p TRES=cpu=4 BorrowLimit=50%,gres/gpi=4\n",
		  1, 48, GOV_E_REFERENCE, "did you mean gres/gpu?" },
		{ "Quota Unit=u Pool=p TRES=cpu=4,mem=1G BorrowLimit=4\n", 1,
		  51, GOV_OK, "memory included" },
		{ "PriorityClass=d Weight=3 MaxTRES=gres/tpu=4\n", 1, 34,
		  GOV_E_REFERENCE, "no pool counts gres/tpu" },
		{ "PoolName=q Nodes=x TRES=cpu Price=gres/gpu=2\n"
		  "Quota Team=t Pool=q TRES=cpu=1\n",
		  1, 35, GOV_E_REFERENCE, "the pool q counts no gres/gpu" },
		{ "PoolName=q Nodes=x TRES=cpu Price=cpu=a\n"
		  "Quota Team=t Pool=q TRES=cpu=1\n",
		  1, 35, GOV_E_VALUE, "not a decimal" },
		{ "PoolName=q Nodes=x TRES=gres/gpu:a,gres/gpu:b\n"
		  "Quota Team=t Pool=q TRES=gres/gpu=1\n",
		  2, 26, GOV_E_REFERENCE, "write gres/gpu:a or gres/gpu:b" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(names)
{
	static const struct expected e[] = {
		{ "TeamName=T Members=a\n", 1, 10, GOV_E_DUPLICATE,
		  "T is the name of a team already, at line 4 of test" },
		{ "UnitName=t\n", 1, 10, GOV_E_DUPLICATE,
		  "the name of a team already" },
		{ "PriorityClass=C Weight=1\n", 1, 15, GOV_E_DUPLICATE,
		  "a priority class already" },
		{ "ProjectName=j Team=t\nProjectName=J Team=T\n", 2, 13,
		  GOV_E_DUPLICATE, "a project already" },
		{ "TeamName=x Account=T Members=a\n"
		  "Quota Team=x Pool=p TRES=cpu=1\n",
		  1, 20, GOV_E_DUPLICATE,
		  "the account T belongs to the team t already" },
		{ "Enforcement=observe\nTaskOrder=Rank Enforcement=enforce\n",
		  2, 16, GOV_E_DUPLICATE,
		  "was set before, at line 6 column 1" },
		{ "UnitName=x Weight=1 Weight=2\n", 1, 21, GOV_E_DUPLICATE,
		  "at line 6 column 12" },
		{ "UnitName=x Owners=a,@a,b,@a\n", 1, 26, GOV_E_DUPLICATE,
		  "@a is listed twice" },
		{ "PoolName=q Nodes=x,n[3-3] TRES=cpu\n"
		  "Quota Team=t Pool=q TRES=cpu=1\n",
		  1, 20, GOV_E_DUPLICATE, "n3 is in the pool p already" },
		{ "PoolName=q Nodes=x,x TRES=cpu\n"
		  "Quota Team=t Pool=q TRES=cpu=1\n",
		  1, 20, GOV_E_DUPLICATE, "x is listed twice" },
		{ "PriorityClass=d Weight=1 Default=yes\n", 1, 26,
		  GOV_E_DUPLICATE, "stands at line 2" },
		{ "Quota Team=t Pool=p TRES=cpu=1,gres/gpu:h100=4\n", 1, 32,
		  GOV_E_DUPLICATE, "at line 5" },
		{ "Quota Team=t Pool=p TRES=cpu=1,CPU=4\n", 1, 32,
		  GOV_E_DUPLICATE, "CPU is listed twice" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(references)
{
	static const struct expected e[] = {
		{ "TeamName=x Parent=uu Members=a\n"
		  "Quota Team=x Pool=p TRES=cpu=1\n",
		  1, 19, GOV_E_REFERENCE, "no such unit; did you mean u?" },
		{ "TeamName=x Parent=t Members=a\n"
		  "Quota Team=x Pool=p TRES=cpu=1\n",
		  1, 19, GOV_E_REFERENCE, "that is a team" },
		{ "UnitName=x Profile=nn\n", 1, 20, GOV_E_REFERENCE,
		  "no such profile" },
		{ "Quota Team=tt Pool=p TRES=cpu=1\n", 1, 12, GOV_E_REFERENCE,
		  "no such team; did you mean t?" },
		{ "Quota Team=u Pool=p TRES=cpu=1\n", 1, 12, GOV_E_REFERENCE,
		  "that is a unit; write Unit=u" },
		{ "Quota Unit=t Pool=p TRES=cpu=1\n", 1, 12, GOV_E_REFERENCE,
		  "that is a team; write Team=t" },
		{ "Quota Team=t Pool=pp TRES=cpu=1\n", 1, 19, GOV_E_REFERENCE,
		  "no such pool; did you mean p?" },
		{ "Quota Team=t Unit=u Pool=p TRES=cpu=1\n", 1, 14,
		  GOV_E_SYNTAX, "not to both" },
		{ "Quota Pool=p TRES=cpu=1\n", 1, 1, GOV_E_SYNTAX,
		  "needs Team= or Unit=" },
		{ "Quota Team=t TRES=cpu=1\n", 1, 1, GOV_E_SYNTAX,
		  "needs Pool=" },
		{ "Quota Team=t Pool=p\n", 1, 1, GOV_E_SYNTAX, "needs TRES=" },
		{ "ProjectName=j\n", 1, 1, GOV_E_SYNTAX, "needs Team=" },
		{ "ProjectName=j Team=u\n", 1, 20, GOV_E_REFERENCE,
		  "that is a unit" },
		{ "PoolName=q TRES=cpu\nQuota Team=t Pool=q TRES=cpu=1\n", 1, 1,
		  GOV_E_VALUE, "needs Nodes=" },
		{ "PoolName=q Nodes=x\n", 1, 1, GOV_E_VALUE, "needs TRES=" },
		{ "ProfileName=f Classes=c,dd\nPriorityClass=ddd Weight=1\n", 1,
		  25, GOV_E_REFERENCE,
		  "no such priority class; did you mean ddd?" },
		{ "ProfileName=f Classes=-cx\n", 1, 23, GOV_E_REFERENCE,
		  "did you mean c?" },
		{ "ProfileName=f Classes=+c,-c\n", 1, 26, GOV_E_DUPLICATE,
		  "listed twice" },
		{ "ProfileName=f Pools=p,q\n", 1, 23, GOV_E_REFERENCE,
		  "no such pool" },
		{ "UnitName=x Parent=x\n", 1, 19, GOV_E_REFERENCE,
		  "stand above itself" },
		{ "UnitName=x Parent=y\nUnitName=y Parent=z\n"
		  "UnitName=z Parent=y\n",
		  2, 19, GOV_E_REFERENCE, "makes y stand above itself" },
		{ "Quota Unit=u Pool=p TRES=cpu=1 FillRatio=yes\n", 1, 32,
		  GOV_E_REFERENCE, "needs NodeTRES= in the pool p" },
		{ "UnitName=x Cluster=b\nTeamName=y Parent=x Members=a\n"
		  "Quota Team=y Pool=p TRES=cpu=1\n",
		  2, 19, GOV_E_REFERENCE,
		  "defined for another cluster only, at line 6" },
		{ "TeamName=y Cluster=b Parent=zz Members=a\n", 1, 29,
		  GOV_E_REFERENCE, "no such unit" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(warnings)
{
	static const struct expected e[] = {
		{ "TeamName=x\nQuota Team=x Pool=p TRES=gres/gpu=1\n", 1, 10,
		  GOV_OK, "no members" },
		{ "TeamName=x Members=a\n", 1, 10, GOV_OK, "no quota" },
		{ "TeamName=x Members=a Weight=0\n"
		  "Quota Team=x Pool=p TRES=gres/gpu=1\n",
		  1, 29, GOV_OK, "after every other" },
		{ "PoolName=q Nodes=x TRES=cpu\n", 1, 10, GOV_OK,
		  "nobody has a quota in the pool q" },
		{ "PriorityClass=d Weight=3\n"
		  "TeamName=DEFAULT Members=a\n"
		  "TeamName=x Classes=d\n"
		  "Quota Team=x Pool=p TRES=gres/gpu=1\n",
		  3, 10, GOV_OK, "may not use the default class c" },
		{ "UnitName=x Strategy=Lend BorrowLimit=5%\n", 1, 26, GOV_OK,
		  "x never borrows" },
		{ "TeamName=x Strategy=DontLend Members=a\n"
		  "Quota Team=x Pool=p TRES=cpu=1 BorrowLimit=0 LendLimit=1\n",
		  2, 46, GOV_OK, "x never lends" },
		{ "ProjectName=j Team=t Members=m,z,@g\n", 1, 32, GOV_OK,
		  "z is no member of the team t" },
		{ "ClusterName=prod\n", 1, 13, GOV_OK,
		  "read for the cluster lab" },
		{ "PoolName=q Nodes=x TRES=gres/gpu\n"
		  "Quota Team=t Pool=q TRES=gres/gpu=1\n"
		  "ProjectName=j Team=t MaxTRES=gres/gpu=3\n",
		  3, 30, GOV_OK,
		  "counts in each pool by itself, here in p and in q" },
	};

	CHECK_BASE(e);
}
END_TEST

START_TEST(whole_files)
{
	static const struct expected e[] = {
		{ "", 1, 1, GOV_E_VALUE, "there is no pool" },
		{ "# nothing\n\n", 1, 1, GOV_E_VALUE, "there is no pool" },
		{ "PoolName=p Nodes=n[1-2] TRES=cpu NodeTRES=cpu=8\n"
		  "PriorityClass=c Default=yes\nPriorityClass=d Weight=3\n"
		  "TeamName=t Members=m Classes=c\n"
		  "Quota Team=t Pool=p TRES=cpu=4\n",
		  3, 15, GOV_OK, "no team may use the class d" },
		{ "PoolName=p Nodes=n1 TRES=gres/gpu:a,gres/gpu:b\n"
		  "TeamName=t Members=m MaxUserTRES=gres/gpu:a=1,gres/gpu=8\n"
		  "Quota Team=t Pool=p TRES=gres/gpu:a=4,gres/gpu:b=4\n",
		  2, 47, GOV_OK,
		  "gres/gpu=8 counts for each type of gres/gpu in the pool p" },
		{ "PoolName=p Nodes=n[1-2] TRES=cpu NodeTRES=cpu=8\n"
		  "TeamName=t Members=m\nQuota Team=t Pool=p TRES=cpu=17\n",
		  1, 10, GOV_E_OVERSOLD, "are 17, but it has 16" },
		{ "PoolName=p Nodes=n[1-2] TRES=cpu NodeTRES=cpu=8 Oversell=1.1\n"
		  "TeamName=t Members=m\nQuota Team=t Pool=p TRES=cpu=17\n",
		  1, 10, GOV_OK, "Oversell=1.100 allows" },
		{ "PoolName=p Nodes=n TRES=cpu NodeTRES=cpu=0\n"
		  "TeamName=t Members=m\nQuota Team=t Pool=p TRES=cpu=0\n",
		  1, 38, GOV_E_VALUE, "more than 0" },
	};

	check_all(e, sizeof(e) / sizeof(*e), "", 0);
}
END_TEST

/* ---- everything at once, and hostile text ---- */

static void parse(const char *text, size_t length,
		  struct gov_conf_faults *faults)
{
	struct gov_policy *policy = gov_conf_parse(text, length, "test", NULL,
						   faults);

	ck_assert_int_eq(policy == NULL, faults->errors > 0);
	gov_policy_unref(policy);
}

START_TEST(all_at_once_in_order)
{
	static const char text[] =
		"Enforcment=x TaskOrder=Rnk\n"
		"PoolName=p Nodes=n[ TRES=cpu,mem\n"
		"UnitName=u Parent=uu\n"
		"TeamName=t Parent=u Members=a,a Weight=200 Foo=1\n"
		"Quota Team=tt Pool=p TRES=cpu=x\n";
	static const unsigned at[][2] = {
		{ 1, 1 },  { 1, 24 }, { 2, 20 }, { 3, 19 }, { 4, 31 },
		{ 4, 40 }, { 4, 44 }, { 5, 12 }, { 5, 27 },
	};
	struct gov_conf_faults faults;

	parse(text, strlen(text), &faults);
	conf_print(&faults);
	ck_assert_uint_eq(faults.count, sizeof(at) / sizeof(at[0]));
	ck_assert_uint_eq(faults.errors, faults.count);
	for (size_t i = 0; i < faults.count; i++) {
		ck_assert_uint_eq(faults.item[i].line, at[i][0]);
		ck_assert_uint_eq(faults.item[i].column, at[i][1]);
		ck_assert_str_eq(faults.item[i].file, "test");
	}
	gov_conf_faults_free(&faults);
}
END_TEST

START_TEST(sentence_of_a_fault)
{
	static const char text[] = "TaskOrder=\x1b[31m\n" CONF_BASE;
	struct gov_conf_faults faults;
	char *line;

	parse(text, strlen(text), &faults);
	ck_assert_uint_eq(faults.errors, 2);
	line = gov_conf_fault_string(&faults.item[0]);
	ck_assert_str_eq(line,
			 "test:1:11: error: a control character (byte 0x1b)");
	free(line);
	line = gov_conf_fault_string(&faults.item[1]);
	ck_assert_str_eq(
		line,
		"test:1:12: error: TaskOrder=[31m: expected Rank, FirstCome or Usage");
	free(line);
	gov_conf_faults_free(&faults);
}
END_TEST

START_TEST(nul_bytes)
{
	static const char text[] = "UnitName=a\0b\0\nUnitName=c\0\n" CONF_BASE;
	struct gov_conf_faults faults;

	parse(text, sizeof(text) - 1, &faults);
	/* One a line, and what stands behind the first. */
	ck_assert_uint_eq(faults.count, 3);
	ck_assert_uint_eq(faults.item[0].line, 1);
	ck_assert_uint_eq(faults.item[0].column, 11);
	ck_assert_uint_eq(faults.item[1].column, 12);
	ck_assert_uint_eq(faults.item[2].line, 2);
	ck_assert_ptr_nonnull(strstr(faults.item[0].text, "NUL"));
	gov_conf_faults_free(&faults);
}
END_TEST

START_TEST(long_lines)
{
	size_t length = 70000;
	char *text = malloc(length + 200);
	struct gov_conf_faults faults;

	memset(text, 'x', length);
	strcpy(text + length, "\nUnitName=v\n" CONF_BASE);
	parse(text, strlen(text), &faults);
	ck_assert_uint_eq(faults.count, 1);
	ck_assert_uint_eq(faults.item[0].line, 1);
	ck_assert_int_eq(faults.item[0].code, GOV_E_SYNTAX);
	ck_assert_ptr_nonnull(strstr(faults.item[0].text, "64 KiB"));
	gov_conf_faults_free(&faults);
	free(text);
}
END_TEST

START_TEST(too_many_records)
{
	static const char record[] = "UnitName=a\n";
	size_t count = 1000002, step = strlen(record);
	char *text = malloc(count * step + 1);
	struct gov_conf_faults faults;
	bool said = false;

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * step, record, step);
	parse(text, count * step, &faults);
	for (size_t i = 0; i < faults.count; i++)
		said |= strstr(faults.item[i].text, "1000000 records") != NULL;
	ck_assert(said);
	/* The list is bounded, the count is not. */
	ck_assert_uint_le(faults.count, 10002);
	ck_assert_uint_gt(faults.errors, 10000);
	ck_assert_ptr_nonnull(strstr(faults.item[faults.count - 1].text,
				     "more faults are not listed"));
	gov_conf_faults_free(&faults);
	free(text);
}
END_TEST

/* The same limit as the core has, and said where the record stands. */
START_TEST(deep_trees)
{
	char *text = malloc(100000), *p = text;
	struct gov_conf_faults faults;
	unsigned base = 1;

	for (const char *c = CONF_BASE; *c; c++)
		base += *c == '\n';
	p += sprintf(p, CONF_BASE "UnitName=x0\n");
	for (int i = 1; i < GOV_DEPTH_MAX; i++)
		p += sprintf(p, "UnitName=x%d Parent=x%d\n", i, i - 1);
	parse(text, strlen(text), &faults);
	ck_assert_uint_eq(faults.errors, 0);
	gov_conf_faults_free(&faults);
	p += sprintf(p, "UnitName=x%d Parent=x%d\n", GOV_DEPTH_MAX,
		     GOV_DEPTH_MAX - 1);
	parse(text, strlen(text), &faults);
	ck_assert_uint_eq(faults.errors, 1);
	ck_assert_ptr_nonnull(strstr(faults.item[0].text, "32 levels"));
	ck_assert_uint_eq(faults.item[0].line, base + GOV_DEPTH_MAX);
	gov_conf_faults_free(&faults);
	free(text);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, syntax);
	tcase_add_test(tcase, unknown_words);
	tcase_add_test(tcase, values);
	tcase_add_test(tcase, tres_and_limits);
	tcase_add_test(tcase, names);
	tcase_add_test(tcase, references);
	tcase_add_test(tcase, warnings);
	tcase_add_test(tcase, whole_files);
	tcase_add_test(tcase, all_at_once_in_order);
	tcase_add_test(tcase, sentence_of_a_fault);
	tcase_add_test(tcase, nul_bytes);
	tcase_add_test(tcase, long_lines);
	tcase_add_test(tcase, too_many_records);
	tcase_add_test(tcase, deep_trees);
}

int main(void)
{
	return unit_main("conf_faults", cases);
}
