/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main() for a unit test: define UNIT_NAME and unit_cases(), include this. */
#ifndef GOVERNANCE_TESTS_UNIT_H
#define GOVERNANCE_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

static inline int unit_main(const char *name, void (*add)(TCase *tcase))
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	add(tcase);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
