# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Accounting, for labs brought up with --dbd: a private mariadbd, slurmdbd,
# and an account for each team.

MARIA_DIR=$LAB_DIR/mariadb

prepare_database()
{
	id mysql >/dev/null 2>&1 ||
		fail "user mysql is missing: install mariadb-server"
	[ -d "$MARIA_DIR/data/mysql" ] || make_database
	write_slurmdbd_conf
}

make_database()
{
	say "making a database"
	mkdir -p "$MARIA_DIR/tmp"
	chown -R mysql "$MARIA_DIR"
	# --force: also where the host does not know its own name.
	mariadb-install-db --no-defaults --user=mysql --skip-test-db \
		--force \
		--auth-root-authentication-method=socket \
		--datadir="$MARIA_DIR/data" \
		>"$LAB_DIR/log/mariadb-install.out" 2>&1 && return
	show_log mariadb-install
	fail "mariadb-install-db failed"
}

# The data is thrown away with the lab: nothing is worth an fsync.
start_mariadbd()
{
	start_process mariadbd mysql "$(command -v mariadbd)" --no-defaults \
		--datadir="$MARIA_DIR/data" --tmpdir="$MARIA_DIR/tmp" \
		--socket="$MARIA_DIR/socket" --pid-file="$MARIA_DIR/pid" \
		--bind-address=127.0.0.1 --port="$(port_of mariadbd)" \
		--innodb-buffer-pool-size=64M --innodb-log-file-size=16M \
		--innodb-flush-log-at-trx-commit=0 \
		--innodb-lock-wait-timeout=900 --skip-log-bin
	wait_ready mariadbd 30 sql 'SELECT 1'
	sql "CREATE DATABASE IF NOT EXISTS slurm;
		CREATE USER IF NOT EXISTS slurm@'127.0.0.1'
			IDENTIFIED BY 'slurm';
		GRANT ALL ON slurm.* TO slurm@'127.0.0.1';" ||
		fail "the private database refuses its own root"
}

sql()
{
	mariadb --no-defaults --socket="$MARIA_DIR/socket" --user=root \
		--execute "$1"
}

write_slurmdbd_conf()
{
	local file=$LAB_DIR/etc/slurmdbd.conf
	cat >"$file" <<-END
	DbdHost=localhost
	DbdPort=$(port_of slurmdbd)
	SlurmUser=slurm
	AuthType=auth/munge
	AuthInfo=socket=$MUNGE_SOCKET
	PluginDir=$(slurm_plugin_dir)
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=$(port_of mariadbd)
	StorageUser=slurm
	StoragePass=slurm
	StorageLoc=slurm
	LogFile=$LAB_DIR/log/slurmdbd.log
	DebugLevelSyslog=quiet
	PidFile=$LAB_DIR/state/slurmdbd.pid
	END
	chown slurm "$file"
	chmod 600 "$file"
}

# slurmdbd finds its configuration beside the one SLURM_CONF names.
start_slurmdbd()
{
	start_process slurmdbd slurm "$(command -v slurmdbd)" -D
	wait_ready slurmdbd 30 manage list cluster
}

manage() { SLURM_CONF=$SLURM_CONF sacctmgr --immediate --quiet "$@"; }

# Each team is an account of the same name; eve has the account `other'.
make_accounts()
{
	local team
	manage add cluster lab >/dev/null
	for team in "${LAB_GROUPS[@]%%:*}" other; do
		manage add account "$team" cluster=lab >/dev/null
	done
	{
		manage add user root account=other defaultaccount=other
		manage add user alice,anna,carol account=vision
		manage add user bob,ben account=nlp
		manage add user eve account=other
	} >/dev/null
	manage --noheader --parsable2 list associations format=user |
		grep -qx eve || fail "slurmdbd did not take the lab's accounts"
}
