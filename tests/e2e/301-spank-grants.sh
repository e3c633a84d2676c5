#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2
# Needs: cc munge
# Timeout: 300
#
# shellcheck disable=SC2016 # dollars are for the jobs' shells
#
# Jobs with a good grant run, however they are started, and are told what
# they were granted; what a user puts into GOV_* is not what a job sees.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

set_up_spank
give_good alice
out=$(home alice)/out
facts="GOV_CLASS=training GOV_RECLAIM_GRACE=90 GOV_RECLAIM_SIGNAL=USR1 \
GOV_TEAM=vision"
forged=(env GOV_TEAM=root GOV_PROJECT=x GOV_CLASS=x GOV_RECLAIM_SIGNAL=KILL
	GOV_RECLAIM_GRACE=9999999 GOV_OTHER=mine)

# ---- batch, srun, salloc ----

as alice "${forged[@]}" sbatch --wait -o out --wrap env
expect_equal "a batch script is told" "$(told "$out")" \
	"${facts/ GOV_RECLAIM_GRACE/ GOV_OTHER=mine GOV_RECLAIM_GRACE}"
as alice sbatch --wait -o out --export=NONE --wrap env
expect_equal "with --export=NONE" "$(told "$out")" "$facts"
as alice "${forged[@]}" srun --nodes=2 env >"$out"
expect_equal "tasks of srun are told" "$(told "$out" | tr ' ' '\n' |
	sort -u | paste -sd ' ')" \
	"${facts/ GOV_RECLAIM_GRACE/ GOV_OTHER=mine GOV_RECLAIM_GRACE}"
as alice sbatch --wait -o out --nodes=2 \
	--wrap 'GOV_TEAM=root srun --nodes=2 env'
expect_equal "teams in steps of a job that forges" \
	"$(grep -c '^GOV_TEAM=vision$' "$out") $(grep -c '=root$' "$out")" \
	"2 0"
as alice "${forged[@]}" salloc srun env >"$out" 2>/dev/null
expect_match "a step of salloc is told" "$(told "$out")" 'GOV_TEAM=vision$'
expect_not "a grant in the environment of jobs" grep -q MUNGE: "$out"

give_good alice project=vlm signal=0
as alice srun env >"$out"
expect_equal "a project, and no signal" "$(told "$out")" \
	"GOV_CLASS=training GOV_PROJECT=vlm GOV_RECLAIM_GRACE=90 GOV_TEAM=vision"

# ---- jobs that are let through unjudged ----

give alice "$(seal slurm "$(payload kind=exempt team= class= signal=0 \
	grace=0)")"
as alice "${forged[@]}" srun env >"$out"
expect_equal "an exempt job is told" "$(told "$out")" "GOV_OTHER=mine"
give alice "$(seal slurm "$(payload kind=undecided uid=any team= class= \
	signal=0 grace=0)")"
as alice "${forged[@]}" srun env >"$out"
expect_equal "a job that came while the governor was down is told" \
	"$(told "$out")" "GOV_OTHER=mine"
give alice "$(seal root "$(payload)")"
as alice srun env >"$out"
expect_match "a grant by root is good" "$(told "$out")" 'GOV_TEAM=vision$'

# ---- kinds of steps ----

give_good alice
as alice sbatch --wait -o 'arr-%a' --array=0-3 --wrap 'echo $GOV_TEAM'
expect_equal "array tasks" "$(cat "$(home alice)"/arr-? | paste -sd ' ')" \
	"vision vision vision vision"
cat >"$(home alice)/het.sh" <<-'END'
	#!/bin/sh
	#SBATCH -n1 -w g1 -o out
	#SBATCH hetjob
	#SBATCH -n1 -w g2
	srun --het-group=0,1 sh -c 'echo $SLURMD_NODENAME $GOV_TEAM' | sort
	srun --het-group=1 sh -c 'echo $SLURMD_NODENAME $GOV_TEAM'
END
as alice sbatch --wait het.sh
expect_equal "a het job" "$(paste -sd ' ' "$out")" \
	"g1 vision g2 vision g2 vision"
job=$(sleeper alice -n2 --mem-per-cpu=100)
wait_for 10 "a verdict on the job" verdicts_are "$job"
expect_equal "srun --jobid --overlap" \
	"$(as alice srun --jobid="$job" --overlap sh -c 'echo $GOV_TEAM')" \
	vision
expect_equal "with a terminal" "$(as alice script -qec \
	"srun --jobid=$job --overlap --pty sh -c 'echo \$GOV_TEAM'" /dev/null |
	grep -o '[a-z]*')" vision

# ---- the verdict ----

expect_equal "owner and mode of the directory" \
	"$(stat -c '%u %a' "$RUN_DIR")" "0 700"
expect_equal "owner and mode of a verdict" \
	"$(stat -c '%u %a' "$RUN_DIR/$job")" "0 600"
expect_not "a user who reads verdicts" as alice cat "$RUN_DIR/$job"
scontrol requeuehold "$job"
wait_for 15 "a job requeued and held" job_held "$job"
wait_for 10 "no verdict while it waits" no_verdicts
touch -d '500 days ago' "$RUN_DIR/4711"
# slurmd refuses to start a job in the second in which it killed it, and may
# skip the prolog of one that is back too soon.
sleep 2.1
scontrol release "$job"
scontrol update JobId="$job" StartTime=now
wait_state "$job" RUNNING 10
wait_for 10 "its verdict again, and a lost one swept" verdicts_are "$job"
scancel "$job"
wait_for 15 "no verdict after the end" no_verdicts

# ---- a requeued job that comes back at once, whose prolog slurmd may skip ----

rm -f "$out"
job=$(submit alice --nodelist=g1 --output="$out" --open-mode=append \
	--wrap='echo "run $SLURM_RESTART_COUNT $GOV_TEAM"; exec sleep 3600')
ran() { grep -qs "^run $1 vision$" "$out"; }
wait_for 15 "its first run" ran ''
for run in 1 2 3; do
	scontrol requeuehold "$job"
	wait_for 15 "a job requeued and held" job_held "$job"
	sleep 2
	# Another launch right before makes slurmd look for ended jobs.
	as bob srun --nodelist=g1 --quiet true 2>/dev/null &
	sleep 0.5
	scontrol release "$job"
	scontrol update JobId="$job" StartTime=now
	wait_for 15 "its run $run" ran "$run"
	wait
done
expect_not "a refusal" grep 'may not run' "$out"
scancel "$job"
wait_for 15 "no verdict after the end" no_verdicts

expect_not "errors of governance in the nodes' logs" \
	grep -aE 'error:.*governance' "$LAB_DIR"/log/g?.log
wait_for 15 "nodes in service" all_nodes_idle
