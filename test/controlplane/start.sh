#!/usr/bin/env bash
# Start etcd and kube-apiserver on the loopback address, and print the path of a
# kubeconfig for it as the only line on standard output.
#
#   start.sh DIR
#
# DIR, which must be empty or not exist, takes everything that this run writes:
# data, keys, logs, process ids. The kubeconfig has two contexts: admin, who may
# do all, and assay, who may do nothing until a Role says so. Ports are free when
# chosen. stop.sh DIR stops both; where one does not start, the end of its log
# goes to standard error and what had started is stopped.
set -euo pipefail

[ $# -eq 1 ] || {
	echo "usage: start.sh DIR" >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
bin=${BIN_DIR:-$(cd "$here/../../.cache/bin" && pwd)}
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ -z "$(ls -A "$dir")" ] || {
	echo "start.sh: $dir is not empty" >&2
	exit 2
}
umask 077
mkdir -p "$dir"/{certs,logs,pids,etcd}

# What was started ends when this script does not finish.
finished=''
trap '[ -n "$finished" ] || "$here/stop.sh" "$dir" >&2 || true' EXIT

# free_port chooses a port below the range that the kernel hands out by itself,
# which nothing listens on and which was not chosen before.
taken=' '
free_port() {
	local p
	for _ in $(seq 200); do
		p=$((20000 + RANDOM % 12000))
		case $taken in *" $p "*) continue ;; esac
		if ! (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null; then
			taken="$taken$p "
			port=$p
			return
		fi
	done
	echo "start.sh: found no free port" >&2
	exit 1
}

# start NAME COMMAND... runs a server in the background and notes its id.
start() {
	local name=$1
	shift
	nohup "$@" >"$dir/logs/$name.log" 2>&1 </dev/null &
	echo $! >"$dir/pids/$name.pid"
}

# wait_for NAME SECONDS URL [CURL_ARG...] waits until a GET of URL succeeds.
wait_for() {
	local name=$1 limit=$2 url=$3
	shift 3
	local end=$((SECONDS + limit))
	until curl --silent --fail --noproxy '*' --max-time 5 --output /dev/null "$@" "$url"; do
		if ! kill -0 "$(cat "$dir/pids/$name.pid")" 2>/dev/null; then
			echo "start.sh: $name ended by itself:" >&2
		elif [ $SECONDS -ge $end ]; then
			echo "start.sh: $name was not ready after $limit s:" >&2
		else
			sleep 0.1
			continue
		fi
		tail -n 20 "$dir/logs/$name.log" >&2
		exit 1
	done
}

free_port
etcd_client=http://127.0.0.1:$port
free_port
etcd_peer=http://127.0.0.1:$port
start etcd "$bin/etcd" \
	--data-dir="$dir/etcd" \
	--listen-client-urls="$etcd_client" --advertise-client-urls="$etcd_client" \
	--listen-peer-urls="$etcd_peer" --initial-advertise-peer-urls="$etcd_peer" \
	--initial-cluster="default=$etcd_peer" \
	--unsafe-no-fsync --log-level=warn

# Two users, by token; the key signs the tokens of service accounts.
random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }
admin=$(random)
assay=$(random)
printf '%s,admin,1,"system:masters"\n%s,assay,2\n' "$admin" "$assay" >"$dir/certs/tokens.csv"
openssl genrsa -out "$dir/certs/sa.key" 2048 2>/dev/null
wait_for etcd 120 "$etcd_client/readyz"

# No controller makes the default service account that this plugin would ask for.
free_port
server=https://127.0.0.1:$port
start kube-apiserver "$bin/kube-apiserver" \
	--etcd-servers="$etcd_client" \
	--bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$port" \
	--cert-dir="$dir/certs" --token-auth-file="$dir/certs/tokens.csv" \
	--authorization-mode=RBAC --anonymous-auth=false \
	--service-account-issuer=https://kubernetes.default.svc \
	--service-account-signing-key-file="$dir/certs/sa.key" \
	--service-account-key-file="$dir/certs/sa.key" \
	--service-cluster-ip-range=10.0.0.0/16 \
	--disable-admission-plugins=ServiceAccount \
	--endpoint-reconciler-type=none

# The server writes its own certificate, its issuer beside it in the same file.
kubeconfig=$dir/kubeconfig
cat >"$kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: admin
clusters:
  - name: test
    cluster: {server: "$server", certificate-authority: "$dir/certs/apiserver.crt"}
users:
  - name: admin
    user: {token: "$admin"}
  - name: assay
    user: {token: "$assay"}
contexts:
  - name: admin
    context: {cluster: test, user: admin}
  - name: assay
    context: {cluster: test, user: assay}
YAML
end=$((SECONDS + 240))
until [ -s "$dir/certs/apiserver.crt" ] || [ $SECONDS -ge $end ]; do
	kill -0 "$(cat "$dir/pids/kube-apiserver.pid")" 2>/dev/null || break
	sleep 0.1
done
wait_for kube-apiserver 240 "$server/readyz" --cacert "$dir/certs/apiserver.crt" --header "Authorization: Bearer $admin"

finished=1
echo "$kubeconfig"
