#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# Without a governor: wait, pass and reject; and what becomes of the jobs when
# it is back. slurmctld never waits longer than the deadline.

source "$(dirname "$0")/lib.sh"

lab_changed
policy_with()
{
	sed "/^OnGovernorDown=/d; \$a OnGovernorDown=$1" \
		"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
	set_policy "$WORK/policy" || fail "policy OnGovernorDown=$1"
	# The plugin learns it with the next answer.
	scancel "$(submit alice --gpus=1 --wrap=true)"
}
# submit_time: microseconds that slurmctld needs for a submission, by its own
# count over four of them.
submit_time()
{
	scontrol ping >/dev/null && sdiag --reset >/dev/null
	for _ in 1 2 3 4; do
		as alice sbatch --hold --gpus=1 --wrap=true >/dev/null 2>&1
	done
	sdiag | sed -n 's/^\tREQUEST_SUBMIT_BATCH_JOB .*ave_time:\([0-9]*\).*/\1/p'
}
DEADLINE=20000
SLACK=30000	# this machine may have other things to do

policy_with wait
usual=$(submit_time)
cluster kill slurmgovd
job=$(sleeper alice --gpus=4)
expect_match "what sbatch says" "$(cat "$SAID")" 'governance:.*governor'
expect "accepted and held" job_held "$job"
down=$(submit_time)
expect "a submission takes slurmctld $usual us, $down us without a governor" \
	test "$down" -le $((usual + SLACK))
stays 1 "held" job_held "$job"
expect_not "the owner may release it" as alice scontrol release "$job"
expect "still held" job_held "$job"
cluster start slurmgovd
wait_state "$job" RUNNING 10
drain_all_jobs

policy_with pass
cluster kill slurmgovd
job=$(sleeper alice --gpus=4)
expect_match "what sbatch says" "$(cat "$SAID")" 'governance:.*governor'
wait_state "$job" RUNNING 5
cluster start slurmgovd
counted() { [ "$(as root sgov queue -nP 2>/dev/null |
	grep -c "^$job|.*|running|")" = 1 ]; }
wait_for 10 "the job counted as running" counted
drain_all_jobs

policy_with reject
cluster kill slurmgovd
said=$(refused alice --gpus=1 --wrap=true)
expect_match "refusal" "$said" 'governance:.*GOV-311'
# slurmctld restarts without a governor, and knows what to do.
cluster kill slurmctld
cluster start slurmctld
said=$(refused alice --gpus=1 --wrap=true)
expect_match "refusal after a restart of slurmctld" "$said" 'GOV-311'
cluster start slurmgovd
wait_until 10 as root sgov ping >/dev/null 2>&1
job=$(sleeper alice --gpus=1)
wait_state "$job" RUNNING 10

# Stopped, not dead: the deadline counts.
policy_with wait
read -r pid _ <"$LAB_DIR"/run/slurmgovd.pid
kill -STOP "$pid"
slow=$(submit_time)
kill -CONT "$pid"
# It must have waited, or this shows nothing.
expect "waiting for a governor that hangs ($slow us)" test "$slow" -ge 10000
expect "no longer than the deadline" \
	test "$slow" -le $((usual + DEADLINE + SLACK))
