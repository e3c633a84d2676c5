/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/policy.h"

#define SETTING (1u << CONF_SETTING)
#define POOL (1u << CONF_POOL)
#define CLASS (1u << CONF_CLASS)
#define PROFILE (1u << CONF_PROFILE)
#define UNIT (1u << CONF_UNIT)
#define TEAM (1u << CONF_TEAM)
#define QUOTA (1u << CONF_QUOTA)
#define PROJECT (1u << CONF_PROJECT)
#define ALL ((1u << CONF_KINDS) - 1)
/* What a team has, a profile gives, and a setting gives to every team. */
#define TEAMS (SETTING | PROFILE | TEAM)
#define DAY 86400
#define FOREVER (100 * 365 * (int64_t) DAY)

static const struct conf_choice enforcement[] = { { "enforce", GOV_ENFORCE },
						  { "observe", GOV_OBSERVE },
						  { NULL, 0 } };
static const struct conf_choice idle_sharing[] = {
	{ "FairShare", GOV_FAIR_SHARE },
	{ "FirstCome", GOV_FIRST_COME },
	{ NULL, 0 }
};
static const struct conf_choice task_order[] = { { "Rank", GOV_TASK_RANK },
						 { "FirstCome",
						   GOV_TASK_FIRST_COME },
						 { "Usage", GOV_TASK_USAGE },
						 { NULL, 0 } };
static const struct conf_choice queueing[] = {
	{ "BestEffort", GOV_BEST_EFFORT }, { "Strict", GOV_STRICT }, { NULL, 0 }
};
static const struct conf_choice strategy[] = { { "LendAndBorrow",
						 GOV_LEND_AND_BORROW },
					       { "Lend", GOV_LEND },
					       { "Borrow", GOV_BORROW },
					       { "DontLend", GOV_DONT_LEND },
					       { NULL, 0 } };
static const struct conf_choice preempt[] = {
	{ "Never", GOV_PREEMPT_NEVER },
	{ "LowerPriority", GOV_PREEMPT_LOWER },
	{ "LowerOrNewer", GOV_PREEMPT_LOWER_OR_NEWER },
	{ "Any", GOV_PREEMPT_ANY },
	{ NULL, 0 }
};
static const struct conf_choice on_reclaim[] = {
	{ "requeue", GOV_RECLAIM_REQUEUE },
	{ "cancel", GOV_RECLAIM_CANCEL },
	{ NULL, 0 }
};
static const struct conf_choice on_down[] = { { "wait", GOV_DOWN_WAIT },
					      { "pass", GOV_DOWN_PASS },
					      { "reject", GOV_DOWN_REJECT },
					      { NULL, 0 } };
static const struct conf_choice untyped[] = { { "any", GOV_UNTYPED_ANY },
					      { "refuse", GOV_UNTYPED_REFUSE },
					      { NULL, 0 } };
static const struct conf_choice reservations[] = { { "govern", 0 },
						   { "exempt", 1 },
						   { NULL, 0 } };
static const struct conf_choice ungoverned[] = { { "deny", 0 },
						 { "allow", 1 },
						 { NULL, 0 } };
static const struct conf_choice ratio_rules[] = { { "FairShare", 0 },
						  { "All", 1 },
						  { NULL, 0 } };
static const struct conf_choice activation[] = { { "Enabled", 1 },
						 { "Disabled", 0 },
						 { NULL, 0 } };
static const struct conf_choice isolation[] = { { "none", 0 },
						{ "namespace", 1 },
						{ "node", 2 },
						{ "pool", 3 },
						{ NULL, 0 } };

static const struct conf_choice unlimited[] = { { "unlimited", -1 },
						{ "infinite", -1 },
						{ NULL, 0 } };

