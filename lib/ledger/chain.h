/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chain: every record's hash covers its own text and the hash of the
 * record before,
 *
 *	hash = SHA-256(hash of the record before, 32 bytes | text of the line
 *	               up to and without ,"hash":)
 *
 * so that no record can be changed, removed or put in between without all
 * that follow becoming wrong.  The first record follows 32 zero bytes.
 *
 * SHA-256 comes from libgcrypt: munged, which every such host runs, brings it
 * anyway; its licence (LGPL) goes with ours; it uses the CPU's instructions.
 */
#ifndef GOVERNANCE_LEDGER_CHAIN_H
#define GOVERNANCE_LEDGER_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/text.h"

#define GOV_HASH_SIZE 32
#define GOV_HASH_TEXT 64 /* hex digits, without a NUL */
/* Bytes of ,"hash":"<64>"} at the end of a line. */
#define GOV_CHAIN_TAIL (9 + GOV_HASH_TEXT + 2)

/* Where a chain is: after record `seq`.  All zero: before the first. */
struct gov_chain {
	uint64_t seq;
	uint8_t hash[GOV_HASH_SIZE];
};

/*
 * The text from `begin` to the end of `out` is the next record: move the
 * chain on and append its hash, the brace and a newline.
 */
void gov_chain_close(struct gov_chain *chain, struct gov_text *out,
		     size_t begin);

/*
 * Is this line (without newline) what follows?  true: the chain moved on.
 * The seq within is not looked at; the chain's is raised by one.
 */
bool gov_chain_follow(struct gov_chain *chain, const char *line, size_t length);
/* The same without working the hash out: the line's own word is taken. */
bool gov_chain_trust(struct gov_chain *chain, const char *line, size_t length);

/* SHA-256 of some bytes. */
void gov_digest_of(const char *data, size_t length,
		   uint8_t hash[GOV_HASH_SIZE]);
/* HMAC-SHA-256 of some bytes.  -1: no memory. */
int gov_digest_keyed(const void *key, size_t key_length, const char *data,
		     size_t length, uint8_t hash[GOV_HASH_SIZE]);
void gov_digest_text(const uint8_t hash[GOV_HASH_SIZE], char *text);
/* false: not 64 lower-case hex digits. */
bool gov_digest_read(const char *text, uint8_t hash[GOV_HASH_SIZE]);

#endif
