package lint

import "assay/internal/facts"

// Subject groups rules.
type Subject string

// Subjects, in the order of the docs.
const (
	Input      Subject = "input"
	Schema     Subject = "schema"
	Drain      Subject = "drain"
	Spread     Subject = "spread and capacity"
	Probes     Subject = "probes"
	GPU        Subject = "GPU"
	VLLM       Subject = "vLLM"
	Images     Subject = "images"
	Karpenter  Subject = "Karpenter"
	Network    Subject = "EFA and NCCL"
	Storage    Subject = "storage"
	Secrets    Subject = "secrets"
	Monitoring Subject = "monitoring"
	Across     Subject = "across objects"
	Own        Subject = "own rules"
)

// Subjects are all of them, in that order.
var Subjects = []Subject{Input, Schema, Drain, Spread, Probes, GPU, VLLM, Images, Karpenter, Network, Storage, Secrets, Monitoring, Across, Own}

// Rule is one practice. Documents, explanations and the help of SARIF are made from it.
// At most one of the checks is set for most rules; all that are set run.
type Rule struct {
	ID       string
	Severity Severity
	Subject  Subject
	Title    string // what is wrong, in one line without an end
	Why      string // what happens then, with the arithmetic
	Fix      string // what to do
	Sources  []facts.Source
	Fixable  bool // some of its findings carry edits

	// Kinds are those that Object and Pod look at, such as "NodePool"; empty: all.
	Kinds     []string
	Object    func(*Pass, *Object)
	Pod       func(*Pass, *Pod)       // each pod template, whatever holds it
	Container func(*Pass, *Container) // each container, init containers too
	File      func(*Pass)             // each Dockerfile, see Pass.File
	Across    func(*Pass, *Index)     // once, over all objects
}

// Source is the first source as one line.
func (r *Rule) Source() string {
	if len(r.Sources) == 0 {
		return ""
	}
	return r.Sources[0].Title + ": " + r.Sources[0].URL
}
