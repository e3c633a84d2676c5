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

# Somebody takes the loan out of the books.
cp -r "$LEDGER" "$WORK/forged"
last=$(find "$WORK/forged" -name '*.log' | sort | tail -n 1)
sed -i "0,/\"job\":$job,/s//\"job\":$((job + 1)),/" "$last"
expect_not "a forged record is not taken" sgov ledger verify "$WORK/forged"
