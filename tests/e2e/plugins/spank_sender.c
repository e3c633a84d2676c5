/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A user's own SPANK plugin (SLURM_CONF is the user's choice): sends what
 * $SEND_NAME and $SEND_VALUE say in spank_job_env, $SEND_SIZE more bytes of it.
 */
#include <slurm/spank.h>

#include <stdlib.h>
#include <string.h>

SPANK_PLUGIN(sender, 1);

int slurm_spank_init_post_opt(spank_t sp, int ac, char **av)
{
	const char *name = getenv("SEND_NAME");
	const char *value = getenv("SEND_VALUE");
	const char *size = getenv("SEND_SIZE");
	size_t have = value ? strlen(value) : 0;
	size_t more = size ? strtoul(size, NULL, 10) : 0;
	char *text;

	if (!name || spank_remote(sp))
		return 0;
	text = malloc(have + more + 1);
	if (!text)
		return -1;
	memcpy(text, value ? value : "", have);
	memset(text + have, 'x', more);
	text[have + more] = '\0';
	spank_job_control_setenv(sp, name, text, 1);
	free(text);
	return 0;
}
