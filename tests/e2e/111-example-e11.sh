#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# Worked example E11 with real jobs: A (quota 3) runs one job of 4, B (quota 5)
# uses 1 and asks for 4, of 8 in all. A's job goes, and does not come back
# before B's has started.

source "$(dirname "$0")/lib.sh"

cat >"$WORK/e11.conf" <<'END'
ClusterName=lab
Ungoverned=deny ExemptUsers=root
GovernorSocket=@LAB_DIR@/governor/submit.socket
Listen=127.0.0.1:@GOVERNOR_PORT@
LogFile=@LAB_DIR@/log/slurmgovd.log
LogLevel=debug
ReclaimSignal=USR1 ReclaimGrace=4 OnReclaim=requeue MinRuntime=0
PoolName=h100 Nodes=g1 TRES=gres/gpu
PriorityClass=normal Weight=50 Default=yes
TeamName=vision Account=vision Members=@vision
TeamName=nlp    Account=nlp    Members=@nlp
Quota Team=vision Pool=h100 TRES=gres/gpu=3
Quota Team=nlp    Pool=h100 TRES=gres/gpu=5
END
set_policy "$WORK/e11.conf" || fail "the policy is not taken"

loan=$(watcher alice -w g1 --gpus=4)
wait_state "$loan" RUNNING 5
own=$(watcher bob -w g1 --gpus=1)
wait_state "$own" RUNNING 5
asker=$(watcher bob -w g1 --gpus=4)
expect "the asker waits for it" job_held "$asker"
wait_for 5 "the signal of the policy" diary_has "$loan" 'signal USR1'
expect "it runs on in its grace" job_is "$loan" RUNNING
told=$(job_diary "$loan" | awk '/signal USR1/ { print $1; exit }')

wait_until 20 not job_is "$loan" RUNNING || fail "it does not leave"
took=$(awk -v a="$told" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
expect "its grace of 4 s was kept ($took s)" \
	awk "BEGIN { exit $took < 3 || $took > 7 }"
wait_state "$asker" RUNNING 20
wait_for 10 "the victim has not overtaken" job_held "$loan"
expect "B's other job was left alone" job_is "$own" RUNNING
stays 5 "the victim waits: it needs 4 and 3 are left" job_held "$loan"
expect_match "its stamp counts the eviction" \
	"$(job_field "$loan" AdminComment)" 'evictions=1'
expect_equal "signals it got" \
	"$(job_diary "$loan" | grep -c 'signal USR1')" 1

scancel "$asker"
wait_state "$loan" RUNNING 20
