#!/usr/bin/env bash
# Build promtool and Prometheus, at the version of tools/go.mod, into .cache/bin
# of this repository, and print that folder. Only the module registry is needed.
# What has been built already is left alone.
#
# The cloud service discoveries are left out, which halves the time of the
# build. The web UI is not in the module: Prometheus answers by its API alone.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/../../.cache/bin"
bin=$(cd "$here/../../.cache/bin" && pwd)
module=github.com/prometheus/prometheus

version=$(cd "$here/tools" && go list -m -f '{{.Version}}' "$module")
minor=${version#v0.}
release=${minor:0:1}.${minor:1:2}.${minor#*.} # v0.316.0 of the module is 3.16.0
mark=$bin/.prometheus-$version
if [ ! -e "$mark" ] || [ ! -x "$bin/promtool" ] || [ ! -x "$bin/prometheus" ]; then
	rm -f "$bin"/.prometheus-v*
	for name in promtool prometheus; do
		CGO_ENABLED=0 go build -C "$here/tools" -trimpath -tags remove_all_sd \
			-ldflags "-s -w -X github.com/prometheus/common/version.Version=$release" \
			-o "$bin/$name" "$module/cmd/$name"
	done
	touch "$mark"
fi
echo "$bin"
