#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Timeout: 300
#
# GPU requests in every spelling: what governance counts while a job waits is
# what Slurm then allocates on idle nodes. tests/unit/data/allocations.tsv has
# many more, seen in the same way.

source "$(dirname "$0")/lib.sh"

lab_changed
sed -e '/^Quota /d' "$LAB_SOURCE/etc/governance.conf.in" >"$WORK/policy"
cat >>"$WORK/policy" <<'POLICY'
Quota Team=vision Pool=h100 TRES=gres/gpu=32,cpu=128,mem=1000G
Quota Team=nlp Pool=h100 TRES=gres/gpu=0
POLICY
set_policy "$WORK/policy" || fail "policy"

cat >"$WORK/spellings" <<'SPELLINGS'
--gpus=4
--gpus=4 --mem=8G
--gpus=h100:4 --mem=8G
--gpus=12 --mem=1G
--gres=gpu:2
--gres=gpu --mem=1G
--gres=gpu:h100:2 --mem=1G
--gres=gres:gpu:2 --mem=1G
--gres=gpu:1,gpu:2 --mem=1G
--gres=gpu:0 --mem=1G
-N2 --gpus-per-node=4 --mem=4G
-N2 --gpus-per-node=h100:4 --mem=4G
-N2 --gpus=8 --ntasks=2 --mem=4G
-N3 -n3 --gres=gpu:1 --mem=1G
--gpus-per-node=2 --gpus=4 --mem=1G
--gpus-per-node=1 --gres=gpu:2 --mem=1G
-n4 --ntasks-per-node=2 --gpus-per-node=4 --mem=1G
-n33 --gres=gpu:2
-n4 --gpus-per-task=1 --mem=2G
-n3 -c2 --gpus-per-task=h100:2 --mem=2G
-n6 --ntasks-per-node=4 --gpus-per-task=1 --mem=1G
-n4 --gpus-per-task=1 --mincpus=8 --mem=1G
-N2-4 -n4 --gpus-per-task=1 --mem=1G
--gpus=8 --gpus-per-task=2 --mem=2G
--gpus-per-socket=2 --sockets-per-node=1 --mem=1G
--gpus-per-socket=h100:2 --sockets-per-node=2 -n2 --mem=1G
--gpus=8 --gpus-per-socket=2 --sockets-per-node=2 -n4 --mem=1G
-n8 --ntasks-per-gpu=2 --mem=2G
--gpus=4 --ntasks-per-gpu=2 --mem=2G
--gres=gpu:3 -n12 --ntasks-per-gpu=2 --mem=1G
--exclusive
--exclusive -N1 --gres=gpu:1 --mem=0
--exclusive -N2 --gpus-per-node=2 --mem=10G
--exclusive --gpus=4 --mem-per-cpu=1G
--gpus=4 --mem-per-gpu=2G
-N2 --gpus-per-node=4 --mem-per-gpu=10G
--gpus=2 -n2 -c4 --mem-per-cpu=1G
--gpus=2 --mem-per-cpu=6G
--gpus=2 --cpus-per-gpu=4 --mem=1G
-N1-3 --gres=gpu:2
--use-min-nodes -N1-3 --gres=gpu:1
--spread-job -n4 --gres=gpu:1
-w g[1-2] --gres=gpu:2
SPELLINGS

# counted: "id|gpus:cpus:MiB" of each job that the governor knows.
counted()
{
	as root sgov queue -nP | awk -F '|' '{
		split("", n)
		for (i = split($6, list, ","); i > 0; i--) {
			split(list[i], pair, "=")
			n[pair[1]] = pair[2]
		}
		print $1 "|" n["gres/gpu"] + 0 ":" n["cpu"] + 0 ":" n["mem"] + 0
	}'
}
all_counted()
{
	[ "$(counted | wc -l)" = "$(wc -l <"$WORK/spellings")" ]
}
# table FILE: "gpus:cpus:MiB|options" of the held jobs, in their order.
table()
{
	counted >"$1.ids"
	awk -F '|' 'NR == FNR { n[$1] = $2; next } { print n[$1] "|" $2 }' \
		"$1.ids" "$WORK/held" >"$1"
}

as alice bash "$(public_job hold-all)" <"$WORK/spellings" >"$WORK/held"
expect_not "a refusal" grep ^refused "$WORK/held"
wait_for 10 "all jobs in the governor's queue" all_counted
table "$WORK/at-submission"
# After a restart it knows only what Slurm's job list tells.
cluster kill slurmgovd
cluster start slurmgovd
wait_for 15 "all of them again" all_counted
table "$WORK/after-restart"
drain_all_jobs
as alice bash "$(public_job allocate-all)" <"$WORK/spellings" >"$WORK/given"

diff "$WORK/at-submission" "$WORK/given" ||
	fail "counted at submission (<) is not what Slurm gave (>)"
diff "$WORK/after-restart" "$WORK/given" ||
	fail "counted after a restart (<) is not what Slurm gave (>)"
expect_equal "spellings counted as Slurm allocates" \
	"$(wc -l <"$WORK/given")" "$(wc -l <"$WORK/spellings")"

# The other ways to say it: environment, script, srun; and what a user typed
# by mistake leaves no charge behind.
job=$(as alice env SBATCH_GPUS_PER_NODE=8 sbatch --parsable --hold -N1 \
	--output=/dev/null --wrap=true)
printf '#!/bin/sh\n#SBATCH --gpus=h100:3 --mem=1G\ntrue\n' >"$WORK/script"
script=$(as alice sbatch --parsable --hold --output=/dev/null <"$WORK/script")
is_counted() { counted | grep -q "^$1|$2"; }
wait_for 5 "SBATCH_GPUS_PER_NODE" is_counted "$job" 8:1:
wait_for 5 "#SBATCH" is_counted "$script" 3:1:1024
as alice srun --gpus-per-task=2 -n2 --mem=1G sleep 60 >/dev/null 2>&1 &
wait_gpus alice 4 10
wait_for 5 "srun counted" used_is vision 4
drain_all_jobs
refused alice --gres=gpu:2K --wrap=true >/dev/null
wait_for 10 "nothing charged" used_is vision 0
