package spec

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseModels(t *testing.T) {
	for text, want := range map[string][]ModelShare{
		"a":                 {{"a", 1}},
		"base=2, lora-a":    {{"base", 2}, {"lora-a", 1}},
		"base:0.5,b:0.25":   {{"base", 0.5}, {"b", 0.25}},
		"llama3:8b":         {{"llama3:8b", 1}},
		"llama3:8b=3":       {{"llama3:8b", 3}},
		"org/model-7B-v0.1": {{"org/model-7B-v0.1", 1}},
		"a=nan":             nil,
		"a=inf":             nil,
		"a=0":               nil,
		"a=-1":              nil,
		"a=b":               nil,
		"=2":                nil,
		"a,,b":              nil,
		"":                  nil,
	} {
		got, err := ParseModels(text)
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: error %v (-want +got):\n%s", text, err, d)
		}
	}
}

// A replay by time stamps ends with its file: it takes away the load, the
// default count and the budget of what it stands over, and not what was said.
func TestReplayOverADefault(t *testing.T) {
	replay := Traffic{Replay: ReplayTimestamps}
	for _, c := range []struct {
		name         string
		said         Scenario
		base         Scenario
		wantRequests int
		wantOK       bool
	}{
		{"the whole file", Scenario{DatasetPath: "f", Traffic: replay}, Default(Dataset), 0, true},
		{"a number", Scenario{DatasetPath: "f", NumRequests: 7, Exact: true, Traffic: replay}, Default(Dataset), 7, true},
		{"a number in the file below", Scenario{DatasetPath: "f", Traffic: replay}, Scenario{NumRequests: 9, Exact: true}.Over(Default(Dataset)), 9, true},
		{"a load beside it", Scenario{DatasetPath: "f", Concurrency: []int{3}, Traffic: replay}, Default(Dataset), 0, false},
	} {
		got := c.said.Over(c.base)
		if got.NumRequests != c.wantRequests || got.Budget != 0 || len(got.RequestRate) != 0 || (got.Check() == nil) != c.wantOK {
			t.Errorf("%s: %d requests, budget %v, rates %v, check %v", c.name, got.NumRequests, got.Budget, got.RequestRate, got.Check())
		}
	}
}

func TestTrafficThatCannotBe(t *testing.T) {
	for want, s := range map[string]Scenario{
		"--replay needs a file":                 {Traffic: Traffic{Replay: ReplayLengths}},
		"--speed needs":                         {DatasetPath: "f", Traffic: Traffic{Speed: []float64{2}}},
		"--replay-spread needs":                 {DatasetPath: "f", Traffic: Traffic{ReplaySpread: true}},
		"--sessions plays":                      {Traffic: Traffic{Sessions: true}},
		"--turns makes synthetic":               {DatasetPath: "f", Traffic: Traffic{Turns: Fixed(2)}},
		"need sessions":                         {Traffic: Traffic{ThinkTime: time.Second}},
		"--think-spread \"x\"":                  {Traffic: Traffic{Turns: Fixed(2), ThinkSpread: "x"}},
		"--history \"x\"":                       {Traffic: Traffic{Turns: Fixed(2), History: "x"}},
		"--images with sessions":                {Traffic: Traffic{Turns: Fixed(2), Images: 1}},
		"at most 1000":                          {Traffic: Traffic{Turns: Fixed(1001)}},
		"--prefix-groups needs":                 {Traffic: Traffic{PrefixGroups: 2}},
		"--prefix-skew needs":                   {SharedPrefix: 8, Traffic: Traffic{PrefixSkew: 1}},
		"--shared-prefix is for synthetic":      {DatasetPath: "f", SharedPrefix: 8},
		"names a twice":                         {Traffic: Traffic{Models: []ModelShare{{"a", 1}, {"a", 1}}}},
		"must be between 1 and 64":              {Traffic: Traffic{Images: 65}},
		"each side must be":                     {Traffic: Traffic{Images: 1, ImageSize: Size{0, 5}}},
		"--image-size needs":                    {Traffic: Traffic{ImageSize: Size{5, 5}}},
		"--arrival poisson and --replay":        {DatasetPath: "f", Arrival: "poisson", Traffic: Traffic{Replay: ReplayTimestamps}},
		"must be between 0.001 and":             {DatasetPath: "f", Traffic: Traffic{Replay: ReplayTimestamps, Speed: []float64{-1}}},
		"both --concurrency and --request-rate": {Concurrency: []int{1}, RequestRate: []float64{1}},
	} {
		base := Default(Dataset)
		if s.DatasetPath == "" {
			base = Default("fixed")
			base.Concurrency = []int{1}
		}
		got := s.Over(base)
		if len(s.RequestRate) > 0 {
			got.Concurrency = s.Concurrency
		}
		if err := got.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestTrafficInYAML(t *testing.T) {
	s, err := Parse("a.yaml", []byte(`
scenarios:
  chat:
    turns: {min: 2, max: 6}
    turn_isl: 40
    think_time: 2s
    think_spread: fixed
    history: recorded
    prefix_groups: 8
    prefix_skew: 1.1
    shared_prefix: 64
    models: {base: 2, lora-a: 1}
  again:
    dataset: f.jsonl
    replay: timestamps
    speed: [1, 2]
    replay_spread: true
    sessions: true
    models: [a=3, b]
    images: 2
    image_size: 640x480
    image_format: jpeg
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Traffic{
		{
			Turns: Lengths{Min: 2, Max: 6}, TurnPrompt: Fixed(40), ThinkTime: 2 * time.Second, ThinkSpread: ThinkFixed,
			History: HistoryRecorded, PrefixGroups: 8, PrefixSkew: 1.1, Models: []ModelShare{{"base", 2}, {"lora-a", 1}},
		},
		{
			Replay: ReplayTimestamps, Speed: []float64{1, 2}, ReplaySpread: true, Sessions: true,
			Models: []ModelShare{{"a", 3}, {"b", 1}}, Images: 2, ImageSize: Size{640, 480}, ImageFormat: "jpeg",
		},
	}
	for i, w := range want {
		if d := cmp.Diff(w, s.Scenarios[i].Traffic); d != "" {
			t.Errorf("scenario %d (-want +got):\n%s", i, d)
		}
		if d := cmp.Diff(w, s.Scenarios[i].Over(Default("x")).Traffic); d != "" {
			t.Errorf("scenario %d over a default (-want +got):\n%s", i, d)
		}
	}
}
