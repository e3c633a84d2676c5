#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# The ledger of a short story: a job borrows, the governor is killed, an owner
# takes back. Every record is there, in order, and tells what Slurm tells.

source "$(dirname "$0")/lib.sh"

set_policy "$(dirname "$0")/policy/limits.conf" ||
	fail "the policy is not taken"

records() { as root sgov ledger show | jq -c "$@"; }
verified() { as root sgov ledger verify; }
# of JOB KIND FIELD
of()
{
	records --argjson job "$1" --arg kind "$2" \
		"select(.job == \$job and .kind == \$kind) | $3" | tail -n 1
}
# How often a governor began.
begun() { records 'select(.kind == "open") | 1' | wc -l; }
has() { [ -n "$(of "$@")" ]; }

LEDGER=$(as root sgov status --json | jq -r .ledger.directory)
expect "the governor says where the ledger is" test -d "$LEDGER"
expect_equal "its mode" "$(stat -c %a "$LEDGER")" 700

job=$(watcher bob --gpus=10)
wait_state "$job" RUNNING 10
wait_for 5 "the start is written down" has "$job" start .started
expect_equal "team and user" "$(of "$job" start '[.team, .user]')" \
	"[\"nlp\",$(id -u bob)]"
expect_equal "started as Slurm says" "$(of "$job" start .started)" \
	"$(date -d "$(job_field "$job" StartTime)" +%s)"

before=$(begun)
cluster kill slurmgovd
cluster start slurmgovd
wait_until 30 as root sgov ping >/dev/null 2>&1 || fail "no governor"
sleep 2
expect "as it was written, after a kill" verified
expect_equal "one start of the run" \
	"$(records "select(.kind == \"start\" and .job == $job) | 1")" 1
expect_equal "and one more of the governor" "$(begun)" $((before + 1))

scancel "$job"
wait_for 20 "the end is written down" has "$job" end .ended
ended=$(of "$job" end .ended)
end=$(date -d "$(job_field "$job" EndTime)" +%s)
expect_equal "ended as Slurm says" "$ended" "$end"
expect "as it was written, at the end" verified

# The report says what Slurm says: 10 GPUs from its start to its end.
started=$(of "$job" start .started)
tenths=$(((ended - started) * 100000 / 3600)) # of a thousandth of an hour
by_job=$(as root sgov report usage --by=job --team=nlp --tres=gres/gpu -nP |
	grep "^$job|")
used=$(cut -d'|' -f3 <<<"$by_job")
expect "used: $used hours, Slurm says $tenths/10000" \
	test "$((10#${used/./} - tenths))" -le 1
borrowed=$(cut -d'|' -f5 <<<"$by_job")
lent=$(as root sgov report loans --team=nlp --tres=gres/gpu --by=team -nP |
	cut -d'|' -f3)
expect "borrowed $borrowed, lent to it $lent" test "${borrowed#0.0000}"
expect_match "as CSV" "$(as root sgov report usage --csv)" '^team,tres,quota'
expect_equal "as JSON" "$(as root sgov report usage --json |
	jq -r '.rows[] | select(.team == "nlp" and .tres == "gres/gpu") |
		.quota_hours > 0')" true
expect_match "as HyperPod" "$(as root sgov report usage --format=hyperpod)" \
	",hyperpod-ns-nlp,nlp,h100,"
expect_match "as FOCUS" \
	"$(as root sgov report usage --format=focus --currency=EUR)" \
	'^BilledCost,BillingAccountId,'
for wrong in "--by=nobody" "--start=2026-02-30" "--end=1999" "--timezone=Mars" \
	"--format=focus" "--start=2026-12-02 --end=2026-12-01"; do
	# shellcheck disable=SC2086 # two options
	as root sgov report usage $wrong 2>/dev/null
	expect_equal "exit code of $wrong" $? 2
done

expect_equal "owner and mode of the index" \
	"$(stat -c %U:%a "$LEDGER/index.sqlite")" "$(stat -c %U "$LEDGER"):600"

# Somebody takes the loan out of the books.
cp -r "$LEDGER" "$WORK/forged"
last=$(find "$WORK/forged" -name '*.log' | sort | tail -n 1)
sed -i "0,/\"job\":$job,/s//\"job\":$((job + 1)),/" "$last"
expect_not "a forged record is not taken" sgov ledger verify "$WORK/forged"
