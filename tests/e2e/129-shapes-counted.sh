#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Status: long
# Timeout: 240
#
# What each shape of job costs slurmctld, by the governor's log: nothing where
# quota is free; where it is not, one update that holds it and one that lets it
# go. Jobs of reservations are governed, or left alone by policy; a job that
# names partitions of several pools counts in the pool where it runs.

source "$(dirname "$0")/lib.sh"

lab_changed
scontrol create PartitionName=second Nodes='g[1-2]' State=UP >/dev/null
scontrol create reservation ReservationName=course StartTime=now \
	Duration=30 Nodes=g4 Users=alice >/dev/null || fail "no reservation"

# name|most updates if it waits|options
shapes()
{
	cat <<-END
	--exclusive|2|--exclusive --gpus=1
	batch job|2|--gpus=1
	array|3|--array=0-1 --gpus=1
	array with %1|3|--array=0-1%1 --gpus=1
	--begin|2|--gpus=1 --begin=now+2
	--deadline|2|--gpus=1 --time=1 --deadline=now+30minutes
	--no-requeue|2|--gpus=1 --no-requeue
	--time-min|2|--gpus=1 --time=10 --time-min=1
	-N1-2|2|-N1-2 --gpus-per-node=1
	partitions|2|-p main,second --gpus=1
	reservation|2|--reservation=course --gpus=1
	END
}
# All of these, and a job that depends on another. Het jobs: 125.
submit_all()
{
	local name most options
	ids=()
	while IFS='|' read -r name most options; do
		read -ra options <<<"$options"
		id=$(sleeper alice --gov-borrow=no "${options[@]}")
		ids+=("$id|$most|$name")
		[ "$name" != "array with %1" ] || limited=$id
	done < <(shapes)
	first=$(submit alice --gov-borrow=no --gpus=1 --wrap=true)
	ids+=("$first|2|parent")
	id=$(sleeper alice --gov-borrow=no --gpus=1 -d "afterok:$first")
	ids+=("$id|2|dependency")
}
each_id() { printf '%s\n' "${ids[@]}" | cut -d'|' -f1; }
# One task after the other: of that array some wait.
all_run() { ! squeue -h -u alice -t PD -o %F | grep -qvx "$limited"; }
# check_costs MOST: of each; "its own": what the table says.
check_costs()
{
	local entry id most name cost
	for entry in "${ids[@]}"; do
		IFS='|' read -r id most name <<<"$entry"
		[ "$1" = "its own" ] || most=$1
		cost=$(updates_of "$id")
		expect "$name: $cost updates, at most $most" \
			test "$cost" -le "$most"
	done
}
end_all()
{
	mapfile -t ended < <(each_id)
	scancel "${ended[@]}"
	wait_for 20 "all are gone" no_alice
}
no_alice() { [ -z "$(squeue -h -u alice)" ]; }

# ---- where quota is free ----

wide()
{
	sed -e '/^Quota Team=vision/s/gpu=16/gpu=32/' \
		-e '/^Quota Team=nlp/s/gpu=8/gpu=0/' "$@" \
		"$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
	set_policy "$WORK/policy" || fail "policy"
}
wide
submit_all
wait_for 20 "all of them run" all_run
for entry in "${ids[@]}"; do
	IFS='|' read -r id _ name <<<"$entry"
	case $name in
	# Held until their time has come, and then released.
	--begin | dependency) most=2 ;;
	*) most=0 ;;
	esac
	cost=$(updates_of "$id")
	expect "$name, at once: $cost updates" test "$cost" -le "$most"
done
said=$(as alice sbatch --test-only --gpus=1 --wrap=true 2>&1)
expect_match "--test-only" "$said" 'Job [0-9]+ to start'
expect_equal "--test-only: updates" \
	"$(updates_of "$(grep -oE 'Job [0-9]+' <<<"$said" | cut -c5-)")" 0
end_all

# ---- where it is not ----

wide -e 's/gpu=32/gpu=24/'
full=$(sleeper alice -w 'g[1-3]' --gpus=24)
wait_state "$full" RUNNING 15
submit_all
all_held() { [ "$(squeue -h -u alice -t PD -o %Q | sort -u)" = 0 ]; }
wait_for 15 "all of them wait" all_held
said=$(as alice srun --immediate --gov-borrow=no --gpus=1 true 2>&1) &&
	fail "srun --immediate ran: $said"
expect_match "--immediate" "$said" 'GOV-313'
scancel "$full"
wait_for 40 "all of them run" all_run
check_costs "its own"
end_all

# ---- reservations that policy leaves alone ----

full=$(sleeper alice -w 'g[1-3]' --gpus=24)
wait_state "$full" RUNNING 15
wide -e "\$a Reservations=exempt" -e 's/gpu=32/gpu=24/'
course=$(sleeper alice --gov-borrow=no --reservation=course --gpus=8)
wait_state "$course" RUNNING 10
expect_equal "it is nobody's business" "$(job_field "$course" AdminComment)" ""
expect_equal "updates for it" "$(updates_of "$course")" 0
wait_for 5 "it does not count" used_is vision 24
other=$(sleeper alice --gov-borrow=no --gpus=1)
wait_for 5 "others do" job_held "$other"
drain_all_jobs
scontrol delete ReservationName=course

# ---- partitions of several pools ----

scontrol create PartitionName=left Nodes='g[1-2]' State=UP >/dev/null
scontrol create PartitionName=right Nodes='g[3-4]' State=UP >/dev/null
sed -e '/^PoolName/d' -e '/^Quota/d' "$LAB_SOURCE/etc/governance.conf.in" \
	>"$WORK/policy"
cat >>"$WORK/policy" <<'END'
PoolName=left Nodes=g[1-2] TRES=gres/gpu
PoolName=right Nodes=g[3-4] TRES=gres/gpu
Quota Team=vision Pool=left TRES=gres/gpu=16
Quota Team=vision Pool=right TRES=gres/gpu=8
Quota Team=nlp Pool=right TRES=gres/gpu=8
END
set_policy "$WORK/policy" || fail "policy"
used_in()
{
	[ "$(as root sgov status -nP -t vision -T gres/gpu |
		awk -F'|' -v pool="$1" '{ for (i = 1; i <= NF; i++)
			if ($i == pool) print $5 }')" = "$2" ]
}
full=$(sleeper alice -p left --gov-borrow=no --gpus=16)
wait_state "$full" RUNNING 10
either=$(sleeper alice -p left,right --gov-borrow=no --gpus=8)
wait_state "$either" RUNNING 10
expect_equal "it runs where there is room" "$(job_field "$either" Partition)" \
	right
wait_for 5 "it counts there" used_in right 8
expect "and not where it might have run" used_in left 16
expect_equal "updates for it" "$(updates_of "$either")" 0
third=$(sleeper alice -p left,right --gov-borrow=no --gpus=8)
wait_for 5 "the next waits: both are full" job_held "$third"
scancel "$full"
wait_state "$third" RUNNING 20
wait_for 5 "it counts in the pool where it runs" used_in left 8
expect "$(updates_of "$third") updates for it" \
	test "$(updates_of "$third")" -le 3
drain_all_jobs
