package coldstart

import (
	"fmt"

	"assay/internal/facts"
)

// Claim is a saving that the practice promises, held against measurements and
// against this plan.
type Claim struct {
	Name     string         `json:"name"`
	Of       string         `json:"of"` // what it is a saving of
	Low      float64        `json:"said_low_pct"`
	High     float64        `json:"said_high_pct"`
	Measured []Saving       `json:"measured"`
	Here     *float64       `json:"here_pct"` // of the whole start, in this plan; null: it does not apply
	Verdict  string         `json:"verdict"`
	Sources  []facts.Source `json:"sources"`
}

// Saving is one that was measured.
type Saving struct {
	Pct  float64 `json:"pct"`
	What string  `json:"what"`
}

func saving(before, after string) Saving {
	a, b := facts.ColdStarts[before], facts.ColdStarts[after]
	return Saving{100 * (1 - b.Seconds/a.Seconds), fmt.Sprintf("%g s to %g s: %s, %s", a.Seconds, b.Seconds, a.Name, b.Name)}
}

// claims judge the savings of the founding documents.
func (r Request) claims(result Result) []Claim {
	imageShare := Saving{100 * (1 - facts.MultiStage.Low), "6.66 GB to 3.03 GB, as a fact of the image's size"}
	list := []Claim{
		{Name: string(Parallel), Of: "the pull", Low: 60, High: 80,
			Measured: []Saving{saving("blueprints-containerd", "blueprints-al2023"), saving("blueprints-containerd", "blueprints-bottlerocket"), saving("vertexcover-before", "vertexcover-lazy")},
			Verdict:  "holds for the pull alone, in parallel mode, with a fast disk and Bottlerocket tuned; lazy loading of an image with weights was slower"},
		{Name: string(SnapshotFast), Of: "the pull", Low: 70, High: 90, Verdict: "more than said for the pull, which becomes nothing; first reads come from S3 without fast restore or an initialization rate"},
		{Name: string(Decouple), Of: "the image's bytes", Low: 50, High: 70, Measured: []Saving{{54, "20.2 GB to some 9 GB, as a fact of sizes"}},
			Verdict: "plausible of the bytes pulled; the weights are still read, from elsewhere, and the gain is what that is faster"},
		{Name: string(MultiStage), Of: "the image's bytes", Low: 30, High: 50, Measured: []Saving{imageShare}, Verdict: "holds"},
		{Name: Best, Of: "the whole start", Low: 80, High: 95, Measured: []Saving{saving("vertexcover-before", "vertexcover-after"), saving("tensorfuse-all", "tensorfuse-cached")},
			Verdict: "holds for the image; from end to end the node (30 to 120 s) and the engine (34 to 200 s) remain"},
	}
	for i, c := range list {
		if o, ok := result.Option(c.Name); ok {
			list[i].Here = o.Saved
		}
		if c.Measured == nil {
			list[i].Measured = []Saving{}
		}
		list[i].Sources = claimSources(c.Name)
	}
	return list
}

func claimSources(name string) []facts.Source {
	switch name {
	case string(Parallel):
		return []facts.Source{facts.ParallelUnpack.Source, facts.LazyLarge.Source}
	case string(SnapshotFast):
		return []facts.Source{facts.SnapshotMount.Source, facts.HydrationDefault.Source}
	case string(Decouple):
		return []facts.Source{facts.ContainerdUnpack.Source}
	case string(MultiStage):
		return []facts.Source{facts.MultiStage.Source}
	}
	return []facts.Source{facts.LazyLarge.Source, facts.EngineInit.Source}
}
