#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
#
# While quota is free, sbatch, srun and salloc are what they are without
# governance: never held, started at once, under the team's account.

source "$(dirname "$0")/lib.sh"

# The history of holds is in AdminComment and in slurmctld's log: a job that
# was ever held has been released.
never_held()
{
	! grep -qE "(release|hold).* JobId=$1( |$)" "$LAB_DIR/log/slurmctld.log"
}

job=$(sleeper alice --gpus=4)
expect_equal "what sbatch said" "$(cat "$SAID")" ""
wait_state "$job" RUNNING 3
expect_equal "account of a user who named none" \
	"$(job_field "$job" Account)" vision
expect_match "stamp" "$(job_field "$job" AdminComment)" \
	'^\[gov1 state=admitted team=vision class=training '
expect "no hold at any time" never_held "$job"

# shellcheck disable=SC2016 # expanded on the node
out=$(as alice srun --gpus=2 --immediate=5 sh -c 'echo $CUDA_VISIBLE_DEVICES' \
	2>&1) || fail "srun: $out"
expect_match "srun has its GPUs" "$out" '^[0-9],[0-9]$'

out=$(as bob salloc --gpus=2 --immediate=5 srun hostname 2>&1) ||
	fail "salloc: $out"
expect_match "salloc" "$out" 'Granted job allocation'

# The governor counts a job until it has seen its end.
wait_for 10 "the end of the interactive jobs seen" used_is nlp 0

# Quota that is used by the team's other jobs is borrowed, and sbatch says so.
job=$(sleeper bob --gpus=8)
wait_state "$job" RUNNING 3
expect_equal "inside its quota nothing is said" "$(cat "$SAID")" ""
loan=$(sleeper bob --gpus=4)
wait_state "$loan" RUNNING 3
expect_match "on borrowed quota it is told the terms" "$(cat "$SAID")" \
	'governance: .*borrowed.*signal 15 and 5 s.*requeued'
out=$(as bob salloc --no-shell --gpus=1 2>&1) || fail "salloc: $out"
expect_match "and that an interactive job would end" "$out" \
	'borrowed.*cancelled, as it is interactive'
