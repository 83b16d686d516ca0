package rules

import (
	"slices"
	"strings"

	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// driven is a PersistentVolume's CSI source where it is of a driver.
func driven(o *lint.Object, driver string) (source.Value, bool) {
	csi := o.Get("spec", "csi")
	return csi, csi.Get("driver").Text() == driver
}

func s3Attributes(p *lint.Pass, o *lint.Object) {
	csi, ok := driven(o, practice.S3DriverName)
	if !ok {
		return
	}
	at := csi.Get("volumeAttributes")
	attributes, ok := given(at)
	if !ok {
		return
	}
	near := csi.Key("volumeAttributes")
	if !at.Exists() {
		near = csi.Get("driver")
	}
	for _, f := range practice.S3Faults(attributes) {
		report(p, at, near, f)
	}
}

func s3Options(p *lint.Pass, o *lint.Object) {
	if _, ok := driven(o, practice.S3DriverName); !ok {
		return
	}
	for _, at := range o.Get("spec", "mountOptions").Items() {
		if f, wrong := practice.S3OptionFault(at.Text()); wrong && !at.Open() {
			p.Fail(at, "%s", f.Say)
		}
	}
}

func fsxAddress(p *lint.Pass, o *lint.Object) {
	csi, ok := driven(o, practice.FSxDriverName)
	if !ok {
		return
	}
	at := csi.Get("volumeAttributes")
	switch near := csi.Key("volumeAttributes"); {
	case at.Get("dnsname").Text() == "":
		if !at.Exists() {
			near = csi.Get("driver")
		}
		p.Fail(near, "dnsname is not among the volumeAttributes: the driver refuses to mount the volume")
	case at.Get("mountname").Text() == "":
		p.Fail(at.Get("dnsname"), "mountname is not among the volumeAttributes: the driver takes fsx, which is the name of SCRATCH_1 alone")
	}
}

func efsHandle(p *lint.Pass, o *lint.Object) {
	csi, ok := driven(o, practice.EFSDriverName)
	at := csi.Get("volumeHandle")
	if !ok || !at.Exists() || at.Open() || len(practice.Marks(at.Text())) > 0 {
		return
	}
	if !practice.EFSHandle.MatchString(at.Text()) {
		p.Fail(at, "volumeHandle is %q: the driver reads fs-ID, fs-ID:/path and fs-ID::fsap-ID", at.Text())
	}
}

func ebsVolumeModes(p *lint.Pass, o *lint.Object) {
	csi := o.Get("spec", "csi")
	local := strings.HasPrefix(csi.Get("volumeHandle").Text(), "local-ebs://") // on each node a volume of its own
	if onEBS(csi.Get("driver").Text()) && !local && o.Get("spec", "volumeMode").Text() != "Block" {
		for _, at := range o.Get("spec", "accessModes").Items() {
			if manyNodes(at.Text()) {
				p.Fail(at, "access mode %s of an EBS volume with a file system: one node at a time attaches it", at.Text())
				return
			}
		}
	}
}

func manyNodes(mode string) bool {
	return slices.Contains([]string{"ReadWriteMany", "ReadOnlyMany"}, mode)
}

// staticDeleted leaves out volumes that a provisioner made: their deletion was meant.
func staticDeleted(p *lint.Pass, o *lint.Object) {
	driver, policy := o.Get("spec", "csi", "driver").Text(), o.Get("spec", "persistentVolumeReclaimPolicy")
	if o.Get("metadata", "annotations", "pv.kubernetes.io/provisioned-by").Exists() || policy.Text() != "Delete" {
		return
	}
	if what := map[string]string{practice.FSxDriverName: "file system", practice.EBSDriverName: "volume"}[driver]; what != "" {
		f := p.Fail(policy, "persistentVolumeReclaimPolicy is Delete: the %s %s goes with the claim", what, o.Get("spec", "csi", "volumeHandle").Text())
		f.Edits = p.SetScalar(policy, "Retain")
	}
}
