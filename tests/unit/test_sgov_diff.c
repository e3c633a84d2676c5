/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov diff: every setting counts, by what it means and not how it is said. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sgov/sgov.h"
#include "tests/unit/capture.h"
#include "tests/unit/unit.h"

static const char base[] =
	"ClusterName=lab Enforcement=enforce IdleSharing=FairShare\n"
	"TaskOrder=Rank UsageHalfLife=7-0 ShareUnallocated=no\n"
	"Ungoverned=deny Reservations=govern UntypedGPU=any\n"
	"MaxEvictRatio=1.5 MaxEvictRatioRules=FairShare\n"
	"ExemptUsers=root Operators=ada OnGovernorDown=wait\n"
	"GovernorSocket=/run/a.sock Listen=6822 SubmitDeadline=20ms\n"
	"PollInterval=500ms MemberRefresh=60 MaxUpdatesPerSecond=50\n"
	"LogFile=/var/log/a LogLevel=info\n"
	"ReclaimSignal=TERM ReclaimGrace=2:00 OnReclaim=requeue\n"
	"ReclaimOnCheckpoint=no MinRuntime=15:00 MinLoan=1:00\n"
	"PoolName=h100 Nodes=g[1-4] TRES=gres/gpu:h100,cpu Partition=p\n"
	"PoolName=a10 Nodes=a[1-2] TRES=gres/gpu:a10 Constraint=a10 "
	"Price=gres/gpu:a10=2.5 Oversell=1.2 BorrowedFactor=0.5 "
	"LentCredit=0.25\n"
	"PriorityClass=training Weight=70 Default=yes Borrow=yes\n"
	"PriorityClass=debug Weight=50 MaxTime=1:00:00 MaxTRES=gres/gpu=2 "
	"PreemptWithinTeam=Never ReclaimGrace=0:30\n"
	"UnitName=lab1 Owners=carol BorrowLimit=gres/gpu=16\n"
	"UnitName=lab2\n"
	"TeamName=vision Parent=lab1 Account=acc Members=alice,@vision "
	"Owners=carol Weight=30 Classes=training Pools=h100,a10 "
	"Queueing=BestEffort PreemptWithinTeam=LowerPriority Reclaim=Any "
	"PreemptWhileBorrowing=Never PreemptWhileBorrowingMax=9 "
	"PreferOwn=no MaxEvictions=3 MaxUserTRES=gres/gpu=4 "
	"Isolation=none MinLoan=2:00\n"
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16,cpu=100 "
	"BorrowLimit=gres/gpu=8 LendLimit=50%\n"
	"Quota Team=vision Pool=a10 TRES=gres/gpu=2\n"
	"ProjectName=vlm Team=vision Members=alice MaxTRES=gres/gpu:h100=8 "
	"Budget=gres/gpu=2000h/month\n";

static char folder[] = "/tmp/sgov-diff-XXXXXX";

