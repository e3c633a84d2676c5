# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the demo tells its story: headings, checks of what it claims, and the
# running table. What the table shows comes from `sgov status' and from what
# the jobs themselves write down.

STORY_START=${EPOCHREALTIME/./}
STORY_FAILED=0
if [ -t 1 ]; then
	BOLD=$'\e[1m' RED=$'\e[31m' GREEN=$'\e[32m' PLAIN=$'\e[0m'
else
	BOLD='' RED='' GREEN='' PLAIN=''
fi

tenths() { echo $(((${EPOCHREALTIME/./} - STORY_START) / 100000)); }
clock() { local t; t=$(tenths); printf '%3d.%d' $((t / 10)) $((t % 10)); }

heading() { printf '\n%s== %s%s\n' "$BOLD" "$*" "$PLAIN"; }
tell() { printf '%s\n' "$@" | fold -s -w 78 | sed 's/ *$//'; }

indent() { sed 's/^/  /'; }

# claim SENTENCE COMMAND...: what the story says, and whether it is so.
claim()
{
	local sentence=$1
	shift
	if "$@"; then
		printf '   %sok%s    %s\n' "$GREEN" "$PLAIN" "$sentence"
	else
		printf '   %sNO%s    %s\n' "$RED" "$PLAIN" "$sentence"
		STORY_FAILED=$((STORY_FAILED + 1))
	fi
}

# show USER COMMAND...: a command as somebody would type it, and its output.
show()
{
	local user=$1
	shift
	printf '\n%s%s$ %s%s\n' "$BOLD" "$user" "$*" "$PLAIN"
	cluster run "$user" "$@" 2>&1 | indent
	return "${PIPESTATUS[0]}"
}

# ---- what is ----

# read_teams: fills TEAM[name.what] from the governor.
declare -A TEAM
read_teams()
{
	local name what value
	while read -r name what value; do
		TEAM[$name.$what]=$value
	done < <(cluster run root sgov status --json | jq -r '
		.units[]? | select(.kind == "team") | .name as $name |
		.cells[] | select(.tres == "gres/gpu") |
		to_entries[] | select(.value | type == "number") |
		"\($name) \(.key) \(.value)"')
}

# team_is TEAM WHAT NUMBER, of the last read_teams
team_is() { [ "${TEAM[$1.$2]:-none}" = "$3" ]; }

# diary USER PATTERN: lines of USER's jobs that match; count_diary: how many
# jobs have one.
diary() { grep -E -- "$2" "$LAB_DIR/home/$1/diary" 2>/dev/null; }
count_diary() { diary "$1" "$2" | cut -d ' ' -f 2 | sort -u | wc -l; }

# read_jobs: fills JOB[id.state] and JOB[id.restarts] from Slurm.
declare -A JOB
read_jobs()
{
	local id state restarts
	while read -r id state restarts; do
		JOB[$id.state]=$state
		JOB[$id.restarts]=$restarts
	done < <(SLURM_CONF=$LAB_DIR/etc/slurm.conf scontrol -o show job |
		sed -n 's/^JobId=\([0-9]*\) .* JobState=\([A-Z]*\) .* Restarts=\([0-9]*\) .*/\1 \2 \3/p')
}

# all_are STATE JOB...: now
all_are()
{
	local state=$1 id
	shift
	read_jobs
	for id in "$@"; do
		[ "${JOB[$id.state]:-none}" = "$state" ] || return 1
	done
}

# with_restarts NUMBER JOB...: those of the jobs that were requeued so often,
# as of the last read_jobs.
with_restarts()
{
	local number=$1 id
	shift
	for id in "$@"; do
		[ "${JOB[$id.restarts]:-none}" != "$number" ] || echo "$id"
	done
}

# ---- the running table ----

table_head()
{
	printf '\n%s        |   vision, quota 16  |          nlp, quota 8             |\n' \
		"$BOLD"
	printf '   time |  used  lent waiting |  own borrowed leaving waiting    | what happens%s\n' \
		"$PLAIN"
}

# table_row: one line, with what has happened since the last one.
table_row()
{
	read_teams
	printf '%s s | %5s %5s %7s | %4s %8s %7s %7s    | %s\n' "$(clock)" \
		"${TEAM[vision.used]:-?}" "${TEAM[vision.lent]:-?}" \
		"${TEAM[vision.waiting]:-?}" "${TEAM[nlp.own]:-?}" \
		"${TEAM[nlp.borrowed]:-?}" "${TEAM[nlp.leaving]:-?}" \
		"${TEAM[nlp.waiting]:-?}" "$(news)"
}

# events: one line "time job what..." for all that jobs have written down so
# far, and for each job that Slurm has put back into its queue.
events()
{
	cat "$LAB_DIR"/home/*/diary 2>/dev/null
	SLURM_CONF=$LAB_DIR/etc/slurm.conf squeue -h -t PENDING \
		-O JobID,RestartCnt | awk '$2 > 0 { print "-", $1, "requeued" }'
}

# news: the events since the last call, in words.
news()
{
	local seen=$LAB_DIR/home/seen
	touch "$seen"
	events | sort | comm -13 "$seen" - | tee "$seen.new" | awk '
		$3 == "start" && $4 == 0 { add("start", $2) }
		$3 == "start" && $4 > 0 { add("back, at the step saved", $2) }
		$3 == "signal" { add("told to leave (SIGTERM)", $2) }
		$3 == "saved" { add("saved their step", $2) }
		$3 == "requeued" { add("requeued", $2) }
		$3 == "finished" { add("done", $2) }
		function add(what, job) {
			if (!(what in jobs))
				order[++n] = what
			jobs[what] = jobs[what] " " job
		}
		function sorted(list, job, k, i, j, t) {
			k = split(list, job, " ")
			for (i = 2; i <= k; i++)
				for (j = i; j > 1 && job[j] + 0 < job[j - 1] + 0; j--) {
					t = job[j]
					job[j] = job[j - 1]
					job[j - 1] = t
				}
			for (list = ""; i-- > 2; )
				list = " " job[i] list
			return " " job[1] list
		}
		END {
			for (i = 1; i <= n; i++)
				printf "%s%s:%s", (i > 1 ? "; " : ""),
					order[i], sorted(jobs[order[i]])
		}'
	sort -o "$seen" "$seen" "$seen.new"
}

# follow SECONDS COMMAND...: rows once a second until COMMAND succeeds; says
# whether it did.
follow()
{
	local deadline=$(($(tenths) + $1 * 10)) next
	shift
	while :; do
		next=$(($(tenths) + 10))
		table_row
		"$@" && return 0
		[ "$(tenths)" -lt "$deadline" ] || return 1
		while [ "$(tenths)" -lt "$next" ]; do
			sleep 0.1
		done
	done
}
