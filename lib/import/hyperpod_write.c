/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was read of HyperPod, as governance.conf. */
#include "import/hyperpod.h"

#include <stdlib.h>
#include <string.h>

#include "wire/printable.h"

#define COMMENT_WIDTH 78

struct writer {
	struct gov_import *import;
	FILE *file;
	bool first; /* no TRES of the list is written yet */
};

/* ---- text of others ---- */

/* A comment, broken at blanks: never more than its own lines. */
static void write_comment(FILE *file, const char *lead, const char *text)
{
	const char *indent = lead;

	while (*text) {
		size_t room = COMMENT_WIDTH - strlen(indent);
		size_t length = strlen(text);

		if (length > room) {
			length = room;
			while (length && text[length] != ' ')
				length--;
			if (!length)
				length = strcspn(text, " ");
		}
		fprintf(file, "# %s%.*s\n", indent, (int) length, text);
		text += length;
		text += strspn(text, " ");
		indent = *lead ? "  " : "";
	}
}

/* A quoted value: one line, whatever the text. */
static void write_quoted(FILE *file, char *text)
{
	gov_make_printable(text);
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', file);
		putc(*text, file);
	}
	putc('"', file);
}

/* DEFAULT is no name there; no name of HyperPod's begins with "_". */
static const char *reserved(const char *name)
{
	return strcmp(name, "default") ? "" : "_";
}

/* ---- amounts ---- */

static void write_gpu_name(FILE *file, const struct hp_type *type)
{
	bool trainium = type->known ? !type->shape.model :
				      !strncmp(type->name, "ml.trn", 6);

	fprintf(file, "gres/%s", trainium ? "neuron" : "gpu");
	if (type->profiles)
		fprintf(file, ":%s", type->shape.model);
}

static void comma(struct writer *w)
{
	fputs(w->first ? "" : ",", w->file);
	w->first = false;
}

static void write_memory(FILE *file, uint64_t memory)
{
	fprintf(file, "mem=%llu%s",
		(unsigned long long) (memory % 1024 ? memory : memory / 1024),
		memory % 1024 ? "" : "G");
}

/* What is said in amounts; zero: as many of nothing. */
static void write_amounts(struct writer *w, const struct hp_type *type,
			  const struct hp_amounts *amounts, bool zero)
{
	if (amounts->said_nodes) {
		comma(w);
		fprintf(w->file, "node=%llu",
			zero ? 0ULL : (unsigned long long) amounts->nodes);
	}
	if (amounts->said_gpus) {
		comma(w);
		write_gpu_name(w->file, type);
		fprintf(w->file, "=%llu",
			zero ? 0ULL : (unsigned long long) amounts->gpus);
	}
	for (unsigned i = 0; i < amounts->profiles; i++) {
		comma(w);
		fprintf(w->file, "gres/gpu:%s=%llu", amounts->slices[i].profile,
			zero ? 0ULL :
			       (unsigned long long) amounts->slices[i].count);
	}
	if (amounts->said_cpus) {
		comma(w);
		fprintf(w->file, "cpu=%llu",
			zero ? 0ULL : (unsigned long long) amounts->cpus);
	}
	if (amounts->said_memory) {
		comma(w);
		write_memory(w->file, zero ? 0 : amounts->memory);
	}
}

static bool says_any(const struct hp_amounts *amounts)
{
	return amounts->said_nodes || amounts->said_gpus ||
	       amounts->said_cpus || amounts->said_memory || amounts->profiles;
}

/* ---- records ---- */

static void write_settings(struct writer *w)
{
	const struct hp_scheduler *scheduler = &w->import->scheduler;

	fprintf(w->file, "\nIdleSharing=%s TaskOrder=%s ShareUnallocated=%s\n",
		scheduler->first_come ? "FirstCome" : "FairShare",
		scheduler->classes ? "Rank" : "FirstCome",
		scheduler->share_unallocated ? "yes" : "no");
}

static void write_counted(struct writer *w, const struct hp_type *type)
{
	w->first = true;
	if (type->said_nodes) {
		comma(w);
		fputs("node", w->file);
	}
	if (type->known ? type->shape.gpus > 0 : type->said_gpus) {
		comma(w);
		write_gpu_name(w->file, type);
	}
	for (unsigned i = 0; i < type->profiles; i++) {
		comma(w);
		fprintf(w->file, "gres/gpu:%s", type->slices[i].profile);
	}
	if (type->known || type->said_cpus) {
		comma(w);
		fputs("cpu", w->file);
	}
	if (type->known || type->said_memory) {
		comma(w);
		fputs("mem", w->file);
	}
}

