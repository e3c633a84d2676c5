#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job that counts, and at USR1 saves how far it has come and says so. At TERM
# it ends, without saving. After a requeue it goes on from what was saved.

saved=$HOME/saved-$SLURM_JOB_ID
diary=$HOME/watcher-$SLURM_JOB_ID
write() { echo "$EPOCHREALTIME $*" >>"$diary"; }

# shellcheck disable=SC2317 # called by the trap
save()
{
	echo "$count" >"$saved.new" && mv "$saved.new" "$saved"
	write "saved $count"
	sgov checkpoint >>"$diary" 2>&1 || write "sgov checkpoint: $?"
}
trap save USR1
trap 'write "signal TERM"; exit 0' TERM
count=$(cat "$saved" 2>/dev/null || echo 0)
write "start at $count"
while :; do
	sleep 0.5 &
	wait $!
	count=$((count + 1))
done
