package spec

import (
	"regexp"
	"time"

	"go.yaml.in/yaml/v4"
)

// Operating systems of nodes, as the aliases of their AMIs are called.
const (
	AL2023       = "al2023"
	Bottlerocket = "bottlerocket"
)

// Policies by which Karpenter consolidates nodes.
const (
	WhenEmpty         = "when-empty"
	WhenUnderutilized = "when-empty-or-underutilized"
)

// Off is a duration of something that never comes.
const Off time.Duration = -1

// RenderNodePool is the section render.nodepool: what is known of nodes, and wanted.
type RenderNodePool struct {
	OS        string   // al2023, bottlerocket; empty: al2023
	AMI       string   // its version, such as v20261120 or 1.55.0
	Role      string   // of the nodes, in IAM
	Discovery string   // value of the tag karpenter.sh/discovery of subnets and security groups; empty: the cluster's name
	Subnets   []string // ids in place of the tag
	Groups    []string // security groups, ids in place of the tag

	Capacity     []string // spot, on-demand, reserved; empty: that of render.serve, else on-demand
	Instances    []string // types; empty: the plan's, and those like it
	Reservations []string // capacity reservations, cr-…
	Placement    string   // name of a placement group
	GPUs         int      // most of the pool; 0: twice the plan's

	Hours            WorkingHours
	Budget           string        // of nodes at once outside of hours, such as 10% or 1; empty: 10%
	Consolidation    string        // empty: when-empty
	ConsolidateAfter time.Duration // 0: an hour; Off
	ExpireAfter      time.Duration // 0: Karpenter's 720 hours; Off
	Grace            time.Duration // terminationGracePeriod of nodes; 0: by what pods take

	ImageGiB   int      // of the largest image, compressed; 0: 10
	RootGiB    int      // 0: by image and weights
	Throughput int      // of the volume of images, MiB/s; 0: 1000, or gp3's own where images lie on the instance store
	PlainPulls bool     // images are pulled as containerd does by default, not in parallel by SOCI
	Snapshot   string   // of a Bottlerocket data volume that holds the images, snap-…
	Prefetch   []string // images that every node of the pool pulls at once
	EFA        bool     // all interfaces of the instance are EFA's from the launch on
	MaxPods    int      // 0: by the instance
}

// WorkingHours are those in which nodes are left alone, by the clock of
// Render.TimeZone; empty: none.
type WorkingHours struct {
	Days, From, To string // mon-fri, 08:00, 18:00
}

