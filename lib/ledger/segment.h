/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a ledger.
 *
 *	ledger/000000000001-000001.log.zst	closed, never changed again
 *	ledger/000000004711-000003.log		the last one
 *	ledger/head				seq and hash last made durable
 *	ledger/epoch				of the governor that writes
 *
 * A name is the seq of the first record and the epoch of who wrote the file.
 * Every start of a governor is a new epoch and begins a new file.  So a second
 * governor that took the first for dead does not touch the first one's file,
 * and what the first still writes behind the place where the second went on is
 * known for what it is: fenced, no part of the chain.
 */
#ifndef GOVERNANCE_LEDGER_SEGMENT_H
#define GOVERNANCE_LEDGER_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "ledger/chain.h"

#define GOV_SEGMENT_NAME 40

struct gov_segment {
	uint64_t first; /* seq of its first record */
	uint64_t epoch;
	bool compressed;
	char name[GOV_SEGMENT_NAME];
};

struct gov_segments {
	struct gov_segment *item; /* by first, then epoch */
	size_t count;
};

void gov_segment_name(struct gov_segment *segment);
/* A directory that does not exist has no segments. */
int gov_segments_list(const char *directory, struct gov_segments *list,
		      struct gov_error *error);
void gov_segments_free(struct gov_segments *list);

/*
 * All of it, decompressed, with a NUL behind it; free() it.  digest, unless
 * NULL: SHA-256 of the file as it is.
 */
int gov_segment_load(const char *directory, const struct gov_segment *segment,
		     char **data, size_t *length, uint8_t *digest,
		     struct gov_error *error);

/* Replace the closed file by a compressed one with this digest. */
int gov_segment_compress(const char *directory, struct gov_segment *segment,
			 uint8_t *digest, struct gov_error *error);

/* So that new names, too, survive a loss of power.  0, or -1 with errno. */
int gov_sync_directory(const char *directory);

/* Small files of one line.  Reading: 0, 1 there is none, -1. */
int gov_head_read(const char *directory, struct gov_chain *head,
		  struct gov_error *error);
int gov_head_write(const char *directory, const struct gov_chain *head);
int gov_epoch_read(const char *directory, uint64_t *epoch,
		   struct gov_error *error);
int gov_epoch_write(const char *directory, uint64_t epoch,
		    struct gov_error *error);

#endif
