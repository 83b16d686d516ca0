#!/usr/bin/env bash
# Stop what start.sh started in a folder, by the process ids noted there, and
# leave the folder's logs in place.
#
#   stop.sh DIR
#
# A process whose id was handed on to another program meanwhile is left alone.
set -euo pipefail

[ $# -eq 1 ] || {
	echo "usage: stop.sh DIR" >&2
	exit 2
}
dir=$1

# runs NAME PID: is PID still the program NAME that start.sh started? The
# kernel's short name has 15 characters at most; a zombie (Z) runs no more.
runs() {
	local comm state
	comm=$(cat "/proc/$2/comm" 2>/dev/null) || return 1
	state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$2/status" 2>/dev/null) || return 1
	[ "$comm" = "${1:0:15}" ] && [ "$state" != Z ]
}

# signal_all SIGNAL sends it to what still runs, and fails if nothing does.
signal_all() {
	local sent='' name pid
	for name in kube-apiserver etcd; do
		[ -f "$dir/pids/$name.pid" ] || continue
		pid=$(cat "$dir/pids/$name.pid")
		if runs "$name" "$pid"; then
			kill "-$1" "$pid" 2>/dev/null || true
			sent=1
		fi
	done
	[ -n "$sent" ]
}

# kube-apiserver waits for open watches for up to a minute, which a server whose
# data nobody keeps need not.
if signal_all TERM; then
	for _ in $(seq 20); do
		signal_all 0 || break
		sleep 0.1
	done
	signal_all KILL || true
fi
rm -f "$dir"/pids/*.pid
