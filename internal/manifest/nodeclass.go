package manifest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/practice"
	"assay/internal/spec"
)

// nodeClass is what AWS is told of the nodes.
func (p *pool) nodeClass() Written {
	o := object{
		{"amiSelectorTerms", []object{{{"alias", p.ami(), "pinned: @latest replaces all nodes when AWS publishes an AMI. Karpenter takes the variant with the accelerators' driver by itself"}}}, ""},
		{"role", cmp.Or(p.spec.Role, unset("nodepool.role")), ""},
		{"subnetSelectorTerms", p.selector(p.spec.Subnets), ""},
		{"securityGroupSelectorTerms", p.selector(p.spec.Groups), p.whyGroups()},
	}
	o = append(o, p.reservations()...)
	if p.spec.Placement != "" {
		o = append(o, field{"placementGroupSelector", object{{"name", p.spec.Placement, ""}}, "the group must be there already. A tag places nothing"})
	}
	o = append(o, p.interfaces()...)
	if p.local {
		o = append(o, field{"instanceStorePolicy", "RAID0", p.whyLocal()})
	}
	o = append(o, field{"blockDeviceMappings", p.disks(), ""})
	if p.spec.MaxPods > 0 {
		o = append(o, field{"kubelet", object{{"maxPods", p.spec.MaxPods, "as asked for"}}, ""})
	}
	o = append(o, p.userData()...)
	return Written{
		Name: p.name() + "-nodeclass.yaml", Head: "What AWS launches for " + p.name() + ". Fields are those of Karpenter's AWS provider 1.14.",
		Object: object{
			{"apiVersion", "karpenter.k8s.aws/v1", ""},
			{"kind", "EC2NodeClass", ""},
			{"metadata", p.clusterMeta(p.name()), ""},
			{"spec", o, ""},
		},
	}
}

func (p *pool) os() string { return cmp.Or(p.spec.OS, spec.AL2023) }

// ami is the alias with its version. The mark is short, since an alias has 30 characters
// at most.
func (p *pool) ami() string {
	version := p.spec.AMI
	if version == "" {
		version = practice.Mark("ami")
	}
	return p.os() + "@" + version
}

// selector finds subnets or security groups: by their ids, else by the tag that
// Karpenter's guide gives them.
func (p *pool) selector(ids []string) []object {
	var all []object
	for _, id := range ids {
		all = append(all, object{{"id", id, ""}})
	}
	if len(all) > 0 {
		return all
	}
	value := cmp.Or(p.spec.Discovery, p.Spec.Cluster, unset("cluster"))
	return []object{{{"tags", object{{"karpenter.sh/discovery", value, ""}}, ""}}}
}

func (p *pool) whyGroups() string {
	if p.spec.EFA || p.coupled() && p.instances[0].EFA > 0 {
		return "one of them must let all traffic in from and out to itself: EFA passes no other rule"
	}
	return ""
}

// reservations are the capacity that is paid for already.
func (p *pool) reservations() []field {
	if !slices.Contains(p.capacity, karpenter.Reserved) {
		return nil
	}
	var terms []object
	for _, id := range p.spec.Reservations {
		terms = append(terms, object{{"id", id, ""}})
	}
	if len(terms) == 0 {
		terms = []object{{{"tags", object{{"Name", unset("nodepool.reservations"), ""}}, ""}}}
	}
	return []field{{"capacityReservationSelectorTerms", terms, "launched first, since it is paid for. Nodes of a Capacity Block are drained before it ends"}}
}

