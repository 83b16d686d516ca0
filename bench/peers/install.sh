#!/usr/bin/env bash
# Install the peers that are missing, each in an environment of its own.
#
#   install.sh [CACHE]     default: .cache/peers of this repository
#
# UV (default uv) installs. A Python that uv does not find is looked for among
# pyenv's. About 7 GB, most of it GuideLLM's torch.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${1:-$root/.cache/peers}
UV=${UV:-uv}
mkdir -p "$cache"
# shellcheck source=/dev/null
. "$here/versions.env"

command -v "$UV" >/dev/null || {
	echo "$UV is not installed: pip install uv" >&2
	exit 1
}

# python_of VERSION prints an interpreter of it.
python_of() {
	local candidate
	for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
		if "$candidate" -c 'import sys; sys.exit()' 2>/dev/null; then
			echo "$candidate"
			return
		fi
	done
	echo "$1" # uv knows where it has others, or says what is missing
}

# install NAME REQUIREMENT PYTHON
install() {
	local env=$cache/$1
	if [ "$(cat "$env/installed" 2>/dev/null)" = "$2" ]; then return; fi
	echo "installing $2 …" >&2
	"$UV" venv -q --clear --python "$(python_of "$3")" "$env"
	# Bytecode now, so that no measured start compiles it.
	"$UV" pip install -q --python "$env/bin/python" --compile-bytecode "$2"
	echo "$2" >"$env/installed"
}

install aiperf "$AIPERF" "$AIPERF_PYTHON"
install guidellm "$GUIDELLM" "$GUIDELLM_PYTHON"
install inference-perf "$INFERENCE_PERF" "$INFERENCE_PERF_PYTHON"
"$root/test/vllm/vllm.sh" install

# The tokenizer folder that all of them ask for.
if [ ! -f "$cache/tiny/tokenizer.json" ]; then
	"$cache/aiperf/bin/python" "$root/test/vllm/make_tiny_model.py" "$cache/tiny" --max-model-len 8192 >&2
fi
