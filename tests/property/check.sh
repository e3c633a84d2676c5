#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A short run from a fixed seed, and all histories that once failed.
# GOV_PROPERTY_EVENTS makes it longer (lab/check does).
set -e
random=tests/property/random
cases=${srcdir:-.}/tests/property/cases
$random --events="${GOV_PROPERTY_EVENTS:-40000}" --seed=1
for case in "$cases"/*.history; do
	[ ! -f "$case" ] || $random --replay="$case"
done
