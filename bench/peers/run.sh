#!/usr/bin/env bash
# Measure Assay beside its peers, on one machine in one session.
#
#   run.sh [OPTIONS]      all of it, about a quarter of an hour once installed
#   run.sh --quick        few requests, once: does everything still work?
#
# Options go to the Go program beside this script (run.sh --help). CACHE
# (default .cache/peers) holds the environments, WORK that of vLLM. A real vLLM
# is the one that --vllm or ASSAY_VLLM_URL names, else one is started for the
# time of the measurement; --vllm none does without.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CACHE=${CACHE:-$root/.cache/peers}
export WORK=${WORK:-$root/.cache/vllm}
"$here/install.sh" "$CACHE"
mkdir -p "$CACHE/bin"
cd "$root"
go build -o "$CACHE/bin/" ./cmd/assay ./bench/nullserver ./bench/plainclient ./bench/peers
exec "$CACHE/bin/peers" --cache "$CACHE" --vllm-env "$WORK/venv" "$@"
