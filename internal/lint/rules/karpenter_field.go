package rules

import (
	"slices"
	"strings"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// expiryPlace is where expireAfter belongs since karpenter.sh/v1.
const expiryPlace = "spec.template.spec.expireAfter"

// misplaced are fields of a NodePool v1 where they do nothing, and where they belong.
var misplaced = map[string]string{
	"spec.disruption.terminationGracePeriod": "spec.template.spec.terminationGracePeriod",
	"spec.terminationGracePeriod":            "spec.template.spec.terminationGracePeriod",
	"spec.template.terminationGracePeriod":   "spec.template.spec.terminationGracePeriod",
	"spec.consolidationPolicy":               "spec.disruption.consolidationPolicy",
	"spec.consolidateAfter":                  "spec.disruption.consolidateAfter",
	"spec.budgets":                           "spec.disruption.budgets",
	"spec.template.spec.consolidationPolicy": "spec.disruption.consolidationPolicy",
	"spec.template.spec.consolidateAfter":    "spec.disruption.consolidateAfter",
	"spec.template.spec.disruption":          "spec.disruption",
	"spec.template.disruption":               "spec.disruption",
	"spec.requirements":                      "spec.template.spec.requirements",
	"spec.template.requirements":             "spec.template.spec.requirements",
	"spec.taints":                            "spec.template.spec.taints",
	"spec.template.taints":                   "spec.template.spec.taints",
	"spec.startupTaints":                     "spec.template.spec.startupTaints",
	"spec.nodeClassRef":                      "spec.template.spec.nodeClassRef",
	"spec.template.nodeClassRef":             "spec.template.spec.nodeClassRef",
	"spec.labels":                            "spec.template.metadata.labels",
	"spec.annotations":                       "spec.template.metadata.annotations",
	"spec.template.spec.limits":              "spec.limits",
	"spec.disruption.limits":                 "spec.limits",
	"spec.template.spec.weight":              "spec.weight",
}

// goneFields are fields of older versions, and what takes their place.
var goneFields = map[string]string{
	"spec.ttlSecondsAfterEmpty":            "spec.disruption.consolidationPolicy: WhenEmpty with consolidateAfter",
	"spec.ttlSecondsUntilExpired":          expiryPlace,
	"spec.consolidation":                   "spec.disruption",
	"spec.provider":                        "an EC2NodeClass, named in spec.template.spec.nodeClassRef",
	"spec.providerRef":                     "spec.template.spec.nodeClassRef",
	"spec.template.spec.kubelet":           "spec.kubelet of the EC2NodeClass",
	"spec.kubelet":                         "spec.kubelet of the EC2NodeClass",
	"spec.kubeletConfiguration":            "spec.kubelet of the EC2NodeClass",
	"spec.template.spec.resources":         "nothing: nodes follow from what pods ask for",
	"spec.disruption.ttlSecondsAfterEmpty": "spec.disruption.consolidateAfter",
}

// goneOfClass are those of an EC2NodeClass.
var goneOfClass = map[string]string{
	"spec.amiSelector":           "spec.amiSelectorTerms",
	"spec.subnetSelector":        "spec.subnetSelectorTerms",
	"spec.securityGroupSelector": "spec.securityGroupSelectorTerms",
	"spec.launchTemplate":        "amiSelectorTerms, userData and blockDeviceMappings of the EC2NodeClass",
	"spec.launchTemplateName":    "amiSelectorTerms, userData and blockDeviceMappings of the EC2NodeClass",
}

// keyAt is the key at a dotted path.
func keyAt(o *lint.Object, path string) source.Value {
	keys := strings.Split(path, ".")
	last := len(keys) - 1
	return o.Get(keys[:last]...).Key(keys[last])
}

// atPaths visits those paths of a table that an object has, in its order of names.
func atPaths(o *lint.Object, table map[string]string, visit func(key source.Value, path, right string)) {
	paths := make([]string, 0, len(table))
	for path := range table {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if key := keyAt(o, path); key.Exists() {
			visit(key, path, table[path])
		}
	}
}

func expireAfterMisplaced(p *lint.Pass, o *lint.Object) {
	if _, ok := poolOf(o); !ok {
		return
	}
	for _, path := range []string{"spec.disruption.expireAfter", "spec.expireAfter", "spec.template.expireAfter"} {
		if key := keyAt(o, path); key.Exists() {
			p.Fail(key, "%s is no field of karpenter.sh/v1: it belongs at %s", path, expiryPlace)
		}
	}
}

func fieldMisplaced(p *lint.Pass, o *lint.Object) {
	if _, ok := poolOf(o); !ok {
		return
	}
	atPaths(o, misplaced, func(key source.Value, path, right string) {
		p.Fail(key, "%s is no field of a NodePool: it belongs at %s", path, right)
	})
}

func fieldGone(p *lint.Pass, o *lint.Object) {
	table := goneFields
	if _, ok := poolOf(o); !ok {
		if !isNodeClass(o) {
			return
		}
		table = goneOfClass
	}
	atPaths(o, table, func(key source.Value, path, right string) {
		p.Fail(key, "%s went with karpenter.sh/v1: in its place stands %s", path, right)
	})
}

func removedPolicy(p *lint.Pass, o *lint.Object) {
	if _, ok := poolOf(o); !ok {
		return
	}
	v := o.Get("spec", "disruption", "consolidationPolicy")
	if v.Text() == "WhenUnderutilized" {
		p.Fail(v, "consolidationPolicy WhenUnderutilized went with karpenter.sh/v1: it is WhenEmptyOrUnderutilized").Edits = p.SetScalar(v, "WhenEmptyOrUnderutilized")
	}
}

// classKinds are the kinds of node classes by their group.
var classKinds = map[string]string{"karpenter.k8s.aws": "EC2NodeClass", "eks.amazonaws.com": "NodeClass"}

func classRef(p *lint.Pass, o *lint.Object) {
	if _, ok := poolOf(o); !ok {
		return
	}
	ref := o.Get("spec", "template", "spec", "nodeClassRef")
	if at := ref.Key("apiVersion"); at.Exists() {
		p.Fail(at, "nodeClassRef has no apiVersion in karpenter.sh/v1: write group: %s", strings.Split(ref.Get("apiVersion").Text(), "/")[0])
		return
	}
	group, kind := ref.Get("group").Text(), ref.Get("kind")
	if want, known := classKinds[group]; known && kind.Exists() && !kind.Open() && kind.Text() != want {
		p.Fail(kind, "the group %s has no kind %s: it is %s", group, kind.Text(), want).Edits = p.SetScalar(kind, want)
		return
	}
	if group := ref.Get("group"); strings.Contains(group.Text(), "/") {
		right := strings.Split(group.Text(), "/")[0]
		p.Fail(group, "group %q holds a version: write %s", group.Text(), right).Edits = p.SetScalar(group, right)
	}
}
