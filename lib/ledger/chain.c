/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/chain.h"

#include <pthread.h>
#include <string.h>

#define GCRYPT_NO_DEPRECATED
#include <gcrypt.h>

static const char before[] = ",\"hash\":\"";
static const char behind[] = "\"}";

static void begin_gcrypt(void)
{
	/* Whoever uses it in this process first, once is enough. */
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void gov_digest_of(const char *data, size_t length, uint8_t hash[GOV_HASH_SIZE])
{
	pthread_once(&once, begin_gcrypt);
	gcry_md_hash_buffer(GCRY_MD_SHA256, hash, data, length);
}

int gov_digest_keyed(const void *key, size_t key_length, const char *data,
		     size_t length, uint8_t hash[GOV_HASH_SIZE])
{
	gcry_buffer_t part[2] = { 0 };

	pthread_once(&once, begin_gcrypt);
	part[0].data = (void *) key;
	part[0].len = key_length;
	part[1].data = (void *) data;
	part[1].len = length;
	return gcry_md_hash_buffers(GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC, hash,
				    part, 2) ?
		       -1 :
		       0;
}

static void hash_next(const struct gov_chain *chain, const char *text,
		      size_t length, uint8_t hash[GOV_HASH_SIZE])
{
	gcry_buffer_t part[2] = { 0 };

	pthread_once(&once, begin_gcrypt);
	part[0].data = (void *) chain->hash;
	part[0].len = GOV_HASH_SIZE;
	part[1].data = (void *) text;
	part[1].len = length;
	gcry_md_hash_buffers(GCRY_MD_SHA256, 0, hash, part, 2);
}

void gov_digest_text(const uint8_t hash[GOV_HASH_SIZE], char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < GOV_HASH_SIZE; i++) {
		*text++ = digits[hash[i] >> 4];
		*text++ = digits[hash[i] & 15];
	}
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gov_digest_read(const char *text, uint8_t hash[GOV_HASH_SIZE])
{
	for (int i = 0; i < GOV_HASH_SIZE; i++) {
		int high = digit(text[2 * i]);
		int low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		hash[i] = (uint8_t) (high * 16 + low);
	}
	return true;
}

void gov_chain_close(struct gov_chain *chain, struct gov_text *out,
		     size_t begin)
{
	char tail[GOV_CHAIN_TAIL + 1];
	uint8_t hash[GOV_HASH_SIZE];

	if (out->failed)
		return;
	hash_next(chain, out->data + begin, out->length - begin, hash);
	memcpy(tail, before, 9);
	gov_digest_text(hash, tail + 9);
	memcpy(tail + 9 + GOV_HASH_TEXT, behind, 2);
	tail[GOV_CHAIN_TAIL] = '\n';
	gov_text_add(out, tail, sizeof(tail));
	if (out->failed)
		return;
	memcpy(chain->hash, hash, sizeof(hash));
	chain->seq++;
}

static bool has_tail(const char *line, size_t length)
{
	return length > GOV_CHAIN_TAIL &&
	       memcmp(line + length - GOV_CHAIN_TAIL, before, 9) == 0 &&
	       memcmp(line + length - 2, behind, 2) == 0;
}

bool gov_chain_follow(struct gov_chain *chain, const char *line, size_t length)
{
	uint8_t hash[GOV_HASH_SIZE];
	char text[GOV_HASH_TEXT];

	if (!has_tail(line, length))
		return false;
	hash_next(chain, line, length - GOV_CHAIN_TAIL, hash);
	gov_digest_text(hash, text);
	if (memcmp(text, line + length - 2 - GOV_HASH_TEXT, sizeof(text)) != 0)
		return false;
	memcpy(chain->hash, hash, sizeof(hash));
	chain->seq++;
	return true;
}

bool gov_chain_trust(struct gov_chain *chain, const char *line, size_t length)
{
	if (!has_tail(line, length) ||
	    !gov_digest_read(line + length - 2 - GOV_HASH_TEXT, chain->hash))
		return false;
	chain->seq++;
	return true;
}
