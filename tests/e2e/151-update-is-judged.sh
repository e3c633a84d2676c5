#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scontrol update: growing is judged again, and nobody moves a job to a team
# that is not his.

source "$(dirname "$0")/lib.sh"

cpus_of() { job_field "$1" NumCPUs; }

# A waiting job's account cannot become another team's.
full=$(sleeper alice --gpus=16)
wait_state "$full" RUNNING 5
late=$(sleeper alice --gpus=4 --gov-borrow=no)
expect "it waits" job_held "$late"
as alice scontrol update JobId="$late" Account=nlp 2>&1
expect_equal "account" "$(job_field "$late" Account)" vision
expect "still held" job_held "$late"

# Submitting for a team that is not one's own is refused, in words.
said=$(refused alice --account=nlp --gpus=1 --wrap=true)
expect_match "refusal" "$said" 'governance: .*nlp.*GOV-303'
said=$(refused eve --gpus=1 --wrap=true)
expect_match "refusal" "$said" 'governance: .*eve.*GOV-301|GOV-301'
said=$(refused alice --account=nosuch --gpus=1 --wrap=true)
expect_match "refusal" "$said" 'GOV-30[13]'
said=$(refused alice --gov-class=nosuch --gpus=1 --wrap=true)
expect_match "refusal names the classes" "$said" 'training.*GOV-304'

# An admitted job that has not started grows past its quota: it waits again.
drain_all_jobs
for node in g1 g2 g3 g4; do
	scontrol update NodeName="$node" State=DRAIN Reason=test
done
lab_changed
scontrol update NodeName=g1 State=RESUME
scontrol update NodeName=g2 State=RESUME
wait_for 5 "nodes g1 and g2" test -n "$(sinfo -h -n g1,g2 -t idle)"
own=$(sleeper alice --gpus=8)
wait_state "$own" RUNNING 5
# Admitted, and Slurm has no node for it: it asks for one that is drained.
small=$(sleeper alice --gpus=4 --nodelist=g4)
expect_not "it is held" job_held "$small"
as alice scontrol update JobId="$small" Gres=gpu:8 NumNodes=2 2>&1
grown_or_refused()
{
	job_held "$small" || [[ $(job_field "$small" TresPerNode) != *8* ]]
}
wait_for 5 "grown and held, or not grown" grown_or_refused
for node in g3 g4; do
	scontrol update NodeName="$node" State=RESUME
done
