#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2
# Needs: cc munge
# Status: long
# Timeout: 400
#
# The arguments in plugstack.conf, and nodes where something is wrong: jobs
# fail or run as said there, and nodes stay in service.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

set_up_spank
out=$(home alice)/out
bad=$(seal bob "$(payload)")

# runs WHAT TEAM: alice's job runs, is told TEAM, and its output has nothing
# but its own.
runs()
{
	# shellcheck disable=SC2016 # for the job's shell
	as alice env GOV_TEAM=root sbatch --wait -o out --nodes=2 \
		--wrap 'echo team=$GOV_TEAM; srun echo step' >/dev/null 2>&1 ||
		fail "$1: the job fails: $(cat "$out")"
	expect_equal "$1" "$(sort -u "$out" | paste -sd ' ')" "step team=$2"
}

# logged REGEX: on some node.
logged() { grep -qaE -- "$1" "$LAB_DIR"/log/g?.log; }

# ---- grant= and missing_grant= ----

spank_arguments grant=warn
give alice "$bad"
runs "grant=warn, wrong grant" ""
expect "a line in the log" logged 'would not run: .*not the governor'
give alice
runs "grant=warn, no grant" ""
give_good alice
runs "grant=warn, good grant" vision

spank_arguments grant=off
give alice "$bad"
runs "grant=off, wrong grant" root
expect "no verdicts" no_verdicts

spank_arguments missing_grant=allow
give alice
runs "missing_grant=allow, no grant" ""
give alice "$bad"
refused_job "missing_grant=allow, wrong grant" 'not the governor'
give_good alice
runs "missing_grant=allow, good grant" vision

# ---- encoder= and max_age= ----

spank_arguments "encoder=$(id -u bob) max_age=2h"
give alice "$bad"
runs "encoder=UID" vision
give alice "$(seal bob "$(payload issued=$(($(date +%s) - 7100)))")"
runs "max_age=2h, younger" vision
give alice "$(seal bob "$(payload issued=$(($(date +%s) - 7300)))")"
refused_job "max_age=2h, older" 'has expired'
give_good alice
refused_job "encoder=UID, by SlurmUser" 'not the governor'
spank_arguments encoder=no-such-user
refused_job "encoder= of nobody" 'not the governor'
expect "a line in the log" logged 'error: governance: .*no such user'
give alice "$(seal root "$(payload)")"
runs "encoder= of nobody, grant by root" vision

# ---- slips in plugstack.conf: told by slurmd, and strict ----

give alice
spank_arguments 'grnat=off grant=of missing_grant=yes'
expect "slurmd tells 1" logged "error: governance: .*'grnat=off' is none of"
expect "slurmd tells 2" logged "'grant=of': grant= takes enforce, warn or off"
expect "slurmd tells 3" logged "'missing_grant=yes': .* takes refuse or allow"
refused_job "slips" 'carries no grant'
give_good alice
said=$(as alice srun true 2>&1)
expect_equal "what users see of the slips" "$said" ""

# ---- run_dir= of others, and what is in it ----

spank_arguments ''
mkdir -p "$RUN_DIR"
chmod 1777 "$RUN_DIR"
refused_job "run_dir open to others" 'belongs to others or is open'
rm -rf "$RUN_DIR"
mkdir "$RUN_DIR"
chown alice "$RUN_DIR"
refused_job "run_dir of a user" 'belongs to others or is open'
rm -rf "$RUN_DIR"
ln -s "$(home alice)" "$RUN_DIR"
refused_job "run_dir is a link" 'run_dir='
expect_equal "verdicts where the link goes" \
	"$(find "$(home alice)" -name '[0-9.]*')" ""
rm -f "$RUN_DIR"
touch "$RUN_DIR"
refused_job "run_dir is a file" 'run_dir='
rm -f "$RUN_DIR"
good_job
rm -f "$out"
job=$(submit alice --output="$out" --wrap='echo started; exec sleep 3600')
started() { grep -qs started "$out"; }
wait_for 15 "a job that has begun" started
echo nonsense >"$RUN_DIR/$job"
said=$(as alice srun --jobid="$job" --overlap true 2>&1)
expect_match "a damaged verdict" "$said" 'cannot be read on this node'
rm "$RUN_DIR/$job"
said=$(as alice srun --jobid="$job" --overlap true 2>&1)
expect_match "a verdict that is gone" "$said" 'was not there on this node'
job_is "$job" RUNNING || fail "the job itself suffered"
scancel "$job"
wait_for 15 "idle nodes" all_nodes_idle

# ---- a full disk: no verdict, not an old one ----

mount -t tmpfs -o size=4k,mode=0700 none "$RUN_DIR" 2>/dev/null && {
	dd if=/dev/zero of="$RUN_DIR/fill" bs=4k status=none 2>/dev/null
	refused_job "no room for a verdict" 'was not there on this node'
	umount "$RUN_DIR"
	good_job
}

# ---- the node's munge cannot be reached by the plugin ----

sed -i "s|munge_socket=[^ ]*|munge_socket=/nonexistent|" \
	"$LAB_DIR/etc/plugstack.conf"
refused_job "munge does not answer" 'munge on this node does not answer'
expect "nodes in service" wait_until 10 all_nodes_idle
