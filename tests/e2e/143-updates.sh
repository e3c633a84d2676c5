#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 360
#
# What governance costs slurmctld, by the governor's own count: an array of
# 1,000 tasks takes a handful of updates, who waits in vain costs none, and
# MaxUpdatesPerSecond is kept. While slurmctld does not answer, nothing is sent
# twice and nobody is forgotten; while half of its threads are busy there are
# fewer.

source "$(dirname "$0")/lib.sh"

lab_changed
count() { as root sgov ping --json | jq ".governor.${1:-updates}"; }
running_tasks() { squeue -h -r -j "$1" -t R -o %i | wc -l; }
tasks_are() { [ "$(running_tasks "$1")" = "$2" ]; }
settled() { [ "$(count updates_waiting)" = 0 ]; }

before=$(count)
array=$(sleeper alice --array=1-1000 --gpus=1)
wait_for 30 "24 tasks, 16 on its team's quota and 8 borrowed" \
	tasks_are "$array" 24
wait_for 10 "nothing is on its way" settled
cost=$(($(count) - before))
expect "an array of 1,000 tasks costs $cost updates" test "$cost" -le 6
expect_equal "updates that failed" "$(count update_failures)" 0

# An owner whose victims are protected asks in vain, and only once.
reserve=$(sleeper bob --gpus=8)
wait_state "$reserve" RUNNING 20
expect "reclaims are held" as root sgov hold-reclaims
asker=$(sleeper bob --gpus=8 --gov-borrow=no)
wait_for 10 "it waits" job_held "$asker"
wait_for 10 "nothing is on its way" settled
sleep 1
before=$(count) failed=$(count update_failures)
sleep 5
expect_equal "updates in 5 s of waiting" $(($(count) - before)) 0
expect_equal "and failures" $(($(count update_failures) - failed)) 0
as root sgov hold-reclaims --undo >/dev/null
scancel "$array" "$reserve" "$asker"
drain_all_jobs

# ---- the rate ----

sed "\$a MaxUpdatesPerSecond=4" "$LAB_SOURCE/etc/governance.conf.in" \
	>"$WORK/policy"
set_policy "$WORK/policy" || fail "policy"
own=$(sleeper alice --gpus=16)
wait_state "$own" RUNNING 10
wait_for 20 "nothing is on its way" settled
before=$(count) began=${EPOCHREALTIME/./}
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	sleeper alice --gpus=1 --gov-borrow=no >/dev/null
done
held() { [ "$(squeue -h -u alice -t PD -o %r | grep -c JobHeldAdmin)" = 16 ]; }
wait_for 30 "16 holds" held
took=$(((${EPOCHREALTIME/./} - began) / 1000))
expect_equal "updates" $(($(count) - before)) 16
expect "16 updates at 4 a second took $took ms" test "$took" -ge 3000
scancel -u alice
wait_until 40 no_jobs || fail "jobs do not go away"

# ---- slurmctld does not answer for a while ----

# At once, so that the next job is held while slurmctld stands still.
full=$(sleeper alice --gpus=16)
wait_state "$full" RUNNING 20
wait_for 20 "nothing is on its way" settled
before=$(count) failed=$(count update_failures)
late=$(sleeper alice --gpus=1 --gov-borrow=no)
pid=$(cat "$LAB_DIR/state/slurmctld.pid")
kill -STOP "$pid"
sleep 4
expect "the governor answers" as root sgov ping
expect "it has sent $(($(count) - before)) updates, and waits" \
	test $(($(count) - before)) -le 1
kill -CONT "$pid"
is_ours() { [ "$(job_field "$late" Reason)" = JobHeldAdmin ]; }
wait_for 15 "the job is held by an administrator" is_ours
wait_for 20 "nothing is on its way" settled
expect_equal "updates for it" $(($(count) - before)) 1
expect "$(($(count update_failures) - failed)) in vain" \
	test $(($(count update_failures) - failed)) -le 1

# ---- slurmctld is busy ----

# The governor looks before a call, and every two seconds at most.
sleep 2.5
# Each connection that says nothing keeps one of its 256 threads.
port=$(sed -n 's/^SlurmctldPort=//p' "$SLURM_CONF")
connections=()
for _ in {1..140}; do
	exec {fd}<>"/dev/tcp/127.0.0.1/$port"
	connections+=("$fd")
done
busy=$(sleeper alice --gpus=1 --gov-borrow=no)
logged() { grep -qE "$1" "$LAB_DIR/log/slurmgovd.log"; }
wait_for 10 "the governor sees that slurmctld is busy" \
	logged 'slurmctld is busy \(1[3-5][0-9] requests'
for fd in "${connections[@]}"; do
	exec {fd}>&-
done
late=$busy
wait_for 20 "the job is held all the same" is_ours
sleep 2.5
more=$(sleeper alice --gpus=1 --gov-borrow=no)
wait_for 15 "it sees that this is over" logged 'slurmctld is no longer busy'
scancel "$more"
scancel "$full"
wait_state "$late" RUNNING 20
drain_all_jobs
