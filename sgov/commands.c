/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of subcommands, and `help'. */
#include <string.h>

#include "sgov/options.h"
#include "sgov/sgov.h"

const struct sgov_command sgov_commands[] = {
	{ "status", "", "what each team has, uses, borrows and lends",
	  "  sgov status                  teams and pools\n"
	  "  sgov status --tree           with the units above the teams\n"
	  "  sgov status --pools          what the pools have in all\n"
	  "  sgov status -t nlp --all     every TRES of one team\n",
	  sgov_status },
	{ "loans", "", "who lends what to whom at this moment",
	  "  sgov loans\n"
	  "  sgov loans --team=vision     what vision lends or borrows\n",
	  sgov_loans },
	{ "report", "usage|loans|evictions|waiting",
	  "what was used, lent, borrowed, lost and waited for, and its price",
	  "  sgov report usage            of this month, by team\n"
	  "  sgov report usage --by=project,user --start=2026-11 --end=2026-12\n"
	  "  sgov report loans --by=pool,day --timezone=Europe/Berlin\n"
	  "  sgov report evictions --team=vision --by=job,asker\n"
	  "  sgov report usage --format=focus --currency=EUR >costs.csv\n",
	  sgov_report },
	{ "ledger", "verify|show|follow|export [DIRECTORY]",
	  "what was written down, and whether it still is what was written",
	  "  sgov ledger verify           every file and record, offline\n"
	  "  sgov ledger verify /backup/ledger\n"
	  "  sgov ledger show --job=1234  the records of a job, JSON lines\n"
	  "  sgov ledger follow           new records, as they are written\n"
	  "  sgov ledger export --start=2026-11 --end=2026-12 \\\n"
	  "    --pseudonyms=user,project --key=/root/export.key --csv >nov.csv\n",
	  sgov_ledger },
	{ "queue", "", "waiting and running jobs, and why they wait",
	  "  sgov queue --me\n"
	  "  sgov queue --state=waiting --team=nlp\n"
	  "  sgov queue -nP | cut -d'|' -f1,6\n",
	  sgov_queue },
	{ "why", "JOBID", "why a job waits, or who could take it back",
	  "  sgov why 1234\n"
	  "  sgov why 1234_7              a task of an array\n"
	  "  sgov why 1234 --json | jq .limits\n",
	  sgov_why },
	{ "terms", "", "notice, protection and end of a job that is taken back",
	  "  sgov terms                   of your teams\n"
	  "  sgov terms --class=scavenge  of one priority class\n",
	  sgov_terms },
	{ "check", "[FILE]", "read governance.conf and tell every fault",
	  "  sgov check                   the file that is in use\n"
	  "  sgov check new.conf          before it is put in place\n"
	  "  sgov check --system          and how Slurm is set up\n",
	  sgov_check },
	{ "simulate", "TRACE [POLICY...]",
	  "what a policy would have made of past jobs",
	  "  sgov simulate jobs.csv                    under the policy in use\n"
	  "  sgov simulate jobs.csv new.conf --compare and beside simpler rules\n"
	  "  sgov simulate jobs.csv now.conf new.conf  two policies\n"
	  "  sgov simulate jobs.csv --draft=480 >new.conf\n",
	  sgov_simulate },
	{ "diff", "[OLD] NEW", "what differs between two policies",
	  "  sgov diff new.conf           from the file that is in use\n"
	  "  sgov diff old.conf new.conf\n"
	  "  sgov diff -nP new.conf | grep '^changed|quota'\n",
	  sgov_diff },
	{ "drift", "[FILE]",
	  "where Slurm as it runs is not what the policy needs",
	  "  sgov drift                   each finding with what mends it\n"
	  "  sgov drift new.conf          of a policy that is not in use yet\n",
	  sgov_drift },
	{ "import", "hyperpod FILE...",
	  "a policy of another system as governance.conf",
	  "  sgov import hyperpod quotas.json scheduler.json >new.conf\n"
	  "  sgov import hyperpod --cluster=k3dz1a8v0p2q *.json >new.conf\n",
	  sgov_import },
	{ "checkpoint", "[JOBID]",
	  "say, from inside a job, that its work is saved",
	  "  sgov checkpoint              of the job it is called in\n",
	  sgov_checkpoint },
	{ "hold-reclaims", "", "hold all reclaims: nobody is asked to give way",
	  "  sgov hold-reclaims           before a deadline, a demo, a repair\n"
	  "  sgov hold-reclaims --undo\n",
	  sgov_hold_reclaims },
	{ "drain", "TEAM", "let a team borrow no more",
	  "  sgov drain nlp               it keeps what it has borrowed so far\n"
	  "  sgov resume nlp\n",
	  sgov_drain },
	{ "resume", "TEAM", "let a drained team borrow again",
	  "  sgov resume nlp\n", sgov_resume },
	{ "release", "JOBID", "let a job start in spite of quota",
	  "  sgov release 1234\n", sgov_release },
	{ "exempt", "JOBID", "let nobody take back what a job holds",
	  "  sgov exempt 1234\n"
	  "  sgov exempt 1234 --undo\n",
	  sgov_exempt },
	{ "release-all", "", "release all that is held, and govern nothing",
	  "  sgov release-all             before governance is taken out\n"
	  "  sgov release-all --undo\n",
	  sgov_release_all },
	{ "plan", "FILE", "what a policy would change now, job by job",
	  "  sgov plan new.conf\n"
	  "  sgov plan new.conf --json | jq '.jobs[] | "
	  "select(.after == \"reclaiming\")'\n",
	  sgov_plan },
	{ "apply", "FILE", "plan a policy, and put it in force after a yes",
	  "  sgov apply new.conf          on the governor's host\n"
	  "  sgov apply --yes new.conf\n",
	  sgov_apply },
	{ "node", "clean",
	  "remove what jobs without an epilog have left on this node",
	  "  sgov node clean --dry-run    what would be removed\n"
	  "  sgov node clean\n",
	  sgov_node },
	{ "reload", "", "make the governor read governance.conf again",
	  "  sgov check && sgov reload\n", sgov_reload },
	{ "ping", "", "is the governor there, and ready",
	  "  sgov ping\n"
	  "  sgov ping --timeout=1 || echo down\n",
	  sgov_ping },
	{ "help", "[COMMAND]", "show help of a command", "  sgov help why\n",
	  sgov_help },
	{ NULL, NULL, NULL, NULL, NULL },
};

const struct sgov_command *sgov_find_command(const char *name)
{
	for (const struct sgov_command *c = sgov_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

int sgov_help(struct sgov *sgov, int argc, char **argv)
{
	char help[] = "--help";
	char *arguments[] = { NULL, help, NULL };
	int status;
	char **operand = sgov_parse_operands(sgov, NULL, argc, argv, 0, 1,
					     &status);

	if (!operand)
		return status;
	arguments[0] = operand[0] ? operand[0] : argv[0];
	sgov->command = operand[0] ? sgov_find_command(operand[0]) : NULL;
	if (operand[0] && !sgov->command)
		return sgov_usage(sgov, "there is no command '%s'", operand[0]);
	if (sgov->command)
		return sgov->command->run(sgov, 2, arguments);
	sgov_parse_global(sgov, 2, arguments, &status);
	return status;
}
