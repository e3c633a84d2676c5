#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 240
#
# What can be lent follows the nodes within a poll: drained, down, in
# maintenance, powered down and up, back. A node that drains counts for the jobs
# on it. Who waits for nodes that are down is told so.

source "$(dirname "$0")/lib.sh"

lab_changed
capacity()
{
	as root sgov status --pools -nP -T gres/gpu | cut -d'|' -f3
}
capacity_is() { [ "$(capacity)" = "$1" ]; }
update() { scontrol update "NodeName=$1" "State=$2" Reason=test; }

expect_equal "capacity" "$(capacity)" 32
expect_equal "installed" "$(as root sgov status --pools -nP -T gres/gpu |
	cut -d'|' -f11)" 32

# ---- drained, with a job on it ----

loan=$(sleeper bob -w g1 --gpus=8)
wait_state "$loan" RUNNING 10
update g1 DRAIN
stays 2 "what is in use counts" capacity_is 32
update g2 DRAIN
wait_for 5 "what is idle does not" capacity_is 24
# 16 are free on g3 and g4: the owner needs nobody to go.
own=$(sleeper alice --gpus=16)
wait_state "$own" RUNNING 10
expect "the loan was left alone" job_is "$loan" RUNNING
scancel "$loan"
wait_for 10 "g1 is of no use any more" capacity_is 16
more=$(sleeper bob --gpus=8)
expect_match "an owner is told" "$(cat "$SAID")" \
	'only 16 gres/gpu on healthy nodes'
expect "it waits" job_held "$more"
update g2 RESUME
wait_for 5 "g2 is back" capacity_is 24
wait_state "$more" RUNNING 10
scancel "$more" "$own"

# ---- down, and in maintenance ----

update g1 RESUME
wait_for 5 "g1 is back" capacity_is 32
update g3 DOWN
wait_for 5 "g3 is down" capacity_is 24
update g3 RESUME
wait_for 5 "g3 is back" capacity_is 32
scontrol create reservation ReservationName=repair StartTime=now \
	Duration=10 Nodes=g4 Flags=MAINT,IGNORE_JOBS Users=root >/dev/null ||
	fail "no reservation"
wait_for 15 "g4 is in maintenance" capacity_is 24
scontrol delete ReservationName=repair
wait_for 15 "g4 is back" capacity_is 32

# An owner waits for nodes and for nothing else.
update g1,g2,g3 DRAIN
wait_for 5 "one node is left" capacity_is 8
own=$(sleeper alice --gpus=16)
expect_match "its user is told" "$(cat "$SAID")" \
	'only 8 gres/gpu on healthy nodes'
expect "it waits" job_held "$own"
update g1,g2,g3 RESUME
wait_state "$own" RUNNING 15
drain_all_jobs

# ---- powered down, and up for a job ----

# /bin/true plays the cloud: the node is gone when SuspendTimeout is over.
cat >>"$SLURM_CONF" <<'END'
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=86400
SuspendTimeout=4
ResumeTimeout=60
SlurmctldParameters=power_save_interval=1,power_save_min_interval=0
END
scontrol reconfigure || fail "no power saving"
state_of() { scontrol -o show node "$1" | grep -oE ' State=[^ ]*' | cut -d= -f2; }
state_has() { [[ +$(state_of "$1")+ == *+"$2"+* ]]; }
update g4 POWER_DOWN
wait_for 10 "g4 is on its way down" state_has g4 POWERING_DOWN
wait_for 5 "it cannot be lent" capacity_is 24
wait_for 20 "g4 is down" state_has g4 POWERED_DOWN
wait_for 5 "it can be had: Slurm powers it up" capacity_is 32
cold=$(sleeper alice -w g4 --gpus=8)
wait_for 15 "g4 is on its way up, for a job" state_has g4 POWERING_UP
expect_not "the job had to wait for quota" job_held "$cold"
wait_for 5 "it counts" used_is vision 8
stays 2 "and the node does" capacity_is 32
scancel "$cold"
wait_for 10 "nothing counts" used_is vision 0
