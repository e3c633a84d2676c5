# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What daemons and users of a lab get to see.

# set_environment: LAB_ENVIRONMENT is all that a daemon of the lab, or a user
# in it, gets to see.
set_environment()
{
	LAB_ENVIRONMENT=(
		"PATH=$(lab_path)"
		LANG=C.UTF-8
		"SLURM_CONF=$SLURM_CONF"
		"LAB_DIR=$LAB_DIR"
	)
	[ -z "$OPT_GOVERNED" ] || LAB_ENVIRONMENT+=(
		"LD_LIBRARY_PATH=$(dirname "$(installed libgovernance.so.0)")"
		"GOVERNANCE_CONF=$GOVERNANCE_CONF"
		"GOVERNANCE_MUNGE_SOCKET=$MUNGE_SOCKET"
	)
	LAB_ENVIRONMENT+=("${OPT_ENV[@]}")
}

lab_path()
{
	local path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	[ -z "$OPT_GOVERNED" ] ||
		path=$(dirname "$(installed sgov)"):$path
	echo "$path"
}

# enter_lab USER COMMAND...: becomes USER, in USER's folder, with the lab's
# environment.
enter_lab()
{
	local user=$1 home
	shift
	become_user "$user"
	home=$LAB_DIR/home/$user
	[ -d "$home" ] || home=$LAB_DIR
	cd "$home" || exit 1
	exec env -i "${LAB_ENVIRONMENT[@]}" "HOME=$home" "USER=$user" \
		"LOGNAME=$user" "TERM=${TERM:-dumb}" SHELL=/bin/bash \
		"${BECOME[@]}" "$@"
}

lab_run()
{
	[ $# -ge 2 ] || fail "usage: lab/cluster run USER COMMAND..."
	require_lab
	LAB_ENVIRONMENT+=("$LAB_MARKER")
	enter_lab "$@"
}

lab_shell()
{
	local user=${1:-root}
	require_lab
	LAB_ENVIRONMENT+=("PS1=$user@lab \\w\\$ ")
	enter_lab "$user" bash --norc
}
