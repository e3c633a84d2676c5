/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words for people instead of the identifiers in the governor's answers.  An
 * identifier that this release does not know is returned as it is.
 */
#ifndef GOVERNANCE_SGOV_WORDS_H
#define GOVERNANCE_SGOV_WORDS_H

const char *sgov_limit_words(const char *kind);
const char *sgov_rule_words(const char *rule);
const char *sgov_protection_words(const char *protection);
const char *sgov_state_words(const char *state);

#endif
