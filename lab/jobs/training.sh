#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job of the demo: trains one step a second, until its folder holds a file
# `enough'. Told to leave it saves its step, which takes a second, and
# goes on until it is ended; started again it goes on from there.

saved=$SLURM_SUBMIT_DIR/checkpoint-$SLURM_JOB_ID
diary=$SLURM_SUBMIT_DIR/diary

write() { echo "$EPOCHREALTIME $SLURM_JOB_ID $*" >>"$diary"; }

save()
{
	# The end comes with a second SIGTERM.
	[ -z "${told:-}" ] || return
	told=yes
	write signal TERM
	sleep 1
	echo "$step" >"$saved"
	write saved "$step"
}
trap save TERM

step=0
[ ! -e "$saved" ] || step=$(<"$saved")
write start "$step" "${CUDA_VISIBLE_DEVICES:-none}"
while [ ! -e "$SLURM_SUBMIT_DIR/enough" ]; do
	sleep 1 &
	wait $! || continue
	step=$((step + 1))
	write step "$step"
done
write finished "$step"
