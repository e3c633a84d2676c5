/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A record and its strings are one allocation: the strings are laid out
 * behind the structure, so a copy is either whole or not there.
 */
struct block {
	char *next; /* NULL while only measuring */
	size_t size;
};

static const char *keep(struct block *block, const char *text)
{
	size_t length;
	char *copy = block->next;

	if (!text)
		return NULL;
	length = strlen(text) + 1;
	block->size += length;
	if (!copy)
		return text;
	memcpy(copy, text, length);
	block->next += length;
	return copy;
}

#define KEEP(member) (to->member = keep(block, from->member))

static void keep_submission(struct block *block, struct gov_submission *to,
			    const struct gov_submission *from)
{
	*to = *from;
	KEEP(account);
	KEEP(qos);
	KEEP(partition);
	KEEP(reservation);
	KEEP(features);
	KEEP(nodelist);
	KEEP(dependency);
	KEEP(licenses);
	KEEP(class_name);
	KEEP(project_name);
	KEEP(borrow);
	KEEP(tres_per_job);
	KEEP(tres_per_node);
	KEEP(tres_per_socket);
	KEEP(tres_per_task);
	KEEP(cpus_per_tres);
	KEEP(mem_per_tres);
	KEEP(array);
	KEEP(name);
}

static void keep_job(struct block *block, struct gov_job_record *to,
		     const struct gov_job_record *from, const char **details)
{
	*to = *from;
	KEEP(array_tasks);
	KEEP(user_name);
	KEEP(admin_comment);
	KEEP(nodes);
	KEEP(excluded);
	KEEP(tres_alloc);
	keep_submission(block, &to->submission, &from->submission);
	to->gres_detail = from->gres_detail_count ? details : NULL;
	for (uint32_t i = 0; i < from->gres_detail_count; i++) {
		const char *copy = keep(block, from->gres_detail[i]);

		if (details)
			details[i] = copy;
	}
}

struct gov_job_record *gov_job_record_copy(const struct gov_job_record *source)
{
	size_t head = sizeof(struct gov_job_record) +
		      source->gres_detail_count * sizeof(char *);
	struct gov_job_record measured, *record;
	struct block block = { 0 };

	keep_job(&block, &measured, source, NULL);
	record = malloc(head + block.size);
	if (!record)
		return NULL;
	block.next = (char *) record + head;
	keep_job(&block, record, source, (const char **) (record + 1));
	return record;
}

void gov_job_record_free(struct gov_job_record *record)
{
	free(record);
}

static int put(char *text, size_t size, int length)
{
	return length < 0 || (size_t) length >= size ? -1 : 0;
}

int gov_job_record_address(const struct gov_job_record *record, char *text,
			   size_t size)
{
	/* What the leader is told reaches all components. */
	if (record->het_id && !record->het_offset)
		return put(text, size, snprintf(text, size, "%u", record->id));
	if (record->het_id)
		return put(text, size,
			   snprintf(text, size, "%u+%u", record->het_id,
				    record->het_offset));
	if (!record->array_id)
		return put(text, size, snprintf(text, size, "%u", record->id));
	if (record->array_task != GOV_NO_TASK)
		return put(text, size,
			   snprintf(text, size, "%u_%u", record->array_id,
				    record->array_task));
	/*
	 * The plain id of an array would reach all its tasks, the running
	 * ones included; a list that was cut would reach too few.
	 */
	if (!record->array_tasks || strstr(record->array_tasks, "..."))
		return -1;
	/* "%2" at its end is the array's limit, no part of the list. */
	return put(text, size,
		   snprintf(text, size, "%u_[%.*s]", record->array_id,
			    (int) strcspn(record->array_tasks, "%"),
			    record->array_tasks));
}

int gov_job_record_label(const struct gov_job_record *record, char *text,
			 size_t size)
{
	if (record->array_id && record->array_task == GOV_NO_TASK)
		return put(text, size,
			   snprintf(text, size, "%u_[%.40s]", record->array_id,
				    record->array_tasks ? record->array_tasks :
							  "?"));
	return gov_job_record_address(record, text, size);
}

static void keep_machine(struct block *block, struct gov_machine *copy,
			 const struct gov_machine *source)
{
	for (uint32_t i = 0; i < source->node_count; i++) {
		const struct gov_node_record *from = &source->node[i];
		struct gov_node_record scratch, *to;

		to = block->next ? &copy->node[i] : &scratch;
		*to = *from;
		KEEP(name);
		KEEP(gres);
		KEEP(features);
		KEEP(reason);
		KEEP(used_gres);
	}
	for (uint32_t i = 0; i < source->partition_count; i++) {
		const struct gov_partition_record *from = &source->partition[i];
		struct gov_partition_record scratch, *to;

		to = block->next ? &copy->partition[i] : &scratch;
		*to = *from;
		KEEP(name);
		KEEP(nodes);
	}
}

struct gov_machine *gov_machine_copy(const struct gov_machine *source)
{
	size_t nodes = source->node_count * sizeof(*source->node);
	size_t partitions = source->partition_count *
			    sizeof(*source->partition);
	size_t head = sizeof(struct gov_machine) + nodes + partitions;
	struct gov_machine *machine;
	struct block block = { 0 };
	char *memory;

	keep_machine(&block, NULL, source);
	memory = malloc(head + block.size);
	if (!memory)
		return NULL;
	machine = (struct gov_machine *) memory;
	*machine = *source;
	machine->node = (struct gov_node_record *) (machine + 1);
	machine->partition =
		(struct gov_partition_record *) ((char *) machine->node +
						 nodes);
	block.next = memory + head;
	keep_machine(&block, machine, source);
	return machine;
}

void gov_machine_free(struct gov_machine *machine)
{
	free(machine);
}
