#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For each line of options that comes in: what Slurm allocates for them on
# idle nodes, as "gpus:cpus:MiB|options".

# What the job was given, by its allocation node by node.
allocated()
{
	scontrol -d -o show job "$1" | awk '{
		for (i = 1; i <= NF; i++) {
			if (sub(/^NumCPUs=/, "", $i)) cpus = $i
			if (sub(/^JOB_GRES=gpu:.*:/, "", $i) ||
			    sub(/^JOB_GRES=gpu:/, "", $i)) gpus = $i
			if (sub(/^TRES=/, "", $i) &&
			    match($i, /mem=[0-9.]*[MGT]/))
				mem = substr($i, RSTART + 4, RLENGTH - 4)
		}
		unit = substr(mem, length(mem))
		factor = unit == "G" ? 1024 : unit == "T" ? 1048576 : 1
		print gpus + 0 ":" cpus + 0 ":" mem * factor }'
}

# salloc would wait until the nodes are set up; that it is granted is enough.
allocate()
{
	local line
	job=
	exec 3< <(exec timeout 10 salloc --no-shell "$@" 2>&1 </dev/null)
	while [ -z "$job" ] && read -r -u 3 line; do
		[[ $line != *'Granted job allocation '* ]] || job=${line##* }
	done
	exec 3<&-
}

while read -r options; do
	read -ra words <<<"$options"
	allocate "${words[@]}"
	if [ -z "$job" ]; then
		echo "nothing|$options"
		continue
	fi
	echo "$(allocated "$job")|$options"
	scancel "$job"
	for _ in {1..100}; do
		[ -n "$(sinfo -h -N -t alloc,mix,comp -o %N)" ] || break
		sleep 0.05
	done
done
