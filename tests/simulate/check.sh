#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sgov simulate on 500 jobs of a public trace: what it says must agree with
# sums over the trace itself, and, where nothing is lent or taken back, with
# model.awk to the second.
dir=${srcdir:-.}/tests/simulate
sgov=./sgov/sgov
trace=$dir/philly.csv
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# equal WHAT A B [TOLERANCE]
equal()
{
	awk -v a="$2" -v b="$3" -v t="${4:-0}" 'BEGIN {
		d = a - b; if (d < 0) d = -d
		exit !(a != "" && b != "" && d <= t) }' ||
		fail "$1: $2 is not $3"
}

# value SCENARIO KEY [TEAM]: of the whole, or of one team.
value()
{
	awk -F: -v want="$1" -v key="\"$2\"" -v team="${3-}" '
		{ gsub(/[ ,"\\]/, "", $2); gsub(/[ \t]/, "", $1) }
		$1 == "\"scenario\"" { here = $2 == want; name = "" }
		$1 == "\"name\"" { name = $2 }
		here && name == team && $1 == key { print $2; exit }' \
		"$work/out.json"
}

# The asked hours of the trace, of all teams or one.
asked() { awk -F, -v team="${1-}" 'NR > 1 && (team == "" || $2 == team) {
	sum += $3 * $4 } END { printf "%.6f", sum / 3600 }' "$trace"; }

# simulate CAPACITY NODES SIZE: policy and out.json
simulate()
{
	"$sgov" simulate "$trace" --draft="$1" --node-size="$3" \
		>"$work/policy" || fail "draft"
	grep -q "Nodes=n\[1-$2\]" "$work/policy" || fail "nodes of the draft"
	equal "sum of quotas" "$(sed -n 's/^Quota .*=//p' "$work/policy" |
		awk '{ s += $1 } END { print s }')" "$1"
	"$sgov" check "$work/policy" >/dev/null || fail "the draft has faults"
	"$sgov" simulate "$trace" "$work/policy" --compare --json \
		--node-size="$3" >"$work/out.json" || fail "exit code"
}

scenarios="staticquotas firstcome,noquotas lending,noreclaim $work/policy"
teams=$(awk -F, 'NR > 1 { print $2 }' "$trace" | sort -u)
jobs=$(awk -F, 'NR > 1' "$trace" | wc -l)

# What was run is what was asked, plus what was thrown away.
conserved()
{
	for scenario in $scenarios; do
		name=$(echo "$scenario" | tr -d ,)
		lost=$(value "$name" hours_lost)
		used=$(value "$name" hours_used)
		equal "$1, $name: jobs" "$(value "$name" jobs)" "$jobs"
		equal "$1, $name: unfinished" "$(value "$name" unfinished)" 0
		[ "$name" = staticquotas ] && continue
		equal "$1, $name: refused" "$(value "$name" refused)" 0
		equal "$1, $name: done" "$(awk -v u="$used" -v l="$lost" \
			'BEGIN { printf "%.6f", u - l }')" "$(asked)" 0.001
		sum=0
		for team in $teams; do
			mine=$(awk -v u="$(value "$name" hours_used "$team")" \
				-v l="$(value "$name" hours_lost "$team")" \
				'BEGIN { printf "%.6f", u - l }')
			equal "$1, $name: done by $team" "$mine" \
				"$(asked "$team")" 0.001
			sum=$(awk -v s="$sum" -v m="$mine" \
				'BEGIN { printf "%.6f", s + m }')
		done
		equal "$1, $name: sum of teams" "$sum" "$(asked)" 0.01
	done
	for name in staticquotas firstcomenoquotas lendingnoreclaim; do
		equal "$1, $name: evictions" "$(value $name evictions)" 0
		equal "$1, $name: lost" "$(value $name hours_lost)" 0
	done
	[ "$(value "$work/policy" evictions)" -gt 0 ] ||
		fail "$1: nothing was taken back, so nothing was tested"
}

# agrees SCENARIO OPTION: with the model
agrees()
{
	awk -F, -v "$2" -f "$dir/model.awk" "$trace" >"$work/model"
	sed -n 's/^wait //p' "$work/model" | sort -n >"$work/waits"
	count=$(wc -l <"$work/waits")
	equal "$1: waits" "$(value "$1" jobs)" \
		$((count + $(sed -n 's/^refused //p' "$work/model")))
	equal "$1: refused" "$(value "$1" refused)" \
		"$(sed -n 's/^refused //p' "$work/model")"
	equal "$1: mean" "$(value "$1" mean_s)" \
		"$(awk '{ s += $1 } END { printf "%.4f", s / NR }' \
			"$work/waits")" 0.001
	equal "$1: median" "$(value "$1" p50_s)" \
		"$(sed -n "$(((count + 1) / 2))p" "$work/waits")"
	equal "$1: 95 %" "$(value "$1" p95_s)" \
		"$(sed -n "$(((count * 95 + 99) / 100))p" "$work/waits")"
	equal "$1: longest" "$(value "$1" max_s)" \
		"$(tail -n 1 "$work/waits")"
	window=$(awk -F, 'NR == 2 { a = $1 } END { print $1 - a }' "$trace")
	equal "$1: utilization" "$(value "$1" utilization)" \
		"$(sed -n 's/^used //p' "$work/model" |
		awk -v w="$window" '{ printf "%.9f", $1 / w / 64 }')" 0.000001
}

# At every point of the series: nobody has more than there is, and what is
# borrowed is lent (the quotas leave nothing unallocated).
series()
{
	"$sgov" simulate "$trace" "$work/policy" --node-size=8 \
		--series="$work/series" --sample=600 >/dev/null ||
		fail "series: exit code"
	awk -F, 'NR > 1 {
		used[$2] += $6; borrowed[$2] += $7; lent[$2] += $8
		if ($10 > 64) print "pool at " $2 ": " $10
	}
	END {
		for (t in used) {
			points++
			some += borrowed[t] > 0
			if (used[t] > 64) print "used at " t ": " used[t]
			if (borrowed[t] != lent[t])
				print "lent at " t ": " lent[t] \
					", borrowed " borrowed[t]
		}
		if (points < 10 || !some) print "no series"
	}' "$work/series" >"$work/wrong"
	[ ! -s "$work/wrong" ] || fail "series: $(head -n 3 "$work/wrong")"
}

# One node has it all: no fragments, as in the model.
simulate 64 1 64
conserved "one node"
agrees firstcomenoquotas capacity=64
agrees staticquotas "policy=$work/policy"

simulate 64 8 8
conserved "8 nodes"

series

# The same again is the same.
cp "$work/out.json" "$work/first.json"
simulate 64 8 8
cmp "$work/first.json" "$work/out.json" || fail "not deterministic"

[ $failures -eq 0 ] && echo "tests/simulate: all agrees" || exit 1
