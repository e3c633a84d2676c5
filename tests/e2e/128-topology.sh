#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --set=TopologyPlugin=topology/tree
# Needs: jq
# Status: long
# Timeout: 240
#
# Who asks for nodes below one switch gets them there: the jobs that go are
# those of one switch, though others would be cheaper; and where none of the
# switches can be freed nobody goes, and it is said.

source "$(dirname "$0")/lib.sh"

GRACE=2
vision_lends_all $GRACE

# The longer a node has been in use, the more is lost there.
running() { squeue -h -r -u bob -t R -o %i | wc -l; }
running_is() { [ "$(running)" = "$1" ]; }
count=0
work="trap 'trap - TERM' TERM; while :; do sleep 0.5; done"
for node in g4 g3 g1 g2; do
	for gpus in 4 4; do
		submit bob -w "$node" --gpus="$gpus" --wrap="$work" >/dev/null
	done
	count=$((count + 2))
	wait_for 15 "$node is borrowed" running_is "$count"
	sleep 1.1
done
kept=$(squeue -h -u bob -t R -w g1 -o %i | head -n 1)
as root sgov exempt "$kept" >/dev/null || fail "no exemption on g1"

# Cheapest would be g2 and then g3.
asked=${EPOCHREALTIME/./}
owner=$(sleeper alice -N2 --gres=gpu:8 --switches=1)
wait_state "$owner" RUNNING $((GRACE + 5))
note "started after $(((${EPOCHREALTIME/./} - asked) / 1000)) ms"
expect_equal "below one switch" "$(squeue -h -j "$owner" -o %N)" 'g[3-4]'
expect_equal "where the others run" "$(squeue -h -u bob -t R -o %N | sort |
	uniq -c | awk '{ printf "%s:%s ", $2, $1 }')" 'g1:2 g2:2 '
scancel "$owner"
wait_for 30 "they come back" running_is 8

# None of the two switches can be freed.
other=$(squeue -h -u bob -t R -w g3 -o %i | head -n 1)
as root sgov exempt "$other" >/dev/null || fail "no exemption on g3"
owner=$(sleeper alice -N2 --gres=gpu:8 --switches=1)
limit_is()
{
	[ "$(as alice sgov why "$owner" --json | jq -r '.limits[0].kind')" = "$1" ]
}
wait_for 10 "why: it is the place" limit_is place
stays 3 "nobody is evicted" running_is 8
note "$(as alice sgov why "$owner" | head -n 3 | paste -s -d ' ')"

# Of the switches it makes no difference: g2 and g4 do.
scancel "$owner"
owner=$(sleeper alice -N2 --gres=gpu:8)
wait_state "$owner" RUNNING $((GRACE + 5))
expect_equal "on nodes of two switches" "$(squeue -h -j "$owner" -o %N)" \
	'g[2,4]'
drain_all_jobs
