package rules

import (
	"slices"
	"strings"

	"assay/internal/lint"
	"assay/internal/practice"
)

// sociSettings looks for a snapshotter that is turned on where nothing reads it.
func sociSettings(p *lint.Pass, o *lint.Object) {
	at := o.Get("spec", "userData")
	pull := parallelPull(o)
	if pull < 0 {
		return
	}
	gate := strings.HasPrefix(at.Text()[pull:], "FastImagePull")
	family, version := classOf(o).Family(), amiVersion(o)
	switch {
	case family == "Bottlerocket" && !gate && !practice.SOCIOf("bottlerocket", version).Pulls:
		p.FailIn(at, pull, "Bottlerocket has the SOCI snapshotter since 1.44.0, and the class takes %s: it takes no settings that it does not know, and the node does not come up", version)
	case family == "AL2023" && gate && strings.Contains(at.Text(), "kind: NodeConfig"):
		parents := keysAbove(at.Text(), pull)
		switch {
		case slices.Contains(parents, "kubelet"):
			p.FailIn(at, pull, "FastImagePull is given to the kubelet, which does not start with a gate that it does not know: it is one of nodeadm, at spec.featureGates")
		case !slices.Equal(parents, []string{"featureGates", "spec"}):
			slices.Reverse(parents)
			p.FailIn(at, pull, "nodeadm does not look for FastImagePull at %q: it is at spec.featureGates", strings.Join(parents, "."))
		case !practice.SOCIOf("al2023", version).Pulls:
			p.FailIn(at, pull, "the AMI %s is older than the gate FastImagePull, which it leaves out: images are pulled as ever", version)
		}
	}
}

// amiVersion is the version that a class names by alias; empty: none.
func amiVersion(o *lint.Object) string {
	for _, term := range o.Get("spec", "amiSelectorTerms").Items() {
		if _, version, ok := strings.Cut(term.Get("alias").Text(), "@"); ok {
			return version
		}
	}
	return ""
}

// keysAbove are the keys of YAML under which the line at an offset stands, the nearest
// first, read by their indentation.
func keysAbove(text string, offset int) []string {
	lines := strings.Split(text[:offset], "\n")
	indent := len(lines[len(lines)-1])
	var keys []string
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		key := strings.TrimLeft(line, " ")
		if key == "" || strings.HasPrefix(key, "#") || len(line)-len(key) >= indent {
			continue
		}
		indent = len(line) - len(key)
		name, _, _ := strings.Cut(key, ":")
		keys = append(keys, name)
		if indent == 0 {
			break
		}
	}
	return keys
}
