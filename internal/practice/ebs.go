package practice

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/plan/storage"
)

// EBSDriverName is the provisioner's; EBSInTree was Kubernetes' own, taken out in 1.27;
// EBSAutoMode is that of EKS Auto Mode.
const (
	EBSDriverName = "ebs.csi.aws.com"
	EBSInTree     = "kubernetes.io/aws-ebs"
	EBSAutoMode   = "ebs.csi.eks.amazonaws.com"
)

// Sources of what EBS and its driver take.
var (
	EBSDriver = facts.Source{Title: "EBS CSI driver, parameters of a StorageClass", URL: "https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/parameters.md", Date: "2026-11-30"}
	EBSLimits = facts.GP3.Source
)

// Practices of EBS, each a rule of lint.
const (
	EBSParameter  = "ebs-parameter-unknown"
	EBSThroughput = "ebs-throughput"
	EBSIOPS       = "ebs-iops"
)

// ebsKeys are the driver's parameters; it folds their case.
var ebsKeys = []string{
	"type", "iops", "iopsPerGB", "allowAutoIOPSPerGBIncrease", "throughput", "encrypted", "kmsKeyId", "blockExpress", "blockSize", "inodeSize",
	"bytesPerInode", "numberOfInodes", "ext4BigAlloc", "ext4ClusterSize", "ext4EncryptionSupport", "volumeInitializationRate", "outpostArn", "fsType",
}

// EBSFaults are what is wrong with the parameters of a StorageClass of EBS.
func EBSFaults(parameters map[string]string) []Fault {
	all := params(parameters).known(EBSParameter, "the EBS driver's, which refuses it", ebsKeys, true, "tagSpecification")
	p := ebsParamsOf(parameters)
	return append(append(all, p.iops()...), p.throughput()...)
}

// ebsParam is one parameter with its key as it was written.
type ebsParam struct{ key, value string }

type ebsParams map[string]ebsParam

func ebsParamsOf(parameters map[string]string) ebsParams {
	p := ebsParams{}
	for _, key := range sortedKeys(parameters) {
		p[strings.ToLower(key)] = ebsParam{key, parameters[key]}
	}
	return p
}

func (p ebsParams) number(key string) (n float64, at ebsParam, ok bool) {
	at, ok = p[key]
	if !ok {
		return 0, at, false
	}
	v, err := strconv.ParseFloat(at.value, 64)
	return v, at, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// kind is the type of volume, by default gp3.
func (p ebsParams) kind() string {
	if v := p["type"].value; v != "" {
		return v
	}
	return "gp3"
}

func (p ebsParams) iops() []Fault {
	n, at, set := p.number("iops")
	_, perGB, both := p.number("iopspergb")
	fault := func(at ebsParam, absent bool, format string, args ...any) []Fault {
		return []Fault{{Practice: EBSIOPS, Key: at.key, Absent: absent, Say: fmt.Sprintf(format, args...)}}
	}
	_, written := p["iops"]
	switch kind := p.kind(); {
	case written && !set:
		return fault(at, false, "iops is %q: a number", clipped(at.value))
	case set && both:
		return fault(perGB, false, "iops and iopsPerGB together: the driver takes one of them")
	case kind == "gp3" && set && (n < facts.GP3.BaseIOPS || n > facts.GP3.MostIOPS):
		return fault(at, false, "iops is %.0f: a gp3 volume has between %.0f, which are in its price, and %.0f", n, facts.GP3.BaseIOPS, facts.GP3.MostIOPS)
	case (kind == "io1" || kind == "io2") && !set && !both:
		return fault(ebsParam{key: "iops"}, true, "type %s without iops: it has as many as are provisioned, 100 at least", kind)
	case (kind == "io1" || kind == "io2") && set && n < facts.IO2.BaseIOPS:
		return fault(at, false, "iops is %g: a volume of type %s has 100 at least", n, kind)
	case kind == "io2" && set && n > facts.IO2.MostIOPS:
		return fault(at, false, "iops is %g: an io2 volume has %.0f at most", n, facts.IO2.MostIOPS)
	case slices.Contains([]string{"gp2", "st1", "sc1", "standard"}, kind) && set:
		return fault(at, false, "iops beside type %s, whose IOPS come of its size: gp3, io1 and io2 take them", kind)
	}
	return nil
}

func (p ebsParams) throughput() []Fault {
	n, at, set := p.number("throughput")
	if at.key == "" {
		return nil
	}
	fault := func(format string, args ...any) []Fault {
		return []Fault{{Practice: EBSThroughput, Key: at.key, Say: fmt.Sprintf(format, args...)}}
	}
	if kind := p.kind(); kind != "gp3" {
		return fault("throughput beside type %s, which takes none: only gp3 does", clipped(kind))
	}
	if !set {
		return fault("throughput is %q: a number of MiB/s", clipped(at.value))
	}
	iops, _, given := p.number("iops")
	if !given {
		iops = facts.GP3.BaseIOPS
	}
	if _, ok := p["iopspergb"]; ok && !given {
		iops = math.Inf(1) // by the size of the claim
	}
	if problem, ok := GP3Throughput(n, iops); ok {
		return fault("%s", problem)
	}
	return nil
}

// GP3Throughput says what is wrong with a throughput, MiB/s, beside a number of IOPS.
func GP3Throughput(throughput, iops float64) (problem string, wrong bool) {
	v := facts.GP3
	base, most := v.BaseThroughput/facts.MiB, v.MostThroughput/facts.MiB
	if throughput < base || throughput > most {
		return fmt.Sprintf("throughput is %g MiB/s: a gp3 volume has between %g and %g", throughput, base, most), true
	}
	allows := iops * v.ThroughputPerIOPS / facts.MiB
	if throughput > allows {
		return fmt.Sprintf("throughput is %g MiB/s, and %.0f IOPS allow %.0f (a quarter of a MiB/s each): it takes %.0f IOPS", throughput, iops, allows, GP3IOPS(throughput)), true
	}
	return "", false
}

// GP3IOPS is how many IOPS a throughput in MiB/s takes, no fewer than come with the
// price of a volume.
func GP3IOPS(throughput float64) float64 {
	return math.Max(facts.GP3.BaseIOPS, math.Ceil(throughput*facts.MiB/facts.GP3.ThroughputPerIOPS))
}

// ebsFlow is the volume that parameters make. Throughput that the volume cannot have is
// another practice's.
func ebsFlow(parameters map[string]string) (storage.Kind, storage.Given, bool) {
	p := ebsParamsOf(parameters)
	switch p.kind() {
	case "gp3":
		rate, _, set := p.number("throughput")
		if !set {
			rate = facts.GP3.BaseThroughput / facts.MiB
		}
		return storage.GP3, storage.Given{Throughput: rate * facts.MiB}, rate > 0
	case "io2":
		iops, _, set := p.number("iops")
		return storage.IO2, storage.Given{Throughput: math.Min(iops*facts.IO2.ThroughputPerIOPS, facts.IO2.MostThroughput)}, set && iops > 0
	}
	return "", storage.Given{}, false
}
