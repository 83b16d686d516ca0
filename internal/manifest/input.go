package manifest

import (
	"maps"
	"slices"

	"assay/internal/plan"
	"assay/internal/plan/train"
	"assay/internal/practice"
	"assay/internal/record"
	"assay/internal/spec"
)

// Input is what a part is written from. What is nil or empty is not known.
type Input struct {
	Spec     spec.Render
	Plan     *plan.Result // nil: none
	Option   *plan.Option // of the plan, the one that is written; nil: none
	Measured *practice.Measured

	TrainPlan *train.Result // nil: none
	Trained   *train.Option // of it, the one that is written; nil: none

	Run *record.Run      // that Measured is of; nil: none
	SLO []spec.Criterion // of assay.yaml, else of the plan

	Rendered []string // the parts that are written together
}

// with says that another part is written beside.
func (in Input) with(part string) bool { return slices.Contains(in.Rendered, part) }

// Written is one object with its file's name, or a file beside the objects, such as a
// policy that AWS takes.
type Written struct {
	Name    string // llama-deployment.yaml
	Head    string // comment above it
	Object  object
	Beside  []byte   // in place of an object: a file that the kustomization leaves out
	Remarks []string // for the user: what was left out, and what does not go well
}

// trained is the option of the training plan, an empty one where there is none.
func (in Input) trained() train.Option {
	if in.Trained == nil {
		return train.Option{}
	}
	return *in.Trained
}

// name of the service.
func (in Input) name() string {
	if in.Spec.Name != "" {
		return in.Spec.Name
	}
	return DefaultName
}

// DefaultName is of a service that nobody named.
const DefaultName = "llm"

// meta is an object's metadata in the service's namespace, with the labels of all.
func (in Input) meta(name string) object {
	return object{{"name", name, ""}, {"namespace", in.Spec.Namespace, ""}, {"labels", in.labels(), ""}}
}

// clusterMeta is that of an object without a namespace.
func (in Input) clusterMeta(name string) object {
	return object{{"name", name, ""}, {"labels", in.labels(), ""}}
}

// Labels that tell whose an object is.
const (
	nameLabel      = "app.kubernetes.io/name"
	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "assay"
)

// labels of every object: the service, who wrote it, and the user's own.
func (in Input) labels() object {
	l := object{{nameLabel, in.name(), ""}, {managedByLabel, managedBy, ""}}
	for _, k := range slices.Sorted(maps.Keys(in.Spec.Labels)) {
		l = append(l, field{k, in.Spec.Labels[k], ""})
	}
	return l
}

// selector finds the service's pods, and nothing that changes from one render to the next.
func (in Input) selector() object { return object{{nameLabel, in.name(), ""}} }
