#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Needs: ip
# Timeout: 300
#
# sgov of an ordinary user on another host, which has munge and a way to the
# governor's port, and nothing of Slurm: a network namespace with one route.

source "$(dirname "$0")/lib.sh"

NET=gov$$ HERE=10.213.7.1 THERE=10.213.7.2
clean_up() { ip netns del "$NET" 2>/dev/null; ip link del "$NET-a" 2>/dev/null; }
trap clean_up EXIT

make_network()
{
	ip netns add "$NET" &&
		ip link add "$NET-a" type veth peer name "$NET-b" netns "$NET" &&
		ip addr add "$HERE/30" dev "$NET-a" &&
		ip link set "$NET-a" up &&
		ip -n "$NET" addr add "$THERE/30" dev "$NET-b" &&
		ip -n "$NET" link set "$NET-b" up
}
make_network 2>/dev/null || skip "no network namespaces here"

sed "s/^Listen=.*/Listen=0.0.0.0:@GOVERNOR_PORT@/" \
	"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/afar.conf"
set_policy "$WORK/afar.conf"
cluster stop slurmgovd
cluster start slurmgovd
port=$((LAB_PORT + 2))

# Where the program and its library are, as the lab has them.
mapfile -t PROGRAM < <(as root env | grep -E '^(PATH|LD_LIBRARY_PATH)=')

# afar USER COMMAND...: nothing of the lab but the program and munge's socket.
afar()
{
	local user=$1
	shift
	ip netns exec "$NET" setpriv --reuid "$user" \
		--regid "$(id -g "$user")" --init-groups env -i "${PROGRAM[@]}" \
		SLURM_CONF=/nonexistent GOVERNANCE_CONF=/nonexistent \
		"GOVERNANCE_MUNGE_SOCKET=$LAB_DIR/munge/munge.socket" "$@"
}

expect_not "a way to slurmctld's loopback" afar alice sgov ping \
	--host=127.0.0.1 --port="$port"
wait_for 20 "an answer" afar eve sgov ping --host="$HERE" --port="$port"
expect_equal "the same as here" \
	"$(afar alice sgov status -P --host="$HERE" --port="$port")" \
	"$(as alice sgov status -P --host=127.0.0.1)"
expect_equal "by environment" \
	"$(afar alice env "SGOV_HOST=$HERE" "SGOV_PORT=$port" sgov terms -nP |
		cut -d'|' -f1 | sort -u)" vision
job=$(sleeper bob -A nlp --gpus=1)
wait_state "$job" RUNNING 10
seen() { afar alice sgov queue -nP "--host=$HERE" "--port=$port" |
	cut -d'|' -f1,5 | grep -qx "$job|running"; }
wait_for 10 "the job in the queue" seen
expect_match "and why" "$(afar alice sgov why "$job" --host="$HERE" \
	--port="$port")" "Job $job of bob, team nlp, class training, runs"
expect_match "who may not reload here may not there" \
	"$(afar alice sgov reload --host="$HERE" --port="$port" 2>&1)" \
	'may not reload'

# ---- who is not the governor is not believed ----

expect_match "an answer of another user" \
	"$(afar alice env SGOV_GOVERNOR_USER=eve sgov ping --host="$HERE" \
		--port="$port" 2>&1)" 'answer comes from uid'
drain_all_jobs
