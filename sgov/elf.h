/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SGOV_ELF_H
#define GOVERNANCE_SGOV_ELF_H

#include <stdint.h>

/*
 * The 32-bit constant that a shared object exports as `name' (of a Slurm
 * plugin: plugin_version), without loading it.  0; -1 if there is none, or
 * the file is no shared object of this machine's kind.
 */
int sgov_elf_constant(const char *path, const char *name, uint32_t *value);

#endif
