# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The options of `up', kept in LAB_DIR/options for the commands after it.

OPT_GOVERNED=yes	# plugin and SPANK are configured
OPT_GOVERNOR=yes	# slurmgovd is started
OPT_LUA=		# a trivial job_submit.lua
OPT_DBD=		# slurmdbd with a database
OPT_SLURM=		# release; empty: this machine's
OPT_NODES=4
OPT_CONF=		# governance.conf to use
OPT_SET=()		# lines for slurm.conf
OPT_ENV=()		# NAME=VALUE for everything in the lab
OPT_WRAP=()		# DAEMON=COMMAND to run a daemon under

parse_options()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--ungoverned) OPT_GOVERNED='' OPT_GOVERNOR='' ;;
		--no-governor) OPT_GOVERNOR='' ;;
		--lua) OPT_LUA=yes OPT_GOVERNED='' OPT_GOVERNOR='' ;;
		--dbd) OPT_DBD=yes ;;
		--slurm=*) OPT_SLURM=${1#*=} ;;
		--nodes=*) OPT_NODES=${1#*=} ;;
		--conf=*) OPT_CONF=$(realpath -e "${1#*=}") ||
			fail "no such policy file: ${1#*=}" ;;
		--set=*) OPT_SET+=("${1#*=}") ;;
		--env=*) OPT_ENV+=("${1#*=}") ;;
		--wrap=*=*) OPT_WRAP+=("${1#*=}") ;;
		--set | --conf | --nodes | --env | --wrap | --slurm)
			[ $# -gt 1 ] || fail "option $1 needs a value"
			set -- "$1=$2" "${@:3}"
			continue
			;;
		*) fail "unknown option $1; see lab/cluster help" ;;
		esac
		shift
	done
	is_number "$OPT_NODES" 1 64 ||
		fail "--nodes=$OPT_NODES: give a number from 1 to 64"
}

options_text() { declare -p "${!OPT_@}"; }
save_options() { options_text >"$LAB_DIR/options"; }

# load_options: fails where no lab has been brought up.
load_options()
{
	[ -s "$LAB_DIR/options" ] || return 1
	# shellcheck disable=SC1090 # written by save_options
	source <(sed 's/^declare /declare -g /' "$LAB_DIR/options")
}
