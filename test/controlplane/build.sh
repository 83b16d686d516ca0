#!/usr/bin/env bash
# Build etcd, kube-apiserver and kubectl, at the versions of tools/go.mod, into
# .cache/bin of this repository, and print that folder. Only the module registry
# is needed. What has been built already is left alone; from nothing it takes
# some 450 seconds of one core.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/../../.cache/bin"
bin=$(cd "$here/../../.cache/bin" && pwd)

version() { (cd "$here/tools" && go list -m -f '{{.Version}}' "$1"); }
kube=$(version k8s.io/kubernetes)
etcd=$(version go.etcd.io/etcd/server/v3)
minor=${kube#v1.}
minor=${minor%%.*}
# Without these a program says that it is v0.0.0, and refuses some clients.
in=k8s.io/component-base/version
flags="-s -w -X $in.gitVersion=$kube -X $in.gitMajor=1 -X $in.gitMinor=$minor"

# build NAME PACKAGE VERSION
build() {
	local mark=$bin/.$1-$3
	[ ! -x "$bin/$1" ] || [ ! -e "$mark" ] || return 0
	rm -f "$bin/.$1"-v*
	CGO_ENABLED=0 go build -C "$here/tools" -buildvcs=false -trimpath -ldflags "$flags" -o "$bin/$1" "$2"
	touch "$mark"
}

build etcd go.etcd.io/etcd/server/v3 "$etcd"
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver "$kube"
build kubectl k8s.io/kubernetes/cmd/kubectl "$kube"
echo "$bin"
