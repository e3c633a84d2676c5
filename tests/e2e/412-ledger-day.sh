#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --dbd
# Status: long
# Timeout: 240
#
# A day in half a minute: 40 short jobs, a loan, a governor that crashes, a
# reclaim, a node that drains, another quota at noon. What the report says of
# it is worked out here from sacct alone, second by second.

source "$(dirname "$0")/lib.sh"

set_policy "$E2E/policy/day.conf" || fail "the policy is not taken"
sleep 1
START=$(date +%s)

# day_jobs USER COUNT OPTION...: that many short jobs of one GPU.
day_jobs()
{
	as "$1" bash -c "for i in {1..$2}; do
		sbatch -Q --output=/dev/null --gpus=1 ${*:3} \
			--wrap=\"sleep \$((i % 3))\" || exit
	done" || fail "jobs of $1"
}
no_short_jobs() { [ -z "$(squeue -h -n wrap)" ]; }

# ---- morning: 34 jobs inside quotas ----
day_jobs alice 18 --gov-borrow=no
day_jobs bob 16 --gov-borrow=no
wait_for 40 "end of the morning's jobs" no_short_jobs

# ---- a loan, over a crash of the governor, until its owner comes ----
base=$(submit bob --job-name=base --gpus=4 --wrap='exec sleep 3600')
wait_state "$base" RUNNING 10
loan=$(submit bob --job-name=loan --gpus=14 \
	--wrap="trap '' TERM; while :; do sleep 1; done")
wait_state "$loan" RUNNING 10
short=$(submit alice --job-name=short --gpus=1 --wrap='sleep 2')
wait_state "$short" RUNNING 10
cluster kill slurmgovd
wait_state "$short" COMPLETED 10
cluster start slurmgovd
wait_until 30 as root sgov ping >/dev/null 2>&1 || fail "no governor"
scontrol update NodeName=g4 State=DRAIN Reason=day
owner=$(submit alice --job-name=owner --gpus=12 --wrap='sleep 2')
wait_state "$loan" PENDING 20
scontrol update NodeName=g4 State=RESUME
wait_state "$owner" 'RUNNING|COMPLETED' 30
wait_state "$loan" RUNNING 60

# ---- noon: 4 GPUs of vision's quota become nlp's ----
sed -e 's/gpu=16/gpu=12/; s/gpu=8/gpu=12/' "$E2E/policy/day.conf" \
	>"$WORK/afternoon"
asked=$(date +%s)
set_policy "$WORK/afternoon" || fail "the afternoon's policy is not taken"
taken=$(date +%s)
sleep 1
day_jobs alice 6
wait_for 30 "end of the afternoon's jobs" no_short_jobs
drain_all_jobs
sleep 2
END=$(date +%s)

# ---- what sacct says ----
records() { as root sgov ledger show | jq -c "$@"; }
at_noon() { records 'select(.kind == "policy" and .digest) | .at' | tail -n 1; }
NOON=$(at_noon)
expect "noon when it was ordered" test "$NOON" -ge "$asked" -a "$NOON" -le "$taken"
runs()
{
	sacct -aDnPX -S "$(date -d "@$START" +%FT%T)" -E now -o jobidraw,account,start,end,alloctres |
		sed 's/|[^|]*gres\/gpu=\([0-9]*\).*/|\1/' |
		awk -F'|' -v OFS='|' 'NF == 5 && $5 > 0 && $3 != "Unknown"'
}
closed() { ! runs | grep -q Unknown && [ "$(runs | wc -l)" -ge 45 ]; }
wait_for 20 "all runs in the database" closed
runs | while IFS='|' read -r id account start end gpus; do
	echo "$id $account $(date -d "$start" +%s) $(date -d "$end" +%s) $gpus"
done >"$WORK/runs"
note "$(wc -l <"$WORK/runs") runs"
expect_equal "runs of the job that was requeued" \
	"$(grep -c "^$loan " "$WORK/runs")" 2

# Second by second: what goes beyond a quota is borrowed.
awk -v start="$START" -v end="$END" -v noon="$NOON" '
	{ for (t = $3; t < $4; t++) use[$2, t] += $5 }
	function hours(x) { return sprintf("%.4f", x / 3600) }
	END {
		quota["vision", 0] = 16; quota["vision", 1] = 12
		quota["nlp", 0] = 8; quota["nlp", 1] = 12
		for (t = start; t < end; t++)
			for (k = 0; k < 2; k++) {
				team = k ? "nlp" : "vision"
				q = quota[team, t >= noon]
				u = use[team, t] + 0
				over = u > q ? u - q : 0
				used[team] += u
				own[team] += u - over
				borrowed[team] += over
				promised[team] += q
			}
		lent["vision"] = borrowed["nlp"]
		lent["nlp"] = borrowed["vision"]
		for (k = 0; k < 2; k++) {
			team = k ? "vision" : "nlp"
			print team "|" hours(promised[team]) "|" \
				hours(used[team]) "|" hours(own[team]) "|" \
				hours(borrowed[team]) "|" hours(lent[team]) \
				"|" hours(used[team] * 3600)
		}
	}' "$WORK/runs" >"$WORK/wanted"
period=(--start="$(date -d "@$START" +%FT%T)" --end="$(date -d "@$END" +%FT%T)")
as root sgov report usage "${period[@]}" --tres=gres/gpu -nP |
	cut -d'|' -f1,3-7,10 >"$WORK/said"
expect "the same sums: $(paste -s -d' ' "$WORK/wanted")" \
	diff "$WORK/wanted" "$WORK/said"

# Each job, all its runs.
awk '{ sum[$1] += $5 * ($4 - $3) }
	END { for (job in sum) if (sum[job])
		printf "%s|%.4f\n", job, sum[job] / 3600 }' "$WORK/runs" |
	sort -t'|' -k1n >"$WORK/wanted"
as root sgov report usage --by=job "${period[@]}" --tres=gres/gpu -nP |
	cut -d'|' -f1,3 | grep -v '|0.0000$' | grep '^[0-9]' |
	sort -t'|' -k1n >"$WORK/said"
expect "the same of each job" diff "$WORK/wanted" "$WORK/said"

expect_match "the reclaim" "$(as root sgov report evictions "${period[@]}" \
	--tres=gres/gpu -nP)" '^nlp\|vision\|gres/gpu\|1\|'
expect "as it was written" as root sgov ledger verify
