/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/files.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/conf.h"
#include "sgov/sgov.h"

struct gov_policy *sgov_load_policy(const char *path, const char *cluster)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_load(path, cluster, &faults);

	for (size_t i = 0; i < faults.count && !policy; i++) {
		char *text = gov_conf_fault_string(&faults.item[i]);

		if (!faults.item[i].warning)
			sgov_error("%s", text ? text : "out of memory");
		free(text);
	}
	gov_conf_faults_free(&faults);
	return policy;
}

char *sgov_read_all(FILE *file, size_t most, size_t *length)
{
	size_t space = 65536, n = 1;
	char *text = NULL;
	int saved;

	*length = 0;
	while (file && n && *length <= most) {
		space = text ? space * 2 : space;
		text = sgov_realloc(text, space + 1);
		n = fread(text + *length, 1, space - *length, file);
		*length += n;
	}
	saved = errno;
	if (text && ferror(file)) {
		free(text);
		text = NULL;
	}
	if (text)
		text[*length] = '\0';
	if (file && file != stdin)
		fclose(file);
	errno = saved;
	return text;
}
