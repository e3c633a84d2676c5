# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands of lab/cluster.

# lab_daemons: the daemons of this lab in the order of their start.
lab_daemons()
{
	echo munged
	[ -z "$OPT_DBD" ] || printf '%s\n' mariadbd slurmdbd
	# The governor first: it must not miss a submission. It waits for
	# slurmctld by itself.
	[ -z "$OPT_GOVERNOR" ] || echo slurmgovd
	echo slurmctld
	node_names
}

start_daemon()
{
	is_running "$1" && return
	case $1 in
	g[1-9]*) start_slurmd "$1" ;;
	*) "start_$1" ;;
	esac
	say "$1 is running (pid $(process_of "$1"))"
	[ "$1" != slurmdbd ] || make_accounts
}

any_running()
{
	local name
	for name in $(lab_daemons); do
		is_running "$name" && return
	done
	return 1
}

lab_up()
{
	local name wanted
	parse_options "$@"
	wanted=$(options_text)
	if (load_options && any_running); then
		[ "$wanted" = "$(cat "$LAB_DIR/options")" ] ||
			fail "a lab with other options is up in $LAB_DIR;" \
				"run down first"
		set_environment
	else
		prepare_lab
	fi
	for name in $(lab_daemons); do
		start_daemon "$name"
	done
	wait_nodes
	[ -z "$OPT_GOVERNOR" ] || wait_governor
	say "up: $OPT_NODES nodes, $((OPT_NODES * 8)) GPUs," \
		"$(describe_lab), Slurm $(slurmctld -V | cut -d ' ' -f 2)," \
		"in $LAB_DIR"
}

describe_lab()
{
	if [ -n "$OPT_GOVERNOR" ]; then
		echo governed
	elif [ -n "$OPT_GOVERNED" ]; then
		echo 'plugins without governor'
	else
		echo ungoverned
	fi
}

# A lab starts with an empty cluster each time; what an earlier one left in
# the folder, dead or alive, is cleared away first.
prepare_lab()
{
	kill_strays || fail "an earlier lab in $LAB_DIR is still there"
	remove_state
	rm -rf "$LAB_DIR/log"
	mkdir -p "$LAB_DIR"/{run,log,etc,home}
	chmod 755 "$LAB_DIR" "$LAB_DIR"/{run,log,etc,home}
	save_options
	check_ports
	make_users
	prepare_munge
	prepare_slurm
	[ -z "$OPT_GOVERNED" ] || prepare_governance
	[ -z "$OPT_DBD" ] || prepare_database
	write_slurm_configuration
	set_environment
}

check_ports()
{
	local name port
	for name in $(lab_daemons); do
		port=$(port_of "$name") || continue
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null &&
			fail "port $port ($name) is in use: set LAB_PORT" \
				"(now $LAB_PORT) to the first of a free range"
	done
	return 0
}

remove_state()
{
	rm -rf "${LAB_DIR:?}"/{run,state,spool,munge,mariadb,dev,home,etc} \
		"$LAB_DIR/governor" \
		"$LAB_DIR"/{options,changed,work,jobs}
	[ "$LAB_PREFIX" != "$LAB_DIR/root" ] || rm -rf "$LAB_DIR/root"
}

# Works on whatever is left of a lab, and twice in a row. Daemons first, so
# that nothing starts anew; then steps, jobs and waiting clients.
# What the SPANK plugin holds for jobs whose node was killed. Without -l the
# namespaces below would have to go first.
release_mounts()
{
	awk -v below="$LAB_DIR/" 'index($5, below) == 1 { print $5 }' \
		/proc/self/mountinfo | tac | xargs -r -n 1 umount -l
}

lab_down()
{
	local name
	load_options
	for name in $(lab_daemons | tac); do
		is_running "$name" || continue
		case $name in
		mariadbd | slurmdbd) stop_process "$name" TERM 10 ;;
		*) stop_process "$name" KILL ;;
		esac
	done
	kill_strays || fail "the lab in $LAB_DIR is not quite down"
	release_mounts
	rm -rf "${LAB_DIR:?}"/{run,dev,options}
	say "down; logs are in $LAB_DIR/log"
}

# lab_policy FILE: the next reload of the governor takes it over.
lab_policy()
{
	require_lab
	[ -r "${1:-}" ] || fail "no policy file '${1:-}'"
	install_policy "$1"
}

lab_clean()
{
	lab_down
	remove_users || exit 1
	remove_state
	rm -rf "$LAB_DIR"
	say "removed $LAB_DIR"
}

lab_status()
{
	local name pid all=0
	load_options || {
		say "no lab is up in $LAB_DIR"
		exit 3
	}
	for name in $(lab_daemons); do
		if pid=$(process_of "$name"); then
			printf '%-10s running  pid %s\n' "$name" "$pid"
		else
			printf '%-10s DEAD\n' "$name"
			all=1
		fi
	done
	slurmctld_answers && SLURM_CONF=$SLURM_CONF sinfo
	exit $all
}

require_lab()
{
	load_options || fail "no lab is up in $LAB_DIR; run lab/cluster up"
	set_environment
}

require_daemon()
{
	lab_daemons | grep -qx "${1:-}" ||
		fail "this lab has no daemon '${1:-}'; it has:" \
			"$(lab_daemons | paste -sd ' ')"
}

lab_start()
{
	require_lab
	# A lab brought up with --no-governor may get one later.
	[ "${1:-}" != slurmgovd ] || [ -z "$OPT_GOVERNED" ] ||
		OPT_GOVERNOR=yes
	require_daemon "$@"
	start_daemon "$1"
}

lab_stop()
{
	require_lab
	require_daemon "$@"
	stop_process "$1" TERM 15
}

lab_kill()
{
	require_lab
	require_daemon "$@"
	stop_process "$1" KILL
}
