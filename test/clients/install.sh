#!/usr/bin/env bash
# Install the openai clients for Python and Node, at the versions of
# requirements.txt and package.json, into .cache/clients of this repository.
# The scripts are copied beside them: Node looks for packages from there.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
to=$here/../../.cache/clients
mkdir -p "$to"
to=$(cd "$to" && pwd)

wanted=$(cat "$here/requirements.txt" "$here/package.json")
if [ "$(cat "$to/installed" 2>/dev/null)" != "$wanted" ]; then
	rm -f "$to/installed"
	python3 -m venv --clear "$to/py"
	"$to/py/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
	cp "$here/package.json" "$to/"
	npm install --prefix "$to" --no-audit --no-fund --silent
	echo "$wanted" >"$to/installed"
fi
cp "$here/client.mjs" "$here/client.py" "$to/"
echo "$to"
