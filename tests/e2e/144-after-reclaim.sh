#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# After a reclaim: who was taken back keeps its age and waits in front of its
# class, comes back by itself, and what counts its evictions holds, though
# both daemons are killed in between.

source "$(dirname "$0")/lib.sh"

lab_changed
cat >"$WORK/policy" <<'END'
ClusterName=lab
Ungoverned=deny ExemptUsers=root
GovernorSocket=@LAB_DIR@/governor/submit.socket
Listen=127.0.0.1:@GOVERNOR_PORT@
LogFile=@LAB_DIR@/log/slurmgovd.log
LogLevel=debug
ReclaimGrace=2 OnReclaim=requeue MinRuntime=0
PoolName=h100 Nodes=g[1-4] TRES=gres/gpu
PriorityClass=high Weight=90
PriorityClass=normal Weight=50 Default=yes
TeamName=vision Account=vision Members=@vision MaxEvictions=1
TeamName=nlp    Account=nlp    Members=@nlp
Quota Team=vision Pool=h100 TRES=gres/gpu=16 BorrowLimit=0
Quota Team=nlp    Pool=h100 TRES=gres/gpu=8
END
set_policy "$WORK/policy" || fail "policy"
word() { job_field "$1" AdminComment | tr ' ]' '\n' | sed -n "s/^$2=//p"; }
kill_both()
{
	wait_saved
	cluster kill slurmgovd
	cluster kill slurmctld
	cluster start slurmctld
	cluster start slurmgovd
	wait_until 30 as root sgov ping >/dev/null 2>&1 || fail "no governor"
	note "slurmctld and slurmgovd were killed and started"
}

old=$(watcher alice --gpus=16)
wait_state "$old" RUNNING 10
born=$(word "$old" submitted)
young=$(sleeper alice --gpus=16)
wait_for 5 "the younger one waits" job_held "$young"
urgent=$(sleeper alice --gov-class=high --gpus=16)
wait_for 10 "notice" diary_has "$old" 'signal TERM'
wait_state "$urgent" RUNNING 20
wait_for 5 "the victim waits" job_held "$old"
# Slurm holds it with the requeue; what is written on it follows.
stamped() { [ -n "$(word "$1" evictions)" ]; }
wait_for 10 "its stamp" stamped "$old"
expect_equal "evictions" "$(word "$old" evictions)" 1
expect_equal "its age" "$(word "$old" submitted)" "$born"
kill_both
expect_equal "evictions" "$(word "$old" evictions)" 1
stays 2 "the urgent one runs" job_is "$urgent" RUNNING

scancel "$urgent"
wait_state "$old" RUNNING 20
expect "the younger one still waits" job_held "$young"
expect_equal "its age" "$(word "$old" submitted)" "$born"
kill_both

# Its budget is used up, whoever asks.
urgent=$(sleeper alice --gov-class=high --gpus=16)
stays 4 "it is not taken back again" job_is "$old" RUNNING
expect "the urgent one waits" job_held "$urgent"
expect_match "why" "$(as alice sgov why "$urgent")" \
	'taken back often enough'
drain_all_jobs
