/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes over a connected socket before a deadline.  Private to lib/wire.
 *
 * The socket may be blocking or not; its flags are left alone.  Deadlines are
 * milliseconds of the monotonic clock.
 */
#ifndef GOVERNANCE_WIRE_STREAM_H
#define GOVERNANCE_WIRE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Milliseconds of the monotonic clock, now. */
int64_t gov_stream_clock(void);

/* The deadline timeout_ms from now; a negative timeout has already passed. */
int64_t gov_stream_deadline(int timeout_ms);

/* What is left until the deadline, fit for poll(): 0..INT_MAX. */
int gov_stream_remaining(int64_t deadline);

/*
 * Read exactly length bytes.  0; 1 if the peer closed before the first one;
 * -1 with GOV_E_TIMEOUT, GOV_E_IO, or GOV_E_PROTOCOL for an end in between.
 */
int gov_stream_read(int fd, int64_t deadline, void *data, size_t length,
		    struct gov_error *error);

/* Write all of it.  0; -1 with GOV_E_TIMEOUT or GOV_E_IO.  No SIGPIPE. */
int gov_stream_write(int fd, int64_t deadline, const void *data, size_t length,
		     struct gov_error *error);

#endif