// interfaces are those of EFA, where they are wanted from the launch on. Without, a node
// gets them when a pod asks for vpc.amazonaws.com/efa.
//
// Source: Amazon EKS user guide, manage EFA devices, network interfaces of Karpenter's
// EC2NodeClass, read 2026-11-30.
func (p *pool) interfaces() []field {
	if !p.spec.EFA {
		return nil
	}
	i := p.instances[0]
	if i.EFA == 0 {
		p.remark("%s has no EFA: render.nodepool.efa is passed over", i.Name)
		return nil
	}
	all := []object{networkInterface(0, 0, "interface")}
	first := 0
	if i.Family == "p6-b300" { // its first card has no EFA
		first = 1
	} else {
		all = append(all, networkInterface(0, 1, "efa-only"))
	}
	for card := 1; card < i.EFA+first; card++ {
		all = append(all, networkInterface(card, 0, "efa-only"))
	}
	return []field{{"networkInterfaces", all, fmt.Sprintf("the %d EFA interfaces of %s, without addresses of their own, and one for IP", i.EFA, i.Name)}}
}

func networkInterface(card, device int, kind string) object {
	return object{{"networkCardIndex", card, ""}, {"deviceIndex", device, ""}, {"interfaceType", kind, ""}}
}

func (p *pool) whyLocal() string {
	what := "images and the kubelet's files"
	if !p.localImages() {
		what = "the kubelet's files, and with them what pods write,"
	}
	return fmt.Sprintf(what+" lie on the instance store (%d GB of NVMe on %s), which needs no provisioning and is emptied with the node", p.instances[0].NVMe/1e9, p.instances[0].Name)
}

// snapshotRate is the fastest that EBS fills a volume from a snapshot, MiB/s: the field's
// maximum in the EC2NodeClass's CRD.
const snapshotRate = 300

// Sizes of disks, GiB.
const (
	systemGiB  = 20 // AL2023, its logs, what the kubelet keeps
	imageGiB   = 10 // of an image of vLLM, compressed (facts.VLLMImage)
	kernelsGiB = 20 // compiled kernels and graphs beside the weights
)

// disks are the root volume, and Bottlerocket's second one for images.
func (p *pool) disks() []object {
	if p.os() != spec.Bottlerocket {
		return []object{p.disk("/dev/xvda", p.mainDisk())}
	}
	system := object{
		{"volumeType", "gp3", ""}, {"volumeSize", "4Gi", "Bottlerocket's system alone"},
		{"encrypted", true, ""}, {"deleteOnTermination", true, ""},
	}
	return []object{p.disk("/dev/xvda", system), p.disk("/dev/xvdb", p.mainDisk())}
}

func (p *pool) disk(name string, ebs object) object {
	return object{{"deviceName", name, ""}, {"ebs", ebs, ""}}
}

// mainDisk holds images and what pods write, where no instance store does.
func (p *pool) mainDisk() object {
	size, why := p.size()
	o := object{{"volumeType", "gp3", ""}, {"volumeSize", fmt.Sprintf("%dGi", size), why}}
	if throughput := p.throughput(); throughput > 0 {
		o = append(o, field{"throughput", throughput, p.whyThroughput(throughput)})
		why := ""
		iops := practice.GP3IOPS(float64(throughput))
		if iops > facts.GP3.BaseIOPS {
			why = fmt.Sprintf("a quarter of a MiB/s each: %d MiB/s take %.0f", throughput, iops)
		}
		o = append(o, field{"iops", int(iops), why})
	}
	o = append(o, field{"encrypted", true, ""}, field{"deleteOnTermination", true, ""})
	if p.spec.Snapshot != "" {
		o = append(o,
			field{"snapshotID", p.spec.Snapshot, "the images are in it: a node does not pull them"},
			field{"volumeInitializationRate", snapshotRate, "MiB/s: its blocks come from S3 from the launch on, for a price by the GB. Without, each comes at its first read, and a start waits for them"},
		)
	}
	return o
}

