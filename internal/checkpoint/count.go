package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/internal/model"
)

// A count: 30B, 1.5b, 480M, 1T; with the active parameters of a mixture of
// experts, 30B-A3B; or as so many experts of a size, 8x7B.
var countForm = regexp.MustCompile(`^(?i)(?:(\d{1,3})x)?(\d{1,6}(?:\.\d{1,3})?)([kmbt])(?:-a(\d{1,6}(?:\.\d{1,3})?)([kmbt]))?$`)

var countUnit = map[string]float64{"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}

// sharedOfExperts is how much of NxS a mixture stores: attention stands there
// once. Mixtral 8x7B holds 46.7 of 56 billion, 8x22B 140.6 of 176 (their model
// cards, read 2026-11-30).
const sharedOfExperts = 0.82

// Counts of candidates lie within the near factor of the count asked for, or
// where none does, within the far one.
const (
	NearFactor = 1.25
	FarFactor  = 2.0
)

// size is a count as parsed.
type size struct {
	total, active float64 // parameters; active 0: not said
	experts       int     // of NxS; 0: not said
}

// parseCount reads a count; false where the text is none.
func parseCount(s string) (size, bool) {
	m := countForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return size{}, false
	}
	n := func(number, unit string) float64 {
		x, _ := strconv.ParseFloat(number, 64)
		return x * countUnit[strings.ToLower(unit)]
	}
	c := size{total: n(m[2], m[3])}
	if m[1] != "" {
		c.experts, _ = strconv.Atoi(m[1])
		c.total *= float64(c.experts) * sharedOfExperts
	}
	if m[4] != "" {
		c.active = n(m[4], m[5])
	}
	return c, c.total >= 1 && c.active < c.total && (m[1] == "" || c.experts > 1)
}

// mixture says whether the count is of a mixture of experts.
func (c size) mixture() bool { return c.active > 0 || c.experts > 0 }

// ofCount is a checkpoint of which only the size is known.
func ofCount(ref string, c size) (Checkpoint, error) {
	out := Checkpoint{Ref: ref, Kind: Count, Parameters: int64(c.total), Active: int64(c.active)}
	known := model.Presets()
	// A dense model of that size may not be known where a mixture is.
	anyKind := func(model.Arch) bool { return true }
	sameKind := func(a model.Arch) bool { return a.MoE() == c.mixture() }
	factor := NearFactor
	for _, try := range []struct {
		factor float64
		kind   func(model.Arch) bool
	}{{NearFactor, sameKind}, {NearFactor, anyKind}, {FarFactor, sameKind}, {FarFactor, anyKind}} {
		factor = try.factor
		if out.Candidates = within(known, c, factor, try.kind); len(out.Candidates) > 0 {
			break
		}
	}
	if len(out.Candidates) == 0 {
		return Checkpoint{}, fmt.Errorf("%s: no known architecture is within a factor of %g of that size; the nearest is %s. Give a config.json", ref, FarFactor, nearest(known, c))
	}
	names := make([]string, len(out.Candidates))
	for i, a := range out.Candidates {
		names[i] = a.Name
	}
	out.remark("%s is a count: what depends on the architecture is a range over known ones within a factor of %g of it (%s)", ref, factor, strings.Join(names, ", "))
	if c.experts > 0 {
		out.remark("%s is taken for %.3g billion parameters: %g of the product, as of the Mixtrals", ref, c.total/1e9, sharedOfExperts)
	}
	return out, nil
}

// within are the known architectures of that size and kind, the nearest first.
func within(known []model.Arch, c size, factor float64, kind func(model.Arch) bool) []model.Arch {
	var found []model.Arch
	for _, a := range known {
		near := apart(float64(a.Parameters()), c.total) <= factor
		if c.active > 0 {
			near = near && apart(float64(a.ActiveParameters()), c.active) <= FarFactor
		}
		if near && kind(a) {
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(a, b model.Arch) int {
		return cmp.Compare(apart(float64(a.Parameters()), c.total), apart(float64(b.Parameters()), c.total))
	})
	return found
}

// apart is the factor between two counts, at least 1.
func apart(a, b float64) float64 { return math.Max(a/b, b/a) }

func nearest(known []model.Arch, c size) string {
	best := slices.MinFunc(known, func(a, b model.Arch) int {
		return cmp.Compare(apart(float64(a.Parameters()), c.total), apart(float64(b.Parameters()), c.total))
	})
	return fmt.Sprintf("%s with %.4g billion", best.Name, float64(best.Parameters())/1e9)
}
