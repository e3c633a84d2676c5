#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 600
#
# kill -9 of slurmgovd, of slurmctld and of both, at the points of the story:
# waiting, admitted and not started, running, in grace, requeued. Afterwards
# usage is what the job list says, nothing is admitted twice, no deadline is
# lost and no job stays held for ever.

source "$(dirname "$0")/lib.sh"

# kill_all WHO...: with SIGKILL, all at once, and up again.
kill_all()
{
	local who
	for who; do cluster kill "$who"; done
	for who; do cluster start "$who"; done
	wait_until 30 as root sgov ping >/dev/null 2>&1 ||
		fail "no governor after killing $*"
	wait_until 30 scontrol ping >/dev/null 2>&1 ||
		fail "no slurmctld after killing $*"
	note "killed and started: $*"
}

story()
{
	local loan asker told

	# A loan that runs.
	loan=$(watcher bob --gpus=24)
	wait_state "$loan" RUNNING 10
	wait_saved
	kill_all "$@"
	expect "the loan runs on" job_is "$loan" RUNNING
	wait_for 10 "its charge, after $*" used_is nlp 24

	# An owner that waits while it is in its grace.
	asker=$(watcher alice --gpus=16)
	wait_for 10 "the notice" diary_has "$loan" 'signal TERM'
	told=$(job_diary "$loan" | awk '/signal TERM/ { print $1; exit }')
	wait_saved
	kill_all "$@"
	wait_until 40 not job_is "$loan" RUNNING || fail "the loan stays"
	expect "the grace was not cut short" awk -v a="$told" \
		-v b="$EPOCHREALTIME" 'BEGIN { exit b - a < 4.9 }'
	# Ours, and the one that slurmctld itself sends when it requeues.
	expect_equal "signals" \
		"$(job_diary "$loan" | grep -c 'signal TERM')" 2

	# A victim that has been requeued, an asker that is admitted.
	wait_state "$asker" RUNNING 30
	wait_saved
	kill_all "$@"
	expect "the asker runs" job_is "$asker" RUNNING
	# The asker may run while the loan's last node is still cleared up.
	wait_for 10 "the victim waits" job_held "$loan"
	stays 3 "the victim waits" job_held "$loan"
	wait_for 10 "usage as the job list has it" used_is vision 16
	wait_for 10 "usage as the job list has it" used_is nlp 0
	expect_match "evictions are counted once" \
		"$(job_field "$loan" AdminComment)" 'evictions=1'

	# Nothing stays held for ever.
	scancel "$asker"
	wait_state "$loan" RUNNING 30
	drain_all_jobs
}

story slurmgovd
story slurmctld
story slurmgovd slurmctld
