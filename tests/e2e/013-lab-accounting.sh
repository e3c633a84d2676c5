#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --ungoverned --dbd
#
# A lab with slurmdbd: accounts, and what a job was allocated.

source "$(dirname "$0")/lib.sh"

expect_equal "accounts of bob" "$(as bob sacctmgr -nP list associations \
	user=bob format=account)" nlp

# Each user has a default account, and no other.
job=$(sleeper bob --gpus=3)
wait_state "$job" RUNNING 5
expect_equal "account of bob's job" "$(job_field "$job" Account)" nlp
expect_match "TRES" "$(job_field "$job" TRES)" 'gres/gpu=3'
expect_match "account of others" "$(refused alice -A nlp --wrap true)" \
	'Invalid account'

scancel "$job"
recorded() { as bob sacct -nPX -j "$job" -o state,alloctres | grep -q "$1"; }
wait_for 10 "record of the job" recorded 'CANCELLED.*gres/gpu=3'

# The database outlives a crash of both.
cluster kill slurmdbd
cluster kill mariadbd
expect "up again" cluster up --ungoverned --dbd
wait_for 10 "record of the job after a crash" recorded 'CANCELLED.*gres/gpu=3'
