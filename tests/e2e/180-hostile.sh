#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: none
# Needs: cc valgrind
# Timeout: 400
#
# A thousand hostile submissions, and some updates, from four clients at once
# that speak Slurm's protocol themselves (hostile.c): huge text, wrong numbers,
# no TRES, newlines, forged stamps and grants, 10,000 environment entries.
# slurmctld with our plugin and slurmgovd run under valgrind: neither ends, and
# valgrind finds nothing in our code. Nothing was bought by it.

export LAB_DIR=$LAB_DIR-hostile LAB_PORT=$((LAB_PORT + 200))
source "$(dirname "$0")/lib.sh"

own=$(mktemp -d)	# not of the lab, which begins with an empty folder
trap 'cluster clean; rm -rf "$own"' EXIT
chmod 755 "$own"
cc -D_GNU_SOURCE -std=gnu11 -O1 -Wall -o "$own/hostile" "$E2E/hostile.c" \
	-lslurm || fail "no hostile client"
mkdir "$own/valgrind"
chmod 777 "$own/valgrind"

# The deadline is for daemons that do not run twenty times as slow.
sed -e 's/^Enforcement=/SubmitDeadline=1000 &/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$own/policy"
options="--num-callers=40 --fullpath-after= --leak-check=full
	--show-leak-kinds=definite --errors-for-leak-kinds=definite
	--log-file=$own/valgrind/%p"
# shellcheck disable=SC2086 # words
set -- $options
cluster up --nodes=1 --conf="$own/policy" \
	--wrap="slurmctld=valgrind $*" --wrap="slurmgovd=valgrind $*" \
	>"$own/up" 2>&1 || fail "no lab: $(tail -n 5 "$own/up")"
note "slurmctld and slurmgovd under valgrind"

pid_of() { cut -d ' ' -f 1 "$LAB_DIR/run/$1.pid"; }
slurmctld=$(pid_of slurmctld) governor=$(pid_of slurmgovd)

clients=()
for user in alice bob anna ben; do
	as "$user" "$own/hostile" 250 "${#clients[@]}" \
		>"$own/sent-$user" 2>"$own/said-$user" &
	clients+=($!)
done
wait "${clients[@]}"
cat "$own"/sent-* >&2
expect_equal "clients that were answered every time" \
	"$(cat "$own"/sent-* | grep -c '^sent 250 .* lost 0$')" 4
accepted=$(awk '{ n += $4 } END { print n }' "$own"/sent-*)
expect "some of both" test "$accepted" -gt 50 -a "$accepted" -lt 950

expect_equal "slurmctld is the same process" "$(pid_of slurmctld)" "$slurmctld"
expect_equal "slurmgovd is the same process" "$(pid_of slurmgovd)" "$governor"
expect "slurmctld answers" scontrol ping
expect "the governor answers" as root sgov ping

# No stamp but the governor's own, no grant but one of its own.
forged_stamps()
{
	scontrol -o show job | grep -o 'AdminComment=.*' |
		grep -E 'nonce=1 |class=inference .*nonce=1|gov9'
}
expect_not "a forged stamp" forged_stamps
nobody_runs() { [ -z "$(squeue -h -t R,CG)" ]; }
wait_for 60 "what runs to end" nobody_runs
all_given_back()
{
	[ "$(as root sgov status -nP --all 2>/dev/null |
		awk -F '|' '$3 == "gres/gpu" { n += $5 } END { print n + 0 }')" = 0 ]
}
wait_for 60 "nothing charged" all_given_back

cluster stop slurmgovd
cluster stop slurmctld
# ours FILE: what valgrind reports with a stack in our code. libslurm itself
# loses 20 bytes with each slurm_update_job2().
ours()
{
	awk -v RS='\n==[0-9]+== \n' '/ (at|by) 0x/ && !/slurm_update_job2/ &&
		/\/(lib\/[a-z]+|slurmgovd|plugins\/job_submit)\/[a-z_]+\.c:/
	' "$1"
}
for report in "$own"/valgrind/*; do
	expect "an end of $report" grep -q 'ERROR SUMMARY' "$report"
	[ -z "$(ours "$report")" ] || fail "valgrind: $(ours "$report")"
done
note "valgrind found nothing in our code"
