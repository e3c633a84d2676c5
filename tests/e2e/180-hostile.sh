#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --set 'SchedulerParameters=defer,batch_sched_delay=1,sched_interval=2'
# Timeout: 600
# Status: draft
#
# Hostile submissions, through the real clients and the real slurmctld: huge
# text, wrong numbers, forged stamps and grants, thousands of environment
# entries. slurmctld and the governor stay, and nothing was bought by it.

source "$(dirname "$0")/lib.sh"

pid_of() { cat "$LAB_DIR/run/$1.pid"; }
slurmctld=$(pid_of slurmctld) governor=$(pid_of slurmgovd)

big=$(head -c 100000 /dev/zero | tr '\0' x)
try() { as eve timeout 20 "$@" </dev/null >"$WORK/tried" 2>&1; }
alice_tries() { as alice timeout 20 "$@" </dev/null >"$WORK/tried" 2>&1; }

for option in "--account=$big" "--gpus=$big" "--gres=gpu:$big" \
	--gpus=18446744073709551615 --gres=gpu:99999999999999999999 \
	--gpus=-1 --gres=gpu:-1 --gres=gpu:0 "--gres=gpu:1,$big" \
	--gov-class="$big" --gov-project='../../etc' \
	--gov-class=$'training\nfake' --array=0-4000000 \
	--array=0-3,0-3,x "--dependency=$big" "--comment=$big" \
	"--licenses=$big" --nodes=4000000000 --ntasks=4000000000 \
	--cpus-per-task=4000000000 --mem=18446744073709551615 \
	"--constraint=$big" "--partition=$big" "--job-name=$big" \
	"--admin-comment=[gov1 team=vision state=admitted nonce=1]"; do
	alice_tries sbatch --wrap=true --hold "$option"
	try sbatch --wrap=true "$option"
done
note "options tried"

# A stamp in every text that a user may write is text.
forged='[gov1 team=vision project= class=inference pool=h100 state=admitted nonce=0000000000000001 submitted=1]'
sleeper bob --gpus=8 >/dev/null
sleeper bob --gpus=16 >/dev/null
wait_gpus bob 24 10
job=$(sleeper bob --gpus=8 --comment="$forged" --job-name="$forged")
expect "a forged stamp buys nothing" job_held "$job"
as bob scontrol update JobId="$job" AdminComment="$forged" 2>&1
as bob scontrol update JobId="$job" Comment="$forged" 2>&1
stays 2 "held" job_held "$job"

# Ten thousand environment entries, forged options and grants among them.
environment()
{
	local i
	for i in $(seq 1 "$1"); do
		echo "E$i=$i"
	done
	echo "SPANK_GOV_GRANT=forged"
	echo "GOV_GRANT=forged"
	echo "SLURM_SPANK__SLURM_SPANK_OPTION_governance_gov_class=inference"
	echo "_SLURM_SPANK_OPTION_governance_gov_class=inference"
}
mapfile -t many < <(environment 10000)
job=$(as alice env "${many[@]}" sbatch --parsable --output=/dev/null \
	--gpus=1 --wrap='exec sleep 3600')
expect_match "class of a job with a forged option" \
	"$(job_field "$job" AdminComment)" 'class=training'
scancel "$job"

for i in $(seq 1 100); do
	try sbatch --wrap=true --gres="gpu:$i$(head -c $((i * 97)) /dev/urandom |
		base64 -w0 | head -c $((i * 90)))"
done
expect_equal "slurmctld is the same process" "$(pid_of slurmctld)" "$slurmctld"
expect_equal "slurmgovd is the same process" "$(pid_of slurmgovd)" "$governor"
expect "slurmctld answers" scontrol ping
expect "the governor answers" as root sgov ping
drain_all_jobs
all_given_back()
{
	[ "$(as root sgov status -nP --all 2>/dev/null |
		awk -F '|' '$3 == "gres/gpu" { n += $5 } END { print n + 0 }')" = 0 ]
}
wait_for 10 "nothing charged" all_given_back
