package facts

// Advice is what to do with a setting.
type Advice string

// What to do with a setting.
const (
	Set       Advice = "set"
	LeaveOut  Advice = "leave-out"  // the default is better
	NotNeeded Advice = "not-needed" // harmless, of old versions
	OnError   Advice = "on-error"   // only against an error, at a price
	Never     Advice = "never"
)

// Setting is an environment variable of NCCL, libfabric or RDMA in pods that
// train over EFA, and whether it belongs there.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"` // what it is set to, or is found set to
	Advice Advice `json:"advice"`
	Since  string `json:"since,omitempty"` // the versions for which the advice holds
	Reason string `json:"reason"`
	Source Source `json:"source"`
}

var (
	efaCheatsheet = sheet("aws-ofi-nccl, EFA cheatsheet", "https://github.com/aws/aws-ofi-nccl/blob/master/doc/efa-env-var.md")
	ncclEnv       = sheet("NCCL, environment variables", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html")
	eksEFA        = sheet("Amazon EKS user guide, machine-learning training with EFA", "https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html")
)

// current are the versions from which EFA needs no tuning.
const current = "libfabric 1.18, aws-ofi-nccl 1.7"

var networkSettings = []Setting{
	{"NCCL_SOCKET_IFNAME", "eth0", Set, "", "NCCL's bootstrap takes the first interface that it finds, which may be one of a virtual network; a pod's own is eth0 (with hostNetwork: ^lo,docker,veth,eni)", ncclEnv},
	{"NCCL_DEBUG", "INFO", OnError, "", "says at start which provider and transport are in use: look once for \"NET/OFI Selected provider is efa\"", ncclEnv},
	{"FI_EFA_USE_HUGE_PAGE", "0", OnError, "", "against \"Cannot allocate memory\" from os.fork() of data loaders, at a small cost; better request hugepages-2Mi", efaCheatsheet},
	{"FI_PROVIDER", "efa", NotNeeded, current, "the plugin selects the provider itself", efaCheatsheet},
	{"FI_EFA_USE_DEVICE_RDMA", "1", NotNeeded, current, "on where the instance has it", efaCheatsheet},
	{"FI_EFA_FORK_SAFE", "1", NotNeeded, current, "the plugin sets it", efaCheatsheet},
	{"FI_EFA_ENABLE_SHM_TRANSFER", "1", NotNeeded, current, "the plugin switches it off", efaCheatsheet},
	{"NCCL_PROTO", "simple", LeaveOut, current, "was needed up to aws-ofi-nccl 1.5; now it shuts out faster protocols", efaCheatsheet},
	{"NCCL_ALGO", "Ring,Tree", LeaveOut, "", "shuts out NVLS, the reduction in NVSwitch of H100 and later", ncclEnv},
	{"NCCL_BUFFSIZE", "", LeaveOut, "", "the default suits EFA", efaCheatsheet},
	{"NCCL_MIN_CHANNELS", "", LeaveOut, "", "more channels than the platform needs make messages too small for EFA", efaCheatsheet},
	{"NCCL_SOCKET_NTHREADS", "", LeaveOut, "", "of TCP sockets, not of EFA", efaCheatsheet},
	{"NCCL_NSOCKS_PERTHREAD", "", LeaveOut, "", "of TCP sockets, not of EFA", efaCheatsheet},
	{"NCCL_IB_DISABLE", "1", LeaveOut, "", "EFA is not reached through NCCL's InfiniBand transport", ncclEnv},
	{"RDMAV_FORK_SAFE", "1", Never, "", "of rdma-core; it can break newer kernels", efaCheatsheet},
}

// NetworkSettings are the environment variables of training over EFA, those to
// set first.
func NetworkSettings() []Setting { return append([]Setting(nil), networkSettings...) }

// HugePages is what a pod that uses EFA asks for beside its devices: huge pages for
// the provider's buffers, and memory, without which huge pages are refused.
func HugePages() (pages, memory string, source Source) { return "5120Mi", "8000Mi", eksEFA }

// Placement is a strategy of an EC2 placement group.
type Placement struct {
	Strategy string   `json:"strategy"`
	For      string   `json:"for"`
	Limits   string   `json:"limits"`
	Create   []string `json:"create"` // how it is made and used, each a way or a step
	Source   Source   `json:"source"`
}

var placementGuide = sheet("Amazon EC2 user guide, placement groups", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-groups.html")

// used is how nodes come into a group, whatever its strategy.
var used = []string{
	"Karpenter since 1.11 or EKS Auto Mode: EC2NodeClass (or NodeClass) spec.placementGroupSelector: {name: NAME}; a class has one group",
	"managed node group: launch template with Placement.GroupName, subnets of one zone; eksctl: managedNodeGroups[].placement.groupName with efaEnabled: true",
}

var placements = []Placement{
	{
		Strategy: "cluster", For: "nodes that train together: shortest paths and full bandwidth between them",
		Limits: "one zone; one instance type, asked for at once, or capacity may not be found beside what runs; not needed in a Capacity Block, which is placed so",
		Create: append([]string{"aws ec2 create-placement-group --group-name NAME --strategy cluster"}, used...),
		Source: placementGuide,
	},
	{
		Strategy: "spread", For: "few replicas of a service, each on hardware of its own",
		Limits: "7 running instances a zone and group; a replacement that starts before its predecessor ends needs a free place",
		Create: append([]string{"aws ec2 create-placement-group --group-name NAME --strategy spread"}, used...),
		Source: placementGuide,
	},
	{
		Strategy: "partition", For: "replicated stores and many jobs that should not fail together: each partition has racks of its own",
		Limits: "7 partitions a zone; topologySpreadConstraints over the partition's label spread pods",
		Create: append([]string{"aws ec2 create-placement-group --group-name NAME --strategy partition --partition-count 7"}, used...),
		Source: placementGuide,
	},
}

// Placements are the strategies of placement groups, and which is for what.
func Placements() []Placement { return append([]Placement(nil), placements...) }

// CapacityBlock is what EC2 Capacity Blocks for ML allow.
type CapacityBlock struct {
	Families  []string // of instances
	Instances int      // in one block
	Total     int      // over the blocks of an account at one time
	Source    Source
}

// CapacityBlocks are the limits of Capacity Blocks.
func CapacityBlocks() CapacityBlock {
	return CapacityBlock{
		Families:  []string{"p4d", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "trn1", "trn2"},
		Instances: 64, Total: 256,
		Source: sheet("Amazon EC2 user guide, Capacity Blocks for ML", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"),
	}
}

// Days is the shortest block, in days, that holds that many: blocks are of 1 to 14
// days, then of whole weeks up to 182. It is 0 where none is long enough.
func (CapacityBlock) Days(need float64) int {
	days := int(need)
	if float64(days) < need || days == 0 {
		days++
	}
	if days > 14 {
		days = (days + 6) / 7 * 7
	}
	if days > 182 {
		return 0
	}
	return days
}
