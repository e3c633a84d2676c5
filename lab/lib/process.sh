# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Processes of a lab: started in the foreground mode of each daemon, recorded
# with their identity, and never confused with somebody else's. A pid file
# holds "pid start-time boot-id"; a pid that was given to another process
# since has another start time.

BOOT_ID=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo unknown)

# process_start_time PID: clock ticks since boot; fails for a dead process
# and for a zombie.
process_start_time()
{
	local stat
	{ stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
	# The command name may hold blanks and brackets: cut after its end.
	read -r -a stat <<<"${stat##*) }"
	[ "${stat[0]}" != Z ] && [ "${stat[0]}" != X ] || return 1
	echo "${stat[19]}"
}

# record_process NAME PID
record_process()
{
	local start
	start=$(process_start_time "$2") || return 1
	echo "$2 $start $BOOT_ID" >"$LAB_DIR/run/$1.pid"
}

# process_of NAME: prints the pid of a daemon that is alive, fails otherwise.
process_of()
{
	local pid start boot
	{ read -r pid start boot <"$LAB_DIR/run/$1.pid"; } 2>/dev/null ||
		return 1
	[ "$boot" = "$BOOT_ID" ] || return 1
	[ "$(process_start_time "$pid")" = "$start" ] || return 1
	echo "$pid"
}

is_running() { process_of "$1" >/dev/null; }
is_stopped() { ! is_running "$1"; }

# become_user USER: BECOME is then the command prefix that runs the rest of
# a command line as USER, in the same process.
become_user()
{
	local uid gid
	uid=$(id -u "$1" 2>/dev/null) || fail "there is no user '$1'"
	gid=$(id -g "$1")
	BECOME=(setpriv --reuid "$uid" --regid "$gid" --init-groups --)
}

# start_process NAME USER COMMAND...: runs COMMAND as USER in a session of its
# own, with the lab's environment and nothing of the caller's.
start_process()
{
	local name=$1 user=$2 pid wrap=() entry
	shift 2
	become_user "$user"
	for entry in "${OPT_WRAP[@]}"; do
		[ "${entry%%=*}" != "$name" ] ||
			read -r -a wrap <<<"${entry#*=}"
	done
	(
		cd "$LAB_DIR" || exit 1
		exec setsid env -i "${LAB_ENVIRONMENT[@]}" "$LAB_MARKER" \
			"${BECOME[@]}" "${wrap[@]}" "$@" </dev/null >"$LAB_DIR/log/$name.out" 2>&1 9>&-
	) &
	pid=$!
	disown "$pid"
	record_process "$name" "$pid" || {
		show_log "$name"
		fail "$name ended at once: $*"
	}
}

# wait_ready NAME SECONDS COMMAND...: until COMMAND succeeds; ends the script
# with the log when the daemon dies or the time is over. Under valgrind and the
# like everything takes its time.
wait_ready()
{
	local name=$1 seconds=$2
	shift 2
	[ "${#OPT_WRAP[@]}" = 0 ] || seconds=$((seconds * 6))
	if wait_until "$seconds" ready_or_dead "$name" "$@"; then
		is_running "$name" && return
		show_log "$name"
		fail "$name ended while it was starting"
	fi
	show_log "$name"
	fail "$name was not ready after $seconds s"
}

ready_or_dead()
{
	local name=$1
	shift
	is_stopped "$name" || "$@" >/dev/null 2>&1
}

# stop_process NAME [SIGNAL [SECONDS]]: sends SIGNAL (TERM), waits, then KILL.
stop_process()
{
	local name=$1 signal=${2:-TERM} seconds=${3:-5} pid
	if pid=$(process_of "$name"); then
		kill -s "$signal" "$pid" 2>/dev/null
		wait_until "$seconds" is_stopped "$name" ||
			kill -s KILL "$pid" 2>/dev/null
		wait_until 5 is_stopped "$name" ||
			fail "$name (pid $pid) does not die"
	fi
	rm -f "$LAB_DIR/run/$name.pid"
}

# lab_roots: files of /proc/PID of processes that belong to this lab: by a
# daemon's marker, as part of a job of this lab's slurm.conf, or as orphans
# without terminal that sit in its folder (a slurmstepd writes its title over
# its environment). In another mount namespace the folder has another path.
lab_roots()
{
	local folder pid
	folder=$(realpath "$LAB_DIR")
	grep -lzxF "$LAB_MARKER" /proc/[0-9]*/environ 2>/dev/null
	grep -lzxF "SLURM_CONF=$LAB_DIR/etc/slurm.conf" \
		/proc/[0-9]*/environ 2>/dev/null |
		xargs -r grep -lz '^SLURM_JOB_ID=' 2>/dev/null
	ps -eo pid=,ppid=,tty= | awk '$2 == 1 && $3 == "?" { print $1 }' |
		while read -r pid; do
			[[ $(readlink "/proc/$pid/cwd")/ == *"$folder"/* ||
				"/proc/$pid/cwd" -ef $folder ]] &&
				echo "/proc/$pid/cwd"
		done
}

# lab_strays: pids of these processes and all their descendants, except this
# script and its ancestors.
lab_strays()
{
	local roots
	roots=$(lab_roots)
	[ -n "$roots" ] || return 0
	ps -eo pid=,ppid=,stat= | awk -v self="$$" -v roots="$roots" '
		{ parent[$1] = $2; zombie[$1] = $3 ~ /^[ZX]/ }
		END {
			n = split(roots, path, /[\n]/)
			for (i = 1; i <= n; i++) {
				split(path[i], part, "/")
				stray[part[3]] = 1
			}
			for (p = self; p > 1; p = parent[p])
				spared[p] = 1
			for (p in parent) {
				for (a = p; a > 1 && !(a in stray); )
					a = parent[a]
				if (a > 1 && !(p in spared) && !zombie[p])
					print p
			}
		}'
}

# kill_strays: until none is left; a process that forks meanwhile is met in
# the next round.
kill_strays()
{
	local round pids
	for round in 1 2 3 4 5 6 7 8 9 10; do
		pids=$(lab_strays)
		[ -n "$pids" ] || return 0
		# shellcheck disable=SC2086 # a list of numbers
		kill -s KILL $pids 2>/dev/null
		[ "$round" = 1 ] || sleep 0.1
	done
	warn "these processes do not die:"
	# shellcheck disable=SC2086
	ps -o pid,user,stat,args -p $pids >&2
	return 1
}
