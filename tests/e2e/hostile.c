/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile client: sends submissions and updates that no client of Slurm's
 * would send, straight through libslurm.
 *
 *   hostile COUNT SEED
 *
 * Each submission is a good one with some fields replaced.  Prints one line,
 * "sent N accepted N refused N updates N lost N"; lost are those that
 * slurmctld did not answer.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define ENTRIES 10000 /* of an environment */
#define SPANK_MAX 64

static char *long_text[5]; /* repeated patterns, see make_long_texts() */

static const char *const texts[] = {
	"",
	" ",
	",",
	",,,,",
	"%s%s%n%n",
	"a\nb",
	"vision\nadmin",
	"\033[2J",
	"\xff\xfe\x80",
	"../../../etc/passwd",
	"none",
	"-1",
	"NULL",
	"0",
	"[gov1 state=admitted team=vision class=inference pool=h100 "
	"nonce=1 submitted=1]",
	"[gov1 state=waiting",
	"[gov1 ]",
	"[gov9 x=y]",
	"gov1",
	"gres:gpu:1",
	"gres:gpu:h100:1",
	"gres/gpu:1",
	"gpu:1",
	"gres:gpu",
	"gres:gpu:0",
	"gres:gpu:-1",
	"gres:gpu:18446744073709551615",
	"gres:gpu:99999999999999999999",
	"gres:gpu:1:1:1:1",
	"gres:gpu:",
	"gres:gpu:h100:",
	"gres::1",
	"gres:",
	":",
	"=",
	"gres/gpu=",
	"gres:gpu:1(IDX:0-",
	"gres:gpu:1)",
	"gres:gpu:1k",
	"gres:gpu:1.5",
	"gres:gpu:1,gres:gpu:h100:2",
	"gres:gpu:1;gres:gpu:1|cpu=1",
	"xgres:gpu:8",
	"license/x:99999999999999999999",
	"cpu=4,mem=1P",
	"0-4000000",
	"0-3,0-3%0",
	"1-",
	"0-10:0",
	"[0-3",
	"0-99999999999",
	"afterok:1",
	"afterok:99999999999999",
	"singleton,singleton",
	"g[1-",
	"g[0-4294967295]",
	"[[[[[[[[",
	"g1,g1,g1",
	"g[4-1]",
	"vision",
	"nlp",
	"root",
	"VISION",
	"main",
	"main,main",
	"nowhere",
	"inference",
	"training",
	"yes",
	"no",
	"MUNGE:AwQDAAA:",
	"MUNGE::",
	"govgrant1 kind=exempt uid=0 team= project=",
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static const uint64_t numbers[] = {
	0,
	1,
	2,
	7,
	255,
	256,
	65533,
	65534,
	65535,
	65536,
	0x7fffffff,
	0x80000000,
	0xfffffffd,
	0xfffffffe,
	0xffffffff,
	0x8000000000000000,
	0x7fffffffffffffff,
	0xfffffffffffffffd,
	0xfffffffffffffffe,
	0xffffffffffffffff,
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static const size_t text_fields[] = {
#define T(member) offsetof(job_desc_msg_t, member)
	T(account),
	T(admin_comment),
	T(array_inx),
	T(cluster_features),
	T(comment),
	T(cpus_per_tres),
	T(dependency),
	T(exc_nodes),
	T(features),
	T(licenses),
	T(mail_user),
	T(mem_per_tres),
	T(name),
	T(partition),
	T(qos),
	T(req_nodes),
	T(reservation),
	T(tres_bind),
	T(tres_freq),
	T(tres_per_job),
	T(tres_per_node),
	T(tres_per_socket),
	T(tres_per_task),
	T(wckey),
	T(job_id_str),
	/* where most of our code looks: more often */
	T(tres_per_job),
	T(tres_per_node),
	T(tres_per_socket),
	T(tres_per_task),
	T(cpus_per_tres),
	T(mem_per_tres),
	T(account),
	T(array_inx),
	T(licenses),
	T(admin_comment),
};
#define TEXT_FIELDS (sizeof(text_fields) / sizeof(text_fields[0]))

static const struct {
	size_t offset;
	size_t size;
} number_fields[] = {
#define N(member)                                              \
	{                                                      \
		offsetof(job_desc_msg_t, member),              \
			sizeof(((job_desc_msg_t *) 0)->member) \
	}
	N(min_nodes),
	N(max_nodes),
	N(num_tasks),
	N(min_cpus),
	N(max_cpus),
	N(cpus_per_task),
	N(ntasks_per_node),
	N(ntasks_per_socket),
	N(ntasks_per_core),
	N(ntasks_per_tres),
	N(sockets_per_node),
	N(pn_min_cpus),
	N(pn_min_memory),
	N(time_limit),
	N(time_min),
	N(priority),
	N(nice),
	N(shared),
	N(overcommit),
	N(requeue),
	N(immediate),
	N(contiguous),
	N(bitflags),
	N(begin_time),
	N(deadline),
	N(het_job_offset),
	N(site_factor),
	N(user_id),
	N(group_id),
};
#define NUMBER_FIELDS (sizeof(number_fields) / sizeof(number_fields[0]))

static unsigned state;

static unsigned below(unsigned limit)
{
	return (unsigned) rand_r(&state) % limit;
}

/* ---- pieces ---- */

static char *repeat(const char *pattern, size_t length)
{
	size_t piece = strlen(pattern);
	char *text = malloc(length + 1);

	if (!text)
		exit(1);
	for (size_t i = 0; i < length; i++)
		text[i] = pattern[i % piece];
	text[length] = '\0';
	return text;
}

static void make_long_texts(void)
{
	long_text[0] = repeat("x", 70000);
	long_text[1] = repeat("gres:gpu:1,", 100000);
	long_text[2] = repeat("0-3,", 65535);
	long_text[3] = repeat("[gov1 state=admitted] ", 40000);
	long_text[4] = repeat("x", 1 << 20);
}

static char *some_text(void)
{
	if (below(8) == 0)
		return long_text[below(below(10) ? 4 : 5)];
	return (char *) texts[below(TEXTS)];
}

static void set_number(job_desc_msg_t *desc, unsigned field)
{
	uint64_t number = numbers[below(NUMBERS)];
	char *at = (char *) desc + number_fields[field].offset;

	memcpy(at, &number, number_fields[field].size);
}

/* Options of ours, forged grants, and what is no entry at all. */
static void set_spank(job_desc_msg_t *desc)
{
	static const char *const names[] = {
		"_SLURM_SPANK_OPTION_governance_gov_class=",
		"_SLURM_SPANK_OPTION_governance_gov_project=",
		"_SLURM_SPANK_OPTION_governance_gov_borrow=",
		"SPANK__SLURM_SPANK_OPTION_governance_gov_class=",
		"SPANK_GOV_GRANT=",
		"GOV_GRANT=",
		"SPANK_SPANK_GOV_GRANT=",
		"=",
		"",
		"PATH=",
	};
	static char *entry[SPANK_MAX];
	unsigned count = 1 + below(SPANK_MAX - 1);
	unsigned huge = below(10) ? SPANK_MAX : below(count);

	for (unsigned i = 0; i < count; i++) {
		const char *name = names[below(10)];
		const char *value = i == huge ? long_text[0] :
						texts[below(TEXTS)];

		free(entry[i]);
		entry[i] = malloc(strlen(name) + strlen(value) + 1);
		if (!entry[i])
			exit(1);
		strcpy(entry[i], name);
		strcat(entry[i], value);
	}
	desc->spank_job_env = entry;
	desc->spank_job_env_size = count;
}

static void set_environment(job_desc_msg_t *desc)
{
	static char *many[ENTRIES];
	static char *few[] = { "PATH=/bin:/usr/bin", "GOV_GRANT=forged" };

	if (!many[0])
		for (int i = 0; i < ENTRIES; i++)
			if (asprintf(&many[i], "SPANK_GOV_GRANT%d=%d", i, i) <
			    0)
				exit(1);
	desc->environment = below(40) ? few : many;
	desc->env_size = desc->environment == few ? 2 : ENTRIES;
}

/* ---- the job ---- */

static void make_good(job_desc_msg_t *desc)
{
	slurm_init_job_desc_msg(desc);
	desc->script = "#!/bin/sh\ntrue\n";
	desc->user_id = getuid();
	desc->group_id = getgid();
	desc->work_dir = "/";
	desc->std_out = desc->std_err = desc->std_in = "/dev/null";
	desc->name = "hostile";
	desc->min_nodes = 1;
	desc->num_tasks = 1;
	/* Most would run: what is tried here is the way there. */
	desc->begin_time = time(NULL) + 86400;
	set_environment(desc);
}

static void spoil(job_desc_msg_t *desc)
{
	unsigned changes = 1 + below(3);

	for (unsigned i = 0; i < changes; i++) {
		if (below(3)) {
			size_t field = text_fields[below(TEXT_FIELDS)];

			*(char **) ((char *) desc + field) = some_text();
		} else {
			set_number(desc, below(NUMBER_FIELDS));
		}
	}
	if (below(2))
		set_spank(desc);
}

/* Did slurmctld say something, be it no? */
static bool answered(int code)
{
	return code < SLURM_COMMUNICATIONS_CONNECTION_ERROR ||
	       code > SLURM_COMMUNICATIONS_SHUTDOWN_ERROR;
}

static struct {
	unsigned accepted, refused, updates, lost;
} count;

static uint32_t submit(void)
{
	submit_response_msg_t *response = NULL;
	job_desc_msg_t desc;
	uint32_t id;

	make_good(&desc);
	spoil(&desc);
	/* The id of a job is the operator's to choose. */
	desc.job_id_str = NULL;
	errno = 0;
	if (slurm_submit_batch_job(&desc, &response)) {
		if (answered(errno))
			count.refused++;
		else
			count.lost++;
		return 0;
	}
	count.accepted++;
	id = response->job_id;
	slurm_free_submit_response_response_msg(response);
	return id;
}

static void update(uint32_t id)
{
	job_array_resp_msg_t *answers = NULL;
	job_desc_msg_t desc;
	char text[32];

	slurm_init_job_desc_msg(&desc);
	snprintf(text, sizeof(text), "%u", id);
	spoil(&desc);
	if (below(4) || !desc.job_id_str)
		desc.job_id_str = text;
	errno = 0;
	if (slurm_update_job2(&desc, &answers) && !answered(errno))
		count.lost++;
	slurm_free_job_array_resp(answers);
	count.updates++;
}

int main(int argc, char **argv)
{
	uint32_t last = 1;

	if (argc != 3)
		return 2;
	state = (unsigned) atoi(argv[2]);
	slurm_init(NULL);
	make_long_texts();
	for (int i = 0; i < atoi(argv[1]); i++) {
		uint32_t id = submit();

		if (id)
			last = id;
		if (below(4) == 0)
			update(last);
	}
	printf("sent %s accepted %u refused %u updates %u lost %u\n", argv[1],
	       count.accepted, count.refused, count.updates, count.lost);
	return count.lost ? 1 : 0;
}
