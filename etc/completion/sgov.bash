# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of sgov, and of the --gov-* options of sbatch, srun and salloc.
# What there is to complete comes from sgov itself; names of teams, classes
# and pools come from the governor, which is given one second.

# _sgov_ask COMMAND FIELD: distinct values of a field of parsable output.
_sgov_ask()
{
	sgov "$1" -nP --timeout=1 2>/dev/null | cut -d'|' -f"$2" | sort -u
}

# _sgov_names KIND
_sgov_names()
{
	case $1 in
	team) _sgov_ask status 1 ;;
	pool) _sgov_ask status 2 ;;
	tres) _sgov_ask status 3 ;;
	class) _sgov_ask terms 2 ;;
	job) _sgov_ask queue 1 ;;
	user) compgen -u ;;
	state) printf '%s\n' waiting claiming admitted running reclaiming \
		ineligible stray ;;
	host) compgen -A hostname ;;
	borrow) printf '%s\n' yes no ;;
	format) printf '%s\n' csv sacct swf hyperpod focus ;;
	report) printf '%s\n' usage loans evictions waiting ;;
	node) printf '%s\n' clean ;;
	ledger) printf '%s\n' verify show follow export ;;
	pseudonyms) printf '%s\n' user job project ;;
	import) printf '%s\n' hyperpod ;;
	by) printf '%s\n' team unit project user class pool job day month ;;
	esac
}

# _sgov_option_value OPTION: what may follow it.
_sgov_option_value()
{
	case $1 in
	--team | -t) _sgov_names team ;;
	--pool | -p) _sgov_names pool ;;
	--tres | -T) _sgov_names tres ;;
	--class | -c | --gov-class) _sgov_names class ;;
	--user | -u) _sgov_names user ;;
	--state | -s) _sgov_names state ;;
	--host) _sgov_names host ;;
	--gov-borrow) _sgov_names borrow ;;
	--format) _sgov_names format ;;
	--by | -b) _sgov_names by ;;
	--pseudonyms) _sgov_names pseudonyms ;;
	--key) compgen -f -- "$word" ;;
	*) return 1 ;;
	esac
}

_sgov_commands() { sgov help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'; }

# Long options of a command ("" for those before it), as its help lists them.
_sgov_options()
{
	sgov help ${1:+"$1"} 2>/dev/null |
		sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*=\{0,1\}\).*/\2/p'
}

# The word at the cursor and the option whose value it is, whether readline
# splits words at '=' or not.
_sgov_word()
{
	word=${COMP_WORDS[COMP_CWORD]} option=''
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$word" = = ]; then
		word='' option=$before
	elif [ "$before" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $word == --*=* ]]; then
		option=${word%%=*} word=${word#*=}
	elif [[ $before == -[a-zA-Z] ]]; then
		option=$before
	fi
}

# _sgov_match WORDS: into COMPREPLY; no blank after "--option=".
_sgov_match()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}

_sgov()
{
	local word option command='' i values
	_sgov_word
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == [a-z]* && ${COMP_WORDS[i - 1]} != = ]] ||
			continue
		command=${COMP_WORDS[i]}
		break
	done
	if [ -n "$option" ] && values=$(_sgov_option_value "$option"); then
		_sgov_match "$values"
	elif [[ $word == -* ]]; then
		_sgov_match "$(_sgov_options "$command")"
	elif [ -z "$command" ] || [ "$command" = help ]; then
		_sgov_match "$(_sgov_commands)"
	elif [[ $command =~ ^(why|release|exempt|checkpoint)$ ]]; then
		_sgov_match "$(_sgov_names job)"
	elif [[ $command =~ ^(drain|resume)$ ]]; then
		_sgov_match "$(_sgov_names team)"
	elif [[ $command =~ ^(report|ledger|node)$ ]]; then
		_sgov_match "$(_sgov_names "$command")"
	elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = import ]; then
		_sgov_match "$(_sgov_names import)"
	elif [[ $command =~ ^(check|diff|drift|simulate|plan|apply|import)$ ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _sgov sgov

# ---- sbatch, srun, salloc: ours beside Slurm's own completion ----

declare -A _sgov_slurm_function

# Load what Slurm (or the site) completes NAME with, and step in front of it.
_sgov_take_over()
{
	local spec
	complete -r "$1" 2>/dev/null
	if declare -F _comp_load >/dev/null; then
		_comp_load "$1" 2>/dev/null
	elif declare -F __load_completion >/dev/null; then
		__load_completion "$1" 2>/dev/null
	fi
	spec=$(complete -p "$1" 2>/dev/null)
	_sgov_slurm_function[$1]=''
	[[ $spec =~ -F\ ([^\ ]+) ]] &&
		_sgov_slurm_function[$1]=${BASH_REMATCH[1]}
	complete -o default -F _sgov_slurm "$1"
}

_sgov_slurm()
{
	local name=${1##*/} word option values
	_sgov_word
	[ "${_sgov_slurm_function[$name]+set}" ] || _sgov_take_over "$name"
	COMPREPLY=()
	if [[ $option == --gov-* ]]; then
		values=$(_sgov_option_value "$option") && _sgov_match "$values"
		return
	fi
	[ -z "${_sgov_slurm_function[$name]}" ] ||
		"${_sgov_slurm_function[$name]}" "$@"
	if [[ $word == --* && -z $option ]]; then
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W \
			"--gov-class= --gov-project= --gov-borrow=" -- "$word")
		compopt -o nospace 2>/dev/null
	fi
	return 0
}
complete -o default -F _sgov_slurm sbatch srun salloc
