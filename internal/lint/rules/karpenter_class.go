package rules

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

func isNodeClass(o *lint.Object) bool { return o.Is("karpenter.k8s.aws", "EC2NodeClass") }

func classOf(o *lint.Object) lint.Class { return lint.Class{Object: o} }

// onClasses is a rule over EC2NodeClasses.
func onClasses(check func(*lint.Pass, *lint.Object)) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		if isNodeClass(o) {
			check(p, o)
		}
	}
}

func reservedTag(p *lint.Pass, o *lint.Object) {
	for key := range o.Get("spec", "tags").Pairs() {
		switch name := key.Text(); {
		case strings.HasPrefix(name, "aws:ec2:placement-group"):
			p.Fail(key, "the tag %s is reserved, and a tag places nothing: nodes come into a group by spec.placementGroupSelector: {name: NAME}", name)
		case strings.HasPrefix(strings.ToLower(name), "aws:"):
			p.Fail(key, "tag keys that begin with aws: are reserved, and EC2 refuses a launch with %s", name)
		}
	}
}

// placements are names under which a placement group is written and not read.
var placements = []string{"placementGroup", "placementGroupName", "placementGroupId", "placement", "placementGroups", "placementGroupSelectorTerms"}

func placementField(p *lint.Pass, o *lint.Object) {
	for _, name := range placements {
		if key := o.Get("spec").Key(name); key.Exists() {
			p.Fail(key, "spec.%s is no field of an EC2NodeClass: nodes come into a group by spec.placementGroupSelector: {name: NAME} or {id: pg-…}", name)
		}
	}
}

func al2(p *lint.Pass, o *lint.Object) {
	for _, term := range o.Get("spec", "amiSelectorTerms").Items() {
		if alias := term.Get("alias"); strings.HasPrefix(alias.Text(), "al2@") {
			p.Fail(alias, "%s: there are no new images of Amazon Linux 2 since 2025-11-26; its successor is al2023", alias.Text())
			return
		}
	}
	if family := o.Get("spec", "amiFamily"); family.Text() == "AL2" {
		p.Fail(family, "AL2: there are no new images of Amazon Linux 2 since 2025-11-26; its successor is AL2023")
	}
}

func publicAddress(p *lint.Pass, o *lint.Object) {
	at := o.Get("spec", "associatePublicIPAddress")
	if on, _ := at.Bool(); !on {
		return
	}
	if n := len(o.Get("spec", "networkInterfaces").Items()); n > 1 {
		p.Fail(at, "associatePublicIPAddress with %d network interfaces: EC2 gives a public address to an instance of one interface alone, and refuses the launch", n)
	}
}

// kubeletFields are those of spec.kubelet. Source: the EC2NodeClass of Karpenter's AWS
// provider v1.14.0, read 2026-11-30.
var kubeletFields = []string{
	"clusterDNS", "cpuCFSQuota", "evictionHard", "evictionMaxPodGracePeriod", "evictionSoft", "evictionSoftGracePeriod",
	"imageGCHighThresholdPercent", "imageGCLowThresholdPercent", "kubeReserved", "maxPods", "podsPerCore", "systemReserved",
}

func kubeletMisspelt(p *lint.Pass, o *lint.Object) {
	kubelet := o.Get("spec", "kubelet")
	for key := range kubelet.Pairs() {
		if slices.Contains(kubeletFields, key.Text()) {
			continue
		}
		near, ok := nearest(key.Text(), kubeletFields)
		if !ok {
			for _, f := range kubeletFields {
				if strings.EqualFold(f, key.Text()) {
					near, ok = f, true
				}
			}
		}
		if ok {
			p.Fail(key, "spec.kubelet has no %s: it is %s", key.Text(), near).Edits = p.Rename(kubelet, key.Text(), near)
		}
	}
}

func userDataForm(p *lint.Pass, o *lint.Object) {
	at := o.Get("spec", "userData")
	text := strings.TrimSpace(at.Text())
	if text == "" {
		return
	}
	switch classOf(o).Family() {
	case "Bottlerocket":
		for _, begin := range []string{"MIME-Version:", "Content-Type:", "#!", "apiVersion:", "#cloud-config"} {
			if strings.HasPrefix(text, begin) {
				p.Fail(at, "userData begins with %s: Bottlerocket takes TOML alone, such as [settings.kubernetes]", begin)
				return
			}
		}
	case "AL2023", "AL2":
		if strings.HasPrefix(text, "[settings") {
			p.Fail(at, "userData is TOML of Bottlerocket: %s takes a MIME archive, a NodeConfig or a script", classOf(o).Family())
		}
	}
}

func bootstrapScript(p *lint.Pass, o *lint.Object) {
	at := o.Get("spec", "userData")
	if i := strings.Index(at.Text(), "/etc/eks/bootstrap.sh"); i >= 0 && classOf(o).Family() == "AL2023" {
		p.FailIn(at, i, "AL2023 has no /etc/eks/bootstrap.sh: nodeadm reads a NodeConfig, and Karpenter adds its own")
	}
}

// disk is a volume of a class as far as it is written.
type disk struct {
	ebs  source.Value
	name string
}

func disks(o *lint.Object) []disk {
	var all []disk
	for _, m := range o.Get("spec", "blockDeviceMappings").Items() {
		all = append(all, disk{m.Get("ebs"), m.Get("deviceName").Text()})
	}
	return all
}

