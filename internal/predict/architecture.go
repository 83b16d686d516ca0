package predict

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

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
	if a, ok := spelled(s.model); ok {
		s.Model = a
		return nil
	}
	why := "nearest in size"
	if total, active, ok := statedSize(r.Model); ok {
		s.Model = nearest(total, active)
	} else if s.Model, ok = relative(s.model); ok {
		why = "most alike by name"
	} else {
		return fmt.Errorf("the architecture of %q is not known, and its name states no size: give its config.json (--model-config NAME=FILE)", clip(r.Model))
	}
	s.remark = append(s.remark, fmt.Sprintf("architecture not known: that of %s is taken, the %s", s.Model.Name, why))
	return nil
}

// presets are the known models, smallest first: sorted once, for a table asks of each row.
var presets = sync.OnceValue(model.Presets)

// squash takes out what parts words.
var squash = strings.NewReplacer("-", "", "_", "", " ", "")

// shorthand are short names that benchmarks write.
var shorthand = map[string]string{"dsr1": "deepseek-r1", "dsv3": "deepseek-v3", "dsv3.2": "deepseek-v3.2", "gptoss": "gpt-oss-120b"}

// squashed is a short name without what parts its words: llama3.1-8b is llama-3.1-8b.
func squashed(name string) string {
	return squash.Replace(name)
}

// spelled finds a preset whose name is written in another way, or goes on with words
// that state no other model: a finetune's or a checkpoint's.
func spelled(name string) (model.Arch, bool) {
	if full, ok := shorthand[name]; ok {
		name = full
	}
	var found model.Arch
	want, longest := squashed(name), 0
	for _, a := range presets() {
		for _, n := range append([]string{a.Name, a.Repo}, a.Aliases...) {
			n = squashed(shortName(n))
			rest, ok := strings.CutPrefix(want, n)
			if ok && len(n) > longest && (rest == "" || unicode.IsLetter(rune(rest[0]))) {
				found, longest = a, len(n)
			}
		}
	}
	if longest < leastAlike {
		return found, false
	}
	total, _, ok := statedSize(name)
	return found, !ok || math.Abs(math.Log(total/float64(found.Parameters()))) < otherSize
}

// otherSize is from which factor on, as a logarithm, a name states another size.
const otherSize = 0.3

// leastAlike is how much of a name says which model it is.
const leastAlike = 6

// relative is the preset with the most of a name's beginning in its own; the largest of several.
func relative(name string) (model.Arch, bool) {
	var found model.Arch
	most := 0
	for _, a := range presets() { // smallest first
		if n := common(squashed(name), squashed(a.Name)); n >= most {
			found, most = a, n
		}
	}
	return found, most >= leastAlike
}

// common is how many bytes two names begin with alike.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// shortName is a model's name without organisation.
func shortName(name string) string {
	return strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
}

// size finds numbers of parameters in names: 32B, E4B, 235B-A22B, 8x7B, 1.5b, 1T.
var (
	size    = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])e?(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)(b|t)(?:[^a-z0-9]|$)`)
	actives = regexp.MustCompile(`(?i)[-_]a(\d{1,4}(?:\.\d{1,3})?)b(?:[^a-z0-9]|$)`)
)

// statedSize is what a name says of parameters: all, and those that one token
// visits (the same where it does not say).
func statedSize(name string) (total, active float64, ok bool) {
	m, a := size.FindStringSubmatch(name), actives.FindStringSubmatch(name)
	switch {
	case m == nil && a == nil:
		return 0, 0, false
	case m == nil:
		active, _ = strconv.ParseFloat(a[1], 64)
		return sparsity * active * 1e9, active * 1e9, active > 0
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
	if a != nil {
		active, _ = strconv.ParseFloat(a[1], 64)
		active *= 1e9
	}
	return total, active, total > 0 && active > 0
}

// sparsity is what a mixture has for each parameter that a token visits, where only
// the latter is stated: about the middle of those that are known.
const sparsity = 8

// nearest is the known model whose sizes are the least factors away.
func nearest(total, active float64) model.Arch {
	best, least := model.Arch{}, math.Inf(1)
	for _, a := range presets() {
		d := math.Abs(math.Log(float64(a.Parameters())/total)) + math.Abs(math.Log(float64(a.ActiveParameters())/active))
		if d < least {
			best, least = a, d
		}
	}
	return best
}
