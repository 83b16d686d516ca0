package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/internal/spec"
)

// MostFile bounds a plan that is read, bytes: one of all instances has 3 MB.
const MostFile = 64 << 20

// Read reads the JSON of `assay plan serve -o json`; name stands in its errors.
func Read(name string, data []byte) (*Result, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("%s is no JSON of a plan (assay plan serve -o json writes it): %w", name, err)
	}
	for _, key := range []string{"request", "model", "memory", "verdict", "options"} {
		if _, ok := keys[key]; !ok {
			return nil, fmt.Errorf("%s has no %q: it is not what assay plan serve -o json writes", name, key)
		}
	}
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s is not what assay plan serve -o json writes: %w", name, err)
	}
	slo, err := spec.ParseConditions(r.Request.Conditions)
	if err != nil {
		return nil, fmt.Errorf("%s: request.slo: %w", name, err)
	}
	r.Request.SLO = slo
	for _, o := range r.Options {
		if err := o.check(); err != nil {
			return nil, fmt.Errorf("%s: option %q: %w", name, o.ID, err)
		}
	}
	return &r, nil
}

// check refuses an option of a file that no plan can have made.
func (o Option) check() error {
	switch {
	case o.ID == "" || o.Instance == "":
		return fmt.Errorf("it has no id or no instance")
	case o.TP < 1 || o.PP < 1 || o.DP < 1 || o.EP < 1 || o.TP > 1<<12 || o.PP > 1<<12 || o.DP > 1<<12:
		return fmt.Errorf("tp %d, pp %d, dp %d, ep %d: each must be 1 or more", o.TP, o.PP, o.DP, o.EP)
	case o.Replicas < 1 || o.Replicas > mostReplicas || o.Count < 1:
		return fmt.Errorf("%d replicas on %d instances", o.Replicas, o.Count)
	}
	return nil
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
		return nil, wrongf("assay plan serve lists them (--all for every one)", "the plan has no option %q; its first are %s", id, strings.Join(ids, ", "))
	}
	return &r.Options[i], nil
}
