# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where a lab keeps its things, how it speaks, how it waits.
# Everything else in lab/lib builds on this file.

LAB_DIR=${LAB_DIR:-/tmp/slurm-governance-lab}
LAB_PORT=${LAB_PORT:-17000}

# What every process of this lab carries in its environment, so that `down'
# finds even those whose pid file is gone.
# shellcheck disable=SC2034 # not all scripts use it
LAB_MARKER="SLURM_GOVERNANCE_LAB=$LAB_DIR"

say() { printf 'lab: %s\n' "$*"; }
warn() { printf 'lab: %s\n' "$*" >&2; }
fail()
{
	warn "$@"
	exit 1
}

# is_number TEXT LOWEST HIGHEST
is_number()
{
	[[ $1 =~ ^[1-9][0-9]{0,8}$ ]] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

# A socket path has room for 107 bytes, and LAB_DIR goes into configuration
# files whose syntax knows no quoting.
check_layout()
{
	[[ $LAB_DIR == /?* ]] ||
		fail "LAB_DIR=$LAB_DIR is not an absolute path; set one"
	[[ $LAB_DIR =~ ^[A-Za-z0-9._/+-]+$ ]] ||
		fail "LAB_DIR=$LAB_DIR: use letters, digits and . _ / + - only"
	[ "${#LAB_DIR}" -le 70 ] ||
		fail "LAB_DIR=$LAB_DIR is longer than 70 characters;" \
			"a socket in it could not be bound"
	is_number "$LAB_PORT" 1024 32000 ||
		fail "LAB_PORT=$LAB_PORT: give a number from 1024 to 32000"
}

require_root()
{
	[ "$(id -u)" = 0 ] ||
		fail "the lab runs daemons under several users:" \
			"run this as root (sudo $0 $*)"
}

# port_of NAME: the TCP port of a daemon, derived from LAB_PORT.
port_of()
{
	case $1 in
	slurmctld) echo "$LAB_PORT" ;;
	slurmdbd) echo $((LAB_PORT + 1)) ;;
	slurmgovd) echo $((LAB_PORT + 2)) ;;
	mariadbd) echo $((LAB_PORT + 5)) ;;
	g[1-9]*) echo $((LAB_PORT + 10 + ${1#g})) ;;
	*) return 1 ;;
	esac
}

# One command at a time changes a lab. The descriptor is closed for daemons.
lock_lab()
{
	mkdir -p "$LAB_DIR"
	exec 9>"$LAB_DIR/lock"
	flock -n 9 || {
		say "waiting for another command on $LAB_DIR"
		flock 9
	}
}

# wait_until SECONDS COMMAND...: polls until COMMAND succeeds; 1 at the
# deadline.
wait_until()
{
	local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt "$deadline" ] || return 1
		sleep 0.1
	done
}

# show_log NAME: the end of what a daemon said, on stderr.
show_log()
{
	local file
	for file in "$LAB_DIR/log/$1.log" "$LAB_DIR/log/$1.out"; do
		[ -s "$file" ] || continue
		warn "end of $file:"
		tail -n 15 "$file" | sed 's/^/    /' >&2
		return
	done
	warn "$1 wrote no log in $LAB_DIR/log"
}
