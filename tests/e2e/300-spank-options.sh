#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
# Lab: fresh --ungoverned --nodes=2
# Needs: cc munge
# Timeout: 240
#
# --gov-class, --gov-project and --gov-borrow reach job_submit from sbatch,
# #SBATCH, srun and salloc; slips are told at once.

source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/spank.sh"

set_up_spank
give_good alice

# ---- they arrive ----

as alice sbatch --wait -o out --gov-class=training --gov-project=vlm \
	--gov-borrow=no --wrap true
expect_equal "job_submit sees of sbatch" "$(seen_by_job_submit)" \
	"borrow=no class=training project=vlm"
as alice srun --gov-class=A-z_0.9@x+y --gov-borrow=yes true
expect_equal "of srun" "$(seen_by_job_submit)" "borrow=yes class=A-z_0.9@x+y"
as alice salloc --gov-project=vlm true
expect_equal "of salloc" "$(seen_by_job_submit)" "project=vlm"
as alice sbatch --wait -o out --wrap true
expect_equal "of sbatch without options" "$(seen_by_job_submit)" ""

cat >"$(home alice)/job.sh" <<-'END'
	#!/bin/sh
	#SBATCH --gov-class=training --gov-borrow=no
	#SBATCH -o out
	true
END
as alice sbatch --wait job.sh
expect_equal "of #SBATCH" "$(seen_by_job_submit)" "borrow=no class=training"
as alice sbatch --wait --gov-class=debug job.sh
expect_equal "of #SBATCH and command line" "$(seen_by_job_submit)" \
	"borrow=no class=debug"
as alice sbatch --wait --gov-class=a --gov-class=b -o out --wrap true
expect_equal "of an option given twice" "$(seen_by_job_submit)" "class=b"

# A het job has them for each component.
as alice sbatch --wait -o out --gov-class=a -n1 : --gov-class=b -n1 \
	--wrap true
expect_match "of a het job's last component" "$(seen_by_job_submit)" \
	'^class=[ab]$'

# ---- srun in a job is not disturbed, and nothing is inherited ----

as alice sbatch --wait -o out --gov-class=inference --gov-borrow=no \
	--wrap 'srun echo step; srun --gov-class=debug echo with-option
		sbatch -H --parsable -o /dev/null --wrap true >nested'
expect_equal "output of steps" "$(paste -sd ' ' "$(home alice)/out")" \
	"step with-option"
expect_equal "job_submit sees of sbatch in a job" "$(seen_by_job_submit)" ""
as alice salloc --gov-class=interactive \
	sbatch -H --parsable -o /dev/null --wrap true >/dev/null
expect_equal "of sbatch in salloc" "$(seen_by_job_submit)" ""
drain_all_jobs

# ---- slips ----

# slip COMMAND... : ends at once, with the option's name and what it takes.
slip()
{
	local said code
	rm -f "$LAB_DIR/state/spank.seen"
	said=$(as alice "$@" 2>&1)
	code=$?
	expect_not "success of ${*:0:60}" [ "$code" = 0 ]
	expect_match "what is said" "$said" "error: --gov-[a-z]* takes"
	expect_not "a submission" [ -e "$LAB_DIR/state/spank.seen" ]
}

long=$(printf 'x%.0s' {1..64})
slip sbatch --gov-class= --wrap true
slip sbatch "--gov-class=a b" --wrap true
slip sbatch "--gov-class=$long" --wrap true
slip sbatch --gov-project=$'a\nb' --wrap true
slip sbatch --gov-project=../x --wrap true
slip sbatch --gov-class=café --wrap true
slip sbatch --gov-borrow=maybe --wrap true
slip srun --gov-borrow=YES true
slip salloc "--gov-class=\$(id)" true
printf '#!/bin/sh\n#SBATCH --gov-class=a/b\n' >"$(home alice)/slip.sh"
slip sbatch slip.sh
as alice sbatch -H -o /dev/null "--gov-class=${long:1}" --wrap true \
	>/dev/null || fail "63 characters are refused"
drain_all_jobs

for command in sbatch srun salloc; do
	expect_equal "options in $command --help" \
		"$(as alice "$command" --help | grep -c -- '--gov-')" 3
done
