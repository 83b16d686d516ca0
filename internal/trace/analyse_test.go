package trace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func analyse(t testing.TB, content string, limit int) Report {
	t.Helper()
	rep, err := Analyse(open(t, content, Options{}), "data", AnalyseOptions{MaxModelLen: limit})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

var near = cmpopts.EquateApprox(0, 1e-9)

// Five rows at 0, 1, 1, 3, 7 s: gaps 1, 0, 2, 4 of mean 1.75; their sample
// variance is (0.75² + 1.75² + 0.25² + 2.25²)/3 = 8.75/3.
func TestGapsAndLengths(t *testing.T) {
	var b strings.Builder
	for i, at := range []int{0, 1000, 1000, 3000, 7000} {
		fmt.Fprintf(&b, `{"timestamp": %d, "input_length": %d, "output_length": %d}`+"\n", at, 100*(i+1), 10*(i+1))
	}
	got := analyse(t, b.String(), 330)
	want := Report{
		Rows: 5, Whole: true, SpanS: new(7.0), PerS: new(4.0 / 7), Distinct: new(4),
		Gaps:    Gaps{Mean: new(1.75), CV: new(math.Sqrt(8.75/3) / 1.75), Max: new(4.0)},
		Stamps:  &Stamps{Shared: 2, MostAtOnce: 2},
		ISL:     Lengths{N: 5, Mean: new(300.0), P50: new(300), P95: new(500), Max: new(500)},
		OSL:     Lengths{N: 5, Mean: new(30.0), P50: new(30), P95: new(50), Max: new(50)},
		Context: &Fit{Limit: 330, Prompt: 2, Total: 2}, // 300+30 fits to the token
		Models:  []Model{},
	}
	ignore := cmpopts.IgnoreFields(Report{}, "File", "Format", "Because", "Verdict", "Remarks", "Arrivals")
	if diff := cmp.Diff(want, got, near, ignore); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if got.Verdict.Fit == nil || *got.Verdict.Fit {
		t.Error("rows beyond the context are said to fit")
	}
}

// What a trace does not say is null, never 0.
func TestWhatIsNotKnownIsNil(t *testing.T) {
	got := analyse(t, `{"prompt": "abc"}`+"\n"+`{"prompt": "abc"}`, 100)
	if got.SpanS != nil || got.PerS != nil || got.Gaps.Mean != nil || got.Gaps.CV != nil || got.Distinct != nil || got.Stamps != nil ||
		got.Bursts.D1 != nil || got.Arrivals != nil || got.ISL.P50 != nil || got.OSL.Max != nil || got.Context != nil ||
		got.Verdict.Fit != nil || got.PrefixHitBound != nil || got.Sessions != nil || got.Images != nil || got.TTFT != nil {
		t.Errorf("something is known of nothing: %+v", got)
	}
	if got.Repeated == nil || *got.Repeated != 1 || *got.Chars.Max != 3 || got.Verdict.Use != ReplayAtLoad {
		t.Errorf("repeated %v, characters %v, use %s", got.Repeated, got.Chars, got.Verdict.Use)
	}
}

// 10 rows on each of 30 ticks of 3 s, one of which is a millisecond early, as in
// Mooncake's conversation trace.
func TestTicksAreFound(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		at := 3000 * (i / 10)
		if at == 6000 {
			at = 5999
		}
		fmt.Fprintf(&b, `{"timestamp": %d, "input_length": 5, "output_length": 5}`+"\n", at)
	}
	got := analyse(t, b.String(), 0)
	if got.Stamps.TickS == nil || *got.Stamps.TickS != 3 || *got.Distinct != 30 || got.Stamps.Shared != 300 || got.Stamps.MostAtOnce != 10 {
		t.Errorf("stamps %+v, %d distinct; want 30 of 3 s, 300 shared, 10 at once", got.Stamps, *got.Distinct)
	}
	if got.Verdict.Use != ReplaySpread || !strings.Contains(got.Verdict.Say, "quantised: 300 rows on 30 ticks of 3 s: replay as recorded sends bursts of up to 10 at once") {
		t.Errorf("verdict %+v", got.Verdict)
	}
}

