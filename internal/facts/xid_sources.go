package facts

var (
	xidCatalogue = Source{"NVIDIA, Analyzing Xid Errors with the Xid Catalog", "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html", readOn}
	// The catalogue says nothing of older GPUs.
	xidOlder = Source{"NVIDIA dcgm-exporter, xid_errors.go", "https://github.com/NVIDIA/dcgm-exporter/blob/main/internal/pkg/collector/xid_errors.go", readOn}
	// What EKS does: the conditions are those of the agent's source (v1.7,
	// 2026-08), the repairs those of the user guide.
	xidOnEKS = Source{"aws/eks-node-monitoring-agent, dcgm_policies.go, and the EKS user guide on node health", "https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html", readOn}
)

// What a managed node group does by default after AcceleratedHardwareReady is
// false, where the EKS user guide states it for the code.
const (
	replaces = "replaces"
	reboots  = "reboots"
	either   = "replaces or reboots"
)

// xidConditions are the codes that the EKS node monitoring agent makes a node
// condition of; of all others it makes an event.
// The EKS user guide also lists 13, 31, 94 and 121.
var xidConditions = map[int]string{
	46: either, 48: reboots, 54: either, 62: either, 63: reboots, 64: reboots, 74: replaces,
	79: replaces, 95: reboots, 109: either, 110: either, 119: replaces, 120: replaces,
	136: either, 140: replaces, 142: either, 143: either, 151: either, 155: either,
	156: either, 158: either,
}
