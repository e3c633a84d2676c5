# SPDX-License-Identifier: GPL-2.0-or-later
#
# One look of lab/soak: what the governor promises held against what Slurm
# shows.  Reads, in this order, the files
#   teams   "name quota most" of each team, in GPUs
#   status  "name used leaving waiting", as the governor counts
#   queue   "job team gpus" of each waiting job
#   nodes   scontrol -d -o show node
#   jobs    scontrol -d -o show job
# and prints "kind<TAB>what" for each promise that is broken now, and
# "owed<TAB>job<TAB>team<TAB>gpus" for each job that waits inside its quota.

function broken(kind, what) { print kind "\t" what }

function field(name, i)
{
	for (i = 1; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}

# "gpu:h100:3(IDX:0-2)" or lists of such
function gpus(list, entry, k, total)
{
	gsub(/\([^)]*\)/, "", list)
	total = 0
	for (k = split(list, entry, ","); k > 0; k--)
		if (entry[k] ~ /^gpu:/) {
			sub(/^.*:/, "", entry[k])
			total += entry[k]
		}
	return total
}

FNR == 1 { file = FILENAME; sub(/^.*\//, "", file) }

file == "teams" { quota[$1] = $2; most[$1] = $3 }

file == "status" {
	used[$1] = $2
	charged[$1] = $2 + $3
	known = 1
}

file == "queue" && known && used[$2] + $3 <= quota[$2] {
	print "owed\t" $1 "\t" $2 "\t" $3
}

file == "nodes" {
	node = field("NodeName")
	has[node] = gpus(field("Gres"))
	taken = gpus(field("GresUsed"))
	all += taken
	if (taken > has[node])
		broken("node " node, taken " of " has[node] " GPUs are in use")
}

file == "jobs" {
	id = field("JobId")
	state = field("JobState")
	team = field("Account")
	stamp = match($0, /state=[a-z]+/) ? \
		substr($0, RSTART + 6, RLENGTH - 6) : ""
}

file == "jobs" && state == "RUNNING" {
	runs[team] += n = gpus(field("JOB_GRES"))
	if (/unadmitted=1/)
		unasked[team] += n
	if (stamp == "waiting" && !/HetJobOffset=[1-9]/)
		broken("stamp of " id, "it runs and says that it waits")
}

# Of a het job the stamp of the first component counts.
file == "jobs" && state == "PENDING" && known && !/HetJobOffset=[1-9]/ {
	held = field("Priority") == "0"
	if (held && stamp == "admitted" && !/ hold=1/ &&
	    field("Reason") == "JobHeldAdmin" && !/ArrayTaskId=[0-9]*[-,%]/)
		broken("hold of " id, "it is admitted and held")
	if (!held && stamp == "waiting")
		broken("release of " id, "it waits for quota and is not held")
}

END {
	for (team in most) {
		if (runs[team] - unasked[team] > most[team])
			broken("limits of " team, "it runs " runs[team] \
			       " GPUs, " most[team] " are the most")
		if (known && runs[team] > charged[team])
			broken("charge of " team, "it runs " runs[team] \
			       " GPUs, charged are " charged[team])
		total += runs[team]
	}
	if (total > all)
		broken("the nodes", "jobs run on " total " GPUs, " all \
		       " are in use on nodes")
}
