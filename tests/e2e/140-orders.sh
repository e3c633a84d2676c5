#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 300
#
# An operator's handles: held reclaims, a drained team, a released and an
# exempted job, all released. They are for operators only, shown to everybody,
# written down on the job, and remembered by a governor that was killed.

source "$(dirname "$0")/lib.sh"

sgov() { as "${ASKER:-root}" sgov "$@"; }
orders() { sgov status --json | jq -c ".meta.orders${1-}"; }
restart_governor()
{
	cluster kill slurmgovd
	cluster start slurmgovd
	wait_until 20 sgov ping >/dev/null || fail "no governor"
	note "slurmgovd was killed and started"
}

# ---- only operators ----

for order in hold-reclaims "exempt 1"; do
	# shellcheck disable=SC2086 # words are meant
	out=$(ASKER=alice sgov $order 2>&1)
	expect_equal "alice: sgov $order" $? 3
	expect_match "and why" "$out" 'may not .*operator'
done
expect_equal "nothing is ordered" "$(orders)" \
	'{"reclaims_held":null,"released_all":null,"drained":[]}'

# ---- hold-reclaims ----

loan=$(watcher bob --gpus=24)
wait_state "$loan" RUNNING 10
expect "reclaims are held" sgov hold-reclaims
asker=$(watcher alice --gpus=16)
expect_match "the owner is told" "$(cat "$SAID")" 'operator holds all reclaims'
expect_match "status says so" "$(ASKER=eve sgov status 2>&1 >/dev/null)" \
	'reclaims are held by root since 20'
stays 3 "the loan runs on" job_is "$loan" RUNNING
restart_governor
expect_equal "who" "$(orders .reclaims_held.uid)" 0
stays 4 "the owner waits" job_held "$asker"
expect_not "a signal" diary_has "$loan" 'signal TERM'
expect_match "why" "$(sgov why "$asker" 2>/dev/null)" \
	'an operator holds all reclaims'
expect "reclaims go on" sgov hold-reclaims --undo
wait_for 10 "the signal" diary_has "$loan" 'signal TERM'

# ---- exempt: called back in its grace ----

expect "the loan is exempted" sgov exempt "$loan"
stamped() { [[ $(job_field "$1" AdminComment) == *"$2"* ]]; }
wait_for 5 "that on the job" stamped "$loan" "exempt=1 ordered="
restart_governor
stays 8 "it runs on, and the owner waits" job_is "$loan" RUNNING
expect "the owner waits" job_held "$asker"
expect_match "why" "$(sgov why "$loan")" 'exempted .*by root since'
expect_match "why not" "$(sgov why "$asker")" 'an operator exempted it'
expect_match "in the log" "$(cat "$LAB_DIR/log/slurmgovd.log")" \
	"uid 0 exempts job $loan "

# ---- release: in spite of quota, and never taken for granted ----

expect "the owner is released" sgov release "$asker"
released() { [ "$(job_field "$asker" Priority)" != 0 ]; }
wait_for 5 "its release" released
stamped "$asker" "released=1" || fail "no word of it on the job"
sgov release "$asker" >/dev/null 2>&1
expect_equal "once is enough" $? 3
restart_governor
stays 2 "released" released
scancel "$loan"
wait_state "$asker" RUNNING 20
expect_match "in the log" "$(cat "$LAB_DIR/log/slurmgovd.log")" \
	"uid 0 releases job $asker "
drain_all_jobs

# ---- drain ----

expect "nlp borrows no more" sgov drain nlp
own=$(sleeper bob --gpus=8)
wait_state "$own" RUNNING 10
more=$(sleeper bob --gpus=4)
expect_match "its user is told" "$(cat "$SAID")" 'borrow no more'
restart_governor
stays 2 "it waits" job_held "$more"
expect_match "everybody sees it" "$(ASKER=eve sgov queue 2>&1 >/dev/null)" \
	'nlp may borrow no more: drained by root'
expect "nlp borrows again" sgov resume nlp
wait_state "$more" RUNNING 10
drain_all_jobs

# ---- release-all ----

first=$(sleeper alice --gpus=16 --gov-borrow=no)
wait_state "$first" RUNNING 10
second=$(sleeper alice --gpus=4 --gov-borrow=no)
users=$(sleeper alice --gpus=1 --hold)
wait_for 5 "a waiting job" job_held "$second"
expect "all is released" sgov release-all
wait_state "$second" RUNNING 10
third=$(sleeper alice --gpus=4 --gov-borrow=no)
wait_state "$third" RUNNING 10
expect "what its user holds stays held" job_held "$users"
restart_governor
expect_match "status says so" "$(sgov status 2>&1 >/dev/null)" \
	'all was released by root'
expect "jobs are governed again" sgov release-all --undo
fourth=$(sleeper alice --gpus=1 --gov-borrow=no)
stays 2 "what is too much waits again" job_held "$fourth"
expect "what runs, runs on" job_is "$second" RUNNING
expect_equal "it counts" "$(sgov status -nP -t vision -T gres/gpu |
	cut -d'|' -f5,7)" "24|8"
drain_all_jobs
expect_equal "nothing is ordered" "$(orders)" \
	'{"reclaims_held":null,"released_all":null,"drained":[]}'
