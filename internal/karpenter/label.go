package karpenter

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"assay/internal/facts"
)

const (
	capacityKey = "karpenter.sh/capacity-type"
	own         = "karpenter.k8s.aws/"
	auto        = "eks.amazonaws.com/" // EKS Auto Mode's names for the same labels
)

// normal are the older names of labels, which Karpenter takes too.
var normal = map[string]string{
	"beta.kubernetes.io/arch":                  "kubernetes.io/arch",
	"beta.kubernetes.io/os":                    "kubernetes.io/os",
	"beta.kubernetes.io/instance-type":         "node.kubernetes.io/instance-type",
	"failure-domain.beta.kubernetes.io/zone":   "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}

// keyOf is the name under which a label is judged.
func keyOf(key string) string {
	if n, ok := normal[key]; ok {
		return n
	}
	if rest, ok := strings.CutPrefix(key, auto+"instance-"); ok {
		return own + "instance-" + rest
	}
	return key
}

// family splits a type's name as Karpenter does: p6-b200.48xlarge is of category p
// and generation 6.
var family = regexp.MustCompile(`^([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\.`)

// types are all of the catalogue.
var types = sync.OnceValue(facts.Instances)

var typeLabels = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, i := range types() {
		all[i.Name] = makeLabels(i)
	}
	return all
})

// labels are those that Karpenter gives to nodes of a type; they are not to be changed.
func labels(i facts.Instance) map[string]string {
	if l, ok := typeLabels()[i.Name]; ok {
		return l
	}
	return makeLabels(i)
}

// makeLabels are the labels of a type, as far as the catalogue knows them. Units: MiB,
// Mbit/s, GB.
func makeLabels(i facts.Instance) map[string]string {
	l := map[string]string{
		"node.kubernetes.io/instance-type": i.Name,
		"kubernetes.io/arch":               i.Architecture(),
		"kubernetes.io/os":                 "linux",
		own + "instance-family":            i.Family,
		own + "instance-size":              i.Size,
		own + "instance-cpu":               fmt.Sprint(i.VCPU),
		own + "instance-memory":            fmt.Sprint(i.Memory >> 20),
		own + "instance-network-bandwidth": fmt.Sprint(int64(i.Network * 8 / 1e6)),
		own + "instance-ebs-bandwidth":     fmt.Sprint(int64(i.EBS * 8 / 1e6)),
		own + "instance-hypervisor":        "nitro",
		own + "instance-capability-flex":   "false",
	}
	if parts := family.FindStringSubmatch(i.Name); parts != nil {
		l[own+"instance-category"], l[own+"instance-generation"] = parts[1], parts[2]
	}
	if i.Size == "metal" {
		l[own+"instance-hypervisor"] = ""
	}
	if i.NVMe > 0 {
		l[own+"instance-local-nvme"] = fmt.Sprint(i.NVMe / 1e9)
	}
	kind, maker := accelerator(i)
	l[own+"instance-"+kind+"-name"] = i.Accelerator
	l[own+"instance-"+kind+"-manufacturer"] = maker
	l[own+"instance-"+kind+"-count"] = fmt.Sprint(i.Count)
	if kind == "gpu" {
		l[own+"instance-gpu-memory"] = fmt.Sprint(i.ChipMemory >> 20)
	}
	return l
}

// accelerator is whether Karpenter calls it a gpu or an accelerator, and whose it is.
func accelerator(i facts.Instance) (kind, maker string) {
	switch {
	case strings.HasPrefix(i.Accelerator, "inferentia"), strings.HasPrefix(i.Accelerator, "trainium"):
		return "accelerator", "aws"
	case strings.HasPrefix(i.Accelerator, "qualcomm"):
		return "accelerator", "qualcomm"
	case strings.HasPrefix(i.Accelerator, "radeon"):
		return "gpu", "amd"
	}
	return "gpu", "nvidia"
}

// Extended are the resources that only types of the catalogue offer.
var Extended = []string{"nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"}

// Resource is the name under which pods ask for the instance's accelerators, and how
// many a node offers. Qualcomm's plugin is not EKS's: its name is not known.
func Resource(i facts.Instance) (name string, count int) {
	switch kind, maker := accelerator(i); {
	case maker == "aws":
		return "aws.amazon.com/neuron", i.Count
	case maker == "amd":
		return "amd.com/gpu", i.Count
	case kind == "gpu":
		return "nvidia.com/gpu", i.Count
	}
	return "", i.Count
}

// judgedKeys are the labels that some type or another has.
var judgedKeys = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, i := range types() {
		for k := range labels(i) {
			all[k] = true
		}
	}
	return all
})

func judged(key string) bool { return judgedKeys()[key] }

// wellKnown says whether a label is one of a node that Karpenter fills in; any other
// is the user's own, and is put onto each node of the pool.
func wellKnown(key string) bool {
	return strings.HasPrefix(key, own) || strings.HasPrefix(key, auto) ||
		strings.HasPrefix(key, "topology.k8s.aws/") || strings.HasPrefix(key, "topology.kubernetes.io/")
}
