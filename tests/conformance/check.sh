#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All cases of the corpus and all loops pass, few are skipped, and every
# deliberate difference has a reason and a test of ours that exists.
dir=${srcdir:-.}/tests/conformance
top=${srcdir:-.}
out=$("$dir"/run "$dir"/data/kueue_cases.json "$dir"/data/loops.json)
rc=$?
printf '%s\n' "$out"
[ $rc -eq 0 ] || exit 1
skipped=$(printf '%s\n' "$out" | sed -n 's/.*, \([0-9]*\) skipped$/\1/p')
if [ "$skipped" -gt 37 ]; then
	echo "more than 15 % of the cases are skipped"
	exit 1
fi
grep -v '^#' "$dir"/differences | {
	count=0
	while IFS='|' read -r id reason test; do
		count=$((count + 1))
		file=$(echo "$test" | cut -d: -f1 | tr -d ' ')
		name=$(echo "$test" | cut -d: -f2 | tr -d ' ')
		if [ -z "$reason" ] || ! grep -q "$name" "$top/$file"; then
			echo "difference $id: no reason, or no test $test"
			exit 1
		fi
	done
	if [ $count -gt 12 ]; then
		echo "$count deliberate differences are too many"
		exit 1
	fi
}
