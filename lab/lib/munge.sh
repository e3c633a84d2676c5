# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab's own munged: own key, own socket, under the unprivileged user
# munge. It insists on folders that nobody else can write to.

MUNGE_SOCKET=$LAB_DIR/munge/munge.socket

prepare_munge()
{
	local folder=$LAB_DIR/munge
	id munge >/dev/null 2>&1 ||
		fail "user munge is missing: install Debian's package munge"
	mkdir -p "$folder"
	chown munge "$folder"
	chmod 755 "$folder"
	[ -s "$folder/key" ] || {
		(umask 077 && head -c 128 /dev/urandom >"$folder/key")
		chown munge "$folder/key"
		chmod 400 "$folder/key"
	}
}

# A killed munged leaves its socket; --force would hide other faults.
start_munged()
{
	local folder=$LAB_DIR/munge
	rm -f "$MUNGE_SOCKET" "$MUNGE_SOCKET.lock"
	start_process munged munge "$(command -v munged)" --foreground \
		--key-file="$folder/key" --socket="$MUNGE_SOCKET" \
		--pid-file="$folder/munged.pid" \
		--seed-file="$folder/seed" --log-file="$folder/munged.log" \
		--num-threads=4
	wait_ready munged 10 munge --socket="$MUNGE_SOCKET" --no-input
}
