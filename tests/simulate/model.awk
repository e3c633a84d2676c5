# SPDX-License-Identifier: GPL-2.0-or-later
#
# What two of the simulated worlds must come to, worked out anew and slowly:
# jobs wait in one line, or in one a team with a hard quota; who came first
# and fits starts, and runs undisturbed.  No nodes.
#
#   awk -F, -v capacity=N model.awk trace.csv
#   awk -F, -v policy=FILE model.awk trace.csv
#
# Prints "refused N", "used SECONDS" (GPU-seconds up to the last submission)
# and "wait N" for each job.

function group(job) { return policy == "" ? "all" : team[job] }

function start_all(    j)
{
	for (j = 1; j < next_job; j++)
		if (state[j] == "waiting" && gpus[j] <= free[group(j)]) {
			state[j] = "running"
			free[group(j)] -= gpus[j]
			end[j] = now + seconds[j]
			print "wait", now - submit[j]
		}
}

function end_all(    j)
{
	for (j = 1; j < next_job; j++)
		if (state[j] == "running" && end[j] <= now) {
			state[j] = "done"
			free[group(j)] += gpus[j]
		}
}

function in_use(    j, sum)
{
	for (j = 1; j < next_job; j++)
		if (state[j] == "running")
			sum += gpus[j]
	return sum
}

# The next submission or end; -1: none.
function next_time(    j, time)
{
	time = next_job <= count ? submit[next_job] : -1
	for (j = 1; j < next_job; j++)
		if (state[j] == "running" && (time < 0 || end[j] < time))
			time = end[j]
	return time
}

BEGIN {
	free["all"] = capacity
	while (policy != "" && (getline line < policy) > 0)
		if (line ~ /^Quota /) {
			split(line, field, /[ =]/)
			quota = line
			sub(/.*=/, "", quota)
			free[field[3]] = quota + 0
		}
}

NR > 1 && $3 > 0 && $4 > 0 {
	count++
	submit[count] = $1; team[count] = $2
	gpus[count] = $3; seconds[count] = $4
}

END {
	next_job = 1
	now = submit[1]
	for (i in free)
		whole[i] = free[i]
	while ((time = next_time()) >= 0) {
		until = time < submit[count] ? time : submit[count]
		if (until > now)
			used += in_use() * (until - now)
		now = time
		end_all()
		start_all()
		for (; next_job <= count && submit[next_job] <= now; next_job++)
			if (gpus[next_job] <= whole[group(next_job)])
				state[next_job] = "waiting"
			else
				refused++
		start_all()
	}
	print "refused", refused + 0
	printf "used %.0f\n", used
}
