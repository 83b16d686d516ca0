package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/karpenter"
)

const pool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: g5-spot}
spec:
  limits: {nvidia.com/gpu: 4}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
      requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
        - {key: karpenter.k8s.aws/instance-family, operator: In, values: [g5]}
`

const spotPrices = `region: us-east-1
as_of: 2026-11-29
spot: {g5.xlarge: {low: 0.40, high: 0.60}, g5.12xlarge: {low: 2.0, high: 2.6}}
`

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOnlyWhatANodePoolLaunches(t *testing.T) {
	pools, prices := written(t, "pool.yaml", pool), written(t, "spot.yaml", spotPrices)
	spot := func(r *Request) {
		r.NodePools, r.PriceFiles, r.Capacity, r.Concurrency = []string{pools}, []string{prices}, Spot, 16
	}
	r := asked(t, spot).answer(false)
	if len(r.Options) == 0 || r.Options[0].ID != "g5.xlarge-tp1-x1" {
		t.Fatalf("options %v", ids(r.Options))
	}
	for _, o := range r.Options {
		if !strings.HasPrefix(o.Instance, "g5.") || o.GPUs+o.GPUsIdle > 4 || !slices.Equal(o.Host.NodePools, []string{"g5-spot"}) {
			t.Errorf("%s is launched by %q", o.ID, o.Host.NodePools)
		}
	}
	o := r.Options[0]
	if want := []karpenter.Toleration{{Key: "nvidia.com/gpu", Operator: "Exists", Effect: "NoSchedule"}}; !slices.Equal(o.Host.Tolerations, want) {
		t.Errorf("tolerations %v, want %v", o.Host.Tolerations, want)
	}
	if o.Price.Spot == nil || *o.Price.Spot != (SpotPrice{0.40, 0.60, "2026-11-29"}) {
		t.Errorf("Spot %+v", o.Price.Spot)
	}
	// A million tokens cost between the ends of both ranges.
	if want := 0.40 * 1e6 / 3600 / o.Predicted.Output.High; o.USD == nil || o.USD.Low < 0.999*want || o.USD.Low > 1.001*want {
		t.Errorf("a million tokens at %v, want from %g", o.USD, want)
	}
	// The pool's limit is four GPUs: five replicas have no room.
	many := asked(t, func(r *Request) { spot(r); r.Concurrency = 16 * 8 }).answer(false)
	if !slices.ContainsFunc(many.Rejected, func(j Rejection) bool { return j.Kind == noPool && strings.Contains(j.Reason, "has room for") }) {
		t.Errorf("nothing is rejected for the pool's limit; options %v", ids(many.Options))
	}
	// What the pool does not launch says why.
	i := slices.IndexFunc(r.Rejected, func(j Rejection) bool { return j.Instance == "p5.48xlarge" })
	if i < 0 || r.Rejected[i].Kind != noPool || !strings.Contains(r.Rejected[i].Reason, "g5-spot") {
		t.Errorf("p5.48xlarge is not rejected by the pool")
	}
	demand := asked(t, func(r *Request) { spot(r); r.Capacity = OnDemand })
	if d := demand.answer(false); len(d.Options) > 0 {
		t.Errorf("a pool of Spot launches on demand: %v", ids(d.Options))
	}
}

func TestWhatOfANodePoolIsNotJudgedIsSaid(t *testing.T) {
	zoned := strings.Replace(pool, "      requirements:\n", "      requirements:\n        - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}\n", 1)
	r := asked(t, func(r *Request) { r.NodePools = []string{written(t, "pool.yaml", zoned)} }).answer(false)
	want := "NodePool g5-spot: topology.kubernetes.io/zone In [us-east-1a]"
	if !slices.ContainsFunc(r.Remarks, func(s string) bool { return strings.HasPrefix(s, want) }) {
		t.Errorf("no remark that the zone is not judged: %q", r.Remarks)
	}
}

func TestSpotWithoutAPriceIsAsked(t *testing.T) {
	r := asked(t, func(r *Request) { r.Capacity = Spot }).answer(false)
	o := r.Options[0]
	if o.Price.Spot != nil || o.USD != nil || !strings.Contains(o.Price.AskSpot, "--instance-types "+o.Instance) {
		t.Errorf("Spot %+v, a million tokens %v, ask %q", o.Price.Spot, o.USD, o.Price.AskSpot)
	}
}

func TestAnyCapacityTakesTheCheaper(t *testing.T) {
	prices := written(t, "spot.yaml", spotPrices)
	r := asked(t, func(r *Request) {
		r.Capacity, r.PriceFiles, r.Instances, r.Concurrency = Any, []string{prices}, []string{"g5.xlarge", "g5.2xlarge", "g5.12xlarge"}, 8
	}).answer(false)
	if got := []string{r.Options[0].Instance, r.Options[1].Instance}; !slices.Equal(got, []string{"g5.xlarge", "g5.2xlarge"}) {
		t.Errorf("in order of cost %v", ids(r.Options))
	}
	if u := r.Options[0].USD; u == nil || u.High/u.Low < 1.5 {
		t.Errorf("the range of Spot is not in %v", u)
	}
}
