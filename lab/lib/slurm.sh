# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld and the nodes' slurmd.

# Fake GPUs: character devices of NVIDIA's major number, so that jobs get a
# true CUDA_VISIBLE_DEVICES. Nothing opens them.
make_devices()
{
	local n
	mkdir -p "$LAB_DIR/dev"
	for n in 0 1 2 3 4 5 6 7; do
		[ -c "$LAB_DIR/dev/gpu$n" ] ||
			mknod "$LAB_DIR/dev/gpu$n" c 195 "$n" ||
			fail "this machine allows no device files in" \
				"$LAB_DIR/dev; set LAB_DIR to a folder that does"
	done
}

prepare_slurm()
{
	mkdir -p "$LAB_DIR/state" "$LAB_DIR/spool"
	id slurm >/dev/null 2>&1 ||
		fail "user slurm is missing: install Debian's package slurmctld"
	chown slurm "$LAB_DIR/state" "$LAB_DIR/log"
	chmod 755 "$LAB_DIR/state"
	make_devices
}

start_slurmctld()
{
	start_process slurmctld slurm "$(command -v slurmctld)" -D \
		-f "$SLURM_CONF"
	wait_ready slurmctld 20 slurmctld_answers
}

slurmctld_answers() { SLURM_CONF=$SLURM_CONF scontrol ping | grep -q 'is UP'; }

# start_slurmd NAME
start_slurmd()
{
	mkdir -p "$LAB_DIR/spool/$1"
	start_process "$1" root "$(command -v slurmd)" -D -N "$1" \
		-f "$SLURM_CONF"
}

node_states() { SLURM_CONF=$SLURM_CONF sinfo -h -N -o '%N=%T'; }

# A lab that is up already may have jobs on its nodes.
all_nodes_serve()
{
	[ "$(node_states | sort -u | grep -cE "$NODE_SERVES")" = "$OPT_NODES" ]
}
NODE_SERVES='=(idle|mixed|allocated|completing)$'

nodes_serve_or_dead()
{
	local name
	for name in $(node_names); do
		is_running "$name" || return 0
	done
	all_nodes_serve
}

# Nodes are up when slurmctld can use them; one that is not is named.
wait_nodes()
{
	local name
	wait_until 30 nodes_serve_or_dead
	all_nodes_serve && return
	for name in $(node_names); do
		is_running "$name" && continue
		show_log "$name"
		fail "the slurmd of node $name ended while it was starting"
	done
	show_log slurmctld
	node_states >&2
	SLURM_CONF=$SLURM_CONF sinfo -R >&2
	fail "not all nodes are idle after 30 s"
}
