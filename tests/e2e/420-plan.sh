#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sgov plan tells what a policy would do to the jobs there are, and does
# nothing; sgov apply does it, unless somebody else was quicker.

source "$(dirname "$0")/lib.sh"

CONF=$LAB_DIR/etc/governance.conf

lab_changed
cp "$CONF" "$WORK/taking.conf"
sed '/^ClusterName/a Reclaim=Never' "$CONF" >"$WORK/giving.conf"
expect "a policy is applied" as root sgov apply --yes "$WORK/giving.conf"
cmp -s "$CONF" "$WORK/giving.conf" || fail "it is not the file in place"
cmp -s "$CONF.previous" "$WORK/taking.conf" || fail "the old one is not kept"

loan=$(watcher bob --gpus=24)
wait_state "$loan" RUNNING 10
owner=$(sleeper alice --gpus=16)
wait_for 5 "the owner waits" job_held "$owner"

# ---- the plan ----

plan=$(as root sgov plan "$WORK/taking.conf" --json)
then_of() { jq -r --arg job "$1" '.jobs[] | select(.job == $job).after' <<<"$plan"; }
expect_equal "the loan" "$(then_of "$loan")" reclaiming
expect_equal "the owner" "$(then_of "$owner")" claiming
expect_equal "for whom" "$(jq -r --arg job "$loan" \
	'.jobs[] | select(.job == $job).asker' <<<"$plan")" "$owner"
expect_equal "leaving" "$(jq -r '.teams[] | select(.team == "nlp" and
	.tres == "gres/gpu") | "\(.before.leaving) \(.after.leaving)"' \
	<<<"$plan")" "0 24"
expect_match "as a table" "$(as root sgov plan "$WORK/taking.conf")" \
	"^$loan +nlp +bob +running +reclaiming .* $owner"
expect_match "the same policy" "$(as root sgov plan "$WORK/giving.conf")" \
	'^0 of 2 jobs change'
stays 2 "nothing has happened" job_is "$loan" RUNNING
expect "the owner still waits" job_held "$owner"

# ---- who may not, and what is no policy ----

as alice sgov plan "$WORK/taking.conf" 2>"$WORK/said" &&
	fail "a user may plan"
expect_match "a user" "$(cat "$WORK/said")" 'may not plan'
echo 'TeamName=a Quotaa=5' >"$WORK/bad.conf"
as root sgov apply --yes "$WORK/bad.conf" 2>"$WORK/said" &&
	fail "a policy with errors is applied"
expect_match "errors" "$(cat "$WORK/said")" 'bad.conf:1:'
cmp -s "$CONF" "$WORK/giving.conf" || fail "the file was changed"

# ---- two at a time ----

mkfifo "$WORK/answer"
as root sgov apply "$WORK/taking.conf" <"$WORK/answer" \
	>"$WORK/slow" 2>&1 &
slow=$!
exec 9>"$WORK/answer"
wait_for 5 "the first is asked" grep -q 'Put it in force' "$WORK/slow"
sed 's/Reclaim=Never/Reclaim=never/' "$WORK/giving.conf" >"$WORK/other.conf"
expect "the second is quicker" as root sgov apply --yes "$WORK/other.conf"
echo y >&9
exec 9>&-
wait "$slow" && fail "the first overwrote the second"
expect_match "a conflict" "$(cat "$WORK/slow")" 'somebody changed it'
cmp -s "$CONF" "$WORK/other.conf" || fail "the second one is gone"

# ---- and for real ----

expect_not "it without a yes" as root sgov apply "$WORK/taking.conf" </dev/null
stays 1 "nothing has happened" job_is "$loan" RUNNING
expect "it is applied" as root sgov apply --yes "$WORK/taking.conf"
wait_state "$owner" RUNNING 60
wait_for 5 "the loan is given back" job_held "$loan"
drain_all_jobs
