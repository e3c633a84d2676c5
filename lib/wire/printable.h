/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_WIRE_PRINTABLE_H
#define GOVERNANCE_WIRE_PRINTABLE_H

/*
 * Make text of others fit for a terminal and for JSON, in place: what could
 * steer a terminal (control characters, also the C1 set in UTF-8) and what is
 * no UTF-8 becomes '?'.  The text never grows.
 */
void gov_make_printable(char *text);

#endif
