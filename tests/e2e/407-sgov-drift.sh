#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
#
# sgov drift finds nothing where nothing is wrong, finds what is planted, and
# nothing once its own command has mended it; 408 has settings of Slurm.

source "$(dirname "$0")/lib.sh"
PLANTED=$WORK/planted.conf

# drift [FILE]: what is found, SUBJECT:SEVERITY a line.
drift()
{
	as eve sgov drift --json "$@" | jq -r '.findings[] |
		.subject + ":" + .severity' | sort | paste -sd ' '
}

expect "no drift" as eve sgov drift
expect_equal "nothing is printed then" "$(as eve sgov drift)" ""

# ---- the policy ----

# planted EXPRESSION: the policy in use, changed.
planted()
{
	sed "$1" "$LAB_DIR/etc/governance.conf" >"$PLANTED"
	chmod 644 "$PLANTED"
}
planted '/^PoolName=h100/s/Nodes=[^ ]*/&,ghost7/'
expect_equal "a node that Slurm does not have" "$(drift "$PLANTED")" \
	nodes:error
expect_match "its evidence and what mends it" \
	"$(as eve sgov drift -nP "$PLANTED")" \
	'ghost7 of pool h100 is not known to Slurm\|in governance.conf: PoolName=h100'
planted '/^PoolName=h100/s/Nodes=[^ ]*/Nodes=g1/'
expect_match "nodes that are in no pool" "$(drift "$PLANTED")" nodes:warning
planted '/^PoolName=h100/s/$/ Partition=gone/'
expect_equal "a partition that Slurm does not have" "$(drift "$PLANTED")" \
	partitions:error
as eve sgov drift "$PLANTED" >/dev/null
expect_equal "exit code where something is found" $? 3

# ---- Slurm as it runs ----

scontrol update PartitionName=main AllowAccounts=vision
expect_equal "an account that no partition takes" "$(drift)" partitions:error
mend=$(as eve sgov drift -nP | cut -d'|' -f4)
expect_match "what mends it" "$mend" '^scontrol update PartitionName=main '
expect "the command works" bash -c "$mend"
expect "and mends it" as eve sgov drift
scontrol update PartitionName=main AllowAccounts=ALL
