/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "wire/submit.h"

static unsigned char packet[GOV_PACKET_MAX];

static void full_request(struct gov_submit_request *request)
{
	struct gov_submission *s = &request->submission;

	gov_submit_request_init(request);
	request->kind = GOV_MSG_MODIFY;
	request->sequence = 0x1122334455667788;
	s->uid = 1000;
	s->gid = 1001;
	s->submit_uid = UINT32_MAX;
	s->account = "vision";
	s->qos = "normal";
	s->partition = "main,long";
	s->reservation = "r";
	s->features = "h100&ib";
	s->nodelist = "g[1-2]";
	s->dependency = "afterok:1";
	s->licenses = "x:2";
	s->class_name = "training";
	s->project_name = "";
	s->borrow = "no";
	s->name = "a\nb";
	s->tres_per_job = "gres:gpu:2";
	s->tres_per_node = "gres:gpu:h100:2";
	s->tres_per_socket = "gres:gpu:1";
	s->tres_per_task = "gres:gpu:3";
	s->cpus_per_tres = "gres:gpu:4";
	s->mem_per_tres = "gres:gpu:5";
	s->ntasks_per_tres = 1;
	s->min_nodes = 2;
	s->max_nodes = 0;
	s->num_tasks = 4;
	s->cpus_per_task = 5;
	s->ntasks_per_node = 6;
	s->ntasks_per_socket = 7;
	s->sockets_per_node = 8;
	s->min_cpus = 9;
	s->max_cpus = 10;
	s->pn_min_cpus = 11;
	s->memory = UINT64_MAX - 1;
	s->memory_per_cpu = s->exclusive = s->overcommit = true;
	s->time_limit = 12;
	s->array = "0-99%5";
	s->het_offset = 13;
	s->begin_time = 14;
	s->warn_signal = 15;
	s->warn_batch = true;
	s->batch = s->hold = s->immediate = s->cron = s->requeue = true;
	strcpy(request->modification.job_id, "12_[3-4]");
	request->modification.uid = 7;
	request->modification.priority = 0xfffffffe;
	request->modification.sets_priority = true;
	request->modification.sets_admin_comment = true;
}

static bool same_text(const char *a, const char *b)
{
	return (!a && !b) || (a && b && !strcmp(a, b));
}

static void compare_texts(const struct gov_submission *a,
			  const struct gov_submission *b)
{
#define SAME(member) ck_assert(same_text(a->member, b->member))
	SAME(account);
	SAME(qos);
	SAME(partition);
	SAME(reservation);
	SAME(features);
	SAME(nodelist);
	SAME(dependency);
	SAME(licenses);
	SAME(class_name);
	SAME(project_name);
	SAME(borrow);
	SAME(name);
	SAME(tres_per_job);
	SAME(tres_per_node);
	SAME(tres_per_socket);
	SAME(tres_per_task);
	SAME(cpus_per_tres);
	SAME(mem_per_tres);
	SAME(array);
#undef SAME
}

static void compare_numbers(const struct gov_submission *a,
			    const struct gov_submission *b)
{
#define SAME(member) ck_assert_uint_eq(a->member, b->member)
	SAME(uid);
	SAME(gid);
	SAME(submit_uid);
	SAME(ntasks_per_tres);
	SAME(min_nodes);
	SAME(max_nodes);
	SAME(num_tasks);
	SAME(cpus_per_task);
	SAME(ntasks_per_node);
	SAME(ntasks_per_socket);
	SAME(sockets_per_node);
	SAME(min_cpus);
	SAME(max_cpus);
	SAME(pn_min_cpus);
	SAME(memory);
	SAME(memory_per_cpu);
	SAME(exclusive);
	SAME(overcommit);
	SAME(time_limit);
	SAME(het_offset);
	SAME(begin_time);
	SAME(batch);
	SAME(hold);
	SAME(immediate);
	SAME(warn_signal);
	SAME(warn_batch);
	SAME(cron);
	SAME(requeue);
#undef SAME
}

static void round_trip(const struct gov_submit_request *in)
{
	struct gov_submit_request out;
	struct gov_error error;
	long length = gov_submit_request_encode(in, packet, sizeof(packet));

	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(gov_submit_request_decode(packet, length, &out,
						   &error),
			 0);
	ck_assert_int_eq(out.kind, in->kind);
	ck_assert_uint_eq(out.sequence, in->sequence);
	compare_texts(&in->submission, &out.submission);
	compare_numbers(&in->submission, &out.submission);
	ck_assert_str_eq(out.modification.job_id, in->modification.job_id);
	ck_assert_uint_eq(out.modification.uid, in->modification.uid);
	ck_assert_uint_eq(out.modification.priority, in->modification.priority);
	ck_assert_int_eq(out.modification.sets_priority,
			 in->modification.sets_priority);
	ck_assert_int_eq(out.modification.sets_admin_comment,
			 in->modification.sets_admin_comment);
}

