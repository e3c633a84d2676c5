#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash, and the manual, know every command and option of sgov.

source "$(dirname "$0")/lib.sh"
COMPLETION=$E2E/../../etc/completion/sgov.bash
MANUAL=$E2E/../../man/sgov.1

# complete_words WORD...: what bash offers for the last of them.
complete_words()
{
	# shellcheck disable=SC2016
	as alice bash -c '
		source "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
		function=_sgov
		[ "$1" = sgov ] || function=_sgov_slurm
		"$function" "$1" "${COMP_WORDS[COMP_CWORD]}"
		printf "%s\n" "${COMPREPLY[@]}"' "$LAB_DIR/sgov.bash" "$@" \
		2>/dev/null | sort | paste -sd ' '
}
cp "$COMPLETION" "$LAB_DIR/sgov.bash"
chmod 644 "$LAB_DIR/sgov.bash"

commands=$(as alice sgov help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' |
	sort | paste -sd ' ')
expect_equal "commands" "$(complete_words sgov '')" "$commands"
expect_equal "a beginning" "$(complete_words sgov qu)" queue
for command in $commands; do
	pages=("$MANUAL")
	[ ! -e "${MANUAL%.1}-$command.1" ] || pages+=("${MANUAL%.1}-$command.1")
	offered=" $(complete_words sgov "$command" --) "
	for option in $(as alice sgov "$command" --help |
		grep -oE -- '^ +(-[A-Za-z], )?--[a-z0-9-]+' | grep -o -- '--.*'); do
		[[ $offered == *" $option"[\ =]* ]] ||
			fail "sgov $command $option is not completed: $offered"
		sed 's/[\]//g' "${pages[@]}" | grep -q -- "$option" ||
			fail "sgov(1) does not know $option of $command"
	done
	grep -qE "^\.BI? ?R? ?\"?${command/-/.*-}|^\.BR ${command/-/.*-}" "$MANUAL" ||
		fail "sgov(1) does not know the command $command"
	note "$command: all options are completed and documented"
done
expect_equal "teams" "$(complete_words sgov status -t '')" "nlp vision"
expect_equal "a team" "$(complete_words sgov status --team = v)" vision
expect_equal "classes" "$(complete_words sgov terms --class=)" \
	"debug inference training"
job=$(sleeper bob -A nlp --hold --gpus=1)
seen() { [ "$(complete_words sgov why '')" = "$job" ]; }
wait_for 10 "jobs" seen
expect_match "options of sbatch" "$(complete_words sbatch --gov-)" \
	'^--gov-borrow= --gov-class= --gov-project=$'
expect_equal "their values" "$(complete_words srun --gov-borrow = '')" \
	"no yes"
expect_equal "classes for salloc" "$(complete_words salloc --gov-class=i)" \
	inference
drain_all_jobs