static void write_node(struct writer *w, const struct hp_type *type)
{
	fputs(" \\\n    NodeTRES=", w->file);
	if (type->shape.gpus)
		fprintf(w->file, "gres/%s=%llu,",
			type->shape.model ? "gpu" : "neuron",
			(unsigned long long) type->shape.gpus);
	fprintf(w->file, "cpu=%llu,", (unsigned long long) type->shape.cpus);
	write_memory(w->file, type->shape.memory);
	if (type->oversell > 1000)
		fprintf(w->file, " Oversell=%llu.%03llu",
			(unsigned long long) type->oversell / 1000,
			(unsigned long long) type->oversell % 1000);
}

/* Has the type anything to be counted? */
static bool is_pool(const struct hp_type *type)
{
	return type->used &&
	       (type->known || type->said_nodes || type->said_gpus ||
		type->said_cpus || type->said_memory);
}

static bool has_pools(const struct gov_import *import)
{
	for (size_t i = 0; i < import->types; i++)
		if (is_pool(&import->type[i]))
			return true;
	return false;
}

static void write_pools(struct writer *w)
{
	for (size_t i = 0; i < w->import->types; i++) {
		const struct hp_type *type = &w->import->type[i];

		if (!is_pool(type))
			continue;
		fprintf(w->file, "PoolName=%s Nodes=%s-[1-%llu] \\\n    TRES=",
			type->name, type->name,
			(unsigned long long) type->nodes);
		write_counted(w, type);
		if (type->known)
			write_node(w, type);
		putc('\n', w->file);
	}
}

static void write_classes(struct writer *w)
{
	const struct hp_scheduler *scheduler = &w->import->scheduler;

	fputs(scheduler->classes ? "\n" : "", w->file);
	for (size_t i = 0; i < scheduler->classes; i++) {
		const struct hp_class *class = &scheduler->class[i];

		fprintf(w->file, "PriorityClass=%s%s Weight=%u\n",
			reserved(class->name), class->name, class->weight);
	}
}

static void write_limit(struct writer *w, const struct hp_team *team,
			const struct hp_share *share)
{
	const struct hp_type *type = &w->import->type[share->type];

	if (!says_any(&share->limit) || team->strategy != HP_LEND_AND_BORROW)
		return;
	fputs(" \\\n    BorrowLimit=", w->file);
	w->first = !says_any(&share->quota);
	if (!w->first)
		fprintf(w->file, "%u%%", team->borrow_limit);
	write_amounts(w, type, &share->limit, false);
}

static void write_quota(struct writer *w, const struct hp_team *team,
			const struct hp_share *share)
{
	const struct hp_type *type = &w->import->type[share->type];
	struct hp_amounts amounts = share->quota;
	bool zero = !says_any(&share->quota);

	if (zero && !says_any(&share->limit))
		return;
	fprintf(w->file, "Quota Team=%s%s Pool=%s TRES=", reserved(team->name),
		team->name, type->name);
	if (hp_is_explicit(&amounts))
		hp_fill_ratio(type, &amounts);
	w->first = true;
	write_amounts(w, type, zero ? &share->limit : &amounts, zero);
	if (type->known && !zero && !(amounts.said_cpus && amounts.said_memory))
		fputs(" FillRatio=yes", w->file);
	if (team->disabled)
		fputs(" ActivationState=Disabled", w->file);
	write_limit(w, team, share);
	putc('\n', w->file);
}

static void write_team(struct writer *w, struct hp_team *team)
{
	static const char *const words[] = { "LendAndBorrow", "Lend",
					     "DontLend" };
	const char *mark = reserved(team->name);

	fprintf(w->file, "\nTeamName=%s%s Account=%s%s Members=@%s", mark,
		team->name, mark, team->name, team->name);
	fprintf(w->file, " Weight=%u \\\n    Strategy=%s", team->weight,
		words[team->strategy]);
	if (team->strategy == HP_LEND_AND_BORROW)
		fprintf(w->file, " BorrowLimit=%u%%", team->borrow_limit);
	fprintf(w->file, " PreemptWithinTeam=%s",
		team->keeps_own ? "Never" : "LowerPriority");
	if (team->description && *team->description) {
		fputs(" \\\n    Description=", w->file);
		write_quoted(w->file, team->description);
	}
	putc('\n', w->file);
	for (size_t i = 0; i < team->shares; i++)
		write_quota(w, team, &team->share[i]);
}

