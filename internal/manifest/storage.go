package manifest

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan"
	"assay/internal/plan/storage"
	"assay/internal/practice"
	"assay/internal/spec"
)

// Storage writes the volumes of render.storage, each with its claim: a StorageClass
// where a volume is made, a PersistentVolume where it exists.
func Storage(in Input) ([]Written, error) {
	if len(in.Spec.Storage.Volumes) == 0 {
		return nil, &plan.UsageError{What: "no volume is named", Way: "write render.storage in assay.yaml, such as storage: {kind: efs, file_system: fs-0a1b2c3d}"}
	}
	var all []Written
	for _, v := range in.Spec.Storage.Volumes {
		more, err := in.volume(v)
		if err != nil {
			return nil, fmt.Errorf("volume %s: %w", v.Name, err)
		}
		all = append(all, more...)
	}
	return all, nil
}

// volume is one that is written.
type volume struct {
	Input
	spec.RenderVolume
	gib     int // 0: not known, and of no effect
	remarks []string
}

func (v *volume) remark(format string, args ...any) {
	v.remarks = append(v.remarks, fmt.Sprintf(format, args...))
}

func (in Input) volume(v spec.RenderVolume) ([]Written, error) {
	w := &volume{Input: in, RenderVolume: v, gib: v.GiB}
	if w.gib == 0 && v.For == spec.ForWeights && in.Plan != nil {
		w.gib = int(10 * math.Ceil(float64(in.Plan.Memory.Weights)*1.3/(10*facts.GiB)))
	}
	write := map[string]func() ([]Written, error){spec.OnEBS: w.ebs, spec.OnEFS: w.efs, spec.OnFSx: w.fsx, spec.OnS3: w.s3}[v.Kind]
	if write == nil {
		return nil, &plan.UsageError{What: "its kind is not known", Way: "write kind: ebs, efs, fsx or s3"}
	}
	all, err := write()
	if err != nil {
		return nil, err
	}
	all[0].Remarks = w.remarks
	return all, nil
}

// claimName is that of the claim, and of what is written beside it.
func (v *volume) claimName() string { return v.Claim(v.name()) }

// kept says that what a volume holds is not to go with its claim.
func (v *volume) kept() bool { return v.For != spec.ForData }

func (v *volume) reclaim() (policy, why string) {
	switch {
	case v.For == spec.ForCheckpoints:
		return "Retain", "a claim or a namespace that is deleted does not take the checkpoints with it; a volume that nobody needs is deleted by hand"
	case v.kept():
		return "Retain", "a claim or a namespace that is deleted does not take the weights with it; a volume that nobody needs is deleted by hand"
	}
	return "Delete", "the volume goes with its claim"
}

// class is a StorageClass. The driver's faults are refused here, before it does.
func (v *volume) class(driver string, parameters object, faults []practice.Fault, rest ...field) (Written, error) {
	if len(faults) > 0 {
		var says []string
		for _, f := range faults {
			says = append(says, f.Say)
		}
		return Written{}, &plan.UsageError{What: strings.Join(says, "; "), Way: "change render.storage in assay.yaml"}
	}
	return Written{Name: v.claimName() + "-class.yaml", Object: append(object{
		{"apiVersion", "storage.k8s.io/v1", ""},
		{"kind", "StorageClass", ""},
		{"metadata", v.clusterMeta(v.claimName()), ""},
		{"provisioner", driver, ""},
		{"parameters", parameters, ""},
	}, rest...)}, nil
}

// texts are parameters as the driver gets them.
func texts(o object) map[string]string {
	m := map[string]string{}
	for _, f := range o {
		if s, ok := f.value.(string); ok && s != "" {
			m[f.name] = s
		}
	}
	return m
}

