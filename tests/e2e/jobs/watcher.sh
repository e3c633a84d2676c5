#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job that keeps a diary: one line for each start and each signal, with the
# time. It does not leave on a signal, as a job that saves its work would not
# before the work is saved. WATCHER_LEAVES=1: it ends at the signal.

diary=$HOME/watcher-$SLURM_JOB_ID
[ -w "$HOME" ] || diary=$SLURM_SUBMIT_DIR/watcher-$SLURM_JOB_ID

write() { echo "$EPOCHREALTIME $*" >>"$diary"; }

for signal in TERM USR1 USR2 INT HUP; do
	# shellcheck disable=SC2064 # the signal of now
	trap "write signal $signal
		[ -z \"\${WATCHER_LEAVES:-}\" ] || exit 0" "$signal"
done
write "start ${SLURM_RESTART_COUNT:-0} $SLURM_JOB_NODELIST" \
	"gpus ${CUDA_VISIBLE_DEVICES:-none}"
while :; do
	sleep 3600 &
	wait $!
done
