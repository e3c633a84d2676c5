#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 300
# Status: draft
#
# GPU requests in every spelling: what governance counts before the start is
# what Slurm then allocates.

source "$(dirname "$0")/lib.sh"

lab_changed
sed -e '/^Quota /d' "$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
cat >>"$WORK/policy" <<'END'
Quota Team=vision Pool=h100 TRES=gres/gpu=32,cpu=128,mem=1000G
Quota Team=nlp Pool=h100 TRES=gres/gpu=0
END
set_policy "$WORK/policy" || fail "policy"

# request JOB: what governance counts, as gpu:cpu:mem.
request()
{
	as root sgov queue -nP | awk -F '|' -v job="$1" '
		$1 == job { print $6 }' | awk -F , '{
		for (i = 1; i <= NF; i++) {
			split($i, pair, "=")
			n[pair[1]] = pair[2]
		}
		print n["gres/gpu"] + 0 ":" n["cpu"] + 0 ":" n["mem"] + 0 }'
}
# allocated JOB: what Slurm gave it, from its allocation node by node.
allocated()
{
	scontrol -d -o show job "$1" | awk '{
		for (i = 1; i <= NF; i++) {
			if (sub(/^NumCPUs=/, "", $i)) cpus = $i
			if (sub(/^JOB_GRES=gpu:.*:/, "", $i) ||
			    sub(/^JOB_GRES=gpu:/, "", $i)) gpus = $i
			if (sub(/^TRES=/, "", $i) &&
			    match($i, /mem=[0-9.]*[MGT]/)) {
				mem = substr($i, RSTART + 4, RLENGTH - 4)
			}
		}
		unit = substr(mem, length(mem))
		factor = unit == "G" ? 1024 : unit == "T" ? 1048576 : 1
		print gpus + 0 ":" cpus + 0 ":" mem * factor }'
}

wrong=0
# compare OPTION...: the job waits behind another, is counted, starts, is
# looked at again.
compare()
{
	local job before after given
	job=$(sleeper alice --gov-class=debug "$@")
	wait_until 3 test -n "$(request "$job")" || true
	before=$(request "$job")
	scontrol update NodeName=g[1-4] State=RESUME >/dev/null 2>&1
	wait_until 8 job_is "$job" RUNNING || {
		note "WRONG: $* does not start: $(job_field "$job" Reason)"
		wrong=$((wrong + 1))
		scancel "$job"
		return
	}
	given=$(allocated "$job")
	charged() { after=$(request "$job"); [ "$after" = "$given" ]; }
	wait_until 5 charged
	if [ "$before" = "$given" ] && [ "$after" = "$given" ]; then
		note "$*: $given"
	else
		note "WRONG: $*: counted $before, then $after; Slurm gave $given"
		wrong=$((wrong + 1))
	fi
	scancel "$job"
	wait_until 5 not job_is "$job" 'RUNNING|COMPLETING'
}

compare --gpus=4 --mem=8G
compare --gpus=h100:4 --mem=8G
compare --gres=gpu:2 --mem=1G
compare --gres=gpu:h100:2 --mem=1G
compare --gres=gpu --mem=1G
compare -N2 --gpus-per-node=4 --mem=4G
compare -N2 --gpus-per-node=h100:4 --mem=4G
compare -N2 --gpus=8 --ntasks=2 --mem=4G
compare -n4 --gpus-per-task=1 --mem=2G
compare -n3 -c2 --gpus-per-task=h100:2 --mem=2G
compare --gpus=8 --gpus-per-task=2 --mem=2G
compare -n8 --ntasks-per-gpu=2 --mem=2G
compare --gpus=4 --ntasks-per-gpu=2 --mem=2G
compare --gpus-per-socket=2 --sockets-per-node=1 --mem=1G
compare --gpus=4 --mem-per-gpu=2G
compare --gpus=2 -n2 -c4 --mem-per-cpu=1G
compare --gpus=2 --cpus-per-gpu=4 --mem=1G
compare -n4 --ntasks-per-node=2 --gpus-per-node=4 --mem=1G
compare --exclusive -N1 --gres=gpu:1 --mem=0
compare -n6 --mem=512M
compare -N3 -n3 --gres=gpu:1 --mem=1G
compare --gpus-per-node=1 --gres=gpu:2 --mem=1G
compare --gres=gpu:1,gpu:2 --mem=1G
compare --gpus=12 --mem=1G
expect_equal "spellings counted wrong" "$wrong" 0