static char *write_file(const char *name, const char *text)
{
	char *path = sgov_printf("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0644), 0);
	return path;
}

/* What sgov diff prints in parsable form, and its exit code. */
static char *differences(const char *old, const char *new, int *status)
{
	struct sgov sgov = { .command = sgov_find_command("diff") };
	char *from = write_file("old.conf", old);
	char *to = write_file("new.conf", new);
	char command[] = "diff", parsable[] = "-nP";
	char *argv[] = { command, parsable, from, to, NULL };

	sgov.header = true;
	capture_start();
	*status = sgov_diff(&sgov, 4, argv);
	unlink(from);
	unlink(to);
	free(from);
	free(to);
	return capture_end();
}

/* base, with one text in the place of another. */
static char *changed(const char *from, const char *to)
{
	const char *at = strstr(base, from);

	ck_assert_msg(at != NULL, "%s", from);
	return sgov_printf("%.*s%s%s", (int) (at - base), base, to,
			   at + strlen(from));
}

static const struct {
	const char *from, *to;
	const char *lines; /* of sgov diff -nP */
} changes[] = {
#define SETTING(key, from, to)                                       \
	{                                                            \
		key "=" from, key "=" to,                            \
			"changed|setting||" key "|" from "|" to "\n" \
	}
	SETTING("ClusterName", "lab", "hub"),
	SETTING("Enforcement", "enforce", "observe"),
	SETTING("IdleSharing", "FairShare", "FirstCome"),
	SETTING("TaskOrder", "Rank", "Usage"),
	SETTING("ShareUnallocated", "no", "yes"),
	SETTING("Ungoverned", "deny", "allow"),
	SETTING("Reservations", "govern", "exempt"),
	SETTING("UntypedGPU", "any", "refuse"),
	SETTING("MaxEvictRatio", "1.5", "2.25"),
	SETTING("MaxEvictRatioRules", "FairShare", "All"),
	SETTING("ExemptUsers", "root", "slurm"),
	SETTING("Operators", "ada", "bob"),
	SETTING("OnGovernorDown", "wait", "pass"),
	SETTING("GovernorSocket", "/run/a.sock", "/run/b.sock"),
	SETTING("Listen", "6822", "6823"),
	SETTING("MemberRefresh", "60", "61"),
	SETTING("MaxUpdatesPerSecond", "50", "51"),
	SETTING("LogFile", "/var/log/a", "/var/log/b"),
	SETTING("LogLevel", "info", "debug"),
	SETTING("ReclaimSignal", "TERM", "USR1"),
	SETTING("OnReclaim", "requeue", "cancel"),
	SETTING("ReclaimOnCheckpoint", "no", "yes"),
#undef SETTING
	{ "HalfLife=7-0", "HalfLife=0",
	  "changed|setting||UsageHalfLife|7-00:00:00|00:00:00\n" },
	{ "=20ms", "=25ms", "changed|setting||SubmitDeadline|20|25\n" },
	{ "=500ms", "=1s", "changed|setting||PollInterval|500|1000\n" },
	{ "ReclaimGrace=2:00", "ReclaimGrace=3:00",
	  "changed|setting||ReclaimGrace|00:02:00|00:03:00\n" },
	{ "MinRuntime=15:00", "MinRuntime=0",
	  "changed|setting||MinRuntime|00:15:00|00:00:00\n" },
	{ "MinLoan=1:00", "MinLoan=0",
	  "changed|setting||MinLoan|00:01:00|00:00:00\n" },
	{ "g[1-4]", "g[1-3,9]", "changed|pool|h100|Nodes|g4|g9\n" },
	{ "gpu:h100,cpu P", "gpu:h100,cpu,mem P",
	  "added|pool|h100|Price mem||0\nchanged|pool|h100|TRES||mem\n" },
	{ "Partition=p", "Partition=q", "changed|pool|h100|Partition|p|q\n" },
	{ "Constraint=a10", "", "changed|pool|a10|Constraint|a10|\n" },
	{ "a10=2.5", "a10=3", "changed|pool|a10|Price gres/gpu:a10|2.5|3\n" },
	{ "Oversell=1.2", "", "changed|pool|a10|Oversell|1.2|1\n" },
	{ "Factor=0.5", "Factor=2", "changed|pool|a10|BorrowedFactor|0.5|2\n" },
	{ "Credit=0.25", "Credit=0", "changed|pool|a10|LentCredit|0.25|0\n" },
	{ "Weight=70", "Weight=71", "changed|class|training|Weight|70|71\n" },
	{ "Borrow=yes", "Borrow=no", "changed|class|training|Borrow|yes|no\n" },
	{ "MaxTime=1:00:00", "MaxTime=2:00:00",
	  "changed|class|debug|MaxTime|01:00:00|02:00:00\n" },
	{ "MaxTRES=gres/gpu=2", "MaxTRES=gres/gpu:h100=2",
	  "removed|class|debug|MaxTRES a10 gres/gpu:a10|2|\n" },
	{ "PreemptWithinTeam=Never", "",
	  "changed|class|debug|PreemptWithinTeam|Never|\n" },
	{ "ReclaimGrace=0:30", "ReclaimGrace=0:31",
	  "changed|class|debug|ReclaimGrace|00:00:30|00:00:31\n" },
	{ "PriorityClass=debug", "PriorityClass=bug",
	  "added|class|bug|||\nremoved|class|debug|||\n" },
	{ "lab1 Owners=carol", "lab1 Owners=dan",
	  "changed|unit|lab1|Owners|carol|dan\n" },
	{ "BorrowLimit=gres/gpu=16", "BorrowLimit=gres/gpu=17",
	  "changed|quota|lab1 a10|gres/gpu:a10 BorrowLimit|16|17\n"
	  "changed|quota|lab1 h100|gres/gpu:h100 BorrowLimit|16|17\n" },
	{ "Parent=lab1", "Parent=lab2",
	  "changed|team|vision|Parent|lab1|lab2\n"
	  /* Nobody is below it any more. */
	  "removed|quota|lab1 a10|gres/gpu:a10 BorrowLimit|16|\n"
	  "removed|quota|lab1 h100|gres/gpu:h100 BorrowLimit|16|\n" },
	{ "Account=acc", "Account=other",
	  "changed|team|vision|Account|acc|other\n" },
	{ "alice,@vision", "@vision,bob,@bob",
	  "changed|team|vision|Members|alice|@bob bob\n" },
	{ "Weight=30", "Weight=0.5", "changed|team|vision|Weight|30|0.5\n" },
	{ "Classes=training", "Classes=-training",
	  "changed|team|vision|Classes|training|debug\n" },
	{ "Pools=h100,a10", "Pools=a10,h100",
	  "changed|team|vision|Pools|h100 a10|a10 h100\n" },
	{ "BestEffort", "Strict",
	  "changed|team|vision|Queueing|BestEffort|Strict\n" },
	{ "Team=LowerPriority", "Team=Any",
	  "changed|team|vision|PreemptWithinTeam|LowerPriority|Any\n" },
	{ "Reclaim=Any", "Reclaim=LowerOrNewer",
	  "changed|team|vision|Reclaim|Any|LowerOrNewer\n" },
	{ "Borrowing=Never", "Borrowing=Any",
	  "changed|team|vision|PreemptWhileBorrowing|Never|Any\n" },
	{ "BorrowingMax=9", "BorrowingMax=unlimited",
	  "changed|team|vision|PreemptWhileBorrowingMax|9|UNLIMITED\n" },
	{ "PreferOwn=no", "PreferOwn=yes",
	  "changed|team|vision|PreferOwn|no|yes\n" },
	{ "MaxEvictions=3", "",
	  "changed|team|vision|MaxEvictions|3|UNLIMITED\n" },
	{ "MaxUserTRES=gres/gpu=4", "MaxUserTRES=gres/gpu:h100=4",
	  "removed|team|vision|MaxUserTRES a10 gres/gpu:a10|4|\n" },
	{ "Isolation=none", "Isolation=namespace",
	  "changed|team|vision|Isolation|none|namespace\n" },
	{ "MinLoan=2:00", "MinLoan=3:00",
	  "changed|team|vision|MinLoan|00:02:00|00:03:00\n" },
	{ "=16,cpu=100", "=18,cpu=100",
	  "changed|quota|vision h100|gres/gpu:h100|16|18\n"
	  "changed|quota|vision h100|gres/gpu:h100 LendLimit|8|9\n" },
	{ "LendLimit=50%", "LendLimit=50%,gres/gpu=4",
	  "changed|quota|vision h100|gres/gpu:h100 LendLimit|8|4\n" },
	{ "Quota Team=vision Pool=a10 TRES=gres/gpu=2\n", "",
	  "changed|team|vision|Pools|h100 a10|h100\n"
	  "removed|quota|lab1 a10|gres/gpu:a10 BorrowLimit|16|\n"
	  "removed|quota|vision a10|gres/gpu:a10|2|\n"
	  "removed|quota|vision a10|gres/gpu:a10 BorrowLimit|1|\n"
	  "removed|quota|vision a10|gres/gpu:a10 LendLimit|UNLIMITED|\n" },
	{ "Members=alice MaxTRES", "MaxTRES",
	  "changed|project|vision vlm|Members|alice|\n" },
	{ "h100=8 Budget", "h100=9 Budget",
	  "changed|project|vision vlm|MaxTRES h100 gres/gpu:h100|8|9\n" },
	{ "2000h/month", "1h/day",
	  "changed|project|vision vlm|Budget|gres/gpu=2000h/month|gres/gpu=1h/day\n" },
};

START_TEST(every_key_is_told)
{
	char *new = changed(changes[_i].from, changes[_i].to);
	int status;
	char *text = differences(base, new, &status);

	ck_assert_str_eq(text, changes[_i].lines);
	ck_assert_int_eq(status, 1);
	free(text);
	free(new);
}
END_TEST

static const struct {
	const char *from, *to;
} same[] = {
	{ "g[1-4]", "g4,g[2,1],g3" },
	{ "PoolName=h100", "# comment\nPoolName=H100" },
	{ "Parent=lab1", "parent=LAB1" },
	{ "LendLimit=50%", "LendLimit=gres/gpu=8,cpu=50" },
	{ "alice,@vision", "@vision,alice" },
	{ "MinLoan=1:00", "MinLoan=60" },
	/* Said for one team, its word counts before: nobody feels it. */
	{ "PreferOwn=no", "" },
	{ "ReclaimGrace=0:30", "ReclaimGrace=0:30 MinLoan=9:00" },
	{ "MinLoan=2:00", "MinLoan=2:00 ReclaimSignal=TERM" },
	{ "TeamName=vision", "ProfileName=x Weight=7 Queueing=BestEffort\n"
			     "TeamName=vision Profile=x" },
};

START_TEST(the_same_said_otherwise)
{
	char *new = changed(same[_i].from, same[_i].to);
	int status;
	char *text = differences(base, new, &status);

	ck_assert_str_eq(text, "");
	ck_assert_int_eq(status, 0);
	free(text);
	free(new);
}
END_TEST

START_TEST(a_policy_with_faults_is_trouble)
{
	int status;
	char *text = differences(base, "TeamNam=x\n", &status);

	ck_assert_str_eq(text, "");
	ck_assert_int_eq(status, 2);
	free(text);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_loop_test(tcase, every_key_is_told, 0,
			    (int) (sizeof(changes) / sizeof(*changes)));
	tcase_add_loop_test(tcase, the_same_said_otherwise, 0,
			    (int) (sizeof(same) / sizeof(*same)));
	tcase_add_test(tcase, a_policy_with_faults_is_trouble);
}

int main(void)
{
	int status;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	status = unit_main("sgov_diff", cases);
	rmdir(folder);
	return status;
}
