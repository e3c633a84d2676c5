#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: none
# Needs: shellcheck
#
# Shell scripts are clean: those of the lab and its tests in all that
# shellcheck has to say, all others at least of errors.

cd "$(dirname "$0")/../.." || exit 1

scripts_in()
{
	grep -rlE --exclude-dir=.git --exclude-dir='build*' \
		'^#!.*[/ ](ba)?sh( |$)' "$@"
}

mapfile -t ours < <(scripts_in lab tests/e2e .ci)
mapfile -t others < <(scripts_in tests bench autogen.sh)
echo "${#ours[@]} scripts of the lab, ${#others[@]} others"
[ "${#ours[@]}" -ge 8 ] || exit 1
shellcheck --external-sources --check-sourced "${ours[@]}" &&
	shellcheck --severity=error "${others[@]}"
