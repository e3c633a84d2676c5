#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: none
# Needs: shellcheck
#
# Shell scripts are clean: in the lab and its tests shellcheck has nothing to
# say, in all others it finds no errors.

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
