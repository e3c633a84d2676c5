#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
#
# UsageHalfLife=: of two users of a team the one who had less lately goes
# first, though it asked later; the governor that is restarted in between
# knows it from its file; sgov why says it.

source "$(dirname "$0")/lib.sh"

sed -e '$a UsageHalfLife=10:00' -e 's/^Quota Team=vision.*/& BorrowLimit=0/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
set_policy "$WORK/policy" || fail "policy"

usage() { as root sgov why "$1" --json | jq ".usage.$2"; }

first=$(sleeper alice --gpus=16)
wait_state "$first" RUNNING 10
older=$(sleeper alice --gpus=16)
sleep 2
newer=$(sleeper anna --gpus=16)
expect "both wait" job_held "$older"
wait_for 10 "both wait" job_held "$newer"
expect "alice had something lately" test "$(usage "$older" user)" -gt 1000
expect_equal "what anna had" "$(usage "$newer" user)" 0
expect_match "sgov why" "$(as root sgov why "$older")" \
	'Lately \(half-life 00:10:00\) its user had [0-9.]+ % of all quotas'

# ---- over a restart ----

wait_saved
cluster stop slurmgovd || fail "slurmgovd does not stop"
expect_match "the file" "$(cat "$LAB_DIR/state/governance/usage")" \
	'vision 21001 gres/gpu [0-9]'
cluster start slurmgovd
wait_until 30 as root sgov ping >/dev/null 2>&1 || fail "no governor"
wait_for 20 "alice is remembered" test "$(usage "$older" user)" -gt 1000

scancel "$first"
wait_state "$newer" RUNNING 20
expect "alice's older job waits" job_held "$older"
scancel "$newer"
wait_state "$older" RUNNING 20
