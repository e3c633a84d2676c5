#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --set=SelectTypeParameters=CR_Core_Memory,CR_LLN
# Needs: jq
# Timeout: 360
#
# A reclaim frees what its asker can be placed on: four nodes are full of
# single-GPU jobs on borrowed quota, of which the youngest are spread evenly.
# The owner's job of one whole node takes one node's jobs, that of two nodes
# two nodes' jobs; if no node can be freed, nobody is evicted and it is said;
# and what is free in pieces is joined for an owner's job that Slurm cannot
# place.

source "$(dirname "$0")/lib.sh"

GRACE=2
vision_lends_all $GRACE

count_of() { squeue -h -r -u "$1" -t "$2" -o %i | wc -l; }
jobs_are() { [ "$(count_of "$1" "$2")" = "$3" ]; }
# nodes_of USER: how many running jobs the user has on each node, "g1:8 …"
nodes_of()
{
	squeue -h -u "$1" -t R -o %N | sort | uniq -c |
		awk '{ printf "%s%s:%s", sep, $2, $1; sep = " " }'
}

# Each to the node with the least load, in turn, so that age tells nothing.
# They work on in their grace, and end when Slurm ends them.
traps=$LAB_DIR/home/bob/traps
traps_are() { [ "$(wc -l <"$traps")" = "$1" ]; }
fill()
{
	rm -f "$traps"
	as bob touch "$traps"
	submit bob --array="1-$1" --gpus=1 --wrap="trap 'trap - TERM' TERM
		echo ready >>$traps
		while :; do sleep 0.5; done" >/dev/null
	wait_for 30 "$1 borrowed jobs run" jobs_are bob R "$1"
	wait_for 10 "all are ready for a signal" traps_are "$1"
}

fill 32
before=$(nodes_of bob)
expect_equal "spread evenly" "$before" "g1:8 g2:8 g3:8 g4:8"
asked=${EPOCHREALTIME/./}
owner=$(sleeper alice -N1 --gres=gpu:8)
wait_state "$owner" RUNNING $((GRACE + 5))
note "started after $(((${EPOCHREALTIME/./} - asked) / 1000)) ms"
node=$(squeue -h -j "$owner" -o %N)
wait_for 5 "24 borrowed jobs run on" jobs_are bob R 24
expect_equal "exactly one node's jobs went" "$(nodes_of bob)" \
	"$(tr ' ' '\n' <<<"$before" | grep -v "^$node:" | paste -sd ' ')"
scancel "$owner"
wait_for 30 "they come back" jobs_are bob R 32

asked=${EPOCHREALTIME/./}
owner=$(sleeper alice -N2 --gres=gpu:8)
wait_state "$owner" RUNNING $((GRACE + 5))
note "started after $(((${EPOCHREALTIME/./} - asked) / 1000)) ms"
wait_for 5 "16 borrowed jobs run on" jobs_are bob R 16
expect_equal "of two nodes" "$(nodes_of bob | wc -w)" 2
scancel "$owner"
wait_for 30 "they come back" jobs_are bob R 32

# Operators exempt one job on each node: no node can be freed any more.
for n in 1 2 3 4; do
	as root sgov exempt "$(squeue -h -u bob -t R -w "g$n" -o %i |
		head -n 1)" >/dev/null || fail "no exemption on g$n"
done
owner=$(sleeper alice -N1 --gres=gpu:8)
limit_is()
{
	[ "$(as alice sgov why "$owner" --json | jq -r '.limits[0].kind')" = "$1" ]
}
wait_for 10 "why: it is the place" limit_is place
expect_match "said to a person" "$(as alice sgov why "$owner")" \
	'make room for 8 gres/gpu:?[a-z0-9]* on one node .*nobody is evicted in vain'
stays 3 "nobody is evicted" jobs_are bob R 32
odd=$(sleeper alice --hold -N2 --gres=gpu:8 --contiguous)
place_of()
{
	as alice sgov why "$1" --json | jq -r '.place | "\(.known): \(.unknown_because)"'
}
wait_for 5 "it is listed" as alice sgov why "$odd"
expect_equal "its place" "$(place_of "$odd")" \
	"unknown: it asks for contiguous nodes, spare cores or the like"
expect_equal "of the other" "$(place_of "$owner")" "none: null"
scancel "$odd"
# One task is on one node: the same. Without any word of nodes or tasks Slurm
# takes GPUs wherever they are.
scancel "$owner"
owner=$(sleeper alice -n1 --gpus=8)
wait_for 10 "why, of one task: it is the place" limit_is place
stays 2 "nobody is evicted" jobs_are bob R 32
scancel "$owner"
owner=$(sleeper alice --gpus=8)
wait_state "$owner" RUNNING $((GRACE + 5))
expect "on several nodes" test "$(job_field "$owner" NumNodes)" -gt 1
wait_for 5 "24 borrowed jobs run on" jobs_are bob R 24
drain_all_jobs

# Six jobs on each node: eight GPUs are free, two on each.
fill 24
asked=${EPOCHREALTIME/./}
owner=$(sleeper alice -N1 --gres=gpu:8)
wait_state "$owner" RUNNING 25
note "started after $(((${EPOCHREALTIME/./} - asked) / 1000)) ms"
wait_for 10 "those that had to go fit elsewhere" jobs_are bob R 24
drain_all_jobs
