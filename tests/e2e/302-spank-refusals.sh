#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2
# Needs: cc munge
# Timeout: 400
#
# A job whose grant is missing or wrong fails with a sentence; no node is
# drained, and the next job runs.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

set_up_spank
now() { date +%s; }

give alice
refused_job "no grant" 'it carries no grant'
good_job
give alice ""
refused_job "an empty grant" 'it carries no grant'
give alice "$(seal slurm "$(payload issued=$(($(now) - 366 * 86400)))")"
refused_job "a grant of last year" 'has expired'
give alice "$(seal slurm "$(payload issued=$(($(now) + 600)))")"
refused_job "a grant from the future" 'from the future'
give alice "$(seal slurm "$(payload uid="$(id -u bob)")")"
refused_job "another user's" "is for uid $(id -u bob)"
give alice "$(seal slurm "$(payload kind=exempt uid="$(id -u bob)" team= \
	class= signal=0 grace=0)")"
refused_job "another user's exemption" "is for uid $(id -u bob)"
good_job
give alice "$(seal bob "$(payload)")"
refused_job "another encoder's" 'not the governor'
give alice "$(seal alice "$(payload)")"
refused_job "the user's own" 'not the governor'
give alice "$(seal alice "$(payload kind=undecided uid=any team= class= \
	signal=0 grace=0)")"
refused_job "the user's own, undecided" 'not the governor'
good=$(seal slurm "$(payload)")
give alice "${good:0:100}"
refused_job "a cut one" 'not authentic'
give alice "${good:0:60}A${good:61}"
[ "${good:60:1}" != A ] || give alice "${good:0:60}B${good:61}"
refused_job "a changed one" 'not authentic'
good_job
give alice $'hello\033[2J'
refused_job "garbage" 'not authentic'
give alice "$(seal slurm hello)"
refused_job "a credential that is no grant" 'cannot be read'
give alice "$(seal slurm "govgrant2 ${good:9}")"
refused_job "a grant of a later version" 'cannot be read'
give alice "$(seal slurm "$(payload) x=y")"
refused_job "a grant with more in it" 'cannot be read'
give alice "$(seal slurm "$(payload)" "$(id -u alice)")"
refused_job "a grant that the user could open" 'not authentic'
give alice "$(as slurm munge --socket="$MUNGE_SOCKET" \
	--string="$(payload)" | tr -d '\n')"
refused_job "a grant that everybody could open" 'not made for nodes'
give alice "$(printf 'MUNGE:%0100000d:' 0)"
refused_job "100 KB of grant" 'longer than'
good_job

# ---- other commands ----

give alice
said=$(as alice srun --nodes=2 --ntasks-per-node=4 --quiet hostname 2>&1)
expect_not "success of srun" [ $? = 0 ]
expect_equal "sentences of an srun with 8 tasks on 2 nodes" \
	"$(grep -c 'carries no grant' <<<"$said")" 2
said=$(as alice salloc srun hostname 2>&1)
expect_match "salloc" "$said" 'carries no grant'
said=$(as alice srun --pty hostname 2>&1)
expect_match "srun --pty" "$said" 'carries no grant'
as alice sbatch --wait -o 'arr-%a' --array=0-1 --wrap 'echo IT RAN' \
	>/dev/null
expect_equal "array tasks that are refused" \
	"$(grep -l 'carries no grant' "$(home alice)"/arr-? | wc -l)" 2
expect_not "array tasks that run" grep -l RAN "$(home alice)"/arr-0

# A user cannot bring a grant along: job_submit removes it. This one is good
# otherwise, as if it had been seen somewhere.
cp "$SLURM_CONF" "$(home alice)/slurm.conf"
chmod a+r "$(home alice)/slurm.conf"
echo "PlugStackConfig=$(home alice)/plugstack.conf" \
	>>"$(home alice)/slurm.conf"
sed -i "\|^PlugStackConfig=$LAB_DIR/etc|d" "$(home alice)/slurm.conf"
echo "optional spank_sender.so" >"$(home alice)/plugstack.conf"
as alice env SLURM_CONF="$(home alice)/slurm.conf" SEND_NAME=GOV_GRANT \
	SEND_VALUE="$good" sbatch --wait -o out --wrap 'echo IT RAN' >/dev/null
expect_match "it was sent" "$(cat "$LAB_DIR/state/spank.seen")" \
	'^GOV_GRANT=MUNGE:'
expect_match "a grant that the user brings along" \
	"$(cat "$(home alice)/out")" 'carries no grant'

wait_for 15 "nodes in service" all_nodes_idle
expect_not "a drain in slurmctld's log" \
	grep -aiE 'drain|prolog.*(error|fail)' "$LAB_DIR/log/slurmctld.log"
wait_for 5 "no verdict left" no_verdicts
