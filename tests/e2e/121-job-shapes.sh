#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: cc
# Timeout: 240
#
# Jobs of other shapes: at once or not at all, only tested, later, by a
# deadline, of several sizes, in one of several partitions, after others.

source "$(dirname "$0")/lib.sh"

# ---- while quota is free ----

expect_equal "srun --immediate" "$(as alice srun --immediate --gpus=1 echo ran \
	2>&1)" ran
wait_for 10 "its end seen" used_is vision 0
said=$(as alice sbatch --test-only --gpus=3 --wrap=true 2>&1)
expect_match "sbatch --test-only" "$said" 'Job [0-9]+ to start at '
wait_for 10 "no trace of it" used_is vision 0

later=$(sleeper alice --begin=now+8 --gpus=16)
expect_match "--begin" "$(cat "$SAID")" 'when its start time has come'
size=$(sleeper alice -N2-4 --gpus-per-node=2)
wait_gpus alice 8 5
wait_for 5 "the size it got, and nothing for what comes later" \
	used_is vision 8
scontrol create PartitionName=second Nodes='g[1-2]' State=UP >/dev/null
either=$(sleeper alice -p main,second --gpus=1 --time=10 --time-min=1)
wait_state "$either" RUNNING 5
scancel "$size" "$either"
wait_state "$later" RUNNING 15
wait_for 5 "charged from then on" used_is vision 16

# ---- while it is not ----

said=$(as alice srun --immediate --gpus=1 --gov-borrow=no true 2>&1) &&
	fail "srun --immediate without quota ran: $said"
expect_match "srun --immediate without quota" "$said" 'GOV-313'
said=$(as alice salloc --immediate=2 --gpus=1 --gov-borrow=no true 2>&1) &&
	fail "salloc --immediate without quota ran: $said"
expect_match "salloc --immediate=2 waits two seconds" "$said" \
	'job waits: .*16 of its 16'
said=$(as alice sbatch --test-only --gpus=1 --gov-borrow=no --wrap=true 2>&1)
expect_match "--test-only is told that it would wait" "$said" 'job waits: '
stays 1 "nothing charged for any of them" used_is vision 16

once=$(sleeper alice --no-requeue --gpus=1)
expect_match "--no-requeue on borrowed quota" "$(cat "$SAID")" \
	'cancelled, as it cannot be requeued'
wait_state "$once" RUNNING 5
scancel "$once"

late=$(sleeper alice --gpus=1 --gov-borrow=no --time=1 \
	--deadline="$(date -d '+70 seconds' +%FT%T)")
expect "a job with a deadline waits" job_held "$late"
next=$(sleeper alice --gpus=1 --gov-borrow=no -d "afterok:$later")
broken=$(sleeper alice --gpus=1 --gov-borrow=no -d "afternotok:$later")
expect_match "a dependency" "$(cat "$SAID")" 'its dependency is fulfilled'

# Where scrontab is not enabled, who says that it is scrontab is like others.
cron_client=$(public_program cron_client -lslurm)
for look in flag forge; do
	forged=$(as alice "$cron_client" "$look" gres:gpu:16 2>&1 | tail -n 1)
	expect "a job that looks like scrontab's ($look) is held" \
		job_held "$forged"
	scancel "$forged"
done

scancel "$later"
wait_state "$late" RUNNING 10
wait_state "$broken" RUNNING 10
wait_for 5 "these two charged, and not the one that can never start" \
	used_is vision 2
scancel "$next" "$broken"
drain_all_jobs
wait_for 10 "nothing charged" used_is vision 0
