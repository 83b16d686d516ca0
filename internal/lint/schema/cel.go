package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	limits "k8s.io/apiserver/pkg/apis/cel"

	"assay/internal/lint/source"
)

// rules are the CEL rules of a version, compiled by the code of the API server. Cost
// limits are the server's, so that no rule runs long.
type rules struct{ validator *cel.Validator }

// compile reads the rules of a schema; nil: it has none.
func compile(name string, text json.RawMessage) *rules {
	if !bytes.Contains(text, []byte(`"x-kubernetes-validations"`)) {
		return nil
	}
	var v1 apiextensionsv1.JSONSchemaProps
	must(name, text, &v1)
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	s, err := structural.NewStructural(&props)
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	return &rules{cel.NewValidator(s, true, limits.PerCallLimit)}
}

// broken are the rules that an object does not keep. Its structure must be right, and
// defaults are filled in first, as a server does.
func (v *version) broken(root source.Value) []Issue {
	r := v.rules()
	if r == nil || r.validator == nil {
		return nil
	}
	object := Plain(root)
	fill(v.root, object)
	errs, _ := r.validator.Validate(context.Background(), nil, nil, object, nil, limits.RuntimeCELCostBudget)
	var all []Issue
	for _, e := range errs {
		if e.Type == field.ErrorTypeInternal {
			continue
		}
		at, subject := locate(root, e.Field)
		if !unsettled(subject) {
			all = append(all, Issue{BrokenRule, e.Field, at, rule(e)})
		}
	}
	return all
}

// rule is what a rule that is broken says.
func rule(e *field.Error) string {
	if e.Field == "" {
		return e.Detail
	}
	return e.Field + ": " + e.Detail
}

// Plain is a value as JSON gives it to a server: nil, bool, int64, float64, string,
// []any, map[string]any.
func Plain(v source.Value) any {
	switch {
	case v.IsMap():
		m := map[string]any{}
		for k, item := range v.Pairs() {
			m[k.Text()] = Plain(item)
		}
		return m
	case v.IsList():
		all := []any{}
		for _, item := range v.Items() {
			all = append(all, Plain(item))
		}
		return all
	case v.IsScalar():
		_, x := scalar(v)
		return x
	}
	return nil
}

// fill puts defaults where nothing stands, at any depth; a null that is not allowed
// stands for nothing.
func fill(n *node, v any) {
	if n == nil || n.builtIn {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for key, p := range n.Properties {
			if got, ok := v[key]; p.Default != nil && (!ok || got == nil && !p.Nullable) {
				v[key] = initial(p.Default)
			}
		}
		for key, item := range v {
			p := n.Properties[key]
			if p == nil {
				p = n.entries()
			}
			if item == nil && p != nil && !p.Nullable {
				delete(v, key)
				continue
			}
			fill(p, item)
		}
	case []any:
		for _, item := range v {
			fill(n.Items, item)
		}
	}
}

// initial is a default, made anew for each use.
func initial(text json.RawMessage) any {
	var v any
	if err := utiljson.Unmarshal(text, &v); err != nil {
		return nil
	}
	return v
}

// locate finds what a server's path names: where it stands, and the value itself. Where
// the end is absent, that is what lacks it.
func locate(root source.Value, path string) (at, subject source.Value) {
	at, subject = root, root
	for _, step := range Steps(path) {
		next, key := subject.Get(step), subject.Key(step)
		if items := subject.Items(); items != nil {
			if i, err := strconv.Atoi(step); err == nil && i < len(items) {
				next, key = items[i], items[i]
			}
		}
		if !next.Exists() {
			return at, subject
		}
		at, subject = key, next
		if subject.IsScalar() {
			at = subject
		}
	}
	return at, subject
}

// Steps are the keys and indices of a path such as spec.list[0].map[a.b/c].
func Steps(path string) []string {
	var all []string
	for path != "" {
		if rest, ok := strings.CutPrefix(path, "["); ok {
			step, after, _ := strings.Cut(rest, "]")
			all = append(all, step)
			path = strings.TrimPrefix(after, ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		all = append(all, path[:end])
		path = strings.TrimPrefix(path[end:], ".")
	}
	return all
}

// unsettled says that something in a value is filled in later.
func unsettled(v source.Value) bool {
	if v.IsScalar() {
		return open(v)
	}
	for _, item := range v.Items() {
		if unsettled(item) {
			return true
		}
	}
	for _, item := range v.Pairs() {
		if unsettled(item) {
			return true
		}
	}
	return false
}
