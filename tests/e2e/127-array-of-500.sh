#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Status: long
# Timeout: 420
#
# An array of 500 tasks of a fraction of a second against a quota of 8 and 8 to
# borrow: never more than 16 at once, all of them run, and the owner's job in
# between gets its 8. What it costs slurmctld is counted.

source "$(dirname "$0")/lib.sh"

lab_changed
sed \
	-e '/^Quota Team=vision/s/gpu=16/gpu=8/' \
	-e '/^Quota Team=nlp/s/BorrowLimit=.*/BorrowLimit=8/' \
	-e 's/ReclaimGrace=[0-9]*/ReclaimGrace=1/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
set_policy "$WORK/policy" || fail "policy"
count() { as root sgov ping --json | jq ".governor.${1:-updates}"; }

# The most that runs at once, of one team and of both.
watch_most()
{
	local bob all most=0 most_all=0
	while [ ! -e "$WORK/stop" ]; do
		bob=$(gpus_started bob) all=$(gpus_started .)
		[ "$bob" -le "$most" ] || most=$bob
		[ "$all" -le "$most_all" ] || most_all=$all
		echo "$most $most_all" >"$WORK/most"
		sleep 0.1
	done
}
# Of jobs that run, without those that have ended and are being cleared away.
gpus_started()
{
	scontrol -o show job 2>/dev/null | grep "UserId=$1" |
		sed -n 's/.* JobState=RUNNING .* TresPer[A-Z][a-z]*=gres:gpu:\([0-9]*\).*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }'
}

done=$LAB_DIR/home/bob/done
as bob touch "$done"
before=$(count) notices=$(count notices)
rm -f "$WORK/stop"
watch_most &
array=$(submit bob --array=1-500 --gpus=1 --chdir="$LAB_DIR/home/bob" \
	--wrap="sleep 0.2; echo \$SLURM_ARRAY_TASK_ID >>$done")
ran() { [ "$(wc -l <"$done")" -ge "$1" ]; }
wait_for 120 "some tasks have run" ran 60
owner=$(submit alice --gpus=8 --wrap='sleep 3')
began=${EPOCHREALTIME/./}
wait_state "$owner" "RUNNING|COMPLETED" 30
note "the owner waited $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
expect_not "it had to wait for the whole array" ran 500
over() { [ -z "$(squeue -h -j "$array" 2>/dev/null)" ]; }
wait_for 300 "the array is over" over
touch "$WORK/stop"
wait
expect_equal "tasks that have run" "$(sort -u "$done" | wc -l)" 500
read -r most both <"$WORK/most"
expect "at most $most of the array ran at once" test "$most" -le 16
expect "and $both with the owner's" test "$both" -le 16
wait_for 10 "nothing is charged" used_is nlp 0
cost=$(($(count) - before))
expect "it cost $cost updates, with $(($(count notices) - notices)) notices" \
	test "$cost" -le 1100
expect "$(count update_failures) of them in vain" \
	test "$(count update_failures)" -le 50
