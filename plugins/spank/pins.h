/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds the namespaces of a job between its processes: mounts of
 * /proc/.../ns/mnt and ns/ipc on two files in run_dir/namespaces.
 *
 * That directory is a mount of its own, so that no other namespace holds a
 * copy of a pin; it is one only while there are pins.  What changes it is done
 * under its lock; looking needs none.
 */
#ifndef GOVERNANCE_SPANK_PINS_H
#define GOVERNANCE_SPANK_PINS_H

#include <stdbool.h>
#include <stdint.h>

struct pins {
	int dir;  /* run_dir/namespaces */
	int lock; /* a file beside it; -1: not held */
};

/* Open in run_dir, for pins_find() only.  0, or -1 with errno. */
int pins_open_to_look(struct pins *pins, int run_dir);

/*
 * Open in run_dir, and wait for the lock, 3 s at most.  0, or -1 with errno
 * (ENOENT: there is none, and create was not set; ETIMEDOUT).
 */
int pins_open(struct pins *pins, int run_dir, bool create);

/* Let go of the lock, and of the mount if no pins are left. */
void pins_close(struct pins *pins, int run_dir);

/* Descriptors of the job's namespaces.  0, or -1 with errno (ENOENT: none). */
int pins_find(const struct pins *pins, uint32_t job, int *mnt, int *ipc);

/* Calls found() for each job that has a pin, or what was to become one; for
 * some twice.  0, or -1 with errno. */
int pins_list(const struct pins *pins,
	      void (*found)(void *context, uint32_t job), void *context);

/* Hold these for the job.  0, or -1 with errno and nothing held. */
int pins_hold(const struct pins *pins, uint32_t job, int mnt, int ipc);

/* Hold them no longer; nothing, if none are held. */
void pins_release(const struct pins *pins, uint32_t job);

#endif
