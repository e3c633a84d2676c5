#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2 --env="GOVERNANCE_CONF=$LAB_DIR/etc/governance.conf"
# Needs: cc munge
# Timeout: 240
# shellcheck disable=SC2016 # dollars are for sed and the jobs' shells
#
# The plugins without a governor: a job that job_submit lets through has the
# spare grant, when there is one, and runs.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

set_up_spank
mkdir -p "$LAB_DIR/governor"
socket=$LAB_DIR/governor/submit.socket
cp -L "$(built job_submit_governance.so)" "$PLUGINS/"
sed -e "s|^GovernorSocket=.*|GovernorSocket=$socket|" \
	-e '$aOnGovernorDown=pass' "$LAB_SOURCE/etc/governance.conf.in" |
	sed "s|@LAB_DIR@|$LAB_DIR|g; s|@NODES@|g[1-2]|g; \
		s|@GOVERNOR_PORT@|$((LAB_PORT + 2))|g" \
		>"$LAB_DIR/etc/governance.conf"
sed -i 's/^JobSubmitPlugins=.*/JobSubmitPlugins=governance/' "$SLURM_CONF"
restart_controller()
{
	cluster stop slurmctld
	cluster start slurmctld
	wait_for 20 "idle nodes" all_nodes_idle
}
restart_controller
out=$(home alice)/out

# runs: alice's next job runs, told nothing.
runs()
{
	rm -f "$out"
	as alice sbatch --wait -o out --wrap 'echo "ran $GOV_TEAM"' \
		>/dev/null 2>&1
	[ "$(cat "$out")" = "ran " ]
}

refused_job "no spare grant" 'carries no grant'

# It comes while slurmctld runs: a submission or two later it is known.
spare=$(seal slurm "$(payload kind=undecided uid=any team= class= signal=0 \
	grace=0)")
install -m 600 -o slurm <(printf %s "$spare") "$socket.grant"
wait_for 15 "a job that runs with the spare grant" runs
for command in srun "salloc srun"; do
	# shellcheck disable=SC2086 # two words
	expect_equal "$command" "$(as alice $command echo hi 2>/dev/null)" hi
done
expect "a job of bob's" as bob srun --quiet true

# What was read is kept, and is read again at the start.
rm "$socket.grant"
expect "a job while the file is gone" runs
install -m 600 -o slurm <(printf %s "$spare") "$socket.grant"
restart_controller
expect "the first job of a new slurmctld" runs

# A user cannot put one there, nor bring one along.
rm "$socket.grant"
install -m 600 -o alice <(printf %s "$spare") "$socket.grant"
restart_controller
refused_job "a spare grant of a user's" 'carries no grant'
install -m 666 -o slurm <(printf %s "$spare") "$socket.grant"
refused_job "a spare grant that users can write" 'carries no grant'
expect "nodes in service" wait_until 10 all_nodes_idle
