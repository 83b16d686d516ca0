package lint

import (
	"fmt"
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint/source"
)

// Class is an EC2NodeClass, of which rules ask where container images lie.
type Class struct{ *Object }

// Family is the AMI family as amiFamily writes it; empty: not known.
func (c Class) Family() string {
	if f := c.Get("spec", "amiFamily").Text(); f != "" {
		return f
	}
	for _, term := range c.Get("spec", "amiSelectorTerms").Items() {
		switch family, _, _ := strings.Cut(term.Get("alias").Text(), "@"); family {
		case "al2":
			return "AL2"
		case "al2023":
			return "AL2023"
		case "bottlerocket":
			return "Bottlerocket"
		}
	}
	return ""
}

// ImageDevice is the device that holds container images. Source: Karpenter's AWS
// provider v1.14.0, pkg/providers/amifamily, read 2026-11-30.
func (c Class) ImageDevice() (device string, ok bool) {
	switch c.Family() {
	case "AL2", "AL2023":
		return "/dev/xvda", true
	case "Bottlerocket":
		return "/dev/xvdb", true
	}
	return "", false
}

// ImageDisk is the volume that holds images; absent where none is written, and Karpenter
// adds one of 20 GiB gp3.
func (c Class) ImageDisk() source.Value {
	device, _ := c.ImageDevice()
	for _, m := range c.Get("spec", "blockDeviceMappings").Items() {
		if m.Get("deviceName").Text() == device {
			return m.Get("ebs")
		}
	}
	return source.Value{}
}

// OnInstanceStore says that images lie on local disks, where the type has some.
func (c Class) OnInstanceStore() bool {
	return c.Get("spec", "instanceStorePolicy").Text() == "RAID0"
}

// Room is what images have room in, GiB, and how that is said; 0 where it is not known, as
// on a snapshot or the instance store.
func (c Class) Room() (gib float64, said string) {
	device, known := c.ImageDevice()
	if !known || c.OnInstanceStore() {
		return 0, ""
	}
	for _, m := range c.Get("spec", "blockDeviceMappings").Items() {
		if on, _ := m.Get("rootVolume").Bool(); on {
			return 0, ""
		}
	}
	ebs := c.ImageDisk()
	size := ebs.Get("volumeSize")
	switch {
	case !ebs.Exists():
		return 20, fmt.Sprintf("%s is not in blockDeviceMappings and gets Karpenter's 20 GiB", device)
	case ebs.Get("snapshotID").Exists() || !size.Exists():
		return 0, ""
	}
	return Gibibytes(size.Text()), fmt.Sprintf("%s has %s", device, size.Text())
}

// Gibibytes of a size such as 100Gi; 0: not known.
func Gibibytes(s string) float64 {
	n, ok := karpenter.Quantity(s)
	if !ok {
		return 0
	}
	return n / (1 << 30)
}