// claim is the PersistentVolumeClaim: of a class, or of the volume of its name.
func (v *volume) claim(mode, whyMode, size, whySize string, static bool) Written {
	o := object{{"accessModes", []item{{mode, whyMode}}, ""}}
	if static {
		o = append(o,
			field{"storageClassName", noText{}, "no class: the volume exists, and a default class must not make another"},
			field{"volumeName", v.claimName(), ""},
		)
	} else {
		o = append(o, field{"storageClassName", v.claimName(), ""})
	}
	return Written{Name: v.claimName() + "-claim.yaml", Head: v.load(), Object: object{
		{"apiVersion", "v1", ""},
		{"kind", "PersistentVolumeClaim", ""},
		{"metadata", v.meta(v.claimName()), ""},
		{"spec", append(o, field{"resources", object{{"requests", object{{"storage", size, whySize}}, ""}}, ""}), ""},
	}}
}

// persistent is a PersistentVolume of something that exists, kept for its claim.
func (v *volume) persistent(mode, size string, csi object, options []item) Written {
	o := object{
		{"capacity", object{{"storage", size, "Kubernetes wants a size; the driver does not look at it"}}, ""},
		{"accessModes", []string{mode}, ""},
		{"persistentVolumeReclaimPolicy", "Retain", "it was there before, and stays when the claim goes"},
		{"storageClassName", noText{}, ""},
	}
	if ns := v.Spec.Namespace; ns != "" {
		o = append(o, field{"claimRef", object{{"namespace", ns, ""}, {"name", v.claimName(), ""}}, "no other claim takes it"})
	}
	if len(options) > 0 {
		o = append(o, field{"mountOptions", options, ""})
	}
	return Written{Name: v.claimName() + "-volume.yaml", Object: object{
		{"apiVersion", "v1", ""},
		{"kind", "PersistentVolume", ""},
		{"metadata", v.clusterMeta(v.claimName()), ""},
		{"spec", append(o, field{"csi", csi, ""}), ""},
	}}
}

// ignoredSize is a size that Kubernetes wants and the driver does not look at.
func (v *volume) ignoredSize() string { return fmt.Sprintf("%dGi", max(1, v.gib)) }

func (v *volume) size() error {
	if v.gib > 0 {
		return nil
	}
	return &plan.UsageError{What: "its size is not known", Way: "give size, such as size: 500Gi, or a plan whose weights it holds"}
}

// readers are the pods that load at once.
func (v *volume) readers() int {
	if v.Option == nil || v.Kind == spec.OnEBS {
		return 1
	}
	return max(1, cmp.Or(v.Spec.Serve.Replicas, v.Option.Replicas))
}

// load says how long the weights take from there; empty where they are not known.
func (v *volume) load() string {
	kind, given := v.flow()
	if v.For != spec.ForWeights || v.Plan == nil || v.Option == nil || kind == "" {
		return ""
	}
	instance, err := facts.InstanceNamed(v.Option.Instance)
	if err != nil {
		return ""
	}
	flow, took, err := practice.Load(v.Plan.Memory.Weights, kind, given, &instance, v.readers())
	if err != nil {
		return ""
	}
	weights := float64(v.Plan.Memory.Weights)
	if practice.Slow(took) {
		v.remark("%s: loading %.0f GB of weights takes about %.0f minutes: see assay plan storage for what is faster", v.claimName(), weights/1e9, took.Mid/60)
	}
	each := "a reader"
	if n := v.readers(); n > 1 {
		each = fmt.Sprintf("each of %d readers", n)
	}
	return fmt.Sprintf("%s: %s gets %s, bound by the %s, so that %.0f GB of weights take %s s. Estimated; see assay plan storage.", v.claimName(), each, rates(flow.Reader), flow.Binding, weights/1e9, spanned(took))
}

func rates(r figure.Range) string {
	if r.Low == r.High {
		return storage.Rate(r.Mid)
	}
	return storage.Rate(r.Low) + " to " + storage.Rate(r.High)
}

func spanned(r figure.Range) string {
	if math.Round(r.Low) == math.Round(r.High) {
		return fmt.Sprintf("%.0f", r.Mid)
	}
	return fmt.Sprintf("%.0f to %.0f", r.Low, r.High)
}