START_TEST(request_round_trip)
{
	struct gov_submit_request request;

	full_request(&request);
	round_trip(&request);
	gov_submit_request_init(&request);
	round_trip(&request);
}
END_TEST

static void full_answer(struct gov_answer *answer)
{
	*answer = (struct gov_answer){
		.sequence = 42,
		.action = GOV_ANSWER_REFUSE,
		.code = GOV_R_TOO_LARGE,
		.message = "too large",
		.admin_comment = "[gov1 state=waiting]",
		.account = "vision",
		.grant = "MUNGE:x:",
		.partition = "main",
		.features = "h100",
		.tres_per_job = "gres:gpu:h100:2",
		.sets_site_factor = true,
		.site_factor = -70,
		.sets_on_down = true,
		.on_down = GOV_DOWN_REJECT,
		.deadline_ms = 20,
	};
}

START_TEST(answer_round_trip)
{
	struct gov_answer in, out;
	struct gov_error error;
	long length;

	full_answer(&in);
	length = gov_answer_encode(&in, packet, sizeof(packet));
	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(gov_answer_decode(packet, length, &out, &error), 0);
	ck_assert_uint_eq(out.sequence, 42);
	ck_assert_int_eq(out.action, GOV_ANSWER_REFUSE);
	ck_assert_int_eq(out.code, GOV_R_TOO_LARGE);
	ck_assert_str_eq(out.message, in.message);
	ck_assert_str_eq(out.admin_comment, in.admin_comment);
	ck_assert_str_eq(out.account, in.account);
	ck_assert_str_eq(out.grant, in.grant);
	ck_assert_str_eq(out.partition, in.partition);
	ck_assert_str_eq(out.features, in.features);
	ck_assert_str_eq(out.tres_per_job, in.tres_per_job);
	ck_assert(out.sets_site_factor);
	ck_assert_int_eq(out.site_factor, -70);
	ck_assert(out.sets_on_down);
	ck_assert_int_eq(out.on_down, GOV_DOWN_REJECT);
	ck_assert_uint_eq(out.deadline_ms, 20);
}
END_TEST

/* A heap copy of exactly this length: ASan and valgrind see an overrun. */
static int decode_copy(const void *bytes, size_t length)
{
	struct gov_submit_request request;
	struct gov_answer answer;
	struct gov_error error = { .code = GOV_OK };
	unsigned char *copy = malloc(length ? length : 1);
	int kinds;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, length);
	kinds = !gov_submit_request_decode(copy, length, &request, &error);
	if (!kinds)
		ck_assert_int_eq(error.code, GOV_E_PROTOCOL);
	kinds += !gov_answer_decode(copy, length, &answer, &error);
	free(copy);
	return kinds;
}

START_TEST(every_truncation_is_safe)
{
	struct gov_submit_request request;
	unsigned char whole[4096];
	long length;
	int cut_short = 0;

	full_request(&request);
	length = gov_submit_request_encode(&request, whole, sizeof(whole));
	ck_assert_int_gt(length, 0);
	for (long i = 0; i < length; i++)
		cut_short += !decode_copy(whole, i);
	/* Cuts between two fields are shorter messages, others are not. */
	ck_assert_int_gt(cut_short, (int) length / 2);
	ck_assert_int_eq(decode_copy(whole, length), 1);
	for (long size = 0; size < length; size++)
		ck_assert_int_eq(gov_submit_request_encode(&request, packet,
							   size),
				 -1);
	ck_assert_int_eq(gov_submit_request_encode(&request, packet, length),
			 length);
}
END_TEST

START_TEST(any_bytes_are_safe)
{
	struct gov_submit_request request;
	struct gov_answer answer;
	unsigned char whole[4096], bytes[4096];
	long length;

	srand(1);
	for (int round = 0; round < 200000; round++) {
		if (round & 1) {
			full_answer(&answer);
			length = gov_answer_encode(&answer, whole,
						   sizeof(whole));
		} else {
			full_request(&request);
			length = gov_submit_request_encode(&request, whole,
							   sizeof(whole));
		}
		memcpy(bytes, whole, length);
		for (int i = rand() % 4; i >= 0; i--)
			bytes[rand() % length] = (unsigned char) rand();
		decode_copy(bytes, length - rand() % 8);
	}
}
END_TEST

static size_t add_field(size_t used, uint8_t tag, const void *bytes,
			uint32_t length)
{
	packet[used++] = tag;
	for (int i = 0; i < 4; i++)
		packet[used++] = (unsigned char) (length >> (8 * i));
	memcpy(packet + used, bytes, length);
	return used + length;
}

static int decode_one(uint8_t tag, const void *bytes, uint32_t length,
		      struct gov_submit_request *request)
{
	struct gov_error error;

