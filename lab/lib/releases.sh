# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The releases of Slurm that a lab can run on, and the Debian that has each.

LAB_ROOTS=${LAB_ROOTS:-/var/cache/slurm-governance/roots}
LAB_MIRROR=${LAB_MIRROR:-http://deb.debian.org/debian}

# In a folder made by lab/root: which release it is.
# shellcheck disable=SC2034 # not all scripts use it
RELEASE_FILE=/etc/slurm-governance-release

releases() { printf '%s\n' 22.05 24.11 26.05; }

# suite_of RELEASE: the Debian that has it.
suite_of()
{
	case $1 in
	22.05) echo bookworm ;;
	24.11) echo trixie ;;
	26.05) echo sid ;;
	*) return 1 ;;
	esac
}

# slurm_release: filters "slurm-wlm 22.05.8" to 22.05.
slurm_release() { sed 's/^[^0-9]*\([0-9]*\.[0-9]*\).*/\1/'; }

# here_is RELEASE: what this machine, or the folder we are in, has installed.
here_is()
{
	[ "$(slurmctld -V 2>/dev/null | slurm_release)" = "$1" ]
}

# releases_text: for messages.
releases_text() { releases | paste -sd ' '; }

# with_release [--alone] RELEASE COMMAND...: comes back if that is the release
# here; otherwise COMMAND, run where it is, takes the place of this script. It
# has a build tree of its own.
with_release()
{
	local alone=()
	[ "$1" != --alone ] || { alone=(--alone); shift; }
	suite_of "$1" >/dev/null ||
		fail "no lab runs on Slurm '$1', only on: $(releases_text)"
	here_is "$1" && return
	LAB_BUILD=$(build_of "$1") exec "$LAB_SOURCE/root" "${alone[@]}" "$@"
}

# build_of RELEASE: its build tree.
build_of()
{
	local build=${LAB_BUILD:-$(dirname "$LAB_SOURCE")/build}
	here_is "$1" && echo "$build" || echo "$build-$1"
}
