/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int gov_error_set(struct gov_error *e, enum gov_code code, const char *format,
		  ...)
{
	va_list args;

	if (!e)
		return -1;
	e->code = code;
	va_start(args, format);
	if (vsnprintf(e->text, sizeof(e->text), format, args) < 0)
		strcpy(e->text, "unprintable error");
	va_end(args);
	for (char *p = e->text; *p; p++)
		if ((unsigned char) *p < 0x20 || *p == 0x7f)
			*p = '?';
	return -1;
}

const char *gov_code_name(enum gov_code code)
{
	switch (code) {
	case GOV_OK: return "GOV-0";
#define NAME(constant, number)                                       \
	case constant:;                                              \
		_Static_assert((int) constant == number, #constant); \
		return "GOV-" #number
		NAME(GOV_E_NOMEM, 101);
		NAME(GOV_E_IO, 102);
		NAME(GOV_E_TIMEOUT, 103);
		NAME(GOV_E_PROTOCOL, 104);
		NAME(GOV_E_AUTH, 105);
		NAME(GOV_E_DOWN, 106);
		NAME(GOV_E_INTERNAL, 107);
		NAME(GOV_E_PERMISSION, 108);
		NAME(GOV_E_STATE, 109);
		NAME(GOV_E_SYNTAX, 201);
		NAME(GOV_E_UNKNOWN_KEY, 202);
		NAME(GOV_E_VALUE, 203);
		NAME(GOV_E_REFERENCE, 204);
		NAME(GOV_E_DUPLICATE, 205);
		NAME(GOV_E_OVERFLOW, 206);
		NAME(GOV_E_OVERSOLD, 207);
		NAME(GOV_R_NO_TEAM, 301);
		NAME(GOV_R_WHICH_TEAM, 302);
		NAME(GOV_R_NOT_MEMBER, 303);
		NAME(GOV_R_NO_CLASS, 304);
		NAME(GOV_R_CLASS_DENIED, 305);
		NAME(GOV_R_NO_PROJECT, 306);
		NAME(GOV_R_REQUEST, 307);
		NAME(GOV_R_TOO_LARGE, 308);
		NAME(GOV_R_CLASS_LIMIT, 309);
		NAME(GOV_R_NO_POOL, 310);
		NAME(GOV_R_DOWN, 311);
		NAME(GOV_R_NOT_ALLOWED, 312);
		NAME(GOV_R_IMMEDIATE, 313);
#undef NAME
	}
	return "GOV-999";
}