func TestRandomArrivalsHaveNoTick(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\n")
	at := time.Date(2023, 11, 16, 18, 0, 0, 0, time.UTC)
	for range 4000 {
		at = at.Add(time.Duration(rng.ExpFloat64() * float64(time.Second/4)))
		fmt.Fprintf(&b, "%s,5,5\n", at.Format("2006-01-02 15:04:05.0000000"))
	}
	got := analyse(t, b.String(), 0)
	if got.Stamps.TickS != nil || got.Verdict.Use != ReplayAsIs {
		t.Errorf("tick %v, verdict %+v", got.Stamps.TickS, got.Verdict)
	}
	if cv := *got.Gaps.CV; cv < 0.93 || cv > 1.07 {
		t.Errorf("coefficient of variation %v of a Poisson process", cv)
	}
	for name, d := range map[string]*float64{"1 s": got.Bursts.D1, "10 s": got.Bursts.D10} {
		if d == nil || *d < 0.6 || *d > 1.5 {
			t.Errorf("index of dispersion over %s is %v of a Poisson process", name, d)
		}
	}
}

// A clock of whole milliseconds has ticks, of which nothing need be said.
func TestFineTicksAreNoRemark(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"timestamp": %d, "input_length": 5, "output_length": 5}`+"\n", i/2)
	}
	got := analyse(t, b.String(), 0)
	if got.Stamps.TickS == nil || *got.Stamps.TickS != 0.001 || got.Verdict.Use != ReplayAsIs {
		t.Errorf("stamps %+v, verdict %+v; want ticks of 1 ms, and a replay", got.Stamps, got.Verdict)
	}
}

// Three prompts of 512-token blocks: 0 of 3, then 2 of 3 (the third block is
// another), then the first block alone is missing, so nothing after it counts:
// 2 of 9 blocks.
func TestPrefixOfMooncake(t *testing.T) {
	got := analyse(t, `{"input_length": 1300, "output_length": 1, "hash_ids": [0, 1, 2]}
{"input_length": 1500, "output_length": 1, "hash_ids": [0, 1, 3]}
{"input_length": 1536, "output_length": 1, "hash_ids": [9, 1, 2]}
`, 0)
	want := &Prefix{Unit: "blocks", BlockSize: 512, HitBlocks: 2, Blocks: 9, HitTokens: 1024, PromptTokens: 4336}
	if diff := cmp.Diff(want, got.Prefix); diff != "" || math.Abs(*got.PrefixHitBound-2.0/9) > 1e-12 {
		t.Errorf("bound %v (-want +got):\n%s", *got.PrefixHitBound, diff)
	}
}

// The last block of a prompt that is served whole holds less than a block.
func TestTokensOfACutBlock(t *testing.T) {
	got := analyse(t, strings.Repeat(`{"input_length": 600, "output_length": 1, "hash_ids": [0, 1]}`+"\n", 2), 0)
	if got.Prefix.HitTokens != 600 || got.Prefix.HitBlocks != 2 {
		t.Errorf("prefix %+v", got.Prefix)
	}
}

// The conversation of wekaSample: of 130+200 tokens of the parent 128 hit (the
// second request's first two blocks), of the agent's 64+70 its own first block
// again, though the parent's block has the same id: 192 of 464 tokens.
func TestPrefixOfWEKA(t *testing.T) {
	got := analyse(t, wekaSample, 0)
	want := &Prefix{Unit: "tokens", BlockSize: 64, HitBlocks: 3, Blocks: 7, HitTokens: 192, PromptTokens: 464}
	if diff := cmp.Diff(want, got.Prefix); diff != "" || math.Abs(*got.PrefixHitBound-192.0/464) > 1e-12 {
		t.Errorf("bound %v (-want +got):\n%s", *got.PrefixHitBound, diff)
	}
	if got.Sessions.N != 2 || *got.Sessions.Turns.Max != 2 || *got.SpanS != 18 {
		t.Errorf("sessions %+v, span %v", got.Sessions, *got.SpanS)
	}
	two := analyse(t, wekaSample+strings.ReplaceAll(wekaSample, "c1", "c2"), 0)
	if two.Prefix.HitTokens != 2*192 {
		t.Errorf("ids of one conversation hit in another: %+v", two.Prefix)
	}
	if two.SpanS != nil || two.Verdict.Use != ReplayAtLoad || !strings.Contains(two.Verdict.Say, "2 conversations") {
		t.Errorf("conversations with a clock each: span %v, %+v", two.SpanS, two.Verdict)
	}
}

func TestWrongBlockSizeIsSaid(t *testing.T) {
	r := open(t, `{"input_length": 1000, "output_length": 1, "hash_ids": [1,2,3,4]}`, Options{})
	rep, err := Analyse(r, "data", AnalyseOptions{})
	if err != nil || rep.Prefix.Mismatched != 1 || !strings.Contains(strings.Join(rep.Remarks, ""), "check --block-size") {
		t.Errorf("%v, prefix %+v, remarks %q", err, rep.Prefix, rep.Remarks)
	}
	r = open(t, `{"input_length": 1000, "output_length": 1, "hash_ids": [1,2,3,4]}`, Options{BlockSize: 256})
	if rep, _ := Analyse(r, "data", AnalyseOptions{}); rep.Prefix.Mismatched != 0 {
		t.Errorf("prefix %+v with blocks of 256", rep.Prefix)
	}
}

func TestFailedRowsHaveNoAnswer(t *testing.T) {
	got := analyse(t, "Timestamp,Model,Request tokens,Response tokens\n1,A,10,0\n2,A,20,7\n3,B,30,9\n", 0)
	if got.Failed != 1 || got.OSL.N != 2 || *got.OSL.Mean != 8 || got.ISL.N != 3 {
		t.Errorf("failed %d, osl %+v, isl %+v", got.Failed, got.OSL, got.ISL)
	}
	if diff := cmp.Diff([]Model{{"A", 2}, {"B", 1}}, got.Models); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
}

func TestABrokenFileSaysWhatWasWhole(t *testing.T) {
	r := open(t, `{"input_length": 10, "output_length": 1}`+"\n"+`{"input`, Options{})
	rep, err := Analyse(r, "data", AnalyseOptions{})
	if err == nil || rep.Rows != 1 || rep.Whole || *rep.ISL.P50 != 10 {
		t.Errorf("error %v, report %+v", err, rep)
	}
	if _, err := Analyse(open(t, "[]", Options{}), "data", AnalyseOptions{}); err == nil || !strings.Contains(err.Error(), "holds no row") {
		t.Errorf("an empty file: %v", err)
	}
}

