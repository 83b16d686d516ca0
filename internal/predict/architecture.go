package predict

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/model"
)

// arch finds the architecture of a row's model: as given, as a preset, or that of
// the known model nearest to the size that the name states.
func (s *site) arch(v Resolver, r Row) error {
	if r.Model == "" {
		return fmt.Errorf("no model")
	}
	s.model = shortName(r.Model)
	if a, ok := v.Architectures[r.Model]; ok {
		s.Model = a
		return nil
	}
	a, err := model.Named(r.Model)
	if err == nil {
		s.Model = a
		return nil
	}
	total, active, ok := statedSize(r.Model)
	if !ok {
		return fmt.Errorf("the architecture of %q is not known, and its name states no size: give its config.json (--model-config NAME=FILE)", clip(r.Model))
	}
	s.Model = nearest(total, active)
	s.remark = append(s.remark, fmt.Sprintf("architecture not known: that of %s is taken, the nearest in size", s.Model.Name))
	return nil
}

// shortName is a model's name without organisation.
func shortName(name string) string {
	return strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
}

// size finds numbers of parameters in names: 32B, 235B-A22B, 8x7B, 1.5b, 1T.
var (
	size    = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)(b|t)(?:[^a-z0-9]|$)`)
	actives = regexp.MustCompile(`(?i)[-_]a(\d{1,4}(?:\.\d{1,3})?)b(?:[^a-z0-9]|$)`)
)

// statedSize is what a name says of parameters: all, and those that one token
// visits (the same where it does not say).
func statedSize(name string) (total, active float64, ok bool) {
	m := size.FindStringSubmatch(name)
	if m == nil {
		return 0, 0, false
	}
	total, _ = strconv.ParseFloat(m[2], 64)
	total *= 1e9
	if strings.EqualFold(m[3], "t") {
		total *= 1e3
	}
	active = total
	if experts, _ := strconv.ParseFloat(m[1], 64); experts > 1 {
		total, active = total*experts*0.85, total*2*0.95 // attention is shared, two experts answer
	}
	if a := actives.FindStringSubmatch(name); a != nil {
		active, _ = strconv.ParseFloat(a[1], 64)
		active *= 1e9
	}
	return total, active, total > 0 && active > 0
}

// nearest is the known model whose sizes are the least factors away.
func nearest(total, active float64) model.Arch {
	best, least := model.Arch{}, math.Inf(1)
	for _, a := range model.Presets() {
		d := math.Abs(math.Log(float64(a.Parameters())/total)) + math.Abs(math.Log(float64(a.ActiveParameters())/active))
		if d < least {
			best, least = a, d
		}
	}
	return best
}
