#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 300
#
# What sgov shows: tables, parsable output and JSON say the same, to every
# user, while nlp runs on what vision lends.

source "$(dirname "$0")/lib.sh"

sgov() { as "${ASKER:-alice}" sgov "$@"; }

v=$(sleeper alice -A vision --gpus=4)
own=$(sleeper bob -A nlp --gpus=8)
borrowed=$(sleeper ben -A nlp --gpus=8 --job-name='a|b')
wait_state "$v" RUNNING 10
wait_state "$own" RUNNING 10
wait_state "$borrowed" RUNNING 10
waiting=$(sleeper bob -A nlp --gpus=8)

borrows() { [ "$(sgov status -nP --team=nlp | cut -d'|' -f7 | head -n 1)" = 8 ]; }
wait_for 5 "nlp borrows 8" borrows

# ---- status ----

expect_equal "nlp: quota, used, own, borrowed, lent" \
	"$(sgov status -nP -t nlp -T gres/gpu | cut -d'|' -f4-8)" "8|16|8|8|0"
expect_equal "vision: quota, used, own, borrowed, lent" \
	"$(sgov status -nP -t vision -T gres/gpu | cut -d'|' -f4-8)" \
	"16|4|4|0|8"
expect_equal "nlp waits for" \
	"$(sgov status -nP -t nlp -T gres/gpu | cut -d'|' -f10)" 8

sgov status --json >"$WORK/status.json"
expect_equal "JSON says what --parsable2 says" \
	"$(jq -r '.units[] | select(.kind == "team") | .name as $n |
		.cells[] | select(.counted) | [$n, .pool, .tres, .quota, .used,
		.own, .borrowed, .lent, .free, .waiting] |
		map(tostring) | join("|")' "$WORK/status.json" | sort)" \
	"$(sgov status -nP | cut -d'|' -f1-10 | sort)"
expect_equal "the table says what --parsable2 says" \
	"$(sgov status -n | sed 's/  */|/g; s/|$//')" \
	"$(sgov status -nP | cut -d'|' -f1-10)"
expect_equal "lent is borrowed" \
	"$(jq '[.units[] | select(.kind == "team") | .cells[].lent] | add' \
		"$WORK/status.json")" \
	"$(jq '[.units[] | select(.kind == "team") | .cells[].borrowed] | add' \
		"$WORK/status.json")"
expect_match "with headers" "$(sgov status | head -n 1)" \
	'^TEAM +POOL +TRES +QUOTA +USED +OWN +BORROWED +LENT +FREE +WAITING$'
expect_match "with units" "$(sgov status --tree)" '^research .*'
expect_match "below it, indented" "$(sgov status --tree)" '^  nlp '
expect_equal "the pool: capacity, quotas, unallocated, used" \
	"$(sgov status --pools -nP -T gres/gpu | cut -d'|' -f3-6)" "32|24|8|20"
expect_match "memory in units of people" \
	"$(sgov status --pools -n -T mem)" '1000G'
expect_equal "memory in MiB" \
	"$(sgov status --pools -nP -T mem | cut -d'|' -f3)" 1024000

# ---- loans ----

expect_equal "who lends what to whom" "$(sgov loans -nP)" \
	"vision|nlp|h100|gres/gpu|8"
expect_equal "in JSON" \
	"$(sgov loans --json | jq -c '.loans | map([.lender, .borrower, .amount])')" \
	'[["vision","nlp",8]]'

# ---- queue ----

expect_equal "jobs and states" \
	"$(sgov queue -nP | cut -d'|' -f1,2,3,5 | sort)" \
	"$(printf '%s\n' "$v|alice|vision|running" "$own|bob|nlp|running" \
		"$borrowed|ben|nlp|running" "$waiting|bob|nlp|waiting" | sort)"
expect_equal "JSON has the same jobs" \
	"$(sgov queue --json | jq -r '.jobs[] |
		[.job, .user, .team, .state] | join("|")' | sort)" \
	"$(sgov queue -nP | cut -d'|' -f1,2,3,5 | sort)"
expect_equal "those that wait" "$(sgov queue -nP -s waiting | cut -d'|' -f1)" \
	"$waiting"
expect_equal "one's own" "$(ASKER=ben sgov queue -nP --me | cut -d'|' -f1)" \
	"$borrowed"
expect_equal "of a user" "$(sgov queue -nP -u bob | wc -l)" 2
expect_equal "of a team" "$(sgov queue -nP -t vision | cut -d'|' -f1)" "$v"
expect_equal "a job name cannot add a column" \
	"$(sgov queue -nP | awk -F'|' '{ print NF }' | sort -u)" 15
expect_match "the reason" "$(sgov queue -nP -s waiting | cut -d'|' -f15)" \
	'gres/gpu'

# ---- terms ----

expect_equal "terms of one's team: signal, notice, then" \
	"$(sgov terms -nP -c training | cut -d'|' -f1,2,5-7)" \
	"vision|training|SIGTERM|00:00:05|requeue"
expect_equal "all terms for who is in no team" \
	"$(ASKER=eve sgov terms -nP -c training | cut -d'|' -f1 |
		sort | paste -sd,)" "nlp,vision"

# ---- everybody may ask ----

for ASKER in alice bob carol eve root; do
	expect_equal "$ASKER sees the teams" "$(sgov status -nP -T gres/gpu |
		cut -d'|' -f1 | sort | paste -sd,)" "nlp,vision"
done
drain_all_jobs
