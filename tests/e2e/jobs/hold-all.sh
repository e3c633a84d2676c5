#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Submits a held job for each line of options that comes in; prints the id and
# the options, or "refused", the options and what was said.

while read -r options; do
	read -ra words <<<"$options"
	if said=$(sbatch --parsable --hold --output=/dev/null "${words[@]}" \
		--wrap=true 2>&1); then
		echo "${said##*$'\n'}|$options"
	else
		echo "refused|$options|${said//[$'\n|']/ }"
	fi
done
