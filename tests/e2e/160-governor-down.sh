#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
# Status: draft
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
milliseconds()
{
	local start=${EPOCHREALTIME/./}
	"$@" >/dev/null 2>&1
	echo $(((${EPOCHREALTIME/./} - start) / 1000))
}
median_of_5()
{
	for _ in 1 2 3 4 5; do
		milliseconds "$@"
	done | sort -n | sed -n 3p
}

policy_with wait
usual=$(median_of_5 as alice sbatch --hold --gpus=1 --wrap=true)
cluster kill slurmgovd
job=$(sleeper alice --gpus=4)
expect_match "what sbatch says" "$(cat "$SAID")" 'governance:.*governor'
expect "accepted and held" job_held "$job"
down=$(median_of_5 as alice sbatch --hold --gpus=1 --wrap=true)
expect "submission takes no longer than the deadline more ($usual, $down ms)" \
	test "$down" -le $((usual + 60))
stays 2 "held" job_held "$job"
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
slow=$(median_of_5 as alice sbatch --hold --gpus=1 --wrap=true)
kill -CONT "$pid"
expect "a governor that hangs costs no more than its deadline ($usual, $slow ms)" \
	test "$slow" -le $((usual + 60))
