/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm sends the values to the controller in spank_job_env, where the
 * job_submit plugin reads them; see README for their names there.  What is
 * checked here is only to tell a user of a slip at once: the governor checks
 * everything again.
 */
#include "plugins/spank/login.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 63

static int option_given(int val, const char *value, int remote);

enum { CLASS, PROJECT, BORROW };

static struct spank_option options[] = {
	{ "gov-class", "NAME", "priority class of the job (see sgov status)", 1,
	  CLASS, option_given },
	{ "gov-project", "NAME", "project that the job is counted under", 1,
	  PROJECT, option_given },
	{ "gov-borrow", "yes|no",
	  "whether the job may run on quota that its "
	  "team borrows",
	  1, BORROW, option_given },
};
#define OPTIONS (sizeof(options) / sizeof(*options))

void login_forget_inherited(void)
{
	unsetenv("SLURM_SPANK__SLURM_SPANK_OPTION_governance_gov_class");
	unsetenv("SLURM_SPANK__SLURM_SPANK_OPTION_governance_gov_project");
	unsetenv("SLURM_SPANK__SLURM_SPANK_OPTION_governance_gov_borrow");
}

static bool is_name(const char *value)
{
	size_t length = strnlen(value, NAME_MAX_LENGTH + 1);

	return length > 0 && length <= NAME_MAX_LENGTH &&
	       strspn(value, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "0123456789_.@+-") == length;
}

const char *login_check_value(const char *option, const char *value)
{
	if (strcmp(option, options[BORROW].name) == 0)
		return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0 ?
			       NULL :
			       "yes or no";
	return is_name(value) ?
		       NULL :
		       "a name: 1 to 63 characters of A-Z a-z 0-9 _ . @ + -";
}

/*
 * Also called on nodes (remote), where the values come through the job's
 * environment and mean nothing.
 */
static int option_given(int val, const char *value, int remote)
{
	const char *option = options[val].name;
	const char *wrong;

	if (remote)
		return ESPANK_SUCCESS;
	wrong = login_check_value(option, value ? value : "");
	if (!wrong)
		return ESPANK_SUCCESS;
	slurm_error("--%s takes %s", option, wrong);
	return ESPANK_ERROR;
}

void login_register_options(spank_t sp)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		spank_err_t rc = spank_option_register(sp, &options[i]);

		if (rc != ESPANK_SUCCESS)
			slurm_verbose("governance: no option --%s here: %s",
				      options[i].name, spank_strerror(rc));
	}
}
