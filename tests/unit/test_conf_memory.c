/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out of memory at every single allocation: no crash, no policy, an error,
 * and nothing left behind.  The allocator of the program is replaced.
 */
#include <errno.h>

#include "tests/unit/test_conf.h"

#ifdef __SANITIZE_ADDRESS__
/* That has an allocator of its own: nothing to replace, skipped. */
int main(void)
{
	return 77;
}
#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *memory);

static long countdown = -1; /* allocations before one fails; -1: none */
static bool armed;
static long live;

static bool fails(void)
{
	if (!armed || countdown < 0 || countdown-- > 0)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	void *memory = fails() ? NULL : __libc_malloc(size);

	live += armed && memory;
	return memory;
}

void *calloc(size_t count, size_t size)
{
	void *memory = fails() ? NULL : __libc_calloc(count, size);

	live += armed && memory;
	return memory;
}

void *realloc(void *old, size_t size)
{
	void *memory = fails() ? NULL : __libc_realloc(old, size);

	live += armed && memory && !old;
	return memory;
}

void free(void *memory)
{
	live -= armed && memory;
	__libc_free(memory);
}

static const char sound[] = CONF_BASE
	"ClusterName=lab ExemptUsers=root,@x LogFile=/x Listen=5\n"
	"ProfileName=f Classes=c Pools=p MaxUserTRES=cpu=4 Isolation=node\n"
	"TeamName=DEFAULT Profile=f Members=a,b\n"
	"TeamName=x Classes=-c Parent=u BorrowLimit=gres/gpu=4,cpu=50%\n"
	"Quota Team=x Pool=p TRES=gres/gpu=4,cpu=5 BorrowLimit=4,50%\n"
	"Quota Unit=u Pool=p TRES=mem=1T LendLimit=5%\n"
	"PriorityClass=d Weight=4 MaxTRES=cpu=3\n"
	"ProjectName=j Team=x Budget=5/day MaxTRES=cpu=3 Members=q\n";
static const char faulty[] = CONF_BASE
	"Enforcment=x\nTeamName=t Members=a,a Parent=uu \\\n Classes=e\n"
	"PoolName=q Nodes=[ TRES=gpu\nQuota Team=t Pool=p TRES=cpi=4\n";

/* One reading whose n-th allocation fails; false: there is no n-th. */
static bool read_with_failure(const char *text, long n)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy;
	bool failed;

	live = 0;
	countdown = n;
	armed = true;
	policy = gov_conf_parse(text, strlen(text), "test", NULL, &faults);
	failed = countdown < 0;
	countdown = -1;
	ck_assert_int_eq(policy == NULL, faults.errors > 0);
	if (text == sound)
		ck_assert_int_eq(policy == NULL, failed);
	gov_policy_unref(policy);
	gov_conf_faults_free(&faults);
	armed = false;
	ck_assert_msg(live == 0, "allocation %ld: %ld left", n, live);
	return failed;
}

START_TEST(every_allocation_of_a_sound_text)
{
	long n = 0;

	while (read_with_failure(sound, n))
		n++;
	ck_assert_int_gt(n, 100);
}
END_TEST

START_TEST(every_allocation_of_a_faulty_text)
{
	long n = 0;

	while (read_with_failure(faulty, n))
		n++;
	ck_assert_int_gt(n, 30);
}
END_TEST

static bool expand_with_failure(long n)
{
	struct gov_error error;
	char **names;
	long count;
	bool failed;

	live = 0;
	countdown = n;
	armed = true;
	count = gov_hostlist_expand("a[1-9],b", &names, &error);
	failed = countdown < 0;
	countdown = -1;
	ck_assert_int_eq(count, failed ? -1 : 10);
	gov_hostlist_free(names, count);
	armed = false;
	ck_assert_int_eq(live, 0);
	if (failed)
		ck_assert_int_eq(error.code, GOV_E_NOMEM);
	return failed;
}

START_TEST(every_allocation_of_a_hostlist)
{
	long n = 0;

	while (expand_with_failure(n))
		n++;
	ck_assert_int_gt(n, 10);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, every_allocation_of_a_sound_text);
	tcase_add_test(tcase, every_allocation_of_a_faulty_text);
	tcase_add_test(tcase, every_allocation_of_a_hostlist);
}

int main(void)
{
	return unit_main("conf_memory", cases);
}
#endif
