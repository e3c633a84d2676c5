#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 300
#
# sgov check, offline and beside a running Slurm; sgov reload: who may, and
# that a file with faults changes nothing.

source "$(dirname "$0")/lib.sh"
GOOD=$WORK/good.conf BAD=$WORK/bad.conf
sed 's/^ExemptUsers=.*/&\nOperators=anna/' \
	"$LAB_SOURCE/etc/governance.conf.in" >"$GOOD"

# ---- a file by itself ----

cat >"$BAD" <<'END'
ClusterName=lab
PoolName=h100 Nodes=g[1-4 TRES=gres/gpu
TeamNam=vision Members=alice
PriorityClass=training Weight=700
END
chmod 644 "$BAD"
as eve sgov check "$BAD" >"$WORK/out"
expect_equal "exit code of a file with faults" $? 1
expect_match "file, line and column" "$(cat "$WORK/out")" \
	"^$BAD:2:[0-9]+: error: "
expect_match "the nearest valid word" "$(cat "$WORK/out")" 'TeamName'
expect_match "all faults at once" "$(cat "$WORK/out")" "^$BAD:4:"
expect_equal "the same in JSON" \
	"$(as eve sgov check --json "$BAD" | jq '.faults | length')" \
	"$(as eve sgov check -nP "$BAD" | wc -l)"
as eve sgov check /nonexistent >"$WORK/out" 2>&1
expect_equal "exit code without a file" $? 1
expect_match "the reason" "$(cat "$WORK/out")" '/nonexistent.*No such file'
expect "the file in use is sound" as eve sgov check >/dev/null

# ---- beside Slurm ----

# result SUBJECT
result()
{
	as alice sgov check --system --json 2>/dev/null |
		jq -r --arg s "$1" '[.system[] | select(.subject == $s) |
			.result] | unique | join(",")'
}

expect "the lab is set up" as alice sgov check --system
for subject in JobSubmitPlugins PrologFlags AuthType plugins plugstack.conf \
	quotas slurmgovd; do
	expect_equal "$subject" "$(result $subject)" ok
done

# system_of FILE: results for another policy.
sed 's/^PoolName=h100 .*/PoolName=h100 Nodes=g[1-5] TRES=gres\/gpu/' \
	"$LAB_DIR/etc/governance.conf" >"$WORK/more.conf"
expect_match "a node that Slurm does not have" \
	"$(as alice sgov check --system "$WORK/more.conf")" \
	'nodes +error +node g5 of pool h100'
sed 's/gres\/gpu=16/gres\/gpu=60/' "$LAB_DIR/etc/governance.conf" \
	>"$WORK/more.conf"
expect_match "quotas beyond the pool" \
	"$(as alice sgov check --system "$WORK/more.conf")" \
	'quotas +error +pool h100 has 32 of gres/gpu, quotas promise 68'
expect_match "a policy that is not in force" \
	"$(as alice sgov check --system "$WORK/more.conf")" \
	'slurmgovd +warning .* sgov reload'
lab_changed
cluster stop slurmgovd
expect_equal "without a governor" "$(result slurmgovd)" error
cluster start slurmgovd
wait_for 20 "the governor again" as alice sgov ping
sed -i '/spank_governance/d' "$LAB_DIR/etc/plugstack.conf"
expect_equal "without SPANK" "$(result plugstack.conf)" error
sed -i 's/^PrologFlags=.*//' "$SLURM_CONF"
cluster stop slurmctld
cluster start slurmctld
expect_equal "without PrologFlags=Alloc" "$(result PrologFlags)" error

# ---- reload ----

cluster policy "$GOOD"
before=$(as alice sgov ping -nP | cut -d'|' -f5)
expect_not "alice may reload" as alice sgov reload
expect "root may" as root sgov reload
expect "SlurmUser may" as slurm sgov reload
expect "an operator may, once the policy says so" as anna sgov reload
after=$(as alice sgov ping -nP | cut -d'|' -f5)
expect_not "the same policy as before" [ "$before" = "$after" ]
{ cat "$GOOD" && echo "TeamNam=x"; } >"$WORK/worse.conf"
cluster policy "$WORK/worse.conf"
as root sgov reload >"$WORK/out" 2>&1
expect_equal "exit code of a reload that is refused" $? 1
expect_match "with the faults" "$(cat "$WORK/out")" '^[^ ]*governance.conf:[0-9]+:1: error: .*TeamName'
expect_equal "the old policy stays" \
	"$(as alice sgov ping -nP | cut -d'|' -f5)" "$after"
expect "and works" as alice sgov status
