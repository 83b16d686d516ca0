package survey

import (
	"slices"
	"strconv"
	"strings"

	"assay/internal/telemetry"
)

// modelIn is the model that a snapshot's series name; several are joined by +.
func modelIn(s telemetry.Snapshot) string {
	seen := map[string]bool{}
	var names []string
	for key := range s.Values() {
		if name, ok := labelIn(key, "model_name"); ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "+")
}

// errorsIn counts the requests of a segment that the engine ended with an error;
// nil where it does not tell reasons.
func errorsIn(segment []telemetry.Snapshot) *float64 {
	first, last := segment[0].Values(), segment[len(segment)-1].Values()
	told, sum := false, 0.0
	for key, v := range last {
		reason, ok := labelIn(key, "finished_reason")
		if !ok {
			continue
		}
		told = true
		if reason == "error" {
			sum += v - first[key]
		}
	}
	if !told {
		return nil
	}
	return &sum
}

// labelIn reads a label of a series in Prometheus's notation.
func labelIn(key, label string) (string, bool) {
	for _, before := range []string{"{", ","} {
		if _, rest, ok := strings.Cut(key, before+label+"="); ok {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return "", false
			}
			v, err := strconv.Unquote(quoted)
			return v, err == nil
		}
	}
	return "", false
}
