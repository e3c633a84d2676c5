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

node_not_completing() { ! node_states | grep -q completing; }

# What filters squeue's list must not make jobs look dead.
sgov=$(built sgov)
[ ! -x "${sgov%/.libs/*}/sgov" ] || sgov=${sgov%/.libs/*}/sgov
clean_node()
{
	as root env SQUEUE_STATES=PD SQUEUE_USERS=root "$sgov" node clean "$@" 2>&1
}

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

# ---- sgov node clean ----

# A job whose epilog our plugin has not seen, one that runs, and an allocation
# without a process.
lost=$(submit alice --nodelist=g1 --wrap "touch $own/lost; exec sleep 3602")
runs=$(submit alice --nodelist=g1 --wrap "touch $own/runs; exec sleep 3603")
said=$(as bob salloc --no-shell --nodelist=g1 2>&1)
empty=$(sed -n 's/.*Granted job allocation //p' <<<"$said")
kept() { find "$private"/jobs-* -mindepth 3 -name "$1" | grep -q .; }
wait_for 15 "the job's file" kept lost
wait_for 15 "the other's" kept runs
as bob srun --jobid="$empty" touch "$own/empty" || fail "no step: $said"
expect_equal "what is left while all run" \
	"$(clean_node --dry-run; echo $?)" \
	$'nothing is left of jobs that have ended\n0'
mv "$LAB_DIR/etc/plugstack.conf" "$LAB_DIR/etc/plugstack.away"
: >"$LAB_DIR/etc/plugstack.conf"
scancel "$lost"
wait_for 20 "the job's end" job_is "$lost" CANCELLED
wait_for 20 "no epilog under way" node_not_completing
expect_match "without a plugin" "$(clean_node)" \
	'no line with spank_governance.so'
mv "$LAB_DIR/etc/plugstack.away" "$LAB_DIR/etc/plugstack.conf"
left="job $lost: namespaces and directories"
expect_equal "what would be removed" \
	"$(clean_node --dry-run; echo $?)" "$left would be removed"$'\n3'
expect "its files are there" kept lost
cluster stop slurmctld
expect_match "without slurmctld" "$(clean_node)" 'nothing is touched'
cluster start slurmctld
expect "its files are there" kept lost
expect_equal "what is removed" \
	"$(clean_node; echo $?)" "$left removed"$'\n0'
expect_not "its files" kept lost
expect "files of the job that runs" kept runs
expect "files of the allocation" kept empty
seen_in() { nsenter --mount="$RUN_DIR/namespaces/$1.mnt" ls "$own"; }
expect_equal "the job that runs sees" "$(seen_in "$runs")" runs
expect_equal "the allocation sees" "$(seen_in "$empty")" empty
expect_equal "verdicts of" "$(verdicts | grep -v "[.]" | sort -n | xargs)" "$runs $empty"
scancel "$runs" "$empty"
wait_for 20 "nothing kept of jobs" nothing_kept

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
