#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2
# Needs: cc munge
# Timeout: 300
#
# What people reported of SPANK plugins does not happen with this one.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

set_up_spank
give_good alice

# silent WHAT COMMAND...: a job of alice's says "hi" and nothing else.
silent()
{
	local what=$1 said
	shift
	said=$(as alice "$@" 2>&1)
	expect_equal "$what" "$said" hi
}

# An error line in every job because the plugin uses slurm_error to inform.
silent "srun says nothing of its own" srun echo hi
as alice sbatch --wait --gov-class=training -o out --wrap 'echo hi' >/dev/null
expect_equal "a batch job's output" "$(cat "$(home alice)/out")" hi

# The plugin on one side only: harmless both ways. A user's commands may have
# another plugstack.conf than the nodes.
other=$(home alice)/slurm.conf
sed "s|^PlugStackConfig=.*|PlugStackConfig=$(home alice)/plugstack.conf|" \
	"$SLURM_CONF" >"$other"
chmod a+r "$other"
: >"$(home alice)/plugstack.conf"
silent "no plugin on the login node" env SLURM_CONF="$other" srun echo hi
mv "$LAB_DIR/etc/plugstack.conf" "$WORK/plugstack.conf"
: >"$LAB_DIR/etc/plugstack.conf"
restart_nodes
cp "$WORK/plugstack.conf" "$(home alice)/plugstack.conf"
chmod a+r "$(home alice)/plugstack.conf"
silent "no plugin on the nodes" env SLURM_CONF="$other" \
	srun --gov-class=training echo hi
as alice env SLURM_CONF="$other" sbatch --wait --gov-class=training -o out \
	--wrap 'echo hi' >/dev/null
expect_equal "no plugin on the nodes, batch" "$(cat "$(home alice)/out")" hi

# Installed while jobs run: missing_grant=allow lets their steps go on.
job=$(sleeper alice)
wait_state "$job" RUNNING 10
sed 's/$/ missing_grant=allow/' "$WORK/plugstack.conf" \
	>"$LAB_DIR/etc/plugstack.conf"
silent "a step of a job from before the plugin" \
	srun --jobid="$job" --overlap echo hi
cp "$WORK/plugstack.conf" "$LAB_DIR/etc/plugstack.conf"
said=$(as alice srun --jobid="$job" --overlap --quiet echo hi 2>&1)
expect_match "without it they are told" "$said" 'was not there on this node'
scancel "$job"
wait_for 15 "idle nodes" all_nodes_idle

# slurmd does not start with the plugin loaded. It starts, and the plugin
# does nothing in it.
rm -rf "$RUN_DIR"
restart_nodes
expect_not "a directory made by slurmd" [ -e "$RUN_DIR" ]
silent "the first job after that" srun echo hi

# A line in plugstack.conf for a plugin that is not there: nodes and jobs go
# on if it is optional, as in our sample.
mv "$PLUGINS/spank_governance.so" "$PLUGINS/gone.so"
restart_nodes
as alice sbatch --wait -o out --wrap 'echo hi' >/dev/null 2>&1
expect_match "a job while the plugin is missing" \
	"$(cat "$(home alice)/out")" '^hi$'
mv "$PLUGINS/gone.so" "$PLUGINS/spank_governance.so"
restart_nodes
sample=$E2E/../../etc/plugstack.conf.d/governance.conf
expect_equal "lines of the sample that load a plugin" \
	"$(grep -vE '^(#|$)' "$sample")" "optional spank_governance.so"
cp "$sample" "$WORK/sample.conf"
sed "s|spank_governance.so$|& run_dir=$RUN_DIR munge_socket=$MUNGE_SOCKET|" \
	"$WORK/sample.conf" >"$LAB_DIR/etc/sample.conf"
echo "include $LAB_DIR/etc/sample.conf" >"$LAB_DIR/etc/plugstack.conf"
restart_nodes
silent "the sample, included" srun --gov-class=training echo hi
give alice
expect_match "the sample refuses" "$(as alice srun echo hi 2>&1)" \
	'carries no grant'
give_good alice

# A large environment and a node list of a thousand names.
big=$(printf '%065000d' 0)
silent "65 KB in the job's environment" env BIG="$big" srun echo hi
mv "$LAB_DIR/etc/plugstack.conf" "$WORK/"
{
	cat "$WORK/plugstack.conf"
	echo "optional spank_sender.so"
} >"$LAB_DIR/etc/plugstack.conf"
silent "65 KB in the prolog's environment" env SEND_NAME=BIG \
	SEND_SIZE=65000 srun echo hi

# One process of a node shows its plugins each other's symbols.
expect_equal "symbols that the plugin exports" \
	"$(nm -D --defined-only "$PLUGINS/spank_governance.so" |
		awk '{ print $3 }' | grep -vE '^slurm_spank_|^plugin_')" ""
wait_for 10 "nodes in service" all_nodes_idle
