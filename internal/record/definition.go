package record

// Definition says how a metric of another tool's file relates to Assay's.
type Definition struct {
	Metric     string `json:"metric"` // Assay's name: ttft, itl, icl, e2e, output_tokens_per_s …
	Field      string `json:"field"`  // the name in the file
	Theirs     string `json:"theirs"`
	Ours       string `json:"ours"`
	Comparable string `json:"comparable"`    // same, converted or different
	Why        string `json:"why,omitempty"` // what differs, or how it was converted
}

// Values of Definition.Comparable.
const (
	SameDefinition      = "same"      // up to what Why says
	ConvertedDefinition = "converted" // computed in Assay's definition from what the file holds of each request
	DifferentDefinition = "different" // not to be compared with Assay's figure
)

// Comparable reports whether the run's figure of that metric may be held beside
// one in Assay's definition, and why not. What carries no remark may.
func (r *Run) Comparable(metric string) (ok bool, why string) {
	for _, d := range r.Definitions {
		if d.Metric == metric && d.Comparable == DifferentDefinition {
			return false, d.Why
		}
	}
	return true, ""
}
