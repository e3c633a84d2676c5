#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh
# Needs: cc
# Timeout: 300
# shellcheck disable=SC2016 # dollars are for the jobs' shells
#
# Grants all the way, from the governor through slurmctld to the nodes: with
# the strict arguments every job that governance lets through may run.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

lab_changed
mkdir -p "$PLUGINS"
compile_plugin spank_sender
chmod -R a+rX "$PLUGINS"
line=$(grep spank_governance "$LAB_DIR/etc/plugstack.conf")
expect_not "an argument that lets jobs without grant run" \
	grep -E 'missing_grant=allow|grant=(warn|off)' <<<"$line"
out=$(home alice)/out

# told_of COMMAND...: what the job of a user's command sees in GOV_*.
told_of() { as "$@" 2>/dev/null | grep '^GOV_' | sort | paste -sd ' '; }

facts="GOV_CLASS=training GOV_RECLAIM_GRACE=5 GOV_RECLAIM_SIGNAL=TERM"
expect_equal "srun by alice" "$(told_of alice srun env)" \
	"$facts GOV_TEAM=vision"
expect_equal "srun by bob, of another class" \
	"$(told_of bob srun --gov-class=debug env)" \
	"${facts/training/debug} GOV_TEAM=nlp"
expect_equal "salloc" "$(told_of bob salloc srun env)" "$facts GOV_TEAM=nlp"
as alice env GOV_TEAM=nlp GOV_CLASS=inference GOV_PROJECT=x \
	sbatch --wait -o out --gpus=2 --nodes=2 --wrap 'srun -l env' \
	>/dev/null 2>&1
expect_equal "teams in a batch job's steps on two nodes" \
	"$(grep -o 'GOV_TEAM=.*' "$out" | sort | uniq -c | xargs)" \
	"2 GOV_TEAM=vision"
expect_not "forged values" grep -E 'GOV_PROJECT|inference' "$out"
expect_not "the grant in the job's environment" grep MUNGE: "$out"
expect_equal "an exempt user's job" "$(told_of root env GOV_TEAM=x srun env)" \
	""
as alice sbatch --wait -o 'arr-%a' --array=0-2 --wrap 'echo $GOV_TEAM' \
	>/dev/null 2>&1
expect_equal "array tasks" "$(cat "$(home alice)"/arr-? | xargs)" \
	"vision vision vision"
as alice sbatch --wait -o out -n1 : -n1 \
	--wrap 'srun --het-group=0,1 sh -c "echo \$GOV_TEAM"' >/dev/null 2>&1
expect_equal "components of a het job" "$(xargs <"$out")" "vision vision"

# A job that had to wait, and one that was requeued.
as bob sbatch -o waited --gpus=8 --gov-borrow=no \
	--wrap 'echo $GOV_TEAM; exec sleep 3600' >/dev/null 2>&1
wait_gpus bob 8 10
second=$(submit bob --gpus=8 --gov-borrow=no --output=waited2 \
	--wrap 'echo $GOV_TEAM; exec sleep 3600')
expect "the second waits" job_held "$second"
scancel -u bob --state=RUNNING
wait_state "$second" RUNNING 15
said() { [ "$(cat "$(home bob)/waited2" 2>/dev/null)" = nlp ]; }
wait_for 5 "the waiting job is told" said
drain_all_jobs

# ---- a user's own plugin ----

cp "$SLURM_CONF" "$(home alice)/slurm.conf"
sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$(home alice)/plugstack.conf|" \
	"$(home alice)/slurm.conf"
chmod a+r "$(home alice)/slurm.conf"
echo "optional $PLUGINS/spank_sender.so" >"$(home alice)/plugstack.conf"
sender=(alice env "SLURM_CONF=$(home alice)/slurm.conf")
for name in GOV_GRANT SPANK_GOV_GRANT; do
	expect_equal "a forged $name counts for nothing" \
		"$(told_of "${sender[@]}" "SEND_NAME=$name" \
			SEND_VALUE=MUNGE:forged: srun env)" \
		"$facts GOV_TEAM=vision"
done
expect_match "a class in characters that names do not have" \
	"$(as "${sender[@]}" SEND_VALUE=$'a\033[2Jb' \
		SEND_NAME=_SLURM_SPANK_OPTION_governance_gov_class \
		sbatch --wrap true 2>&1)" 'governance|class'
said=$(as "${sender[@]}" SEND_NAME=BIG SEND_SIZE=200000 \
	sbatch --wrap true 2>&1)
expect_match "200 KB for the prolog, which would drain the node" "$said" \
	'longer than nodes can take'
expect "nodes in service" wait_until 10 all_nodes_idle

# ---- no governor: such jobs carry a grant made in advance ----

cluster kill slurmgovd
job=$(submit alice --gpus=1 --output=down --wrap 'echo "ran $GOV_TEAM"')
expect "held without a governor" job_held "$job"
wait_saved
cluster kill slurmctld
cluster start slurmctld
after=$(submit alice --gpus=1 --output=down2 --wrap 'echo "ran $GOV_TEAM"')
expect "held by a slurmctld that never saw the governor" job_held "$after"
cluster start slurmgovd
wait_state "$job" COMPLETED 20
wait_state "$after" COMPLETED 20
expect_equal "its output" "$(cat "$(home alice)/down")" "ran "
expect_equal "the other's" "$(cat "$(home alice)/down2")" "ran "
expect "nodes in service" wait_until 10 all_nodes_idle
expect_not "errors of governance in the nodes' logs" \
	grep -aE 'error:.*governance' "$LAB_DIR"/log/g?.log

# ---- isolation, from governance.conf to the node ----

if unshare --mount --ipc true 2>/dev/null; then
	own=$LAB_DIR/own
	rm -rf "$own" "$LAB_DIR/private"
	mkdir -m 1777 "$own"
	sed -i "/spank_governance/s|\$| job_dirs=$own private_base=$LAB_DIR/private|" \
		"$LAB_DIR/etc/plugstack.conf"
	restart_nodes
	sed 's/^TeamName=vision .*/& Isolation=namespace/' \
		"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
	set_policy "$WORK/policy" || fail "the policy is not taken"
	expect "a job of an isolated team" as alice srun touch "$own/alice"
	expect "a job of another" as bob srun touch "$own/bob"
	expect_equal "what the node sees of them" "$(ls "$own")" bob
	expect_equal "a clean node" "$(as root sgov node clean 2>&1)" \
		"nothing is left of jobs that have ended"
	expect_match "a user who cleans" "$(as alice sgov node clean 2>&1)" \
		'only root'
fi
