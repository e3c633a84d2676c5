# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The people of the lab, made if missing. What was made is recorded in
# LAB_DIR/made, and `clean' removes just that; in a folder of lab/root they
# stay.

# name:id[:team]; every user has a group of the same name and id.
LAB_GROUPS=(vision:21011 nlp:21012)
LAB_USERS=(alice:21001:vision anna:21002:vision bob:21003:nlp ben:21004:nlp
	carol:21005 eve:21006)

make_users()
{
	local entry
	(
		# Labs that come up side by side edit the same files.
		exec 8</etc
		flock 8
		for entry in "${LAB_GROUPS[@]}"; do
			make_group "${entry%%:*}" "${entry#*:}" || exit 1
		done
		for entry in "${LAB_USERS[@]}"; do
			IFS=: read -r name id team <<<"$entry"
			make_user "$name" "$id" "$team" || exit 1
		done
	) || fail "could not make the lab's users"
	[ ! -s "$RELEASE_FILE" ] || rm -f "$LAB_DIR/made"
}

make_group()
{
	getent group "$1" >/dev/null && return
	groupadd --gid "$2" "$1" && echo "group $1" >>"$LAB_DIR/made"
}

make_user()
{
	local name=$1 id=$2 team=$3
	if ! id "$name" >/dev/null 2>&1; then
		make_group "$name" "$id" &&
			useradd --uid "$id" --gid "$name" --no-create-home \
				--home-dir /nonexistent --shell /bin/bash \
				--comment 'slurm-governance lab' "$name" ||
			return 1
		echo "user $name" >>"$LAB_DIR/made"
		[ -z "$team" ] || usermod -a -G "$team" "$name" || return 1
	elif [ -n "$team" ] && ! id -nG "$name" | grep -qw "$team"; then
		warn "user $name exists and is not in group $team;" \
			"the stories of the lab expect it there"
	fi
	mkdir -p "$LAB_DIR/home/$name"
	chown "$name" "$LAB_DIR/home/$name"
}

# Another lab on this machine may live on the users that this one made.
other_lab_runs()
{
	grep -lz '^SLURM_GOVERNANCE_LAB=' /proc/[0-9]*/environ 2>/dev/null |
		xargs -r grep -LzxF "$LAB_MARKER" 2>/dev/null | grep -q .
}

remove_users()
{
	local kind name
	[ -s "$LAB_DIR/made" ] || return 0
	other_lab_runs && {
		warn "another lab is running: its users stay;" \
			"run clean again when it is down"
		return 1
	}
	(
		exec 8</etc
		flock 8
		while read -r kind name; do
			[ "$kind" = user ] && userdel "$name" >/dev/null
		done <"$LAB_DIR/made"
		# userdel takes the group of the same name along.
		while read -r kind name; do
			[ "$kind" = group ] &&
				getent group "$name" >/dev/null &&
				groupdel "$name"
		done <"$LAB_DIR/made"
		rm -f "$LAB_DIR/made"
	)
}
