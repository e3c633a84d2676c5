#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: none
# Needs: shellcheck
#
# Every shell script of the project is clean.

cd "$(dirname "$0")/../.." || exit 1
mapfile -t scripts < <(
	grep -rlE --exclude-dir=.git --exclude-dir='build*' \
		'^#!.*[/ ](ba)?sh( |$)' lab tests bench .ci 2>/dev/null)
echo "${#scripts[@]} scripts and what they source"
[ "${#scripts[@]}" -ge 6 ] || exit 1
shellcheck --external-sources --check-sourced "${scripts[@]}"