// size is of the volume, GiB, and how it came about.
func (p *pool) size() (gib int, why string) {
	if p.spec.RootGiB > 0 {
		return p.spec.RootGiB, "as asked for"
	}
	image := cmp.Or(p.spec.ImageGiB, imageGiB)
	unpacked := int(math.Ceil(float64(image) * facts.ImageUnpacked.High))
	if p.localImages() {
		return 2*systemGiB + image, "the system alone; images lie on the instance store"
	}
	gib = systemGiB + image + unpacked
	why = fmt.Sprintf("%d GiB for the system, an image of %d GiB and %d GiB unpacked", systemGiB, image, unpacked)
	if weights := p.onNode(); weights > 0 && !p.local {
		gib += weights + kernelsGiB
		why += fmt.Sprintf(", %d GiB for weights from the hub and formats beside them, %d GiB for compiled kernels", weights, kernelsGiB)
	}
	return 10 * ((gib + 9) / 10), why + ", rounded up"
}

// onNode is how much of the node's disk weights take, GiB: where they come from the hub.
func (p *pool) onNode() int {
	_, stored := p.Spec.Storage.For(spec.ForWeights)
	if p.Plan == nil || p.Option == nil || p.Spec.Serve.Weights != "hub" && (stored || p.Spec.Serve.Claim != "") {
		return 0
	}
	pods := max(1, p.instances[0].Count/max(1, p.Option.TP*p.Option.DP))
	if p.Option.PP > 1 {
		pods = 1
	}
	pods = min(pods, p.Option.Replicas)
	return pods * int((p.Plan.Memory.Weights*3/2+facts.GiB-1)/facts.GiB)
}

// throughput of the volume, MiB/s; 0: gp3's own, which does for the system alone.
func (p *pool) throughput() int {
	switch {
	case p.spec.Throughput > 0:
		return p.spec.Throughput
	case p.localImages():
		return 0
	}
	return int(facts.GP3.OlderThroughput / facts.MiB)
}

func (p *pool) whyThroughput(have int) string {
	least := int(facts.ParallelDisk.Value / facts.MiB)
	switch {
	case have < least && !p.plainPulls() && !p.localImages():
		p.remark("a root volume of %d MiB/s makes parallel pulls slower than plain ones: they want %d", have, least)
		return fmt.Sprintf("as asked for: LESS than the %d MiB/s below which parallel pulls are slower than plain ones", least)
	case p.spec.Throughput > 0:
		return "as asked for"
	case p.plainPulls():
		return "gp3's 125 MiB/s take minutes for an image"
	}
	return fmt.Sprintf("gp3's 125 MiB/s take minutes for an image; parallel pulls are slower than plain ones below %d", least)
}

// plainPulls says that containerd pulls as it does by default. A snapshot holds images
// as the snapshotter that pulled them left them.
func (p *pool) plainPulls() bool {
	return p.spec.PlainPulls || p.spec.Snapshot != "" || !p.soci.Pulls
}

// userData turns on parallel pulls, in the way of each system.
//
// Sources: Amazon EKS AMI, nodeadm, feature gate FastImagePull; Bottlerocket 1.44,
// settings.container-runtime-plugins; SOCI snapshotter, parallel mode; read 2026-11-30.
func (p *pool) userData() []field {
	if p.plainPulls() {
		return nil
	}
	if p.os() == spec.Bottlerocket {
		return []field{{"userData", strings.TrimLeft(bottlerocketSOCI, "\n"), "layers are downloaded in pieces and unpacked at once, by the SOCI snapshotter. Images need no index"}}
	}
	return []field{{"userData", strings.TrimLeft(al2023SOCI, "\n"), "layers are downloaded in pieces and unpacked at once, by the SOCI snapshotter. Images need no index. AWS calls the gate experimental"}}
}

const al2023SOCI = `
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  featureGates:
    FastImagePull: true
`

const bottlerocketSOCI = `
[settings.container-runtime]
snapshotter = "soci"

[settings.container-runtime-plugins.soci-snapshotter]
pull-mode = "parallel-pull-unpack"

[settings.container-runtime-plugins.soci-snapshotter.parallel-pull-unpack]
max-concurrent-downloads-per-image = 20
concurrent-download-chunk-size = "16mb"
max-concurrent-unpacks-per-image = 12
discard-unpacked-layers = true
`
