#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: "--wrap=slurmgovd=env LD_PRELOAD=$LAB_DIR/jobs/faulty_disk.so" --env=GOVERNANCE_SUBMIT_TIMES=$LAB_DIR/governor/times
# Status: long
# Timeout: 240
#
# The ledger's disk is slow, full, read-only or broken: no verdict waits for
# it, an operator is told, and afterwards everything is written down, once.

source "$(dirname "$0")/lib.sh"

lab_changed
SHIM=$(public_program faulty_disk -shared -fPIC -O1)
mv "$SHIM" "$SHIM.so"
disk() { echo "$1" >"$LAB_DIR/jobs/disk"; }
disk well
cluster stop slurmgovd
cluster start slurmgovd
wait_until 30 as root sgov ping >/dev/null 2>&1 || fail "no governor"
read -r pid _ <"$LAB_DIR"/run/slurmgovd.pid
expect "the governor has such a disk" grep -q faulty_disk.so "/proc/$pid/maps"

times() { od -An -tu8 -N8 "$LAB_DIR/governor/times" | tr -d ' '; }
# verdicts COUNT: that many short jobs; prints median and 90th percentile in
# microseconds, of the time that the plugin took.
verdicts()
{
	local before
	before=$(times)
	as bob bash -c "for _ in {1..$1}; do
		sbatch -Q --output=/dev/null --gpus=1 --wrap=true || exit
	done" || fail "a submission"
	od -An -v -w4 -tu4 -j $((8 + 4 * before)) \
		-N $((4 * $1)) "$LAB_DIR/governor/times" |
		sort -n | awk '{ v[NR] = $1 / 1000 }
			END { printf "%d %d\n", v[int(NR / 2) + 1],
				v[int(NR * 9 / 10)] }'
}

status_says() { as root sgov status 2>&1 >/dev/null | grep -q "$1"; }
quiet() { ! status_says 'ledger'; }
verified() { as root sgov ledger verify >/dev/null; }
waiting() { as root sgov status --json 2>/dev/null | jq .ledger.waiting; }

# ---- a sync takes two seconds ----
read -r usual usual90 < <(verdicts 20)
disk slow
read -r slow slow90 < <(verdicts 20)
note "verdicts: p50 $usual us, p90 $usual90; with 2 s a sync: p50 $slow us," \
	"p90 $slow90"
# Who waited would have waited for the plugin's deadline, 20 ms.
expect "the same median" test "$slow" -le $((usual * 2 + 2000))
expect "nobody waited" test "$slow90" -lt 20000
disk well

# ---- each fault: told, and made good ----
fault()
{
	local job
	disk "$1"
	job=$(submit bob --gpus=1 --wrap=true)
	wait_state "$job" COMPLETED 10
	wait_for 10 "alarm: $1" status_says "ledger is not written.*$2"
	read -r _ p90 < <(verdicts 3)
	expect "verdicts all the same ($p90 us)" test "$p90" -lt 20000
	disk well
	wait_for 10 "all is well again" quiet
	jobs+=("$job")
}
jobs=()
fault sync 'Input/output error'
fault write 'Input/output error'
fault full 'No space left'
fault readonly 'Read-only file system'
no_jobs_left() { [ -z "$(squeue -h)" ]; }
wait_for 20 "end of all jobs" no_jobs_left
wait_for 10 "everything written down" verified
all_there()
{
	as root sgov ledger show | jq -r --argjson jobs "[$1]" 'select(
		.kind == "start" or .kind == "end") |
		select(.job as $j | $jobs | index($j)) | .kind' | sort | uniq -c
}
expect_equal "each started and ended once" \
	"$(all_there "$(IFS=,; echo "${jobs[*]}")" | xargs)" "4 end 4 start"
expect_equal "events that were lost" \
	"$(as root sgov status --json | jq .ledger.lost)" 0

# ---- killed while the disk is full: what was durable is there ----
before=$(as root sgov status --json | jq .ledger.durable)
disk full
submit bob --gpus=1 --wrap=true >/dev/null
wait_for 10 "alarm" status_says 'ledger is not written'
cluster kill slurmgovd
disk well
cluster start slurmgovd
wait_until 30 as root sgov ping >/dev/null 2>&1 || fail "no governor"
sleep 1
expect "as it was written, after a crash on a full disk" verified
after=$(as root sgov status --json | jq .ledger.durable)
expect "no durable record is gone ($before, $after)" \
	test "$after" -gt "$before"
rm "$LAB_DIR/jobs/disk"
