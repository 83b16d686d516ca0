#!/usr/bin/env bash
# Installs the linters that Assay is measured beside, at the versions that the results
# are of.
#
#   install.sh [CACHE]     default: .cache/lintpeers of this repository
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${1:-$root/.cache/lintpeers}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

cd "$cache" # outside of any module
GOBIN=$cache go install -trimpath -ldflags=-s github.com/zegl/kube-score/cmd/kube-score@v1.20.0
GOBIN=$cache go install -trimpath -ldflags=-s github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0
python3 -m venv py
py/bin/pip install -q checkov==3.3.30
