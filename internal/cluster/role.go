package cluster

import _ "embed"

// Role is the least that Incidents needs in namespace inference, as manifests:
// for another namespace, replace the name.
//
//go:embed role.yaml
var Role string

// LintRole is the least that Objects needs in all namespaces, as manifests.
//
//go:embed role_lint.yaml
var LintRole string
