# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The governed parts of a lab: what `make install' puts under LAB_PREFIX, the
# policy, and slurmgovd.

LAB_PREFIX=${LAB_PREFIX:-$LAB_DIR/root}
LAB_BUILD=${LAB_BUILD:-$(dirname "$LAB_SOURCE")/build}
GOVERNANCE_CONF=$LAB_DIR/etc/governance.conf

# installed NAME: the path of an installed file, by its name.
installed()
{
	find "$LAB_PREFIX" -name "$1" ! -type d 2>/dev/null | head -n 1 |
		grep .
}

# A lab runs what an administrator would install. LAB_PREFIX may be given;
# otherwise it is made from the build tree.
install_governance()
{
	[ "$LAB_PREFIX" = "$LAB_DIR/root" ] || return 0
	[ -f "$LAB_BUILD/Makefile" ] ||
		fail "nothing is built in $LAB_BUILD; build there, set" \
			"LAB_BUILD, or use --ungoverned"
	say "installing $LAB_BUILD into $LAB_PREFIX"
	rm -rf "$LAB_PREFIX"
	make -s -C "$LAB_BUILD" install DESTDIR="$LAB_PREFIX" \
		>"$LAB_DIR/log/install.out" 2>&1 9>&- && return
	show_log install
	fail "make install failed"
}

prepare_governance()
{
	local name
	install_governance
	for name in slurmgovd sgov job_submit_governance.so \
		spank_governance.so; do
		installed "$name" >/dev/null ||
			fail "no $name is installed under $LAB_PREFIX"
	done
	mkdir -p "$LAB_DIR/governor"
	chown slurm "$LAB_DIR/governor"
	install_policy "${OPT_CONF:-$LAB_SOURCE/etc/governance.conf.in}"
}

# install_policy FILE: at once or not at all, as the governor may be reading.
install_policy()
{
	fill_template "$1" >"$GOVERNANCE_CONF.new" &&
		mv "$GOVERNANCE_CONF.new" "$GOVERNANCE_CONF"
}

plugin_dirs()
{
	{
		slurm_plugin_dir
		[ -z "$OPT_GOVERNED" ] ||
			dirname "$(installed job_submit_governance.so)"
	} | paste -s -d :
}

spank_line()
{
	echo "optional $(installed spank_governance.so)" \
		"run_dir=$LAB_DIR/run/spank munge_socket=$MUNGE_SOCKET"
}

# It is ready only when it has seen slurmctld, which starts after it in a new
# lab.
start_slurmgovd()
{
	start_process slurmgovd slurm "$(installed slurmgovd)" -D \
		-f "$GOVERNANCE_CONF"
	is_stopped slurmctld || wait_governor
}

wait_governor() { wait_ready slurmgovd 20 governor_answers; }

governor_answers()
{
	env -i "${LAB_ENVIRONMENT[@]}" sgov ping >/dev/null 2>&1
}
