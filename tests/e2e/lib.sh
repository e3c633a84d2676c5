# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Helpers of the end-to-end tests. A test sources this file and speaks in its
# words; the first expectation that is not met ends it, showing what was seen.

set -u
E2E=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
LAB_SOURCE=$(cd "$E2E/../../lab" && pwd)
export LAB_DIR=${LAB_DIR:?set by tests/e2e/run} LAB_PORT=${LAB_PORT:?}
# What root asks of Slurm goes to the lab.
export SLURM_CONF=$LAB_DIR/etc/slurm.conf
WORK=$LAB_DIR/work
mkdir -p "$WORK"

cluster() { "$LAB_SOURCE/cluster" "$@"; }

# as USER COMMAND...: runs it as a user of the lab.
as()
{
	cluster run "$@"
}

# ---- verdicts ----

# Ends the test also from within $(...): the trap of the script itself runs
# when the substitution is over.
trap 'exit 1' USR1
fail()
{
	printf 'FAILED: %s\n' "$*" >&2
	squeue -o '%.12i %.8u %.10a %.2t %.20S %.6D %.14b %R' >&2
	[ "$BASHPID" = $$ ] || kill -s USR1 $$
	exit 1
}

skip()
{
	printf '%s\n' "$*"
	exit 77
}

# On stderr: helpers are used in $(...).
note() { printf -- '- %5.1f s  %s\n' "$(seconds_since_start)" "$*" >&2; }

E2E_START=${EPOCHREALTIME/./}
seconds_since_start()
{
	local us=$((${EPOCHREALTIME/./} - E2E_START))
	printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}

# expect WHAT COMMAND...: COMMAND must succeed.
expect()
{
	local what=$1
	shift
	"$@" || fail "expected $what (by: $*)"
	note "$what"
}

# expect_not WHAT COMMAND...: COMMAND must fail.
expect_not()
{
	local what=$1
	shift
	! "$@" || fail "did not expect $what (by: $*)"
	note "not: $what"
}

# expect_equal WHAT SEEN WANTED
expect_equal()
{
	[ "$2" = "$3" ] || fail "$1: saw '$2', expected '$3'"
	note "$1: $2"
}

# expect_match WHAT TEXT REGEX (extended, ignoring case)
expect_match()
{
	grep -qiE -- "$3" <<<"$2" || fail "$1: '$3' does not match: $2"
	note "$1: $2"
}

# ---- waiting: always with a deadline ----

# wait_until SECONDS COMMAND...: polls; 1 at the deadline.
wait_until()
{
	local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt "$deadline" ] || return 1
		sleep 0.1
	done
}

# wait_for SECONDS WHAT COMMAND...: as wait_until, and fails the test.
wait_for()
{
	local seconds=$1 what=$2
	shift 2
	wait_until "$seconds" "$@" || fail "no $what after $seconds s (by: $*)"
	note "$what"
}

# stays SECONDS WHAT COMMAND...: COMMAND must hold all the time.
stays()
{
	local seconds=$1 what=$2
	shift 2
	! wait_until "$seconds" not "$@" || fail "did not stay: $what (by: $*)"
	note "stays so for $seconds s: $what"
}

not() { ! "$@"; }

# ---- jobs ----

# submit USER SBATCH_ARGUMENT...: prints the job id; what sbatch said is in
# the file $SAID. Fails if sbatch does; see refused for the opposite.
SAID=$WORK/said
submit()
{
	local id
	id=$(as "$1" sbatch --parsable --output=/dev/null "${@:2}" \
		2>"$SAID") || fail "sbatch ${*:2} as $1: $(cat "$SAID")"
	echo "${id%%;*}"
}

# sleeper USER SBATCH_OPTION...: a batch job that sleeps until it is ended.
sleeper() { submit "$@" --wrap='exec sleep 3600'; }

# watcher USER SBATCH_OPTION...: a batch job that writes down when it starts
# and which signals it gets, and works on until its end; see job_diary.
watcher() { submit "$@" "$(public_job watcher)"; }

