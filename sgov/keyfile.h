/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Key=Value pairs of a file in slurm.conf syntax, without knowing what
 * they mean.  For the few keys of slurm.conf that sgov needs, and for Listen=
 * of a governance.conf that may have faults elsewhere.
 */
#ifndef GOVERNANCE_SGOV_KEYFILE_H
#define GOVERNANCE_SGOV_KEYFILE_H

/*
 * Call visit for every pair in the order of the file; Include is followed (a
 * relative name is beside the file), `\' continues a line, '#' begins a
 * comment, values may be quoted.  Keys are as written: compare without case.
 * 0; -1 with errno if the file (not an included one) cannot be read.
 */
int sgov_keyfile_read(const char *path,
		      void (*visit)(const char *key, const char *value,
				    void *arg),
		      void *arg);

#endif
