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

# Whoever follows it sees all of what comes, a governor's death included.
# follow NAME OPTIONS: into files of that name, until unfollow.
follow()
{
	# shellcheck disable=SC2016 # $$ is of the command, which it becomes
	as root sh -c 'echo $$ >"$0.pid"
		exec sgov ledger follow "$@" >"$0" 2>"$0.said"' \
		"$WORK/$1" "${@:2}" &
}
unfollow()
{
	[ ! -e "$WORK/$1.pid" ] || kill "$(cat "$WORK/$1.pid")"
	rm -f "$WORK/$1.pid"
}
trap 'unfollow records; unfollow lines' EXIT
rm -f "$WORK"/{records,lines}{,.pid}
follow records --json
follow lines
# Are both there?  Then they see an order.
order_is_seen()
{
	as root sgov hold-reclaims && as root sgov hold-reclaims --undo &&
		sleep 0.2 && [ -s "$WORK/records" ] && [ -s "$WORK/lines" ]
} >/dev/null 2>&1
wait_for 15 "who follows sees an order" order_is_seen

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

told() { grep -q " end  *job $job of bob" "$WORK/lines" &&
	grep -q "\"end\".*\"job\":$job," "$WORK/records"; }
wait_for 5 "who follows sees the end" told
unfollow records
unfollow lines
first=$(head -n 1 "$WORK/records" | jq .seq)
expect_equal "and each record from his first on, once" \
	"$(jq -c . "$WORK/records" | sha256sum)" \
	"$(records "select(.seq >= $first and .seq <= \
		$(tail -n 1 "$WORK/records" | jq .seq))" | sha256sum)"
expect_equal "a line for each of the job" "$(grep -c "job $job " "$WORK/lines")" \
	"$(grep -c "\"job\":$job," "$WORK/records")"
expect_equal "nothing to complain of" "$(cat "$WORK"/{records,lines}.said)" ""
expect_match "in words" "$(grep "start  *job $job " "$WORK/lines")" \
	"Z  start     job $job of bob, team nlp, .*gres/gpu=10.*; vision lends nlp 2 gres/gpu"

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

# The records for others: as they are, or without anybody's name.
export_of() { as root sgov ledger export "$WORK/copy" "$@"; }
cp -r "$LEDGER" "$WORK/copy"
digest() { (cd "$WORK/copy" && find . -type f -exec sha256sum {} + | sort); }
unchanged=$(digest)
expect_equal "an export is what is written down" "$(export_of | sha256sum)" \
	"$(as root sgov ledger show "$WORK/copy" | sha256sum)"
expect_equal "of a job only" "$(export_of --job="$job" | jq .job | sort -u)" \
	"$job"
expect_equal "of a period before" "$(export_of --end=2026-01)" ""
expect_equal "of one that is not over" \
	"$(export_of --start=today --timezone=UTC | sha256sum)" \
	"$(export_of | jq -c "select(.time >= \"$(date -u +%F)\")" | sha256sum)"
as root sh -c "umask 077; head -c 32 /dev/urandom >'$WORK/key'"
hidden() { export_of --pseudonyms=user,job,project --key="$WORK/key" "$@"; }
expect_equal "two exports agree" "$(hidden | sha256sum)" "$(hidden | sha256sum)"
expect_not "without a key they do not" test \
	"$(export_of --pseudonyms=user | sha256sum)" = \
	"$(export_of --pseudonyms=user | sha256sum)"
expect_equal "nobody's uid, no hash" "$(hidden |
	jq -c 'select((.user | type) == "number" or has("hash"))')" ""
expect_match "CSV has headers" "$(hidden --csv | head -n 1)" '^seq,time,kind,at,'
expect_equal "and a line a record" "$(hidden --csv | wc -l)" \
	$(($(hidden | wc -l) + 1))
expect_equal "the ledger is as it was" "$(digest)" "$unchanged"
chmod 644 "$WORK/key"
expect_not "a key for all is none" hidden
for wrong in "--pseudonyms=all" "--key=$WORK/key" "--job=x" "--start=2026-02-30" \
	"--start=today --end=2026-01"; do
	# shellcheck disable=SC2086 # two options
	export_of $wrong 2>/dev/null
	expect_equal "exit code of $wrong" $? 2
done

# Somebody takes the loan out of the books.
cp -r "$LEDGER" "$WORK/forged"
last=$(find "$WORK/forged" -name '*.log' | sort | tail -n 1)
sed -i "0,/\"job\":$job,/s//\"job\":$((job + 1)),/" "$last"
as root sgov ledger verify "$WORK/forged"
expect_equal "exit code of a forged record" $? 3
as root sgov ledger export "$WORK/forged" >"$WORK/exported"
expect_equal "and of its export" $? 3
expect_equal "which ends before it" \
	"$(jq -c "select(.job == $((job + 1)))" "$WORK/exported")" ""