// parallelPull is where a class turns on parallel pull and unpack, comments left out; -1:
// nowhere.
func parallelPull(o *lint.Object) int {
	at := 0
	for line := range strings.Lines(o.Get("spec", "userData").Text()) {
		told := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(told, "FastImagePull: true") || sociTold.MatchString(told) {
			return at + len(line) - len(told)
		}
		at += len(line)
	}
	return -1
}

// sociTold is the snapshotter of Bottlerocket, or of containerd.
var sociTold = regexp.MustCompile(`^snapshotter *= *"soci"`)

func sociSlowRoot(p *lint.Pass, o *lint.Object) {
	pull := parallelPull(o)
	device, known := classOf(o).ImageDevice()
	if pull < 0 || !known {
		return
	}
	if os := strings.ToLower(classOf(o).Family()); classOf(o).OnInstanceStore() && practice.SOCIOf(os, amiVersion(o)).OnInstanceStore {
		return
	}
	why := "parallel pull and unpack writes faster than that, and is slower than without: give it %d MiB/s, or images the instance store (instanceStorePolicy: RAID0)"
	if classOf(o).OnInstanceStore() {
		why = "parallel pull and unpack writes faster than that, and is slower than without: give it %d MiB/s, or take a newer AMI, for this one keeps what SOCI pulls on the volume whatever instanceStorePolicy says"
	}
	least := int(facts.ParallelDisk.Value / facts.MiB)
	ebs := classOf(o).ImageDisk()
	if !ebs.Exists() {
		p.FailIn(o.Get("spec", "userData"), pull, "images lie on %s, which is not in blockDeviceMappings and so gets 125 MiB/s: "+why, device, least)
		return
	}
	switch kind := ebs.Get("volumeType").Text(); kind {
	case "", "gp3":
		at := ebs.Get("throughput")
		n, ok := at.Int()
		if at.Exists() && !ok || n >= least {
			return
		}
		if !at.Exists() {
			p.Fail(ebs, "the volume %s of images has no throughput and so gets 125 MiB/s: "+why, device, least)
			return
		}
		p.Fail(at, "the volume %s of images has %d MiB/s: "+why, device, n, least)
	case "gp2":
		p.Fail(ebs.Get("volumeType"), "the volume %s of images is gp2, with 250 MiB/s at most: "+why, device, least)
	}
}

func volumeLimits(p *lint.Pass, o *lint.Object) {
	for _, d := range disks(o) {
		kind := d.ebs.Get("volumeType").Text()
		iops, hasIOPS := d.ebs.Get("iops").Int()
		rate := d.ebs.Get("throughput")
		n, hasRate := rate.Int()
		switch gp3 := facts.GP3; {
		case kind != "" && kind != "gp3":
			if hasRate {
				p.Fail(rate, "throughput is set on %s: only gp3 takes it, and EC2 refuses the launch", kind)
			}
			if hasIOPS && (kind == "gp2" || kind == "st1" || kind == "sc1" || kind == "standard") {
				p.Fail(d.ebs.Get("iops"), "iops is set on %s, which takes none: EC2 refuses the launch", kind)
			}
		case hasIOPS && (float64(iops) < gp3.BaseIOPS || float64(iops) > gp3.MostIOPS):
			p.Fail(d.ebs.Get("iops"), "iops %d: gp3 takes %.0f to %.0f", iops, gp3.BaseIOPS, gp3.MostIOPS)
		case hasRate && (float64(n)*facts.MiB < gp3.BaseThroughput || float64(n)*facts.MiB > gp3.MostThroughput):
			p.Fail(rate, "throughput %d MiB/s: gp3 takes %.0f to %.0f", n, gp3.BaseThroughput/facts.MiB, gp3.MostThroughput/facts.MiB)
		case hasRate:
			if !hasIOPS {
				iops = int(gp3.BaseIOPS)
			}
			if most := float64(iops) * gp3.ThroughputPerIOPS; float64(n)*facts.MiB > most {
				p.Fail(rate, "throughput %d MiB/s with %d IOPS: gp3 gives 0.25 MiB/s for each, here %.0f; it takes iops: %.0f", n, iops, most/facts.MiB, math.Ceil(float64(n)*facts.MiB/gp3.ThroughputPerIOPS))
			}
		}
	}
}

// leastSized is a size that nobody gives to a disk of no use, GiB.
const leastSized = 50

func wrongDisk(p *lint.Pass, o *lint.Object) {
	device, known := classOf(o).ImageDevice()
	if !known || classOf(o).ImageDisk().Exists() || classOf(o).OnInstanceStore() {
		return
	}
	for _, m := range o.Get("spec", "blockDeviceMappings").Items() {
		if on, _ := m.Get("rootVolume").Bool(); on {
			return
		}
	}
	all := disks(o)
	if len(all) != 1 || lint.Gibibytes(all[0].ebs.Get("volumeSize").Text()) < leastSized {
		return
	}
	at := o.Get("spec", "blockDeviceMappings").Items()[0].Get("deviceName")
	p.Fail(at, "%s is given %s, and %s keeps container images on %s, which stays at Karpenter's 20 GiB", all[0].name, all[0].ebs.Get("volumeSize").Text(), classOf(o).Family(), device)
}
