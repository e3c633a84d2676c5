/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log, in Slurm's style:
 *
 *	[2026-12-02T10:00:00.123] error: slurm: cannot read the job list: …
 *
 * Any thread.  A line is one write; control characters become '?'.
 */
#ifndef GOVERNANCE_SLURMGOVD_LOG_H
#define GOVERNANCE_SLURMGOVD_LOG_H

#include <stdbool.h>

enum gov_log_level {
	GOV_LOG_FATAL,
	GOV_LOG_ERROR,
	GOV_LOG_INFO,
	GOV_LOG_VERBOSE,
	GOV_LOG_DEBUG,
	GOV_LOG_LEVELS
};

/* Subsystems; each has a level of its own. */
enum gov_log_area {
	GOV_LOG_MAIN,
	GOV_LOG_SUBMIT,
	GOV_LOG_ENGINE,
	GOV_LOG_SLURM,
	GOV_LOG_CLIENT,
	GOV_LOG_MEMBERS,
	GOV_LOG_GRANT,
	GOV_LOG_AREAS
};

/*
 * Where to: a file (appended, reopened by gov_log_reopen() for logrotate), or
 * NULL for stderr.  0, or -1 with errno; then the log stays where it was.
 */
int gov_log_open(const char *path);
int gov_log_reopen(void);

/*
 * Levels from text: "info", or "info,engine=debug,submit=verbose"; NULL is
 * "info".  -1: a word is unknown, then nothing changed.
 */
int gov_log_set_levels(const char *text);
/* More than LogLevel= says, for -v: every area one level up per step. */
void gov_log_raise(int steps);

/*
 * What this thread logs is dropped until it is told otherwise, for who tries
 * out what is not done.  Returns what was so before.
 */
bool gov_log_mute(bool mute);

bool gov_log_enabled(enum gov_log_area area, enum gov_log_level level);
void gov_log(enum gov_log_area area, enum gov_log_level level,
	     const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