/* ---- what is to be said ---- */

static void note_scheduler(struct gov_import *import)
{
	const struct hp_scheduler *scheduler = &import->scheduler;

	if (!scheduler->seen)
		hp_note(import,
			"there is no ClusterSchedulerConfig: no priority classes, FairShare as is HyperPod's default, nothing unallocated is shared");
	else if (!scheduler->whole)
		hp_note(import,
			"the ClusterSchedulerConfig was only listed: describe-cluster-scheduler-config tells its classes and settings");
	if (scheduler->classes)
		hp_note(import,
			"users write --gov-class=NAME where HyperPod has the label NAME-priority; jobs without a class have weight 0 in both");
	for (size_t i = 0; i < scheduler->classes; i++)
		if (*reserved(scheduler->class[i].name))
			hp_note(import,
				"the class default is called _default here, since DEFAULT is a word of governance.conf");
}

static void note_teams(struct gov_import *import)
{
	bool weight = false;

	for (size_t i = 0; i < import->teams; i++) {
		const struct hp_team *team = &import->team[i];
		bool limited = false;

		weight = weight || team->weight;
		for (size_t j = 0; j < team->shares; j++)
			limited = limited || says_any(&team->share[j].limit);
		if (*reserved(team->name))
			hp_note(import,
				"the team default is called _default here, since DEFAULT is a word of governance.conf");
		if (!team->shares)
			hp_note(import,
				"the team %s has no ComputeQuotaResources, so it runs nothing",
				team->name);
		if (limited && team->strategy != HP_LEND_AND_BORROW)
			hp_note(import,
				"AbsoluteBorrowLimits of the team %s is left out: by its strategy it does not borrow",
				team->name);
	}
	if (import->teams && !weight && !import->scheduler.first_come)
		hp_note(import,
			"every team has FairShareWeight 0, HyperPod's default: all are served last, so equally; give them weights");
	hp_note(import,
		"who is in a team is in Kubernetes' RBAC, not in these objects: Members= names a UNIX group called as the team, Account= a Slurm account");
}

static void note_types(struct gov_import *import)
{
	for (size_t i = 0; i < import->types; i++) {
		const struct hp_type *type = &import->type[i];

		if (!type->used)
			continue;
		hp_note(import,
			"Nodes= of the pools is made up: write the names that Slurm has; and NodeTRES= as slurmd has it, which is less memory than AWS names");
		if (!type->known)
			hp_note(import,
				"what an instance of %s has is not known: nothing follows from a ratio, and Count is counted in whole nodes",
				type->name);
		if (type->profiles)
			hp_note(import,
				"GPUs of %s are counted by type, since parts of them are: gres.conf must name them so, %s and the MIG profiles",
				type->name, type->shape.model);
	}
}

static void write_head(struct writer *w)
{
	const struct gov_import *import = w->import;

	fputs("# governance.conf, imported from SageMaker HyperPod's task governance by sgov.\n",
	      w->file);
	if (import->files) {
		gov_make_printable(import->files);
		write_comment(w->file, "From: ", import->files);
	}
	if (import->notes)
		fputs("#\n# To be looked at:\n", w->file);
	for (size_t i = 0; i < import->notes; i++)
		write_comment(w->file, "- ", import->note[i]);
}

int gov_import_write(struct gov_import *import, FILE *file,
		     struct gov_error *error)
{
	struct writer w = { import, file, true };

	if (!import->teams)
		return gov_error_set(
			error, GOV_E_VALUE,
			"there is no ComputeQuota%s: give the output of aws sagemaker list-compute-quotas, too",
			import->wanted ? " of that cluster" : "");
	if (hp_add_up(import, error))
		return -1;
	if (!has_pools(import))
		return gov_error_set(
			error, GOV_E_VALUE,
			"no ComputeQuota names an amount in its ComputeQuotaResources, so there is no pool");
	note_scheduler(import);
	note_teams(import);
	note_types(import);
	write_head(&w);
	write_settings(&w);
	write_pools(&w);
	write_classes(&w);
	for (size_t i = 0; i < import->teams; i++)
		write_team(&w, &import->team[i]);
	if (import->no_memory)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	if (ferror(file))
		return gov_error_set(error, GOV_E_IO,
				     "cannot write the policy");
	return 0;
}
