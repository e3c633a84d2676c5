#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# Notice: a borrower that saves at its own signal, and says so, has its
# checkpoint on disk before it goes, need not wait for the end of its grace,
# and continues from there. One that ignores everything is killed after its
# grace and not before. Who sits at a terminal is told there.

source "$(dirname "$0")/lib.sh"

lab_changed
policy_with()
{
	sed "s/ReclaimGrace=5/$1/" "$LAB_SOURCE/etc/governance.conf.in" \
		>"$WORK/policy"
	set_policy "$WORK/policy" || fail "policy $1"
}
# between FROM TO: seconds
between() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", b - a }'; }

# ---- one that saves ----

policy_with "ReclaimGrace=60 ReclaimOnCheckpoint=yes"
saver=$(submit bob --gpus=24 --signal=B:USR1@60 "$(public_job saver)")
wait_state "$saver" RUNNING 10
wait_for 10 "its start" diary_has "$saver" 'start at 0'
sleep 2
said=$(as eve sgov checkpoint "$saver" 2>&1)
expect_equal "another user: sgov checkpoint" $? 3
expect_match "why not" "$said" "another user's"
asked=$EPOCHREALTIME
owner=$(sleeper alice --gpus=16)
wait_for 10 "it is told by its own signal, and saves" \
	diary_has "$saver" 'saved [1-9]'
expect_not "a failure to say so" diary_has "$saver" 'sgov checkpoint: '
saved=$(job_diary "$saver" | awk '$2 == "saved" { print $3; exit }')
wait_until 25 not job_is "$saver" RUNNING || fail "it does not leave"
took=$(between "$asked" "$EPOCHREALTIME")
expect "it left after $took s of 60" awk "BEGIN { exit $took > 25 }"
expect_equal "its checkpoint" "$(cat "$LAB_DIR"/home/*/"saved-$saver")" \
	"$saved"
# Its diary: saved, and only then told to end.
in_order() { job_diary "$saver" | awk '$2 == "saved" { saved = 1 }
	/signal TERM/ { exit !saved }'; }
wait_for 10 "it is ended" diary_has "$saver" 'signal TERM'
expect "its checkpoint was on disk before that" in_order
wait_state "$owner" RUNNING 20
# It is written down with the stamp of the wait that follows.
stamped() { job_field "$1" AdminComment | grep -q 'checkpoint=[0-9]'; }
wait_for 10 "and when, on the job" stamped "$saver"
scancel "$owner"
wait_state "$saver" RUNNING 25
wait_for 10 "it goes on from there" diary_has "$saver" "start at $saved"
scancel "$saver"
wait_gpus bob 0 40

# ---- one that ignores it ----

policy_with "ReclaimGrace=6"
deaf=$(watcher bob --gpus=24)
wait_state "$deaf" RUNNING 10
wait_for 10 "it is ready for signals" diary_has "$deaf" ' start '
owner=$(sleeper alice --gpus=16)
wait_for 10 "notice" diary_has "$deaf" 'signal TERM'
told=$(job_diary "$deaf" | awk '/signal TERM/ { print $1; exit }')
wait_until 30 not job_is "$deaf" RUNNING || fail "it does not leave"
took=$(between "$told" "$EPOCHREALTIME")
expect "it was left alone for its grace of 6 s ($took s)" \
	awk "BEGIN { exit $took < 5.9 || $took > 16 }"
# In its own words: a second TERM, of the end that it ignores as well.
twice() { [ "$(job_diary "$deaf" | grep -c 'signal TERM')" = 2 ]; }
wait_for 10 "it is told to end" twice
took=$(between "$told" \
	"$(job_diary "$deaf" | awk '/signal TERM/ { at = $1 } END { print at }')")
expect "and that was after its grace ($took s)" awk "BEGIN { exit $took < 5.9 }"
wait_state "$owner" RUNNING 20
ended() { [ "$(gpus_running bob)" = 0 ]; }
wait_for 10 "it was killed" ended
drain_all_jobs

# ---- one at a terminal ----

as bob srun --gpus=24 sleep 600 >"$WORK/srun" 2>&1 &
srun=$!
running() { [ "$(squeue -h -u bob -t R -o %A | wc -l)" = 1 ]; }
wait_for 10 "an interactive job" running
owner=$(sleeper alice --gpus=16)
wait_state "$owner" RUNNING 30
wait "$srun"
expect_match "its terminal says" "$(cat "$WORK/srun")" \
	'governance: its quota is wanted .* given notice, and cancelled by 20'
drain_all_jobs
