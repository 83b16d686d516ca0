package price

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/facts"
)

func TestEmbedded(t *testing.T) {
	b := Embedded()
	if got := b.Regions(); !slices.Equal(got, []string{"us-east-1"}) {
		t.Errorf("regions %v", got)
	}
	for name, want := range map[string]float64{"g5.12xlarge": 5.672, "p5.48xlarge": 55.04, "inf2.xlarge": 0.7582, "p6-b200.48xlarge": 113.9328} {
		p, ok := b.OnDemand(name, "us-east-1")
		if !ok || p.PerHour < want-0.001 || p.PerHour > want+0.001 || p.AsOf != "2026-07-06" || p.Region != "us-east-1" || p.Source.URL == "" {
			t.Errorf("%s: %+v, %v; want %g", name, p, ok, want)
		}
		if _, ok := b.Spot(name, "us-east-1"); ok {
			t.Errorf("%s: a Spot price that nobody gave", name)
		}
		if _, ok := b.CapacityBlock(name, "us-east-1"); ok {
			t.Errorf("%s: a price of a Capacity Block that nobody gave", name)
		}
		if _, ok := b.OnDemand(name, "eu-west-1"); ok {
			t.Errorf("%s: a price of a region that is not known", name)
		}
	}
	quotes := b.quotes("us-east-1")
	for _, q := range quotes {
		i, err := facts.InstanceNamed(q.Instance)
		if _, err := time.Parse(time.DateOnly, q.AsOf); err != nil {
			t.Error(err)
		}
		if err != nil {
			continue // a fraction of an accelerator
		}
		// From a fifth of a dollar for a T4G to 20 for a B300.
		if each := q.PerHour / float64(i.Count); each < 0.1 || each > 20 {
			t.Errorf("%s: %g dollars an hour for each accelerator", q.Instance, each)
		}
	}
	if len(quotes) < 70 || !slices.IsSortedFunc(quotes, func(a, b quote) int { return strings.Compare(a.Instance, b.Instance) }) {
		t.Errorf("%d quotes", len(quotes))
	}
	// What the source lacks is not known.
	for _, name := range []string{"p5e.48xlarge", "trn2.48xlarge"} {
		if p, ok := b.OnDemand(name, "us-east-1"); ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestOpenReadsAllKindsAndMerges(t *testing.T) {
	b, err := Open("testdata/own.yaml", "testdata/products.json", "testdata/spot.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.Regions(), []string{"eu-central-1", "eu-west-1", "us-east-1", "us-west-2"}; !slices.Equal(got, want) {
		t.Errorf("regions %v, want %v", got, want)
	}
	card := facts.Source{Title: "internal rate card", Date: "2026-11-01"}
	list := facts.Source{Title: "aws pricing get-products, products.json", Date: "2026-11-20"}
	for _, test := range []struct {
		instance, region string
		want             Price
	}{
		{"g5.12xlarge", "eu-central-1", Price{7.09, "eu-central-1", "2026-11-01", card}},
		{"g6e.12xlarge", "eu-west-1", Price{11.7, "eu-west-1", "2026-11-20", list}},
		{"p5.48xlarge", "eu-west-1", Price{58.3, "eu-west-1", "2026-11-20", list}},
	} {
		if got, ok := b.OnDemand(test.instance, test.region); !ok || got != test.want {
			t.Errorf("%s in %s: %+v, %v; want %+v", test.instance, test.region, got, ok, test.want)
		}
	}
	if got, ok := b.CapacityBlock("p5.48xlarge", "eu-central-1"); !ok || got.PerHour != 41.5 {
		t.Errorf("capacity block: %+v, %v", got, ok)
	}
	got, ok := b.Spot("g5.12xlarge", "us-east-1")
	want := SpotRange{Low: 2, High: 3.1011, Region: "us-east-1", From: "2026-11-18", AsOf: "2026-11-24", Zones: 3,
		Source: facts.Source{Title: "aws ec2 describe-spot-price-history, spot.json", Date: "2026-11-24"}}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("spot (-want +got):\n%s", diff)
	}
	if got, ok := b.Spot("g4dn.xlarge", "us-west-2"); !ok || got.Low != 0.3 || got.Zones != 1 {
		t.Errorf("spot in a local zone: %+v, %v", got, ok)
	}
	if got, ok := b.Spot("g5.12xlarge", "eu-central-1"); !ok || got.Low != 2.1 || got.High != 3.9 || got.From != "" {
		t.Errorf("spot of our own: %+v, %v", got, ok)
	}
}

func TestLaterFileWins(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := write("a.yaml", "region: us-east-1\nas_of: 2026-11-01\non_demand: {g5.xlarge: 1.5}\nspot: {g5.xlarge: {low: 0.4, high: 0.5}}\n")
	b := write("b.json", `{"region": "us-east-1", "as_of": "2026-11-02", "on_demand": {"g5.xlarge": 1.25}, "spot": {"g5.xlarge": {"low": 0.3, "high": 0.45}}}`)
	book, err := Open(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := book.OnDemand("g5.xlarge", "us-east-1"); p.PerHour != 1.25 || p.AsOf != "2026-11-02" || p.Source.Title != "b.json" {
		t.Errorf("%+v", p)
	}
	if s, _ := book.Spot("g5.xlarge", "us-east-1"); s.Low != 0.3 || s.High != 0.5 || s.AsOf != "2026-11-02" {
		t.Errorf("%+v", s)
	}
	if p, _ := Embedded().OnDemand("g5.xlarge", "us-east-1"); p.PerHour != 1.006 {
		t.Errorf("a file changed the embedded book: %+v", p)
	}
}

func TestMistakes(t *testing.T) {
	const head = "region: eu-west-1\nas_of: 2026-11-01\n"
	for text, want := range map[string]string{
		"":                                                    "f.yaml is empty: give region, as_of",
		"- a\n":                                               "f.yaml:1: no mapping",
		"region: [\n":                                         "f.yaml: ",
		"as_of: 2026-11-01\non_demand: {}":                    "f.yaml:1:1: no region",
		"region: eu-west-1\non_demand: {}":                    "f.yaml:1:1: no as_of",
		"region: Frankfurt\n":                                 `f.yaml:1:9: "Frankfurt" is no region, such as eu-central-1`,
		head + "on_demand: {}\n":                              "no price in it",
		head + "on_demand: {g5.xlarge: 0}":                    "f.yaml:3:24: 0 is no price: leave out what is not known",
		head + "on_demand: {g5.xlarge: -1}":                   "-1 is no price",
		head + "on_demand: {g5.xlarge: cheap}":                `"cheap" is no price in US dollars an hour`,
		head + "on_demand: {g5.xlarge: 1e9}":                  "more than 10000 dollars",
		head + "on_demand: {g5.xlarge: NaN}":                  "is no price",
		head + "on_demand: {g5.xlarge: 1e-9}":                 "1e-09 is less than 0.0001 dollars",
		head + "on_demand: {g5: 1}":                           `"g5" is no instance type, such as g5.12xlarge`,
		head + "on_demand:\n  g5.xlarge: 1\n  g5.xlarge: 2\n": "f.yaml:5:3: g5.xlarge twice",
		head + "ondemand: {g5.xlarge: 1}":                     `unknown key "ondemand"`,
		head + "spot: {g5.xlarge: 1}":                         "a Spot price is a range",
		head + "spot: {g5.xlarge: {low: 2}}":                  "needs low and high",
		head + "spot: {g5.xlarge: {low: 2, high: 1}}":         "low 2 is above high 1",
		`{"PriceList": 3}`:                                    "it begins as an answer of aws pricing get-products",
		`{"PriceList": ["{"]}`:                                "PriceList[0]",
		`{"PriceList": []}`:                                   "none of its 0 products",
		`{"SpotPriceHistory": []}`:                            "none of its 0 prices",
		`{"SpotPriceHistory": [{"ProductDescription": "Linux/UNIX"}]}`:                                                                                  "is no availability zone",
		`{"SpotPriceHistory": [{"ProductDescription": "Linux/UNIX", "AvailabilityZone": "us-east-1a", "InstanceType": "g5.xlarge", "SpotPrice": "x"}]}`: `"x" is no price`,
	} {
		b, err := Read("f.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, b, err, want)
		}
	}
}

// Two prices for the same thing are not settled by taking one.
func TestTwoPricesOfAProduct(t *testing.T) {
	text, err := os.ReadFile("testdata/products.json")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `\"tenancy\": \"Dedicated\"`, `\"tenancy\": \"Shared\"`, 1)
	if changed == string(text) {
		t.Fatal("the fixture has no dedicated tenancy to change")
	}
	if _, err := Read("f.json", []byte(changed)); err == nil || !strings.Contains(err.Error(), "two prices for g6e.12xlarge in eu-west-1") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"own.yaml", "products.json", "spot.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read("f", data)
		if err != nil {
			return
		}
		if b.empty() {
			t.Fatal("no price and no error")
		}
		for _, all := range []map[key]Price{b.onDemand, b.blocks} {
			for k, p := range all {
				if !(p.PerHour > 0 && p.PerHour <= maxPrice) || p.Region != k.region || !instanceName.MatchString(k.instance) {
					t.Fatalf("%v: %+v", k, p)
				}
			}
		}
		for k, s := range b.spot {
			if !(s.Low > 0 && s.Low <= s.High && s.High <= maxPrice) || s.Region != k.region {
				t.Fatalf("%v: %+v", k, s)
			}
		}
	})
}

// Reading YAML takes memory and time by a factor of its size: our own format is short.
func TestOwnFormatIsBounded(t *testing.T) {
	text := "region: eu-west-1\nas_of: 2026-11-01\non_demand: {g5.xlarge: 1}\n" + strings.Repeat("#\n", 1<<20)
	if b, err := Read("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "f.yaml is larger than 2 MiB: give region") {
		t.Errorf("%v, %v", b, err)
	}
}

// quote is a price of the book, with what it is for.
type quote struct {
	Instance string
	Price
}

// quotes are all on-demand prices of a region, by instance type.
func (b *Book) quotes(region string) []quote {
	var all []quote
	for k, p := range b.onDemand {
		if k.region == region {
			all = append(all, quote{k.instance, p})
		}
	}
	slices.SortFunc(all, func(x, y quote) int { return strings.Compare(x.Instance, y.Instance) })
	return all
}
