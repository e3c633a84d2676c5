#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 240
#
# Worked example E2 with real jobs, nodes as the unit: a borrower's job leaves
# whole and waits; the owner's next job of higher class displaces its own, which
# then waits and says which limit it is.

source "$(dirname "$0")/lib.sh"

cat >"$WORK/e2.conf" <<'END'
ClusterName=lab
Ungoverned=deny ExemptUsers=root
GovernorSocket=@LAB_DIR@/governor/submit.socket
Listen=127.0.0.1:@GOVERNOR_PORT@
LogFile=@LAB_DIR@/log/slurmgovd.log
LogLevel=debug
ReclaimSignal=TERM ReclaimGrace=3 OnReclaim=requeue MinRuntime=0
PoolName=all Nodes=@NODES@ TRES=node
PriorityClass=high Weight=90
PriorityClass=normal Weight=50 Default=yes
TeamName=vision Account=vision Members=@vision
TeamName=nlp    Account=nlp    Members=@nlp
Quota Team=vision Pool=all TRES=node=2 BorrowLimit=50%
Quota Team=nlp    Pool=all TRES=node=2 BorrowLimit=50%
END
set_policy "$WORK/e2.conf" || fail "the policy is not taken"

whole() { watcher "$1" --exclusive "${@:2}"; }

big=$(whole alice -N3)
wait_state "$big" RUNNING 5
expect_match "one of its three nodes is borrowed" "$(cat "$SAID")" 'borrowed'

first=$(whole bob -N2)
wait_state "$first" RUNNING 20
wait_state "$big" PENDING 5
expect "the borrower got its signal" diary_has "$big" 'signal TERM'
wait_for 10 "the borrower is held" job_held "$big"
stays 4 "the borrower waits whole: it needs 3 and 2 are left" job_held "$big"
why=$(as alice sgov why "$big")
expect_match "why" "$why" 'wait'

second=$(whole bob -N2 --gov-class=high)
wait_state "$second" RUNNING 20
wait_state "$first" PENDING 5
wait_for 10 "the displaced job is held" job_held "$first"
stays 4 "the displaced job waits" job_held "$first"
expect_match "and its reason names the borrow limit" \
	"$(as bob sgov why "$first")" 'borrow'
expect "the borrower still waits" job_held "$big"

# All of them get their turn.
scancel "$second"
wait_state "$first" RUNNING 20
scancel "$first"
wait_state "$big" RUNNING 20
ran_twice() { [ "$(job_diary "$big" | grep -c ' start ')" = 2 ]; }
wait_for 10 "two runs of the borrower" ran_twice
