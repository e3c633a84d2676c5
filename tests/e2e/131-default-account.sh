#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --dbd
# Status: long
# Timeout: 180
#
# Who names no account, with slurmdbd: the user's team, whatever slurmdbd's
# default is; what slurmdbd does not allow leaves no charge.

source "$(dirname "$0")/lib.sh"

lab_changed
job=$(sleeper alice --gpus=4)
wait_state "$job" RUNNING 15
expect_equal "its account" "$(job_field "$job" Account)" vision
wait_for 5 "it counts for the team" used_is vision 4
waits=$(sleeper alice --gov-borrow=no --gpus=16)
wait_for 5 "the next one waits" job_held "$waits"
expect_equal "its account" "$(job_field "$waits" Account)" vision
scancel "$job"
wait_state "$waits" RUNNING 20
recorded() { as alice sacct -nPX -j "$1" -o account | grep -qx vision; }
wait_for 15 "in the records as well" recorded "$job"
scancel "$waits"
wait_for 10 "nothing is counted" used_is vision 0

# Another default than the team's account.
manage() { sacctmgr --immediate --quiet "$@" >/dev/null; }
manage add user alice account=nlp || fail "sacctmgr"
manage modify user alice set defaultaccount=nlp || fail "sacctmgr"
sleep 2
job=$(sleeper alice --gpus=4)
wait_state "$job" RUNNING 15
expect_equal "the team's account, not the default one" \
	"$(job_field "$job" Account)" vision
scancel "$job"
wait_for 10 "nothing is counted" used_is vision 0

# The team's account is none of hers.
manage delete user alice account=vision || fail "sacctmgr"
sleep 2
expect_match "refused by Slurm" "$(refused alice --gpus=4 --wrap=true)" \
	'Invalid account'
wait_for 10 "no charge is left" used_is vision 0
