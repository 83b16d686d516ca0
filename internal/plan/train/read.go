package train

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MostFile bounds a plan that is read, bytes.
const MostFile = 64 << 20

// IsPlan says that JSON is of `assay plan train`, by a key that no other plan has.
func IsPlan(data []byte) bool {
	var keys struct {
		Request struct {
			Method Method `json:"method"`
		} `json:"request"`
		Network json.RawMessage `json:"network"`
	}
	return json.Unmarshal(data, &keys) == nil && keys.Request.Method != "" && keys.Network != nil
}

// Read reads the JSON of `assay plan train -o json`; name stands in its errors.
func Read(name string, data []byte) (*Result, error) {
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s is not what assay plan train -o json writes: %w", name, err)
	}
	if !IsPlan(data) {
		return nil, fmt.Errorf("%s has no training plan: assay plan train -o json writes one", name)
	}
	for _, o := range r.Options {
		if o.ID == "" || o.Instance == "" || o.Count < 1 || o.Count > mostNodes {
			return nil, fmt.Errorf("%s: option %q is of %d nodes of %q: no plan holds that", name, o.ID, o.Count, o.Instance)
		}
	}
	return &r, nil
}

// Option finds one by its id; the first where none is named.
func (r *Result) Option(id string) (*Option, error) {
	if id == "" && len(r.Options) > 0 {
		return &r.Options[0], nil
	}
	i := slices.IndexFunc(r.Options, func(o Option) bool { return o.ID == id })
	if i < 0 {
		var ids []string
		for _, o := range r.Options[:min(len(r.Options), 5)] {
			ids = append(ids, o.ID)
		}
		return nil, fmt.Errorf("the plan has no option %q; its first are %s", id, strings.Join(ids, ", "))
	}
	return &r.Options[i], nil
}
