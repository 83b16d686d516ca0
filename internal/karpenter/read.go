package karpenter

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"assay/internal/input"
)

// Bounds of a file of NodePools.
const (
	maxFile          = 2 << 20 // reading YAML takes some 100 bytes for each
	mostPools        = 1000
	mostObjects      = 100_000
	mostRequirements = 100 // of a pool, as the CRD has it
	mostMistakes     = 20
)

// Read reads the NodePools of a file of manifests, YAML or JSON, one or several
// documents, Lists too; - is standard input. Other kinds are passed over. Each mistake
// is told with its line.
func Read(path string) ([]NodePool, error) {
	data, name, err := input.ReadAll(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read NodePools: %w", err)
	}
	return Parse(name, data)
}

// Parse reads the text of such a file; name stands in its errors.
func Parse(name string, data []byte) ([]NodePool, error) {
	r := &reader{file: name}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
			r.object(doc.Content[0], 0)
		}
	}
	switch {
	case len(r.errs) > 0:
		return nil, errors.Join(r.errs...)
	case len(r.pools) == 0:
		return nil, fmt.Errorf("%s: no NodePool (apiVersion karpenter.sh/v1) in it: get them with kubectl get nodepools -o yaml", name)
	}
	return r.pools, nil
}

// Of reads the NodePool that a node of a document holds, and the mistakes in it; what
// is mistaken is left out.
func Of(file string, n *yaml.Node) (NodePool, []error) {
	r := &reader{file: file}
	if r.pool(n); len(r.pools) == 0 {
		return NodePool{}, r.errs
	}
	return r.pools[0], r.errs
}

type reader struct {
	file    string
	pools   []NodePool
	objects int
	errs    []error
}

func (r *reader) errorf(n *yaml.Node, format string, args ...any) {
	if len(r.errs) < mostMistakes {
		r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.file, n.Line, n.Column, fmt.Sprintf(format, args...)))
	}
}

func (r *reader) place(n *yaml.Node) Place { return Place{r.file, n.Line, n.Column} }

// object takes a NodePool, or those of a List. Lists lie in Lists at most once, and
// what is looked at is bounded: an alias may stand for a List that holds it.
func (r *reader) object(n *yaml.Node, depth int) {
	if r.objects++; r.objects > mostObjects || depth > 1 {
		return
	}
	kind, api := text(field(n, "kind")), text(field(n, "apiVersion"))
	switch {
	case strings.HasSuffix(kind, "List"):
		for _, item := range sequence(field(n, "items")) {
			r.object(item, depth+1)
		}
	case kind == "NodePool" && strings.HasPrefix(api, "karpenter.sh/"):
		r.pool(n)
	}
}

func (r *reader) pool(n *yaml.Node) {
	if len(r.pools) == mostPools {
		r.errorf(n, "more than %d NodePools", mostPools)
	}
	if len(r.pools) >= mostPools {
		return
	}
	spec := field(n, "spec")
	template := field(spec, "template")
	p := NodePool{Name: clip(text(field(field(n, "metadata"), "name"))), Place: r.place(n), NodeClass: clip(text(path(template, "spec", "nodeClassRef", "name")))}
	if p.Name == "" {
		r.errorf(n, "a NodePool without metadata.name")
	}
	if template == nil {
		r.errorf(n, "NodePool %s has no spec.template", p.Name)
		return
	}
	if w := field(spec, "weight"); w != nil {
		p.Weight = int(r.number(w))
	}
	p.Static = field(spec, "replicas") != nil
	r.labels(&p, path(template, "metadata", "labels"))
	r.requirements(&p, path(template, "spec", "requirements"))
	r.taints(&p, path(template, "spec", "taints"))
	r.limits(&p, field(spec, "limits"))
	r.pools = append(r.pools, p)
}

// labels of the template are requirements, too: each node has them.
func (r *reader) labels(p *NodePool, n *yaml.Node) {
	for k, v := range pairs(n) {
		p.Requirements = append(p.Requirements, Requirement{Key: keyOf(clip(k.Value)), Operator: "In", Values: []string{clip(text(v))}, Place: r.place(k)})
	}
}

func (r *reader) requirements(p *NodePool, n *yaml.Node) {
	items := sequence(n)
	if len(items) > mostRequirements {
		r.errorf(n, "NodePool %s has more than %d requirements", p.Name, mostRequirements)
		return
	}
	for _, item := range items {
		q := Requirement{Key: keyOf(clip(text(field(item, "key")))), Operator: text(field(item, "operator")), Place: r.place(item)}
		for _, v := range sequence(field(item, "values")) {
			q.Values = append(q.Values, clip(text(v)))
		}
		if m := field(item, "minValues"); m != nil {
			q.MinValues = int(r.number(m))
		}
		numeric, known := operators[q.Operator]
		switch {
		case q.Key == "":
			r.errorf(item, "a requirement without key")
		case !known:
			r.errorf(item, "%s: operator %q is none of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte", q.Key, clip(q.Operator))
		case numeric && !oneNumber(q.Values):
			r.errorf(item, "%s: %s takes one whole number, in quotes, not %q", q.Key, q.Operator, q.Values)
		case q.Operator == "In" && len(q.Values) == 0:
			r.errorf(item, "%s: In needs values", q.Key)
		default:
			p.Requirements = append(p.Requirements, q)
		}
	}
}

func (r *reader) taints(p *NodePool, n *yaml.Node) {
	for _, item := range sequence(n) {
		t := Taint{Key: clip(text(field(item, "key"))), Value: clip(text(field(item, "value"))), Effect: clip(text(field(item, "effect")))}
		switch t.Effect {
		case "NoSchedule", "NoExecute", "PreferNoSchedule":
			p.Taints = append(p.Taints, t)
		default:
			r.errorf(item, "taint %s: effect %q is none of NoSchedule, PreferNoSchedule, NoExecute", t.Key, t.Effect)
		}
	}
}

func (r *reader) limits(p *NodePool, n *yaml.Node) {
	for k, v := range pairs(n) {
		most, ok := Quantity(text(v))
		if !ok {
			r.errorf(v, "limit of %s: %q is no quantity, such as 1000, 500m or 4Ti", clip(k.Value), clip(text(v)))
			continue
		}
		p.Limits = append(p.Limits, Limit{Resource: clip(k.Value), Text: clip(text(v)), Most: most, Place: r.place(k)})
	}
}
