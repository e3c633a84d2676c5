#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: --ungoverned
#
# A second lab beside the first: comes up twice as one, dies in every way,
# and leaves nothing behind, while the first one notices nothing.

source "$(dirname "$0")/lib.sh"

first_dir=$LAB_DIR first_port=$LAB_PORT
second() { LAB_DIR=$first_dir-second LAB_PORT=$((first_port + 100)) "$@"; }
second_cluster() { second cluster "$@"; }
pid_in_second() { cut -d ' ' -f 1 "$first_dir-second/run/$1.pid"; }

# A slurmstepd may have written its title over its environment.
stepds()
{
	local pid
	for pid in $(pgrep -x slurmstepd); do
		[ ! "/proc/$pid/cwd" -ef "$first_dir-second" ] || echo "$pid"
	done
}

# What a process of the second lab has in its environment or command line.
left_over()
{
	stepds | grep . ||
		grep -lz -- "$first_dir-second" /proc/[0-9]*/environ \
			/proc/[0-9]*/cmdline 2>/dev/null
}
nothing_left()
{
	! left_over && [ ! -e "$first_dir-second/dev" ] &&
		! grep -q -- "$first_dir-second" /proc/mounts
}
trap 'second_cluster clean' EXIT

first_ctld=$(cut -d ' ' -f 1 "$first_dir/run/slurmctld.pid")
before=$(sleeper alice --gpus=1)
wait_state "$before" RUNNING 5

expect "a second lab" second_cluster up --ungoverned --nodes=2
ctld=$(pid_in_second slurmctld)
expect "up again" second_cluster up --ungoverned --nodes=2
expect_equal "slurmctld after up twice" "$(pid_in_second slurmctld)" "$ctld"
expect_not "up with other options" second_cluster up --ungoverned --nodes=3
expect "status" second_cluster status

# Jobs that try to outlive their lab.
second_cluster run bob sbatch -Q -n 1 --output=/dev/null --wrap \
	"trap '' TERM HUP
	setsid sleep ${first_port}01 & env -i sleep ${first_port}02; wait"
second_cluster run bob srun -Q -n 1 sleep "${first_port}03" &
second_cluster run alice sbatch -Q --hold --output=/dev/null --wrap true
sleepers() { pgrep -f "^(/usr/bin/)?sleep ${first_port}0[123]"; }
all_sleep() { [ "$(sleepers | wc -l)" = 3 ]; }
wait_for 10 "jobs of the second lab" all_sleep

# Everything crashes that can.
for daemon in munged slurmctld g1; do
	expect "kill $daemon" second_cluster kill "$daemon"
done
mapfile -t pids < <(stepds)
expect "kill ${#pids[@]} slurmstepd" kill -s KILL "${pids[@]}"
expect_not "status of a broken lab" second_cluster status
expect "up of a broken lab" second_cluster up --ungoverned --nodes=2
kill -s KILL "$(pid_in_second g2)" "$(pid_in_second munged)"
rm "$first_dir-second/run/g1.pid"
expect "down" second_cluster down
expect "nothing left" nothing_left
expect_not "sleepers" sleepers
expect "down twice" second_cluster down
expect_not "status without a lab" second_cluster status

# A pid file whose number is another process's now.
expect "up anew" second_cluster up --ungoverned --nodes=1
sleep 3604 &
innocent=$!
second_cluster kill g1
echo "$innocent 1 $(cat /proc/sys/kernel/random/boot_id)" \
	>"$first_dir-second/run/g1.pid"
expect "down with a stale pid file" second_cluster down
expect "an innocent process" kill -s TERM "$innocent"

# It says why it cannot come up.
said=$(second_cluster up --ungoverned --set 'SelectType=select/nonsense' 2>&1)
expect_match "a broken slurm.conf" "$said" 'select/nonsense'
expect "down after a failed up" second_cluster down
expect "nothing left of it" nothing_left
said=$(LAB_DIR=$first_dir-second cluster up --ungoverned 2>&1)
expect_match "ports of another lab" "$said" \
	"port $first_port .*in use.*LAB_PORT"

expect_equal "slurmctld of the first lab" \
	"$(cut -d ' ' -f 1 "$first_dir/run/slurmctld.pid")" "$first_ctld"
expect "the first lab's job" job_is "$before" RUNNING
expect "the first lab" cluster status
