/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/printable.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 sequence that begins here; 0 if there is none. */
static size_t sequence_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80		       ? 1 :
		   s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		   s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5 ? 4 :
						 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n >= 3 &&
	    ((s[0] == 0xe0 && s[1] < 0xa0) ||  /* too long */
	     (s[0] == 0xed && s[1] >= 0xa0) || /* surrogates */
	     (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
		return 0;
	return n;
}

void gov_make_printable(char *text)
{
	unsigned char *from = (unsigned char *) text, *to = from;

	while (*from) {
		size_t n = sequence_length(from);
		bool control = *from < 0x20 || *from == 0x7f ||
			       (n == 2 && from[0] == 0xc2 && from[1] < 0xa0);

		if (n == 0 || control) {
			*to++ = '?';
			from += n ? n : 1;
			continue;
		}
		while (n--)
			*to++ = *from++;
	}
	*to = '\0';
}
