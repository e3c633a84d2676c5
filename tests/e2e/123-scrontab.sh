#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --set=ScronParameters=enable
# Needs: cc
# Timeout: 180
#
# Jobs of scrontab: never held, not charged while they wait for their time,
# charged when they run; what they borrow is taken back, and the crontab stays.
# A job that only looks like one is governed like any other.

source "$(dirname "$0")/lib.sh"

client=$(public_program cron_client -lslurm)
borrows()
{
	[ "$(as root sgov status -nP -t nlp -T gres/gpu | cut -d'|' -f7)" = "$1" ]
}
crontab_of() { cat "$LAB_DIR/state/crontab/crontab.$(id -u "$1")"; }

# Who began last leaves first, and that is to be the cron job: its minute must
# not begin together with the other job.
while [ "$(date +%-S)" -ge 50 ]; do sleep 1; done
cron=$(as bob "$client" crontab gres:gpu:8 "$(public_job watcher)" \
	2>"$SAID") || fail "no crontab: $(cat "$SAID")"
forged=$(as bob "$client" forge gres:gpu:8)
wait_for 5 "what only looks like one is held" job_held "$forged"
expect_not "a true one is held" job_held "$cron"
expect_match "it knows its team" "$(job_field "$cron" AdminComment)" 'team=nlp'
expect "nothing is charged for either" used_is nlp 0
scancel "$forged"
own=$(sleeper bob --gpus=4)
wait_state "$own" RUNNING 10

wait_state "$cron" RUNNING 75
wait_for 5 "it counts while it runs" used_is nlp 12
wait_for 5 "and borrows" borrows 4
wait_for 10 "it is ready for signals" diary_has "$cron" ' start '

owner=$(sleeper alice --gpus=16)
wait_for 10 "it is told to leave" diary_has "$cron" 'signal TERM'
expect "its owner waits" job_held "$owner"
wait_state "$owner" RUNNING 20
expect "who did not have to leave runs on" job_is "$own" RUNNING
wait_state "$cron" PENDING 10
expect_not "it is held" job_held "$cron"
wait_for 5 "nothing is charged for it" used_is nlp 4
expect_equal "its crontab" "$(crontab_of bob | tr -d '\0')" "* * * * * job"
said=$(as bob scontrol update "JobId=$cron" Comment=x 2>&1)
expect_match "it is one of scrontab's still" "$said" 'scrontab'

expect_equal "updates for it, from its first minute to its next" \
	"$(updates_of "$cron")" 0

scancel "$owner"
as bob "$client" remove || fail "the crontab is not removed"
wait_until 10 not job_is "$cron" PENDING || fail "it is still there"
drain_all_jobs
wait_for 10 "nothing is charged" used_is nlp 0
