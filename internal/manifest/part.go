package manifest

import (
	"fmt"
	"slices"

	"assay/internal/spec"
)

// Part is one kind of manifests, that of `assay render NAME`.
type Part struct {
	Name  string
	About string // in one line, as help shows it
	Plans bool   // it is written from a plan of `assay plan serve`
	Image bool   // it has an image that --image sets
	Write func(Input) ([]Written, error)
}

// Parts are all that are written from an Input, in the order in which they are applied.
var Parts = []Part{
	{"secrets", "what fetches the keys of Hugging Face and NGC from AWS Secrets Manager, with the role's policies", false, false, Secrets},
	{"storage", "StorageClasses, PersistentVolumes and claims on EBS, EFS, FSx for Lustre and S3", false, false, Storage},
	{"nodepool", "Karpenter's NodePool and EC2NodeClass for what the plan chose", true, false, NodePool},
	{"serve", "vLLM as a plan lays it out: workload, Service, disruption budget, autoscaler", true, true, Serve},
	{"train", "a training job, a JobSet or a PyTorchJob, and what queues it", false, true, Train},
	{"monitoring", "rules, alerts, monitors, DCGM counters and dashboards", false, false, monitoringOf},
	{"bench", "the Job that measures the service from within the cluster", true, true, Bench},
}

// PartNamed finds one.
func PartNamed(name string) (Part, bool) {
	i := slices.IndexFunc(Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return Part{}, false
	}
	return Parts[i], true
}

// All are the parts that assay.yaml names; with a plan serving and its node pool too.
func (in Input) All() []string {
	var names []string
	for _, p := range Parts {
		if in.Spec.Names(p.Name) || in.Option != nil && (p.Name == "serve" || p.Name == "nodepool") || in.Trained != nil && p.Name == "train" {
			names = append(names, p.Name)
		}
	}
	return names
}

// Render writes the parts named as one folder, and what the user should know of them.
func Render(in Input, names []string) (files []File, remarks []string, err error) {
	var all []Written
	for _, p := range Parts {
		if !slices.Contains(names, p.Name) {
			continue
		}
		in.Rendered = names
		if err := in.pinned(p.Name); err != nil {
			return nil, nil, fmt.Errorf("render %s: %w", p.Name, err)
		}
		more, err := p.Write(in)
		if err != nil {
			return nil, nil, fmt.Errorf("render %s: %w", p.Name, err)
		}
		all = append(all, more...)
	}
	for _, w := range all {
		remarks = append(remarks, w.Remarks...)
	}
	files, err = Folder(in.title(names), all)
	return files, remarks, err
}

func (in Input) title(names []string) string {
	title := "Written by `assay render`: change assay.yaml or the plan and write it again, rather than these files.\nkubectl apply -k this folder."
	if len(names) == 1 {
		title = fmt.Sprintf("Written by `assay render %s`: change assay.yaml or the plan and write it again, rather than these files.\nkubectl apply -k this folder.", names[0])
	}
	if in.Option != nil && in.Plan != nil {
		title += fmt.Sprintf("\n%s by %s, of a plan for %s.", in.Plan.Model.Name, in.Option.ID, loadOf(in))
	}
	return title
}

// loadOf is the load that the plan is for.
func loadOf(in Input) string {
	a := in.Plan.Request
	if a.Rate > 0 {
		return fmt.Sprintf("%g requests/s of %d + %d tokens", a.Rate, a.ISL, a.OSL)
	}
	return fmt.Sprintf("%d requests in flight of %d + %d tokens", a.Concurrency, a.ISL, a.OSL)
}

// monitoringOf is monitoring of the service that is rendered: its names and limits.
func monitoringOf(in Input) ([]Written, error) {
	m := in.Spec.Monitoring
	opt := Options{
		Namespace: in.Spec.Namespace, Selector: nameLabel + "=" + in.name(),
		ReleaseLabel: m.ReleaseLabel, RunbookURL: m.RunbookURL, DCGMNamespace: m.DCGMNamespace,
	}
	opt, remarks := opt.Declared(in.SLO, spec.FileName)
	if in.Run != nil {
		var more []string
		opt, more = opt.Measured(in.Run, in.Measured.Run)
		remarks = append(remarks, more...)
	}
	all, err := MonitoringObjects(opt)
	if err != nil {
		return nil, err
	}
	all[0].Remarks = remarks
	return all, nil
}
