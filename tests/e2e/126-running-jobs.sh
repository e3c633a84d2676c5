#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# Jobs that change while they run, and what their users asked of a notice: one
# that is made smaller is charged less; --signal is for the steps, with B: for
# the batch shell alone; mail is sent when a job is taken back.

source "$(dirname "$0")/lib.sh"

lab_changed
sed -e 's/ReclaimGrace=[0-9]*/ReclaimGrace=4/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
set_policy "$WORK/policy" || fail "policy"
mail=$LAB_DIR/work/mail
cat >"$LAB_DIR/work/mailer" <<END
#!/bin/sh
echo "\$*" >>$mail
END
chmod 755 "$LAB_DIR/work/mailer"
touch "$mail"
chown slurm "$mail"
sed -i "s|^MailProg=.*|MailProg=$LAB_DIR/work/mailer|" "$SLURM_CONF"
scontrol reconfigure

# ---- made smaller ----

wide=$(sleeper alice -N2 --gpus-per-node=8)
wait_state "$wide" RUNNING 10
next=$(sleeper alice --gov-borrow=no --gpus=8)
wait_for 5 "the next waits" job_held "$next"
expect "it is made smaller" as alice scontrol update "JobId=$wide" NumNodes=1
wait_for 5 "what it gave up is charged no more" used_is vision 16
wait_state "$next" RUNNING 10
expect "it runs on" job_is "$wide" RUNNING
wait_for 5 "both are charged for what they have" used_is vision 16
expect_equal "updates for the one that shrank" "$(updates_of "$wide")" 0
scancel "$wide" "$next"
wait_for 10 "nothing is charged" used_is vision 0

# ---- whom --signal is for ----

# A shell that does not know the signal would die of it, and its steps with it.
diary=$LAB_DIR/home/bob/signals
as bob touch "$diary"
# shellcheck disable=SC2016 # for the step's own shell
step='trap "echo step USR1 >>$1" USR1; echo step >>$1
	while :; do sleep 0.2; done'
steps=$(submit bob --gpus=12 --signal=USR1@60 --mail-type=REQUEUE \
	--mail-user=bob --wrap="srun sh -c '$step' step $diary")
shell=$(submit bob --gpus=12 --signal=B:USR1@60 --wrap="
	trap 'echo shell USR1 >>$diary' USR1
	srun sh -c 'echo other >>\$1; exec sleep 600' step $diary & wait
	echo shell on >>$diary
	while :; do sleep 0.2; done")
said() { grep -qx "$1" "$diary"; }
wait_for 15 "a step is ready" said step
wait_for 15 "so is the other's" said other
owner=$(sleeper alice --gpus=16)
wait_for 10 "the step gets the signal" said 'step USR1'
wait_for 10 "the shell with B: gets it" said 'shell USR1'
wait_for 5 "and goes on" said 'shell on'
expect "nobody died of a signal meant for others" \
	job_is "$steps" RUNNING
expect "nor did the step of the other" job_is "$shell" RUNNING
wait_state "$owner" RUNNING 30
mailed() { grep -q "Job_id=$steps .*Requeued" "$mail"; }
wait_for 10 "mail about what was taken back" mailed
drain_all_jobs
