package facts

var (
	xidCatalogue = Source{"NVIDIA, Analyzing Xid Errors with the Xid Catalog; older meanings: NVIDIA dcgm-exporter, xid_errors.go; EKS: aws/eks-node-monitoring-agent, dcgm_policies.go, and the EKS user guide on node health",
		"https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html", readOn}
)

// What a managed node group does by default after AcceleratedHardwareReady is
// false, where the EKS user guide states it for the code.
const (
	replaces = "replaces"
	reboots  = "reboots"
	either   = "replaces or reboots"
)

// xidConditions are the codes that the EKS node monitoring agent (source as of
// 2026-08, v1.7) makes a node condition of; of all others it makes an event.
// The EKS user guide also lists 13, 31, 94 and 121.
var xidConditions = map[int]string{
	46: either, 48: reboots, 54: either, 62: either, 63: reboots, 64: reboots, 74: replaces,
	79: replaces, 95: reboots, 109: either, 110: either, 119: replaces, 120: replaces,
	136: either, 140: replaces, 142: either, 143: either, 151: either, 155: either,
	156: either, 158: either,
}
