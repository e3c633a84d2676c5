#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 300
# Status: long
#
# sgov drift finds settings of Slurm that governance cannot do with; long, since
# slurmctld is stopped and started.

source "$(dirname "$0")/lib.sh"

# drift: what is found, SUBJECT:SEVERITY a line.
drift()
{
	as eve sgov drift --json | jq -r '.findings[] |
		.subject + ":" + .severity' | sort | paste -sd ' '
}

lab_changed
sed -i '/spank_governance/d' "$LAB_DIR/etc/plugstack.conf"
sed -i 's/^PrologFlags=.*//; s/^JobRequeue=.*/JobRequeue=0/
	s/^JobSubmitPlugins=.*//' "$SLURM_CONF"
cluster stop slurmctld
cluster start slurmctld
expect_equal "settings" "$(drift)" \
	"JobRequeue:warning JobSubmitPlugins:error PrologFlags:error plugstack.conf:error"
cluster stop slurmctld
as eve sgov drift >"$WORK/out" 2>&1
expect_equal "exit code where slurmctld does not answer" $? 1
expect_match "the reason" "$(cat "$WORK/out")" 'scontrol fails here'
cluster start slurmctld
