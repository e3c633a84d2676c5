#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whoever owns a waiting job cannot free it, in none of the ways that Slurm
# has for that; and whoever holds a job keeps it held.

source "$(dirname "$0")/lib.sh"

# Team vision is full, and there is nothing that it could reclaim.
own=$(sleeper alice --gpus=16)
wait_state "$own" RUNNING 5
late=$(sleeper alice --gpus=8 --gov-borrow=no)
expect_match "sbatch tells why it waits" "$(cat "$SAID")" 'governance:.*wait'
expect "it is held" job_held "$late"

# At once, while it still is a hold that Slurm would let its owner release.
as alice scontrol release "$late" 2>&1
expect "still held after scontrol release" job_held "$late"

admin_held() { [ "$(job_field "$late" Reason)" = JobHeldAdmin ]; }
wait_for 5 "an administrator's hold" admin_held
for request in "release $late" "update JobId=$late Priority=100" \
	"update JobId=$late Priority=4294967295" "top $late" \
	"requeue $late" "requeuehold $late" "update JobId=$late Nice=-10" \
	"update JobId=$late StartTime=now"; do
	# shellcheck disable=SC2086 # words
	as alice scontrol $request 2>&1
	expect "still held after scontrol $request" job_held "$late"
done
stays 3 "held" job_held "$late"

# Another user cannot either.
as bob scontrol release "$late" 2>&1
expect "still held after another user's release" job_held "$late"

# It starts by itself, soon after the quota has come free.
scancel "$own"
wait_gpus alice 0 5 2>/dev/null || true
freed=$EPOCHREALTIME
wait_state "$late" RUNNING 5
expect "start within 2 s of the quota coming free" \
	awk -v a="$freed" -v b="$EPOCHREALTIME" 'BEGIN { exit b - a > 2.2 }'

drain_all_jobs

# A job that its user holds stays held when quota is free, before and after
# governance has put it in the queue.
kept=$(sleeper alice --gpus=4 --hold)
stays 3 "held by its user though quota is free" job_held "$kept"
expect_equal "Reason" "$(job_field "$kept" Reason)" JobHeldUser
as alice scontrol release "$kept"
wait_state "$kept" RUNNING 5

own=$(sleeper alice --gpus=12)
wait_state "$own" RUNNING 5
late=$(sleeper alice --gpus=8 --gov-borrow=no)
wait_for 5 "an administrator's hold" admin_held
as alice scontrol hold "$late"
scancel "$own"
stays 4 "held by its user, also now that quota is free" job_held "$late"
as alice scontrol release "$late"
wait_state "$late" RUNNING 5
