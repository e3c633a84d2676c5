#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2
# Needs: cc munge ipcmk
# Timeout: 240
#
# shellcheck disable=SC2016 # dollars are for the jobs' shells
#
# Isolation=namespace: jobs of two teams on one node have directories, shared
# memory, System V IPC and a view of processes of their own; a job's are gone
# with it, a team's stay, and nothing is left on the node.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

unshare --mount --ipc true 2>/dev/null || skip "no namespaces here"

own=$LAB_DIR/own shared=$LAB_DIR/shared private=$LAB_DIR/private
rm -rf "$own" "$shared" "$private"
mkdir -p "$own" "$shared"
chmod 1777 "$own" "$shared"

set_up_spank
spank_arguments "job_dirs=$own,/dev/shm team_dirs=$shared private_base=$private"
give_good alice isolation=namespace
give_good anna isolation=namespace
give_good bob isolation=namespace team=nlp

mounts_before=$(wc -l </proc/self/mountinfo)
mounts() { wc -l </proc/self/mountinfo; }
jobs_kept() { find "$private"/{jobs-*,trash} -mindepth 1 | wc -l; }
nothing_kept() { [ "$(mounts) $(jobs_kept)" = "$mounts_before 0" ]; }

# look USER [SRUN_ARGUMENT...]: what a job of the user's sees.
look()
{
	as "$1" srun --nodelist=g1 --quiet "${@:2}" sh -c '
		ls "$1" "$2" /dev/shm | grep -v -e :$ -e ^$ | sort
		echo segments: $(ipcs -m | grep -c 0x)' \
		sh "$own" "$shared" | paste -sd ' '
}

# ---- two teams on one node ----

job=$(submit alice --nodelist=g1 --job-name=holder --wrap "
	touch $own/mine $shared/ours /dev/shm/memory
	ipcmk -M 4096 >/dev/null
	SECRET=hidden sleep 3601 &
	touch $(home alice)/ready
	wait")
wait_for 15 "a job in its directories" test -e "$(home alice)/ready"
expect_equal "its steps see" \
	"$(look alice --overlap --jobid="$job")" "memory mine ours segments: 1"
expect_equal "a job of the other team sees" "$(look bob)" "segments: 0"
expect_equal "another job of the team sees" "$(look anna)" "ours segments: 0"
expect_equal "the node sees" "$(find "$own" "$shared" -mindepth 1)" ""
secret=$(pgrep -u alice -fx 'sleep 3601')
expect "the process on the node" test -e "/proc/$secret"
expect_equal "of its processes others see" \
	"$(as bob srun -w g1 sh -c "ls -d /proc/$secret /proc/\$\$ | wc -l" \
		2>/dev/null)" 1

# ---- where a task begins ----

expect_equal "directory of a task" "$(as alice srun -w g1 pwd)" \
	"$(home alice)"
mkdir -m 777 "$own/there"
expect_equal "directory of a task, if it is hidden" \
	"$(as alice srun -w g1 --chdir="$own/there" pwd 2>"$SAID")" /tmp
expect_match "what is said" "$(cat "$SAID")" "going to /tmp"
rmdir "$own/there"

# ---- a crash of slurmd ----

kill -9 "$(head -n 1 "$LAB_DIR/run/g1.pid" | cut -d ' ' -f 1)"
cluster stop g1 >/dev/null 2>&1
cluster start g1
wait_for 20 "the node back" job_is "$job" RUNNING
expect_equal "after a crash of slurmd steps see" \
	"$(look alice --overlap --jobid="$job")" "memory mine ours segments: 1"
scancel "$job"
wait_for 20 "nothing kept of jobs" nothing_kept
expect_equal "what the team keeps" "$(look anna)" "ours segments: 0"

# ---- many ----

for _ in $(seq 10); do
	submit alice --array=1-6 --wrap "touch $own/x; exec sleep 3600" \
		>/dev/null
done
sleep 2
drain_all_jobs
wait_for 20 "nothing kept of jobs" nothing_kept
expect_equal "verdicts" "$(verdicts)" ""

# ---- what cannot be isolated does not run, and drains nothing ----

give_good alice isolation=namespace
chmod 777 "$private"
refused_job "a directory that is open to others" "open to them"
chmod 700 "$private"
rmdir "$own"
ln -s /etc "$own"
refused_job "a link in place of a directory" "is a link"
rm "$own"
mkdir -m 1777 "$own"
give_good alice
expect_equal "a job that is not isolated sees the node" \
	"$(as alice srun -w g1 sh -c "touch $own/x" && ls "$own")" x
