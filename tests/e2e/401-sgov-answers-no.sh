#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: jq
# Timeout: 300
#
# Exit codes: 0 done, 1 error, 2 usage, 3 the answer is no; and one sentence
# for each failure.

source "$(dirname "$0")/lib.sh"

# ends CODE SENTENCE USER SGOV_ARGUMENT...
ends()
{
	local code=$1 sentence=$2 user=$3 said seen
	shift 3
	said=$(as "$user" sgov "$@" 2>&1 >"$WORK/out")
	seen=$?
	[ "$seen" = "$code" ] ||
		fail "sgov $* as $user: exit code $seen, not $code: $said"
	[ -z "$sentence" ] || expect_match "sgov $* ($code)" "$said" "$sentence"
	[ "$code" = 0 ] || [ "$(grep -c . <<<"$said")" = 1 ] ||
		fail "sgov $*: more than one sentence: $said"
}

ends 0 '' alice ping
ends 0 '' alice status
ends 0 '' alice queue
ends 0 '' alice loans
ends 0 '' alice terms
ends 0 '' alice help
ends 0 '' alice --version

ends 2 'command is missing' alice
ends 2 "no command 'frob'" alice frob
ends 2 'unknown' alice status --frob
ends 2 'needs a value' alice status --team
ends 2 'too many' alice status x
ends 2 'JOBID is missing' alice why
ends 2 '\-\-state' alice queue --state=frob
ends 2 '\-\-port' alice ping --port=x
ends 2 'exclude' alice status --json -P

ends 3 "no team 'x'; there are: .*nlp" alice status --team=x
ends 3 "no pool 'x'; there are: h100" alice status --pool=x
ends 3 "no priority class 'x'" alice terms --class=x
ends 3 "no job '999999'" alice why 999999
ends 3 "no job" alice why ''
ends 3 'may not reload' alice reload

exempt=$(sleeper root)
wait_for 10 "the job of an exempt user" job_is "$exempt" RUNNING
listed() { ! as alice sgov why "$1" 2>&1 | grep -q 'no job'; }
wait_for 10 "the governor has seen it" listed "$exempt"
ends 3 'not governed' alice why "$exempt"
drain_all_jobs

# ---- no governor ----

ends 1 'no governor at 127.0.0.1:1 ' alice ping --host=127.0.0.1 --port=1
ends 1 "host no.such.host.invalid" alice status --host=no.such.host.invalid
as alice sgov status --json --host=127.0.0.1 --port=1 >"$WORK/json" 2>/dev/null
expect_equal "as JSON" "$(jq -r '.errors[0].code' "$WORK/json")" GOV-106
expect_equal "the next host is asked" "$(as alice sgov ping -nP \
	--host=no.such.host.invalid,127.0.0.1 | cut -d'|' -f3)" ready
cluster stop slurmgovd
ends 1 'is slurmgovd running' alice status
cluster start slurmgovd
wait_for 20 "the governor again" as alice sgov ping
ends 0 '' alice status