// Whatever the order of a file, the figures of time are those of the sorted one.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.IntRange(-5_000_000, 5_000_000), 2, 60).Draw(t, "ms")
		of := func(times []int) Report {
			a := analysis{arrivals: newArrivals(), models: map[string]int{}, prompts: map[uint64]struct{}{}, turns: map[uint64]int{}}
			a.order.to = a.arrivals.add
			for _, ms := range times {
				a.add(Row{At: new(time.Duration(ms) * time.Millisecond)})
			}
			return a.report()
		}
		shuffled := rapid.Permutation(at).Draw(t, "order")
		first, second := of(at), of(shuffled)
		first.Stamps.OutOfOrder, second.Stamps.OutOfOrder = 0, 0
		if diff := cmp.Diff(first, second, near); diff != "" {
			t.Errorf("(-one order +another):\n%s", diff)
		}
	})
}

// Bins of a span that grows hold every arrival, in its place.
func TestBinsKeepEachArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 100).Draw(t, "gaps")
		b := bins{width: time.Millisecond}
		var at time.Duration
		var all []time.Duration
		for _, g := range gaps {
			at += time.Duration(g)
			all = append(all, at)
			b.add(at)
		}
		want := make([]int, len(b.counts))
		for _, at := range all {
			want[at/b.width]++
		}
		if diff := cmp.Diff(want, b.counts); diff != "" || len(b.counts) > mostBins {
			t.Errorf("bins (-want +got):\n%s", diff)
		}
	})
}

func TestLengthsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.IntRange(0, 3*fine), 1, 80).Draw(t, "lengths")
		var l lengths
		for _, v := range all {
			l.add(v)
		}
		got := l.figures()
		if want := nearestRank(all, 50); *got.P50 > want || *got.P50 <= want-1024 || want < fine && *got.P50 != want {
			t.Errorf("p50 %d, want %d", *got.P50, want)
		}
		if want := nearestRank(all, 100); *got.Max != want {
			t.Errorf("max %d, want %d", *got.Max, want)
		}
	})
}
