#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --ungoverned
#
# The lab itself, on plain Slurm: what every other test relies on.

source "$(dirname "$0")/lib.sh"

expect_equal "nodes" "$(node_states | paste -sd ' ')" \
	"g1 idle g2 idle g3 idle g4 idle"

# GPUs are devices that jobs are given, by number.
seen=$(as alice srun --gpus=8 printenv CUDA_VISIBLE_DEVICES)
expect_equal "devices of an 8-GPU job" "$seen" 0,1,2,3,4,5,6,7
seen=$(as bob srun --gpus=h100:2 --nodelist=g3 \
	printenv LOGNAME SLURMD_NODENAME CUDA_VISIBLE_DEVICES | paste -sd ' ')
expect_equal "user, node and devices of a 2-GPU job" "$seen" "bob g3 0,1"

# All of it at once, and no more than that.
for user in alice anna bob ben; do
	sleeper "$user" --gpus=8 >/dev/null
done
late=$(sleeper eve --gpus=1)
for user in alice anna bob ben; do
	wait_gpus "$user" 8 5
done
wait_state "$late" PENDING 1
expect_match "why the 33rd GPU has to wait" "$(job_field "$late" Reason)" \
	'Resources|Priority|None'
drain_all_jobs
expect_equal "GPUs in use after all" "$(gpus_running alice)" 0

# Hold and release.
held=$(sleeper bob --hold --gpus=1)
expect "a held job" job_held "$held"
scontrol release "$held"
wait_state "$held" RUNNING 2

# A requeued job is told by SIGTERM, and comes back.
job=$(watcher alice --gpus=2 --requeue)
wait_for 5 "first start" diary_has "$job" 'start 0 .* gpus 1,2$'
scontrol requeuehold "$job"
wait_for 10 "a job requeued and held" job_held "$job"
expect_match "its diary" "$(job_diary "$job")" 'signal TERM'
scontrol release "$job"
scontrol update JobId="$job" StartTime=now
wait_for 10 "second start" diary_has "$job" 'start 1 '
expect_equal "Restarts" "$(job_field "$job" Restarts)" 1

# slurmctld comes back from a crash with its jobs.
wait_saved
cluster kill slurmctld
cluster start slurmctld
wait_state "$job" RUNNING 5