var (
	amiVersion  = form{regexp.MustCompile(`^v?[0-9][0-9a-z.]{0,18}$`), "a version of the AMI, such as v20261120 for AL2023 or 1.55.0 for Bottlerocket"}
	roleName    = form{regexp.MustCompile(`^[A-Za-z0-9+=,.@_-]{1,64}$`), "the name of an IAM role, without its ARN, such as KarpenterNodeRole-prod"}
	subnetID    = form{regexp.MustCompile(`^subnet-[0-9a-f]+$`), "a subnet's id, such as subnet-0a1b2c3d"}
	groupID     = form{regexp.MustCompile(`^sg-[0-9a-f]+$`), "a security group's id, such as sg-0a1b2c3d"}
	instance    = form{regexp.MustCompile(`^[a-z0-9-]+\.[a-z0-9-]+$`), "an instance type, such as g6e.12xlarge"}
	reservation = form{regexp.MustCompile(`^cr-[0-9a-z]+$`), "a capacity reservation's id, such as cr-0a1b2c3d"}
	awsName     = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._:/=+@-]{0,254}$`), "a name in AWS: letters, digits and ._:/=+@-"}
	workingDays = form{regexp.MustCompile(`^(?i)(sun|mon|tue|wed|thu|fri|sat)(-(sun|mon|tue|wed|thu|fri|sat))?(,(sun|mon|tue|wed|thu|fri|sat)(-(sun|mon|tue|wed|thu|fri|sat))?)*$`), "days such as mon-fri or sat,sun"}
	timeOfDay   = form{regexp.MustCompile(`^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$`), "a time of day such as 08:00 (in quotes)"}
	budgetNodes = form{regexp.MustCompile(`^((100|[0-9]{1,2})%|[1-9][0-9]{0,5})$`), "a number of nodes or a percentage, such as 1 or 10%"}
	snapshotID  = form{regexp.MustCompile(`^snap-[0-9a-f]+$`), "an EBS snapshot's id, such as snap-0a1b2c3d"}
)

func (r *reader) renderNodePool(n *yaml.Node, p *RenderNodePool) {
	const at = "render.nodepool."
	r.mapping(n, "render.nodepool", fields{
		"os":              func(v *yaml.Node) { p.OS = r.oneOf(v, at+"os", []string{AL2023, Bottlerocket}) },
		"ami":             func(v *yaml.Node) { p.AMI = r.matching(v, at+"ami", amiVersion) },
		"role":            func(v *yaml.Node) { p.Role = r.matching(v, at+"role", roleName) },
		"discovery":       func(v *yaml.Node) { p.Discovery = r.matching(v, at+"discovery", awsName) },
		"subnets":         func(v *yaml.Node) { p.Subnets = r.several(v, at+"subnets", subnetID) },
		"security_groups": func(v *yaml.Node) { p.Groups = r.several(v, at+"security_groups", groupID) },

		"capacity":        func(v *yaml.Node) { p.Capacity = r.someOf(v, at+"capacity", Capacities) },
		"instances":       func(v *yaml.Node) { p.Instances = r.several(v, at+"instances", instance) },
		"reservations":    func(v *yaml.Node) { p.Reservations = r.several(v, at+"reservations", reservation) },
		"placement_group": func(v *yaml.Node) { p.Placement = r.matching(v, at+"placement_group", awsName) },
		"gpus":            func(v *yaml.Node) { p.GPUs = r.integer(v, at+"gpus", 1) },

		"business_hours": func(v *yaml.Node) { r.workingHours(v, &p.Hours) },
		"budget":         func(v *yaml.Node) { p.Budget = r.matching(v, at+"budget", budgetNodes) },
		"consolidation": func(v *yaml.Node) {
			p.Consolidation = r.oneOf(v, at+"consolidation", []string{WhenEmpty, WhenUnderutilized})
		},
		"consolidate_after": func(v *yaml.Node) { p.ConsolidateAfter = r.durationOrNever(v, at+"consolidate_after") },
		"expire_after":      func(v *yaml.Node) { p.ExpireAfter = r.durationOrNever(v, at+"expire_after") },
		"grace":             func(v *yaml.Node) { p.Grace = r.duration(v, at+"grace") },

		"image_size":      func(v *yaml.Node) { p.ImageGiB = r.gib(v, at+"image_size", 1000) },
		"root_size":       func(v *yaml.Node) { p.RootGiB = r.gib(v, at+"root_size", 59000) },
		"root_throughput": func(v *yaml.Node) { p.Throughput = r.integer(v, at+"root_throughput", 125) },
		"soci":            func(v *yaml.Node) { p.PlainPulls = !r.boolean(v, at+"soci") },
		"snapshot":        func(v *yaml.Node) { p.Snapshot = r.matching(v, at+"snapshot", snapshotID) },
		"prefetch":        func(v *yaml.Node) { p.Prefetch = r.several(v, at+"prefetch", imageName) },
		"efa":             func(v *yaml.Node) { p.EFA = r.boolean(v, at+"efa") },
		"max_pods":        func(v *yaml.Node) { p.MaxPods = r.integer(v, at+"max_pods", 1) },
	})
	if p.Snapshot != "" && p.OS != Bottlerocket {
		r.errorf(n, "render.nodepool.snapshot is of a Bottlerocket data volume: set os: bottlerocket, or prefetch the images instead")
	}
}

func (r *reader) workingHours(n *yaml.Node, h *WorkingHours) {
	const at = "render.nodepool.business_hours."
	*h = WorkingHours{Days: "mon-fri", From: "08:00", To: "18:00"}
	if n.Tag == "!!bool" {
		if !r.boolean(n, "render.nodepool.business_hours") {
			*h = WorkingHours{}
		}
		return
	}
	r.mapping(n, "render.nodepool.business_hours", fields{
		"days": func(v *yaml.Node) { h.Days = r.matching(v, at+"days", workingDays) },
		"from": func(v *yaml.Node) { h.From = r.matching(v, at+"from", timeOfDay) },
		"to":   func(v *yaml.Node) { h.To = r.matching(v, at+"to", timeOfDay) },
	})
}

// durationOrNever reads a duration, or never.
func (r *reader) durationOrNever(n *yaml.Node, what string) time.Duration {
	if n.Kind == yaml.ScalarNode && (n.Value == "never" || n.Value == "Never") {
		return Off
	}
	return r.duration(n, what)
}
