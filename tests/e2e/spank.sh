# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of the SPANK plugin without a governor: a job_submit plugin of the
# tests' attaches the grants that a test makes. Source after lib.sh.

PLUGINS=$LAB_DIR/plugins
MUNGE_SOCKET=$LAB_DIR/munge/munge.socket
RUN_DIR=$LAB_DIR/run/spank

# built NAME: the path of a built or installed file.
built()
{
	find "${LAB_PREFIX:-${LAB_BUILD:-$E2E/../../build}}" -name "$1" \
		! -type d | head -n 1 | grep . || fail "$1 is not built"
}

compile_plugin()
{
	cc -shared -fPIC -O1 -Wall -o "$PLUGINS/$1.so" "$E2E/plugins/$1.c" ||
		fail "no $1.so"
}

# set_up_spank: makes the ungoverned lab one with the SPANK plugin and the
# job_submit plugin of the tests.
set_up_spank()
{
	lab_changed
	mkdir -p "$PLUGINS"
	cp -L "$(built spank_governance.so)" "$PLUGINS/"
	compile_plugin job_submit_spanktest
	compile_plugin spank_sender
	chmod -R a+rX "$PLUGINS"
	sed -i "s|^PluginDir=.*|&:$PLUGINS|" "$SLURM_CONF"
	echo JobSubmitPlugins=spanktest >>"$SLURM_CONF"
	cluster stop slurmctld
	cluster start slurmctld
	spank_arguments ''
}

# spank_arguments WORDS: arguments of the plugin; slurmd reads them anew.
spank_arguments()
{
	echo "optional spank_governance.so run_dir=$RUN_DIR" \
		"munge_socket=$MUNGE_SOCKET $1" >"$LAB_DIR/etc/plugstack.conf"
	restart_nodes
}

restart_nodes()
{
	local node
	for node in $(sinfo -h -N -o %N | sort -u); do
		cluster stop "$node"
		cluster start "$node"
	done
	wait_for 20 "idle nodes" all_nodes_idle
}

# payload [KEY=VALUE]...: of a grant for alice, with other values.
payload()
{
	local -A v=(
		[kind]=job [uid]=$(id -u alice) [team]=vision [project]=""
		[class]=training [isolation]="" [digest]=0123456789abcdef
		[issued]=$(date +%s) [signal]=10 [grace]=90
	)
	local text=govgrant1 key
	for key in "$@"; do
		v[${key%%=*}]=${key#*=}
	done
	for key in kind uid team project class isolation digest issued \
		signal grace; do
		text+=" $key=${v[$key]}"
	done
	printf %s "$text"
}

# seal ENCODER PAYLOAD [READER]: a credential that READER (root) may open.
seal()
{
	as "$1" munge --socket="$MUNGE_SOCKET" --ttl=-1 \
		--restrict-uid="${3:-0}" --string="$2" | tr -d '\n'
}

# give USER CREDENTIAL: what USER's next jobs carry; none without CREDENTIAL.
give()
{
	local file
	file=$LAB_DIR/state/grant.$(id -u "$1")
	rm -f "$file"
	[ $# -lt 2 ] || printf %s "$2" >"$file"
}

# give_good USER [KEY=VALUE]...: a good grant.
give_good()
{
	local user=$1
	shift
	give "$user" "$(seal slurm "$(payload uid="$(id -u "$user")" "$@")")"
}

# seen_by_job_submit: the options in spank_job_env of the last submission, as
# class=... project=... borrow=..., sorted.
seen_by_job_submit()
{
	sed -nE 's/^(SPANK_)?_SLURM_SPANK_OPTION_governance_gov_//p' \
		"$LAB_DIR/state/spank.seen" | sort | paste -sd ' '
}

# told FILE: the GOV_ variables in it, sorted, on one line.
told() { grep '^GOV_' "$1" | sort | paste -sd ' '; }

# home USER
home() { echo "$LAB_DIR/home/$1"; }

# verdicts: jobs that run on the nodes, one a line.
verdicts()
{
	find "$RUN_DIR" -name '[0-9]*' ! -name '*.ended' -printf '%f\n' \
		2>/dev/null
}
verdicts_are() { [ "$(verdicts)" = "$1" ]; }
no_verdicts() { verdicts_are ""; }

# refused_job WHAT REGEX: a batch job of alice's fails with a sentence that
# matches, and nothing else; the nodes stay in service.
refused_job()
{
	local what=$1 wanted=$2 out job
	out=$(home alice)/refused
	rm -f "$out"
	job=$(as alice sbatch --parsable --output="$out" --nodes=2 \
		--wrap='echo IT RAN') || fail "$what: sbatch refuses"
	wait_until 15 job_is "$job" FAILED ||
		fail "$what: job $job is $(job_field "$job" JobState)," \
			"$(job_field "$job" Reason)"
	expect_equal "$what: exit code" "$(job_field "$job" ExitCode)" 1:0
	expect_match "$what" "$(cat "$out")" \
		"^governance: this job may not run here: .*$wanted"
	expect_equal "$what: lines of output" "$(wc -l <"$out")" 1
	expect_not "$what: a node out of service" \
		grep -qvE ' (idle|completing|allocated|mixed)$' \
		<(node_states)
	expect_equal "$what: restarts" "$(job_field "$job" Restarts)" 0
}

# good_job: alice's next job with a good grant runs.
good_job()
{
	local out
	out=$(home alice)/good
	give_good alice
	as alice sbatch --wait --output="$out" --nodes=2 \
		--wrap='echo IT RAN' >/dev/null 2>&1 ||
		fail "a job with a good grant fails: $(cat "$out")"
	expect_equal "output of a job with a good grant" "$(cat "$out")" \
		"IT RAN"
}