# job_diary JOB: what a watcher has written, over all its runs.
job_diary() { cat "$LAB_DIR"/home/*/"watcher-$1" 2>/dev/null; }

diary_has() { job_diary "$1" | grep -qE -- "$2"; }

# public_job NAME: jobs/NAME.sh where the users of the lab can read it.
public_job()
{
	mkdir -p "$LAB_DIR/jobs"
	cp "$E2E/jobs/$1.sh" "$LAB_DIR/jobs/"
	chmod -R a+rX "$LAB_DIR/jobs"
	echo "$LAB_DIR/jobs/$1.sh"
}

# public_program NAME [CC_ARGUMENT...]: NAME.c, compiled, where the users of the
# lab can run it.
public_program()
{
	mkdir -p "$LAB_DIR/jobs"
	cc -Wall -o "$LAB_DIR/jobs/$1" "$E2E/$1.c" "${@:2}" ||
		fail "cannot compile $1.c"
	chmod -R a+rX "$LAB_DIR/jobs"
	echo "$LAB_DIR/jobs/$1"
}

# refused USER SBATCH_ARGUMENT...: sbatch must refuse; prints what it said.
refused()
{
	local said
	! said=$(as "$1" sbatch --parsable --output=/dev/null "${@:2}" 2>&1) ||
		fail "sbatch ${*:2} as $1 was accepted: $said"
	echo "$said"
}

# job_field JOB FIELD: one field of scontrol show job, such as JobState.
# Fields whose value may hold blanks (Comment, AdminComment) reach to the end
# of their line.
job_field()
{
	scontrol show job "$1" 2>/dev/null | awk -v key="$2=" '
		(key ~ /Comment=$/) && index($0, "   " key) == 1 {
			print substr($0, length(key) + 4)
			exit
		}
		{
			for (i = 1; i <= NF; i++)
				if (index($i, key) == 1) {
					print substr($i, length(key) + 1)
					exit
				}
		}'
}

# job_is JOB STATES: is its state one of STATES (A|B)?
job_is() { [[ $(job_field "$1" JobState) =~ ^($2)$ ]]; }

# wait_state JOB STATES SECONDS
wait_state()
{
	wait_until "$3" job_is "$1" "$2" ||
		fail "job $1 is $(job_field "$1" JobState)" \
			"($(job_field "$1" Reason)), not $2, after $3 s"
	note "job $1 is $2"
}

# job_held JOB: waits with priority 0.
job_held()
{
	job_is "$1" PENDING && [ "$(job_field "$1" Priority)" = 0 ]
}

# gpus_running USER: GPUs that USER's jobs hold on nodes.
gpus_running()
{
	scontrol -d -o show job 2>/dev/null | awk -v user="UserId=$1(" '
		index($0, user) && /JobState=(RUNNING|COMPLETING|SUSPENDED) / {
			for (i = 1; i <= NF; i++)
				if (sub(/^JOB_GRES=/, "", $i))
					n += gpus($i)
		}
		function gpus(list, entry, k, total) {
			for (k = split(list, entry, ","); k > 0; k--)
				if (entry[k] ~ /^gpu:/) {
					sub(/^.*:/, "", entry[k])
					total += entry[k]
				}
			return total
		}
		END { print n + 0 }'
}

gpus_are() { [ "$(gpus_running "$1")" = "$2" ]; }

# wait_gpus USER COUNT SECONDS
wait_gpus()
{
	wait_until "$3" gpus_are "$1" "$2" ||
		fail "$1 holds $(gpus_running "$1") GPUs, not $2, after $3 s"
	note "$1 holds $2 GPUs"
}

# used_is TEAM GPUS: as the governor counts, leaving jobs included.
used_is()
{
	[ "$(as root sgov status -nP -t "$1" -T gres/gpu | cut -d'|' -f5)" = "$2" ]
}

# updates_of JOB: what slurmctld was asked about the job, its tasks and its
# components so far, signals and the like left out. Needs LogLevel=debug.
updates_of()
{
	grep -cE "job $1(_[^ ]*|\+[0-9]+)?: update" "$LAB_DIR/log/slurmgovd.log"
}

no_jobs() { [ -z "$(squeue -h)" ]; }

drain_all_jobs()
{
	local ids
	mapfile -t ids < <(squeue -h -o %A | sort -u)
	[ "${#ids[@]}" = 0 ] || scancel --quiet "${ids[@]}"
	wait_until 30 no_jobs || fail "jobs do not go away"
}

# ---- cluster ----

node_states() { sinfo -h -N -o '%N %T' | sort -u; }
all_nodes_idle() { node_states | awk '$2 != "idle" { bad = 1 }
	END { exit bad || NR == 0 }'; }

# lab_changed: tells the runner that this lab is not for other tests.
lab_changed() { touch "$LAB_DIR/changed"; }

# wait_saved: slurmctld writes its jobs down up to some seconds after it has
# answered; one killed before that comes back with what it knew earlier.
wait_saved()
{
	local stamp=$WORK/saved job
	touch "$stamp"
	# It saves only when there is news.
	job=$(as root sbatch --parsable --hold --output=/dev/null --wrap true)
	scancel "$job"
	wait_until 15 test "$LAB_DIR/state/job_state" -nt "$stamp" ||
		fail "slurmctld does not save its jobs"
}

# ---- governance ----

# set_policy FILE: puts FILE in the place of governance.conf, @NAMES@ filled
# in, and has it taken over.
set_policy()
{
	lab_changed
	cluster policy "$1" && reload
}

reload() { as root sgov reload; }

# vision_lends_all GRACE: all 32 GPUs are vision's, nlp may borrow every one of
# them, and has so many seconds when they are taken back.
vision_lends_all()
{
	sed -e '/^Quota\|^TeamName\|^ShareUnallocated/d' \
		-e "s/ReclaimGrace=[0-9]*/ReclaimGrace=$1/" \
		"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
	cat >>"$WORK/policy" <<-'END'
		ShareUnallocated=yes
		TeamName=vision Account=vision Members=alice,@vision
		TeamName=nlp Account=nlp Members=bob,@nlp
		Quota Team=vision Pool=h100 TRES=gres/gpu=32
		Quota Team=nlp Pool=h100 TRES=gres/gpu=0 BorrowLimit=unlimited
	END
	set_policy "$WORK/policy" || fail "the policy is not taken"
}