	memcpy(packet, "GOV\1\1", 5);
	return gov_submit_request_decode(packet,
					 add_field(5, tag, bytes, length),
					 request, &error);
}

START_TEST(malformed_fields_are_refused)
{
	struct gov_submit_request request;
	char long_id[200] = "";

	ck_assert_int_eq(decode_one(5, "ab", 3, &request), 0);
	ck_assert_str_eq(request.submission.account, "ab");
	ck_assert_int_eq(decode_one(5, "ab", 2, &request), -1);
	ck_assert_int_eq(decode_one(5, "", 0, &request), -1);
	ck_assert_int_eq(decode_one(5, "a\0b", 4, &request), -1);
	ck_assert_int_eq(decode_one(27, "12345678", 8, &request), 0);
	ck_assert_int_eq(decode_one(27, "1234567", 7, &request), -1);
	ck_assert_int_eq(decode_one(2, "\1\0\0\0\0\0\0\0", 8, &request), 0);
	ck_assert_uint_eq(request.submission.uid, 1);
	ck_assert_int_eq(decode_one(2, "\0\0\0\0\1\0\0\0", 8, &request), -1);
	ck_assert_int_eq(decode_one(39, "", 0, &request), 0);
	ck_assert_int_eq(decode_one(39, "x", 1, &request), -1);
	memset(long_id, 'x', 127);
	ck_assert_int_eq(decode_one(80, long_id, 128, &request), 0);
	memset(long_id, 'x', 128);
	ck_assert_int_eq(decode_one(80, long_id, 129, &request), -1);
}
END_TEST

START_TEST(fields_of_the_future_are_skipped)
{
	struct gov_submit_request request;
	struct gov_error error;
	size_t length;

	memcpy(packet, "GOV\1\1", 5);
	length = add_field(5, 250, "whatever", 8);
	length = add_field(length, 250, "again", 5);
	length = add_field(length, 5, "ab", 3);
	ck_assert_int_eq(gov_submit_request_decode(packet, length, &request,
						   &error),
			 0);
	ck_assert_str_eq(request.submission.account, "ab");
	length = add_field(length, 5, "cd", 3);
	ck_assert_int_eq(gov_submit_request_decode(packet, length, &request,
						   &error),
			 -1);
	ck_assert_ptr_nonnull(strstr(error.text, "twice"));
}
END_TEST

START_TEST(versions_and_kinds)
{
	struct gov_submit_request request;
	struct gov_answer answer;
	struct gov_error error;
	long length;

	ck_assert_int_eq(gov_submit_request_decode("GOV\2\1", 5, &request,
						   &error),
			 -1);
	ck_assert_ptr_nonnull(strstr(error.text, "version 2"));
	ck_assert_int_eq(gov_submit_request_decode("GOV\1\3", 5, &request,
						   &error),
			 -1);
	ck_assert_int_eq(gov_submit_request_decode("HTTP/", 5, &request,
						   &error),
			 -1);
	ck_assert_int_eq(gov_submit_request_decode("GOV\1", 4, &request,
						   &error),
			 -1);
	ck_assert_int_eq(gov_answer_decode("GOV\1\1", 5, &answer, &error), -1);
	/* An answer without an action says nothing. */
	ck_assert_int_eq(gov_answer_decode("GOV\1\3", 5, &answer, &error), -1);
	full_answer(&answer);
	answer.on_down = (enum gov_on_down) 3;
	length = gov_answer_encode(&answer, packet, sizeof(packet));
	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(gov_answer_decode(packet, length, &answer, &error),
			 -1);
	ck_assert_ptr_nonnull(strstr(error.text, "OnGovernorDown"));
}
END_TEST

START_TEST(megabytes_do_not_fit)
{
	static char text[1 << 20];
	struct gov_submit_request request;
	static unsigned char large[2 << 20];

	gov_submit_request_init(&request);
	memset(text, 'x', sizeof(text) - 1);
	request.submission.name = text;
	ck_assert_int_eq(gov_submit_request_encode(&request, large,
						   sizeof(large)),
			 -1);
	text[32768] = '\0';
	round_trip(&request);
	request.submission.account = text;
	ck_assert_int_eq(gov_submit_request_encode(&request, large,
						   sizeof(large)),
			 -1);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, request_round_trip);
	tcase_add_test(tcase, answer_round_trip);
	tcase_add_test(tcase, every_truncation_is_safe);
	tcase_add_test(tcase, any_bytes_are_safe);
	tcase_add_test(tcase, malformed_fields_are_refused);
	tcase_add_test(tcase, fields_of_the_future_are_skipped);
	tcase_add_test(tcase, versions_and_kinds);
	tcase_add_test(tcase, megabytes_do_not_fit);
}

int main(void)
{
	return unit_main("wire-submit", cases);
}
