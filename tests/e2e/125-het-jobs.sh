#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 240
#
# Heterogeneous jobs of sbatch, salloc and srun: all components or none, in
# admission, release, reclaim and return; what they cost is counted.

source "$(dirname "$0")/lib.sh"

updates() { as root sgov ping --json | jq .governor.updates; }
# states JOB: of its components, in short.
states() { squeue -h -j "$1" -o %t | sort | paste -sd ' '; }
states_are() { [ "$(states "$1")" = "$2" ]; }
all_held()
{
	[ "$(squeue -h -j "$1" -o %Q | sort -u)" = 0 ]
}
waits_in_governor()
{
	as root sgov why "$1" --json |
		jq -e '.job.state == "waiting"' >/dev/null
}

# ---- sbatch: at once, or whole later ----

before=$(updates)
het=$(sleeper alice --gpus=8 : --gpus=4 : --gpus=4)
wait_until 20 states_are "$het" "R R R" || fail "it does not start"
wait_for 5 "one charge for all" used_is vision 16
expect_equal "updates for a job that is admitted at once" \
	$(($(updates) - before)) 0
second=$(sleeper alice --gov-borrow=no --gpus=2 : --gpus=2)
wait_for 5 "all components of the next wait" all_held "$second"
wait_for 5 "as one job" waits_in_governor "$second+1"
expect "nothing is charged for it" used_is vision 16
expect_not "its owner may release a component" \
	as alice scontrol release "$second+1"
before=$(updates)
scancel "$het"
wait_until 30 states_are "$second" "R R" || fail "it does not start"
expect_equal "updates to release it" $(($(updates) - before)) 1
scancel "$second"
wait_for 20 "nothing is charged" used_is vision 0

# Half of it would fit: it holds nothing, and others may use that.
own=$(sleeper alice --gpus=12)
wait_state "$own" RUNNING 10
het=$(sleeper alice --gov-borrow=no --gpus=4 : --gpus=4)
wait_for 5 "it waits whole" all_held "$het"
small=$(sleeper alice --gov-borrow=no --gpus=4)
wait_state "$small" RUNNING 10
cluster kill slurmgovd
cluster start slurmgovd
wait_for 15 "it waits whole after a restart" all_held "$het"
expect "what runs is charged" used_is vision 16
scancel "$own"
wait_until 30 states_are "$het" "R R" || fail "it does not start"
scancel "$het" "$small"
wait_for 20 "nothing is charged" used_is vision 0

# ---- taken back whole ----

loan=$(submit bob --gpus=12 : --gpus=12 "$(public_job watcher)")
wait_until 20 states_are "$loan" "R R" || fail "the loan does not start"
wait_for 10 "it is ready for signals" diary_has "$loan" ' start '
owner=$(sleeper alice --gpus=8)
wait_for 10 "it is told to leave" diary_has "$loan" 'signal TERM'
wait_state "$owner" RUNNING 30
wait_until 10 states_are "$loan" "PD PD" || fail "not all of it has left"
wait_for 10 "it waits whole" all_held "$loan"
scancel "$owner"
wait_until 30 states_are "$loan" "R R" || fail "it does not come back"
wait_for 5 "and is charged whole" used_is nlp 24
scancel "$loan"
wait_for 20 "nothing is charged" used_is nlp 0

# ---- salloc and srun ----

expect_equal "salloc of two components" "$(as alice salloc --gpus=8 : --gpus=8 \
	true 2>"$SAID"; echo $?)" 0
own=$(sleeper alice --gpus=16)
wait_state "$own" RUNNING 20
as alice salloc --gov-borrow=no --gpus=4 : --gpus=4 echo allocated \
	>"$WORK/salloc" 2>&1 &
salloc=$!
as alice srun --gov-borrow=no --gpus=4 : --gpus=4 true >"$WORK/srun" 2>&1 &
srun=$!
queued() { [ "$(squeue -h -u alice -t PD | wc -l)" = 4 ]; }
wait_for 10 "salloc and srun wait" queued
stays 2 "both of them, whole" queued
said=$(as alice salloc --immediate --gov-borrow=no --gpus=1 : --gpus=1 true \
	2>&1) && fail "salloc --immediate without quota ran: $said"
expect_match "salloc --immediate, by Slurm itself" "$said" 'not start immediately'
scancel "$own"
wait "$salloc" || fail "salloc: $(cat "$WORK/salloc")"
expect_match "salloc went on" "$(cat "$WORK/salloc")" '^allocated'
wait "$srun" || fail "srun: $(cat "$WORK/srun")"
wait_for 10 "nothing is charged" used_is vision 0
