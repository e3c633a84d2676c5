#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Policies as files: sgov import makes one that sgov check accepts, or none; sgov diff
# compares two by what they mean.

source "$(dirname "$0")/lib.sh"
cp "$E2E"/../import/*.json "$WORK"
chmod 755 "$WORK"
chmod 644 "$WORK"/*.json

# ---- import ----

for file in "$WORK"/*.json; do
	name=$(basename "$file" .json)
	expect "$name is imported" as eve sgov import hyperpod "$file" \
		>"$WORK/$name.conf" 2>"$WORK/$name.notes"
	chmod 644 "$WORK/$name.conf"
	expect "and sgov check takes it" as eve sgov check "$WORK/$name.conf" \
		>/dev/null
done
expect_match "what needs a hand is told" "$(cat "$WORK/two-teams.notes")" \
	'warning: .*Members= names a UNIX group'
expect_match "and that more is promised than there is" \
	"$(cat "$WORK/oversold.notes")" 'need 21 instances, and there are 20'
expect_match "from standard input" \
	"$(as eve sgov import hyperpod - <"$WORK/absolute.json" 2>/dev/null)" \
	'BorrowLimit=500%,gres/gpu=4'

sed 's/"TeamName": "team-a"/"TeamName": "a\\nOperators=eve"/' \
	"$WORK/absolute.json" >"$WORK/hostile.json"
chmod 644 "$WORK/hostile.json"
as eve sgov import hyperpod "$WORK/absolute.json" "$WORK/hostile.json" \
	>"$WORK/out" 2>"$WORK/err"
expect_equal "exit code of what HyperPod would not take" $? 1
expect_equal "nothing is printed then" "$(cat "$WORK/out")" ""
expect_match "which object, and what is wrong" "$(cat "$WORK/err")" \
	'hostile.json: ComputeQuota quota-team-a: TeamName must be a name'
as eve sgov import kueue "$WORK/absolute.json" >/dev/null 2>&1
expect_equal "exit code of another system" $? 2

# ---- diff ----

cp "$LAB_DIR/etc/governance.conf" "$WORK/same.conf"
sed 's/TRES=gres\/gpu=16/TRES=gres\/gpu=12/; s/^PriorityClass=debug /# /' \
	"$WORK/same.conf" >"$WORK/other.conf"
chmod 644 "$WORK/same.conf" "$WORK/other.conf"
expect "no difference from the policy in use" \
	as eve sgov diff "$WORK/same.conf"
as eve sgov diff -nP "$WORK/other.conf" >"$WORK/out"
expect_equal "exit code of a difference" $? 1
expect_match "the quota" "$(cat "$WORK/out")" \
	'^changed\|quota\|[a-z]+ h100\|gres/gpu[^|]*\|16\|12$'
expect_match "the class" "$(cat "$WORK/out")" '^removed\|class\|debug\|'
expect_match "the other way round" \
	"$(as eve sgov diff "$WORK/other.conf" "$WORK/same.conf")" \
	'added +class +debug'
as eve sgov diff "$WORK/hostile.json" >/dev/null 2>&1
expect_equal "exit code of a file that is no policy" $? 2
