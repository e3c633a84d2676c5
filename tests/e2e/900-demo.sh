#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: none
# Timeout: 300
#
# The demo as a newcomer runs it: its story comes true in two minutes, and
# nothing is left running.

source "$(dirname "$0")/lib.sh"

[ -x "${LAB_BUILD:-$LAB_SOURCE/../build}/slurmgovd/slurmgovd" ] ||
	skip "slurmgovd is not built"

LAB_DIR=$LAB_DIR-demo LAB_PORT=$((LAB_PORT + 200))
trap 'cluster clean' EXIT
expect "the story of the demo" "$LAB_SOURCE/demo"
expect "less than 120 seconds of it" test "$(seconds_since_start |
	cut -d . -f 1)" -lt 120
expect_not "processes of the demo" grep -lz -- \
	"SLURM_GOVERNANCE_LAB=$LAB_DIR" /proc/[0-9]*/environ