#define KEY(id, name, kinds, type, help) \
	[id] = { name, kinds, CONF_T_##type, 0, 0, NULL, help }
#define RANGE(id, name, kinds, type, min, max, help) \
	[id] = { name, kinds, CONF_T_##type, min, max, NULL, help }
/* Also "unlimited", which undoes what a profile or a DEFAULT says. */
#define LIMITED(id, name, kinds, type, min, max, help) \
	[id] = { name, kinds, CONF_T_##type, min, max, unlimited, help }
#define CHOICE(id, name, kinds, words, help) \
	[id] = { name, kinds, CONF_T_CHOICE, 0, 0, words, help }

const struct conf_key conf_keys[CONF_KEYS] = {
	KEY(KEY_POOL_NAME, "PoolName", POOL, NAME, "name of the pool"),
	KEY(KEY_PRIORITY_CLASS, "PriorityClass", CLASS, NAME,
	    "name of the class"),
	KEY(KEY_PROFILE_NAME, "ProfileName", PROFILE, NAME,
	    "name of the profile"),
	KEY(KEY_UNIT_NAME, "UnitName", UNIT, NAME, "name of the unit"),
	KEY(KEY_TEAM_NAME, "TeamName", TEAM, NAME, "name of the team"),
	KEY(KEY_PROJECT_NAME, "ProjectName", PROJECT, NAME,
	    "name of the project, unique within its team"),

	KEY(KEY_CLUSTER, "Cluster", ALL, NAMES,
	    "clusters for which the record counts (default: every cluster)"),
	KEY(KEY_DESCRIPTION, "Description", ALL, TEXT, "for people; not used"),

	KEY(KEY_CLUSTER_NAME, "ClusterName", SETTING, NAME,
	    "the cluster, as in slurm.conf"),
	CHOICE(KEY_ENFORCEMENT, "Enforcement", SETTING, enforcement,
	       "carry out decisions, or only log them (default enforce)"),
	CHOICE(KEY_IDLE_SHARING, "IdleSharing", SETTING, idle_sharing,
	       "who is given idle quota first (default FairShare)"),
	CHOICE(KEY_TASK_ORDER, "TaskOrder", SETTING, task_order,
	       "what comes first in a team (default Rank)"),
	RANGE(KEY_USAGE_HALF_LIFE, "UsageHalfLife", SETTING, SECONDS, 0,
	      3650 * DAY,
	      "time in which past usage counts half (default 0: none)"),
	KEY(KEY_SHARE_UNALLOCATED, "ShareUnallocated", SETTING, YES_NO,
	    "capacity beyond all quotas may be borrowed (default no)"),
	CHOICE(KEY_UNGOVERNED, "Ungoverned", SETTING, ungoverned,
	       "jobs of accounts of no team (default deny)"),
	CHOICE(KEY_RESERVATIONS, "Reservations", SETTING, reservations,
	       "jobs that run in a reservation (default govern)"),
	KEY(KEY_EXEMPT_USERS, "ExemptUsers", SETTING, MEMBERS,
	    "users and @groups whose jobs are not governed"),
	KEY(KEY_OPERATORS, "Operators", SETTING, MEMBERS,
	    "users and @groups who may reload and see everything"),
	CHOICE(KEY_UNTYPED_GPU, "UntypedGPU", SETTING, untyped,
	       "a GPU request that names no type (default any)"),
	RANGE(KEY_MAX_EVICT_RATIO, "MaxEvictRatio", SETTING, DECIMAL, 1000,
	      1000000,
	      "amount evicted per amount asked, at most (default 1.5)"),
	CHOICE(KEY_MAX_EVICT_RATIO_RULES, "MaxEvictRatioRules", SETTING,
	       ratio_rules,
	       "evictions that MaxEvictRatio binds (default FairShare)"),

	CHOICE(KEY_ON_GOVERNOR_DOWN, "OnGovernorDown", SETTING, on_down,
	       "submissions while the governor is down (default wait)"),
	RANGE(KEY_GOVERNOR_SOCKET, "GovernorSocket", SETTING, PATH, 2, 107,
	      "UNIX socket of the job_submit plugin"),
	KEY(KEY_LISTEN, "Listen", SETTING, LISTEN,
	    "address and port for sgov (default 6822)"),
	RANGE(KEY_SUBMIT_DEADLINE, "SubmitDeadline", SETTING, MILLISECONDS, 1,
	      1000, "how long a submission may be held up (default 20ms)"),
	RANGE(KEY_POLL_INTERVAL, "PollInterval", SETTING, MILLISECONDS, 50,
	      3600000, "time between looks at the jobs (default 500ms)"),
	RANGE(KEY_MEMBER_REFRESH, "MemberRefresh", SETTING, SECONDS, 1, 7 * DAY,
	      "time between look-ups of members (default 60)"),
	RANGE(KEY_MAX_UPDATES, "MaxUpdatesPerSecond", SETTING, COUNT, 1, 100000,
	      "calls to slurmctld, at most (default 50)"),
	RANGE(KEY_LOG_FILE, "LogFile", SETTING, PATH, 2, 4095,
	      "where the governor logs (default stderr)"),
	KEY(KEY_LOG_LEVEL, "LogLevel", SETTING, LOG_LEVEL,
	    "level, and level per subsystem (default info)"),

	KEY(KEY_RECLAIM_SIGNAL, "ReclaimSignal", CLASS | TEAMS, SIGNAL,
	    "signal that gives notice (default TERM)"),
	RANGE(KEY_RECLAIM_GRACE, "ReclaimGrace", CLASS | TEAMS, SECONDS, 0,
	      7 * DAY, "time from notice to the end (default 120)"),
	CHOICE(KEY_ON_RECLAIM, "OnReclaim", CLASS | TEAMS, on_reclaim,
	       "what becomes of a reclaimed job (default requeue)"),
	KEY(KEY_ON_CHECKPOINT, "ReclaimOnCheckpoint", CLASS | TEAMS, YES_NO,
	    "whether sgov checkpoint ends the grace (default no)"),
	RANGE(KEY_MIN_RUNTIME, "MinRuntime", CLASS | TEAMS, SECONDS, 0,
	      365 * DAY, "youngest age of a victim (default 15:00)"),
	RANGE(KEY_MIN_LOAN, "MinLoan", CLASS | TEAMS, SECONDS, 0, 365 * DAY,
	      "time a lender grants a borrower (default 0)"),

	KEY(KEY_NODES, "Nodes", POOL, HOSTS, "nodes of the pool"),
	KEY(KEY_PARTITION, "Partition", POOL, NAME,
	    "partition to which jobs of the pool are pinned"),
	KEY(KEY_CONSTRAINT, "Constraint", POOL, TEXT,
	    "feature to which jobs of the pool are pinned"),
	KEY(KEY_POOL_TRES, "TRES", POOL, TRES_NAMES,
	    "what is counted in the pool"),
	KEY(KEY_NODE_TRES, "NodeTRES", POOL, TRES_AMOUNTS,
	    "what one node of the pool has, for FillRatio and checks"),
	KEY(KEY_PRICE, "Price", POOL, PRICES,
	    "money for one unit of a TRES for an hour (default 0)"),
	RANGE(KEY_OVERSELL, "Oversell", SETTING | POOL, DECIMAL, 1, 1000000,
	      "quotas per capacity, at most (default 1.0)"),
	RANGE(KEY_BORROWED_FACTOR, "BorrowedFactor", SETTING | POOL, DECIMAL, 0,
	      1000000, "times Price for what is borrowed (default 1.0)"),
	RANGE(KEY_LENT_CREDIT, "LentCredit", SETTING | POOL, DECIMAL, 0,
	      1000000, "times Price to who lends (default 1.0)"),

	RANGE(KEY_CLASS_WEIGHT, "Weight", CLASS, COUNT, 0, 100,
	      "higher goes first (default 0)"),
	KEY(KEY_DEFAULT, "Default", CLASS, YES_NO,
	    "class of jobs that name none (default no)"),
	KEY(KEY_BORROW, "Borrow", CLASS, YES_NO,
	    "may jobs of the class borrow (default yes)"),
	LIMITED(KEY_MAX_TIME, "MaxTime", CLASS, SECONDS, 1, FOREVER,
		"longest time limit of a job (default unlimited)"),
	KEY(KEY_MAX_TRES, "MaxTRES", CLASS | PROJECT, TRES_AMOUNTS,
	    "of a class: for one job; of a project: for all its jobs"),

	KEY(KEY_PARENT, "Parent", UNIT | TEAM, NAME,
	    "unit above (default: none, it stands at the top)"),
	KEY(KEY_PROFILE, "Profile", UNIT | TEAM, NAME,
	    "profile whose values count where the record has none"),
	KEY(KEY_ACCOUNT, "Account", TEAM, NAME,
	    "Slurm account (default: the name of the team)"),
	KEY(KEY_MEMBERS, "Members", PROFILE | TEAM | PROJECT, MEMBERS,
	    "users and @groups"),
	KEY(KEY_OWNERS, "Owners", PROFILE | UNIT | TEAM, MEMBERS,
	    "users and @groups who are in charge"),
	KEY(KEY_WEIGHT, "Weight", PROFILE | UNIT | TEAM, WEIGHT,
	    "share of idle quota, 0 comes last (default 1)"),
	CHOICE(KEY_STRATEGY, "Strategy", TEAMS | UNIT, strategy,
	       "lends, borrows, both, neither (default LendAndBorrow)"),
	RANGE(KEY_BORROW_LIMIT, "BorrowLimit", TEAMS | UNIT | QUOTA, LIMIT, 0,
	      10000, "what may be borrowed (default 50% for teams)"),
	RANGE(KEY_LEND_LIMIT, "LendLimit", TEAMS | UNIT | QUOTA, LIMIT, 0, 100,
	      "what may be lent (default unlimited)"),
	KEY(KEY_CLASSES, "Classes", PROFILE | TEAM, CLASSES,
	    "classes that the team may use (default: all)"),
	KEY(KEY_POOLS, "Pools", PROFILE | TEAM, NAMES,
	    "pools in order of preference (default: all)"),
	CHOICE(KEY_QUEUEING, "Queueing", TEAMS, queueing,
	       "may a later job pass one that waits (default BestEffort)"),
	CHOICE(KEY_PREEMPT_WITHIN_TEAM, "PreemptWithinTeam", CLASS | TEAMS,
	       preempt, "own jobs that may give way (default LowerPriority)"),
	CHOICE(KEY_RECLAIM, "Reclaim", TEAMS, preempt,
	       "borrowers that may be evicted for own quota (default Any)"),
	CHOICE(KEY_PREEMPT_WHILE_BORROWING, "PreemptWhileBorrowing", TEAMS,
	       preempt,
	       "borrowers that may be evicted to borrow (default Never)"),
	LIMITED(KEY_PREEMPT_WHILE_BORROWING_MAX, "PreemptWhileBorrowingMax",
		TEAMS, COUNT, 0, 100,
		"greatest class weight of such a victim (default: none)"),
	KEY(KEY_PREFER_OWN, "PreferOwn", TEAMS, YES_NO,
	    "evict own lower class before borrowing (default no)"),
	LIMITED(KEY_MAX_EVICTIONS, "MaxEvictions", TEAMS, COUNT, 0, 1000000,
		"evictions after which a job is left alone (default: none)"),
	KEY(KEY_MAX_USER_TRES, "MaxUserTRES", TEAMS, TRES_AMOUNTS,
	    "what one user may hold in each pool (default: no limit)"),
	CHOICE(KEY_ISOLATION, "Isolation", TEAMS, isolation,
	       "how jobs are kept apart on nodes (default none)"),

	KEY(KEY_TEAM, "Team", QUOTA | PROJECT, NAME, "whose it is"),
	KEY(KEY_UNIT, "Unit", QUOTA, NAME, "whose it is"),
	KEY(KEY_POOL, "Pool", QUOTA, NAME, "pool of the quota"),
	KEY(KEY_QUOTA_TRES, "TRES", QUOTA, TRES_AMOUNTS, "what is guaranteed"),
	CHOICE(KEY_ACTIVATION_STATE, "ActivationState", QUOTA, activation,
	       "Disabled: as if the record were not there (default Enabled)"),
	KEY(KEY_FILL_RATIO, "FillRatio", QUOTA, YES_NO,
	    "fill in TRES not named from NodeTRES (default no)"),
	KEY(KEY_BUDGET, "Budget", PROJECT, BUDGET,
	    "TRES-hours, or money, in a period; for reports"),
};

static const struct {
	const char *word, *title;
	int name;
} kinds[CONF_KINDS] = {
	[CONF_SETTING] = { NULL, "the settings of the cluster", -1 },
	[CONF_POOL] = { "PoolName", "a pool", KEY_POOL_NAME },
	[CONF_CLASS] = { "PriorityClass", "a priority class",
			 KEY_PRIORITY_CLASS },
	[CONF_PROFILE] = { "ProfileName", "a profile", KEY_PROFILE_NAME },
	[CONF_UNIT] = { "UnitName", "a unit", KEY_UNIT_NAME },
	[CONF_TEAM] = { "TeamName", "a team", KEY_TEAM_NAME },
	[CONF_QUOTA] = { "Quota", "a quota", -1 },
	[CONF_PROJECT] = { "ProjectName", "a project", KEY_PROJECT_NAME },
};

const char *conf_kind_word(enum conf_kind kind)
{
	return kinds[kind].word;
}

const char *conf_kind_title(enum conf_kind kind)
{
	return kinds[kind].title;
}

int conf_kind_name_key(enum conf_kind kind)
{
	return kinds[kind].name;
}

int conf_key_find(enum conf_kind kind, const char *name)
{
	for (int i = 0; i < CONF_KEYS; i++)
		if ((conf_keys[i].kinds & (1u << kind)) &&
		    (conf_keys[i].name[0] | 0x20) == (name[0] | 0x20) &&
		    !strcasecmp(conf_keys[i].name, name))
			return i;
	return -1;
}

bool conf_key_is_known(const char *name, size_t length)
{
	for (int i = 0; i < CONF_KEYS; i++)
		if (strlen(conf_keys[i].name) == length &&
		    !strncasecmp(conf_keys[i].name, name, length))
			return true;
	return false;
}

/* ---- what a value should look like ---- */

static void list_words(const struct conf_choice *words, char *text, size_t size)
{
	size_t used = 0;

	for (; words->word && used < size; words++) {
		const char *separator = !used	      ? "" :
					words[1].word ? ", " :
							" or ";

		used += (size_t) snprintf(text + used, size - used, "%s%s",
					  separator, words->word);
	}
}

static const char *const shapes[] = {
	[CONF_T_NAME] =
		"a name: 1 to 63 letters, digits, _ . -, beginning with a letter, digit or _",
	[CONF_T_NAMES] = "a comma list of names",
	[CONF_T_CLASSES] = "a comma list of classes, or of +class and -class",
	[CONF_T_TEXT] = "text",
	[CONF_T_PATH] = "an absolute path",
	[CONF_T_YES_NO] = "yes or no",
	[CONF_T_SIGNAL] =
		"a signal: TERM, INT, USR1 ... or a number from 1 to 64",
	[CONF_T_MEMBERS] = "a comma list of users and @groups",
	[CONF_T_HOSTS] = "a hostlist such as g[1-4,7],a1",
	[CONF_T_TRES_NAMES] =
		"a comma list of TRES such as gres/gpu:h100,cpu,mem",
	[CONF_T_TRES_AMOUNTS] =
		"a comma list such as gres/gpu=16,cpu=256,mem=2T",
	[CONF_T_PRICES] = "a comma list such as gres/gpu:h100=2.50,cpu=0.01",
	[CONF_T_BUDGET] =
		"such as gres/gpu=2000h/month or 1500.00/month; a period is day, week, month, quarter or year",
	[CONF_T_LISTEN] = "a port, address:port or [address]:port",
	[CONF_T_LOG_LEVEL] =
		"fatal, error, info, verbose or debug, and subsystem=level for main, submit, engine, slurm, client, members, grant",
};

const char *conf_key_expected(const struct conf_key *key, char *text,
			      size_t size)
{
	long long min = key->min, max = key->max;

	switch (key->type) {
	case CONF_T_CHOICE: list_words(key->words, text, size); return text;
	case CONF_T_COUNT:
		snprintf(text, size, "a whole number from %lld to %lld%s", min,
			 max, key->words ? ", or unlimited" : "");
		return text;
	case CONF_T_DECIMAL:
		snprintf(
			text, size,
			"a number from %lld.%03lld to %lld, at most 3 decimals",
			min / 1000, min % 1000, max / 1000);
		return text;
	case CONF_T_WEIGHT: return "a number from 0 to 100, at most 6 decimals";
	case CONF_T_SECONDS:
		snprintf(
			text, size,
			"a time (seconds, M:SS, H:MM:SS or D-HH:MM:SS) from %lld to %lld seconds%s",
			min, max, key->words ? ", or unlimited" : "");
		return text;
	case CONF_T_MILLISECONDS:
		snprintf(
			text, size,
			"milliseconds, or a number with ms or s, from %lldms to %lldms",
			min, max);
		return text;
	case CONF_T_LIMIT:
		snprintf(
			text, size,
			"a percentage (up to %lld%%), an amount, a list such as gres/gpu=4,cpu=50%%, a percentage and amounts, or unlimited",
			max);
		return text;
	default: return shapes[key->type];
	}
}
