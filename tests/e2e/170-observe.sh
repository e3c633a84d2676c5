#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# observe: the same story, and nothing in Slurm changes. It is also the first
# step of backing out: what was held for quota is let go.

source "$(dirname "$0")/lib.sh"

lab_changed
held=$(sleeper bob --gpus=24)
wait_state "$held" RUNNING 5
held=$(sleeper bob --gpus=8)
expect "waits for quota while it is enforced" job_held "$held"
by_user=$(sleeper bob --hold --gpus=1)
sed 's/^Enforcement=.*/Enforcement=observe/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
set_policy "$WORK/policy" || fail "policy"
LOG=$LAB_DIR/log/slurmgovd.log
mark=$(wc -l <"$LOG")
said_since() { tail -n +$((mark + 1)) "$LOG" | grep -qiE -- "$1"; }

wait_state "$held" RUNNING 15
expect "its user's hold stays" job_held "$by_user"
drain_all_jobs

# nlp takes all it can get, beyond its limit.
for _ in 1 2 3 4; do
	job=$(sleeper bob --gpus=8)
	wait_state "$job" RUNNING 5
	expect_not "held" job_held "$job"
done
# vision wants its own back; in observe nobody is told to leave.
owner=$(sleeper alice --gpus=16)
expect_not "held" job_held "$owner"
wait_for 5 "a line of what would have been done" said_since 'observe: would'
stays 7 "all four of nlp's jobs run on" gpus_are bob 32
expect_equal "restarts" "$(job_field "$job" Restarts)" 0
# Somebody of no team is not refused either.
eves=$(sleeper eve --gpus=1)
expect_not "held" job_held "$eves"
wait_for 5 "a line about eve's job" said_since "observe: would.*(refuse|team)"
# No stamp anywhere: nothing was written.
for id in "$job" "$owner" "$eves"; do
	expect_equal "AdminComment of job $id" \
		"$(job_field "$id" AdminComment)" ''
done
