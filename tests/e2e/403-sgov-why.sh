#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 400
#
# sgov why: each kind of limit is named with its figures, for jobs that met
# it on a live cluster; what a running job has to expect; who has to leave.

source "$(dirname "$0")/lib.sh"

set_policy "$E2E/policy/limits.conf"

# job USER SBATCH_OPTION...: works on through the signal of a reclaim.
job() { submit "$@" --wrap 'trap "" USR1; sleep 3600 & wait; wait'; }

why() { as eve sgov why "$1" --json; }

known() { why "$1" >/dev/null 2>&1; }

# limit JOB KIND: unit, limit, used, asked, missing of that limit.
limit()
{
	why "$1" | jq -r --arg kind "$2" '.limits[] | select(.kind == $kind) |
		[.unit, .limit, .used, .asked, .missing] |
		map(tostring) | join(" ")'
}

# expect_limit WHAT JOB KIND FIGURES
expect_limit()
{
	wait_until 10 known "$2" || fail "the governor does not know job $2"
	expect_equal "$1" "$(limit "$2" "$3")" "$4"
	expect_match "  said to a person" "$(as eve sgov why "$2")" \
		'^Limits that bind:'
}

s1=$(job carol -A strict --gpus=4)
s2=$(job carol -A strict --gpus=1)
s3=$(job carol -A strict --gpus=1)
p1=$(job alice -A vision --gpus=2 --gov-project=vlm)
p2=$(job alice -A vision --gpus=2 --gov-project=vlm)
n1=$(job bob -A nlp --gpus=8)
n2=$(job ben -A nlp --gpus=1 --gov-borrow=no)
n3=$(job ben -A nlp --gpus=1 --gov-class=debug)
n4=$(job ben -A nlp --gpus=4)
n5=$(job bob -A nlp --gpus=3)
for id in "$s1" "$p1" "$n1" "$n4"; do
	wait_state "$id" RUNNING 15
done

expect_limit "a team that may not borrow" "$s2" nominal "strict 4 4 1 1"
expect_limit "the cap of a project" "$p2" project "vision 2 2 2 2"
expect_limit "--gov-borrow=no" "$n2" no_borrow "nlp 8 12 1 1"
expect_limit "a class that may not borrow" "$n3" class "nlp 8 12 1 1"
expect_limit "the cap per user" "$n5" user "nlp 10 8 3 1"
expect_limit "the borrow limit, beside it" "$n5" borrow_limit "nlp 4 4 3 3"
expect_equal "an earlier job in a strict queue" \
	"$(why "$s3" | jq -r '.limits[] | select(.kind == "order") | .job')" \
	"$s2"
expect_equal "how many are ahead" "$(why "$s3" | jq .ahead)" 1

# ---- a running job ----

expect_equal "it is on borrowed quota" \
	"$(why "$n4" | jq -c '[.job.borrowing, .reclaimers]')" '[true,["vision"]]'
expect_equal "whose" "$(why "$n4" | jq -c '[.loans[] |
	[.lender, .borrower, .tres, .amount]]')" \
	'[["vision","nlp","gres/gpu",4]]'
expect_match "in words" "$(as eve sgov why "$n4")" 'borrowed.*vision'
expect_match "with its notice" "$(as eve sgov why "$n4")" \
	'SIGUSR1, then 00:00:20 until it is requeued'
expect_equal "a job on its team's own quota" \
	"$(why "$p1" | jq -c '[.job.borrowing, .reclaimers]')" '[false,[]]'

# ---- taking back ----

scancel "$s2" "$s3" "$p2" "$n2" "$n3" "$n5"
v=$(job alice -A vision --gpus=10)
state_is() { [ "$(why "$1" | jq -r .job.state)" = "$2" ]; }
wait_for 10 "the asker claims its quota" state_is "$v" claiming
expect_equal "who has to leave for it" "$(why "$v" | jq -c \
	'[.candidates[] | select(.protection == "chosen") | [.job, .rule]]')" \
	"[[\"$n4\",\"reclaim\"]]"
wait_for 10 "the victim knows" state_is "$n4" reclaiming
expect_match "for whom, and until when" "$(as eve sgov why "$n4")" \
	"Must leave by 20..-.*job $v"
n6=$(job ben -A nlp --gpus=2)
expect_limit "nothing idle to borrow" "$n6" lenders "null 24 24 2 2"
wait_state "$v" RUNNING 40
wait_for 10 "the victim waits again" state_is "$n4" waiting
expect_equal "and its place is kept" "$(why "$n4" | jq .job.evictions)" 1

# ---- nodes that are down ----

scancel "$v" "$n4" "$n6"
wait_for 20 "they are gone" not known "$v"
lab_changed
scontrol update nodename=g3,g4 state=drain reason="sgov test"
capacity_is() { [ "$(as eve sgov status --pools -nP -T gres/gpu |
	cut -d'|' -f3)" = "$1" ]; }
wait_for 15 "two nodes less" capacity_is 16
v=$(job alice -A vision --gpus=10)
expect_limit "nodes that are down" "$v" capacity "null 16 14 10 8"
drain_all_jobs
scontrol update nodename=g3,g4 state=resume
