#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# Job arrays: admission is per task. An array that fits goes unheld; of a larger
# one as many tasks run as quota allows, and the rest follow by themselves.

source "$(dirname "$0")/lib.sh"

running_tasks() { squeue -h -r -j "$1" -t R -o %i | wc -l; }
tasks_are() { [ "$(running_tasks "$1")" = "$2" ]; }
one_running() { squeue -h -r -j "$1" -t R -o %i | head -n 1; }

small=$(sleeper alice --array=0-3 --gpus=1)
wait_for 5 "four tasks" tasks_are "$small" 4
expect_equal "what sbatch said" "$(cat "$SAID")" ""
scancel "$small"
wait_gpus alice 0 20

large=$(sleeper alice --array=1-10 --gpus=4 --gov-borrow=no)
expect_match "what sbatch said" "$(cat "$SAID")" 'tasks of the array start'
wait_for 5 "as many as quota allows" tasks_are "$large" 4
stays 3 "no more than that" tasks_are "$large" 4
expect_not "the owner may release the others" as alice scontrol release "$large"
stays 2 "still no more" tasks_are "$large" 4
scancel "$(one_running "$large")"
sleep 1
wait_for 10 "the next task in its place" tasks_are "$large" 4
expect_equal "tasks left" \
	"$(squeue -h -r -j "$large" -o %i | wc -l)" 9

# A restart in the middle of it.
cluster kill slurmgovd
scancel "$(one_running "$large")"
sleep 1
cluster start slurmgovd
wait_for 15 "the next task after a restart" tasks_are "$large" 4
stays 3 "no more than quota allows" tasks_are "$large" 4
drain_all_jobs

# An operator may release one task inside its array, in spite of quota.
large=$(sleeper alice --array=1-10 --gpus=4 --gov-borrow=no)
wait_for 5 "as many as quota allows" tasks_are "$large" 4
task_runs() { [ "$(squeue -h -j "$1" -t R -o %i)" = "$1" ]; }
expect "the release of a task that waits" as root sgov release "${large}_9"
wait_for 10 "that task runs" task_runs "${large}_9"
stays 2 "and no other" tasks_are "$large" 5
expect "it counts" used_is vision 20
as root sgov release "${large}_9" 2>"$SAID" &&
	fail "a task that runs was released"
drain_all_jobs

# %N counts: never more at once, whatever quota there is.
throttled=$(sleeper alice --array=1-6%2 --gpus=1)
wait_for 5 "two tasks" tasks_are "$throttled" 2
own=$(sleeper alice --gpus=14)
wait_state "$own" RUNNING 5
stays 2 "two tasks" tasks_are "$throttled" 2
drain_all_jobs

# Whatever an array asks for must be possible for one task.
expect_match "a task beyond all limits is refused" \
	"$(refused bob --array=1-2 --gpus=30 --wrap=true)" 'GOV-308'
