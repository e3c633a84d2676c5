/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readiness for systemd, without its library. */
#ifndef GOVERNANCE_SLURMGOVD_NOTIFY_H
#define GOVERNANCE_SLURMGOVD_NOTIFY_H

/*
 * Send e.g. "READY=1\nSTATUS=active" to NOTIFY_SOCKET; nothing happens where
 * there is none.
 */
void gov_notify(const char *text);

#endif
