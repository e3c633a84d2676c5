#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 240
#
# What runs counts as it runs: a job that Slurm gave more than was judged, one
# that was released behind the governor's back, one submitted while nobody
# governed. The last two are shown as such; owners take back from all.

source "$(dirname "$0")/lib.sh"

lab_changed
sed "/^OnGovernorDown=/d; \$a OnGovernorDown=pass" \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
set_policy "$WORK/policy" || fail "policy"
scancel "$(submit alice --gpus=1 --wrap=true)"
unadmitted()
{
	as root sgov queue --json | jq -e --arg job "$1" \
		'.jobs[] | select(.job == $job) | .unadmitted' >/dev/null
}
borrows()
{
	[ "$(as root sgov status -nP -t "$1" -T gres/gpu | cut -d'|' -f7)" = "$2" ]
}

# ---- more than was judged ----

# Half the processors of each node are taken: 32 tasks need two nodes, and the
# GPUs that are asked per node are given twice.
filler=$(sleeper bob -N 4 --ntasks-per-node=16 --mem=1G)
own=$(sleeper alice -w g1 --gres=gpu:8 --mem=1G)
wait_state "$filler" RUNNING 10
wait_state "$own" RUNNING 10
wide=$(sleeper alice -n 32 --gres=gpu:8 --mem=1G)
wait_state "$wide" RUNNING 10
wait_for 5 "all that Slurm gave is counted" used_is vision 24
expect_equal "GPUs on nodes" "$(gpus_running alice)" 24
wait_for 5 "what is above the quota is borrowed" borrows vision 8
expect_not "it was started without leave" unadmitted "$wide"
scancel "$wide" "$own" "$filler"
wait_for 10 "nothing is counted any more" used_is vision 0

# ---- behind its back ----

own=$(sleeper alice --gpus=16)
wait_state "$own" RUNNING 10
late=$(sleeper alice --gpus=8 --gov-borrow=no)
wait_for 5 "a waiting job" job_held "$late"
wait_saved
cluster kill slurmgovd
scontrol release "$late"
wait_state "$late" RUNNING 10
cluster start slurmgovd
wait_for 15 "it counts" used_is vision 24
wait_for 5 "and is shown as what it is" unadmitted "$late"
expect_match "why" "$(as alice sgov why "$late")" 'without having been admitted'
stamped() { [[ $(job_field "$late" AdminComment) == *unadmitted=1* ]]; }
wait_for 5 "a word of it on the job" stamped
expect_not "the admitted one" unadmitted "$own"
expect_match "in the log" "$(cat "$LAB_DIR/log/slurmgovd.log")" \
	"job $late runs without having been admitted"

# ---- while nobody governed ----

cluster kill slurmgovd
passed=$(sleeper alice --gpus=4)
wait_state "$passed" RUNNING 10
cluster start slurmgovd
wait_for 15 "it counts" used_is vision 28
wait_for 5 "and is shown as what it is" unadmitted "$passed"
expect_match "in the queue" "$(as alice sgov queue -nP | grep "^$passed|")" \
	'without having been admitted'

# An owner takes back what is above vision's quota, and no more.
owner=$(sleeper bob --gpus=8)
wait_state "$owner" RUNNING 25
wait_for 5 "vision still has its quota" used_is vision 16
expect "the job that was admitted runs on" job_is "$own" RUNNING
drain_all_jobs
