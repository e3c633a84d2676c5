#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Status: long
# Timeout: 240
#
# An owner's array takes back what is lent in one grace, not in one for each
# task; the same when the governor dies in the middle of it.

source "$(dirname "$0")/lib.sh"

lab_changed
sed -e 's/ReclaimGrace=[0-9]*/ReclaimGrace=10/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
set_policy "$WORK/policy" || fail "the policy is not taken"

running_tasks() { squeue -h -r -j "$1" -t R -o %i | wc -l; }
leaving_are()
{
	[ "$(as root sgov queue -nP | grep -c '|reclaiming|')" = "$1" ]
}
tasks_are() { [ "$(running_tasks "$1")" = "$2" ]; }
traps=$LAB_DIR/home/bob/traps
traps_are() { [ "$(wc -l <"$traps")" = "$1" ]; }

# nlp has its own 8 and 16 of vision's, each by a job of its own, that works on
# in its grace once it is ready for the signal.
as bob touch "$traps"
loans=$(submit bob --array=1-24 --gpus=1 --wrap="trap '' TERM
	echo ready >>$traps
	while :; do sleep 1; done")
wait_for 20 "all is used" tasks_are "$loans" 24
wait_for 20 "all are ready for a signal" traps_are 24

own=$(sleeper alice --array=1-8 --gpus=1)
wait_for 5 "eight are told to leave" leaving_are 8
wait_for 30 "all eight tasks, after one grace of 10 s" tasks_are "$own" 8
expect "nobody else had to leave" tasks_are "$loans" 16

second=$(sleeper alice --array=1-8 --gpus=1)
wait_for 5 "eight more are told to leave" leaving_are 8
cluster kill slurmgovd
cluster start slurmgovd
wait_for 35 "all eight tasks, across a restart" tasks_are "$second" 8
wait_for 30 "its own is left to the borrower" tasks_are "$loans" 8
expect "and the first eight run on" tasks_are "$own" 8
drain_all_jobs
