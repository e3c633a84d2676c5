# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slurm's configuration files of a lab, made from its options.

SLURM_CONF=$LAB_DIR/etc/slurm.conf

# Where this machine's Slurm has its plugins: beside its private library.
slurm_plugin_dir()
{
	local binary
	binary=$(readlink -f "$(command -v slurmctld)")
	ldd "$binary" | awk '/libslurmfull/ { print $3 }' | xargs -r dirname
}

# slurm_at_least YY.MM
slurm_at_least()
{
	local version
	version=$(slurmctld -V | slurm_release)
	[ "$(printf '%s\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ]
}

# node_range: g[1-4]; node_names: g1 g2 ...
node_range()
{
	[ "$OPT_NODES" = 1 ] && echo g1 || echo "g[1-$OPT_NODES]"
}

node_names() { seq -f 'g%.0f' 1 "$OPT_NODES"; }

node_ports()
{
	local first last
	first=$(port_of g1)
	last=$(port_of "g$OPT_NODES")
	[ "$first" = "$last" ] && echo "$first" || echo "[$first-$last]"
}

# fill_template FILE: replaces @NAME@ in a template by the lab's values.
fill_template()
{
	sed -e "s|@HOST@|$(hostname -s)|g" \
		-e "s|@LAB_DIR@|$LAB_DIR|g" \
		-e "s|@SLURMCTLD_PORT@|$(port_of slurmctld)|g" \
		-e "s|@GOVERNOR_PORT@|$(port_of slurmgovd)|g" \
		-e "s|@MUNGE_SOCKET@|$MUNGE_SOCKET|g" \
		-e "s|@PLUGIN_DIRS@|$(plugin_dirs)|g" \
		-e "s|@NODES@|$(node_range)|g" \
		-e "s|@NODE_PORTS@|$(node_ports)|g" "$1"
}

# set_lines LINE...: filters slurm.conf; each LINE takes the place of the
# line with the same key, or of the same NodeName or PartitionName.
set_lines()
{
	local line key text
	text=$(cat)
	for line in "$@"; do
		key=${line%%=*}
		case ${key,,} in
		nodename | partitionname) key=${line%% *} ;;
		esac
		text=$(awk -v key="${key,,}" '
			tolower(substr($0, 1, length(key))) == key &&
				substr($0, length(key) + 1) ~ /^([= ]|$)/ \
				{ next }
			{ print }' <<<"$text")
		text+=$'\n'$line
	done
	printf '%s\n' "$text"
}

write_slurm_conf()
{
	local lines=()
	[ -n "$OPT_LUA" ] && lines+=(JobSubmitPlugins=lua)
	[ -n "$OPT_GOVERNED" ] && lines+=(JobSubmitPlugins=governance)
	[ -n "$OPT_DBD" ] && lines+=(
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=127.0.0.1
		"AccountingStoragePort=$(port_of slurmdbd)"
		"AccountingStoragePass=$MUNGE_SOCKET"
		"AccountingStorageTRES=gres/gpu,gres/gpu:h100"
		AccountingStorageEnforce=associations)
	fill_template "$LAB_SOURCE/etc/slurm.conf.in" |
		set_lines "${lines[@]}" "${OPT_SET[@]}" >"$SLURM_CONF"
}

write_gres_conf()
{
	echo "NodeName=$(node_range) Name=gpu Type=h100" \
		"File=$LAB_DIR/dev/gpu[0-7]" >"$LAB_DIR/etc/gres.conf"
}

write_lua_plugin()
{
	cat >"$LAB_DIR/etc/job_submit.lua" <<-'END'
	function slurm_job_submit(job_desc, part_list, submit_uid)
		return slurm.SUCCESS
	end
	function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
		return slurm.SUCCESS
	end
	return slurm.SUCCESS
	END
}

# Two nodes on each switch; read only with --set=TopologyPlugin=topology/tree.
write_topology_conf()
{
	local n leaves=0
	for ((n = 1; n <= OPT_NODES; n += 2)); do
		leaves=$((leaves + 1))
		if [ "$n" = "$OPT_NODES" ]; then
			echo "SwitchName=leaf$leaves Nodes=g$n"
		else
			echo "SwitchName=leaf$leaves Nodes=g[$n-$((n + 1))]"
		fi
	done
	echo "SwitchName=spine Switches=leaf[1-$leaves]"
}

# Nothing here uses cgroups, but slurmd looks for them unless told not to; on
# machines without any it would not start.
write_cgroup_conf()
{
	local plugin=cgroup/v1
	slurm_at_least 23.11 && plugin=disabled
	echo "CgroupPlugin=$plugin" >"$LAB_DIR/etc/cgroup.conf"
}

write_slurm_configuration()
{
	write_slurm_conf
	write_gres_conf
	[ -n "$OPT_LUA" ] && write_lua_plugin
	: >"$LAB_DIR/etc/plugstack.conf"
	[ -n "$OPT_GOVERNED" ] &&
		spank_line >"$LAB_DIR/etc/plugstack.conf"
	write_cgroup_conf
	write_topology_conf >"$LAB_DIR/etc/topology.conf"
}
