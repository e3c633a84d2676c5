#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All histories that once failed, and a short run from fixed seeds.
# GOV_PROPERTY_EVENTS makes it longer (lab/check does).
set -e
random=tests/property/random
cases=${srcdir:-.}/tests/property/cases
count=0
for case in "$cases"/*.history; do
	$random --replay="$case"
	count=$((count + 1))
done
[ "$count" -ge 15 ] || {
	echo "only $count cases in $cases"
	exit 1
}
for seed in 1 700000; do
	$random --events="${GOV_PROPERTY_EVENTS:-40000}" --seed=$seed
done
