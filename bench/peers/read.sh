#!/usr/bin/env bash
# Let the peers' own code read what assay report -o TOOL writes.
#
#   read.sh      measures the simulated engine, converts, reads
#
# CACHE and WORK hold the environments, as for run.sh. A peer that is not
# installed is left out, and said to be.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${CACHE:-$root/.cache/peers}
work=${WORK:-$root/.cache/vllm}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export HF_HUB_OFFLINE=1

cd "$root"
go build -o "$tmp/assay" ./cmd/assay
status=0
"$tmp/assay" bench --concurrency 2,4 --num-requests 40 --isl 64 --osl 16 --refine 0 \
	--out "$tmp/run" >"$tmp/bench.log" 2>&1 || status=$?
case $status in
0 | 4) ;; # 4: the machine was busy, which is nothing to the formats
*)
	cat "$tmp/bench.log" >&2
	exit 1
	;;
esac
first=$(sed -n 's/^ *"id": "\(.*\)",$/\1/p' "$tmp/run/run.json" | head -1)
ttft=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["levels"][0]["ttft_ms"]["mean"])' "$tmp/run/run.json")

# read_with PYTHON SCRIPT PATH checks one format.
read_with() {
	if [ ! -x "$1" ]; then
		echo "$2: not installed, left out"
		return
	fi
	"$1" "$here/$2" "$3" "$ttft" 2>"$tmp/err" || {
		cat "$tmp/err" >&2
		exit 1
	}
}

"$tmp/assay" report "$tmp/run" -o vllm --level "$first" --out "$tmp/vllm.json"
"$tmp/assay" report "$tmp/run" -o aiperf --level "$first" --out "$tmp/aiperf" 2>/dev/null
"$tmp/assay" report "$tmp/run" -o guidellm --out "$tmp/guidellm.json"
"$tmp/assay" report "$tmp/run" -o inference-perf --out "$tmp/perf" 2>/dev/null
"$tmp/assay" report "$tmp/run" -o llm-d --level "$first" --out "$tmp/llmd.json"

read_with "$cache/aiperf/bin/python" read_aiperf.py "$tmp/aiperf"
read_with "$cache/guidellm/bin/python" read_guidellm.py "$tmp/guidellm.json"
read_with "$cache/inference-perf/bin/python" read_inference_perf.py "$tmp/perf"
read_with "$cache/inference-perf/bin/python" read_llmd.py "$tmp/llmd.json"
read_with "$work/venv/bin/python" read_vllm.py "$tmp/vllm.json"
