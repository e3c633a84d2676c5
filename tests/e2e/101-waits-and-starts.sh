#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# What does not fit waits under an administrator's hold, is told why, and
# starts by itself within two seconds of the quota coming free: sbatch, srun
# and salloc.

source "$(dirname "$0")/lib.sh"

admin_held() { [ "$(job_field "$1" Reason)" = JobHeldAdmin ]; }

# since EPOCH: seconds, with decimals.
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'; }

# The second in which the job's resources were given back, and not when
# scancel was called: a job needs its time to end.
wait_gone()
{
	wait_until 20 not job_is "$1" 'RUNNING|COMPLETING' || fail "no end of $1"
	freed=$EPOCHREALTIME
}

own=$(sleeper alice --gpus=16)
wait_state "$own" RUNNING 5
late=$(sleeper alice --gpus=4 --gov-borrow=no)
expect_match "why it waits" "$(cat "$SAID")" \
	'governance: .*16 gres/gpu'
wait_for 5 "an administrator's hold" admin_held "$late"
expect_match "stamp" "$(job_field "$late" AdminComment)" 'state=waiting '

as alice srun --gov-borrow=no --gpus=2 true >"$WORK/srun" 2>&1 &
srun=$!
as alice salloc --gov-borrow=no --gpus=2 srun true >"$WORK/salloc" 2>&1 &
salloc=$!
stays 2 "all three wait" test "$(squeue -h -u alice -t R -o %A)" = "$own"
out=$(as alice srun --gov-borrow=no --immediate --gpus=1 true 2>&1) &&
	fail "srun --immediate ran: $out"
expect_match "srun --immediate is refused" "$out" 'governance: .*GOV-313'

scancel "$own"
wait_gone "$own"
wait_state "$late" RUNNING 5
took=$(since "$freed")
expect "start within 2 s (it took $took s)" awk "BEGIN { exit $took > 2 }"
wait "$srun" || fail "srun: $(cat "$WORK/srun")"
note "srun has run"
wait "$salloc" || fail "salloc: $(cat "$WORK/salloc")"
note "salloc has run"

# Ten in a row: what took longest. Each frees the quota for the next.
drain_all_jobs
previous=$(sleeper alice --gpus=16)
wait_state "$previous" RUNNING 5
for i in 1 2 3 4 5 6 7 8 9 10; do
	next=$(sleeper alice --gpus=16 --gov-borrow=no)
	wait_for 5 "the hold of job $next" admin_held "$next"
	scancel "$previous"
	wait_gone "$previous"
	wait_state "$next" RUNNING 5
	took=$(since "$freed")
	expect "start $i within 2 s ($took s)" awk "BEGIN { exit $took > 2 }"
	previous=$next
done
