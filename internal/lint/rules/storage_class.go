package rules

import (
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// driverFaults say what is wrong with parameters, by provisioner.
var driverFaults = map[string]func(map[string]string) []practice.Fault{
	practice.FSxDriverName: practice.FSxFaults,
	practice.EBSDriverName: practice.EBSFaults,
	practice.EBSAutoMode:   practice.EBSFaults,
	practice.EFSDriverName: practice.EFSFaults,
}

// faults reports those of a StorageClass's parameters that break one practice. A class
// without any is a name by which claims and volumes that exist find each other.
func faults(id string) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		find, ok := driverFaults[o.Get("provisioner").Text()]
		if !ok {
			return
		}
		at := o.Get("parameters")
		parameters, ok := given(at)
		if !ok || len(parameters) == 0 {
			return
		}
		near := o.Root.Key("parameters")
		for _, f := range find(parameters) {
			if f.Practice == id {
				report(p, at, near, f)
			}
		}
	}
}

// given is a mapping of texts; ok is false where one of them is filled in later, since
// it may decide over the others. A pattern is the driver's to fill in: ${.PVC.name}.
func given(v source.Value) (map[string]string, bool) {
	m := map[string]string{}
	for k, item := range v.Pairs() {
		if item.Open() && k.Text() != "subPathPattern" {
			return nil, false
		}
		m[k.Text()] = item.Text()
	}
	return m, true
}

// report points at the value that a fault is about, at the key of a name that nobody
// knows, and where something is absent at what is nearest.
func report(p *lint.Pass, in, near source.Value, f practice.Fault) {
	at := in.Get(f.Key)
	switch {
	case f.Absent:
		at = absentAt(in, near, f)
	case unknownName(f):
		at = in.Key(f.Key)
	}
	if f.Practice == practice.EBSParameter && f.Near == "" {
		p.Unknown(at, "%s; newer drivers may have it", f.Say)
		return
	}
	found := p.Fail(at, "%s", f.Say)
	if f.Near != "" && !in.Get(f.Near).Exists() {
		found.Edits = p.Rename(in, f.Key, f.Near)
	}
}

func unknownName(f practice.Fault) bool {
	switch f.Practice {
	case practice.FSxParameter, practice.EBSParameter, practice.EFSParameter:
		return true
	case practice.S3Attribute:
		return f.Key != "bucketName"
	}
	return false
}

// absentAt is the key that makes the absent one needed, else that of the parameters.
func absentAt(in, near source.Value, f practice.Fault) source.Value {
	cause := map[string]string{"perUnitStorageThroughput": "deploymentType", "throughputCapacity": "storageType", "iops": "type"}[f.Key]
	if at := in.Get(cause); cause != "" && at.Exists() {
		return at
	}
	return near
}

func s3Class(p *lint.Pass, o *lint.Object) {
	at := o.Get("provisioner")
	if at.Text() != practice.S3DriverName {
		return
	}
	for _, key := range []string{"creationPolicy", "prefixPattern"} {
		if v := o.Get("parameters", key); v.Exists() {
			p.Unknown(v, "%s is of drivers that make a volume of a part of a bucket; those up to 2.7 do not", key)
			return
		}
	}
	p.Fail(at, "provisioner is %s, which makes no volumes: it mounts buckets that exist", at.Text())
}

func inTree(p *lint.Pass, o *lint.Object) {
	if at := o.Get("provisioner"); at.Text() == practice.EBSInTree {
		p.Fail(at, "provisioner is %s, which Kubernetes removed in 1.27; the CSI driver's is %s", at.Text(), practice.EBSDriverName)
	}
}

func onEBS(driver string) bool {
	return driver == practice.EBSDriverName || driver == practice.EBSAutoMode
}

func gp2(p *lint.Pass, o *lint.Object) {
	if at := o.Get("parameters", "type"); onEBS(o.Get("provisioner").Text()) && at.Text() == "gp2" {
		p.Fail(at, "type is gp2: gp3 costs a fifth less, and its throughput does not come of its size")
	}
}

// boundEarly leaves classes alone that name their zones: there is nothing to wait for.
func boundEarly(p *lint.Pass, o *lint.Object) {
	mode := o.Get("volumeBindingMode")
	if !onEBS(o.Get("provisioner").Text()) || o.Get("allowedTopologies").Exists() {
		return
	}
	switch {
	case !mode.Exists():
		p.Fail(o.Get("provisioner"), "volumeBindingMode is not set, so it is Immediate: the volume's zone is picked before the pod's")
	case mode.Text() == "Immediate":
		f := p.Fail(mode, "volumeBindingMode is Immediate: the volume's zone is picked before the pod's")
		f.Edits = p.SetScalar(mode, "WaitForFirstConsumer")
	}
}
