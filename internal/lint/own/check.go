package own

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	limits "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"

	"assay/internal/lint"
	"assay/internal/lint/schema"
	"assay/internal/lint/source"
)

// env is Kubernetes' environment of CEL, with the object and what stands at the rule's
// path.
var env = sync.OnceValues(func() (*cel.Env, error) {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("object", cel.DynType), cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		return nil, err
	}
	return set.NewExpressionsEnv(), nil
})

// check is a rule's expression, compiled.
type check struct {
	expr    string
	program cel.Program
	steps   []string // of the path
	message string
	say     cel.Program // the message as an expression; nil: none
}

// check compiles the expressions of a rule.
func (r *reader) check(v source.Value) *check {
	expr := v.Get("expr")
	if expr.Text() == "" {
		r.wrong(or(expr, v), "a rule needs an expr that is true where the object is right")
		return nil
	}
	c := &check{expr: strings.TrimSpace(expr.Text()), program: r.compile(expr, "expr", cel.BoolType), message: r.text(v, "message")}
	c.steps = r.steps(v)
	if say := v.Get("messageExpr"); say.Exists() {
		c.say = r.compile(say, "messageExpr", cel.StringType)
	}
	return c
}

// steps are those of a path.
func (r *reader) steps(v source.Value) []string {
	path := r.text(v, "path")
	all := schema.Steps(path)
	if strings.Count(path, "[") != strings.Count(path, "]") || slices.Contains(all, "") || strings.HasSuffix(path, ".") {
		r.wrong(v.Get("path"), "path is %q: want keys with dots, such as spec.template.spec.containers[*].image", clip(path))
	}
	return all
}

// compile makes a program of an expression, whose mistakes it reports where they stand.
func (r *reader) compile(v source.Value, key string, want *cel.Type) cel.Program {
	e, err := env()
	if err != nil {
		r.wrong(v, "%v", err)
		return nil
	}
	if len(v.Text()) > mostExpr {
		r.wrong(v, "%s is longer than %d KiB", key, mostExpr>>10)
		return nil
	}
	ast, issues := e.Compile(v.Text())
	if issues.Err() != nil {
		for _, i := range issues.Errors() {
			line, column := r.within(v, i.Location.Line(), i.Location.Column())
			r.wrongAt(line, column, "%s: %s", key, strings.TrimSuffix(i.Message, " (in container '')"))
		}
		return nil
	}
	if t := ast.OutputType(); !t.IsExactType(want) && !t.IsExactType(cel.DynType) {
		r.wrong(v, "%s must give %s, not %s", key, want, t)
		return nil
	}
	p, err := e.Program(ast, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(mostCost),
		cel.CostTracking(&library.CostEstimator{}), cel.CustomDecoratorV2(bound))
	if err != nil {
		r.wrong(v, "%s: %v", key, err)
		return nil
	}
	return p
}

// judge holds an object against the rule: at each place that its path matches.
func (c *check) judge(p *lint.Pass, o *lint.Object) {
	object := lint.Once(o, "plain", func() any { return schema.Plain(o.Root) })
	for _, at := range places(o.Root, c.steps) {
		vars := map[string]any{"object": object, "self": schema.Plain(at.value)}
		switch right, err := c.holds(p, vars); {
		case lost(p):
			return
		case err != nil:
			p.Unknown(at.key, "%s cannot be evaluated: %v", clip(c.expr), err)
		case !right && at.value.Open():
			p.Unknown(at.key, "%s is filled in later", clip(at.value.Text()))
		case !right:
			p.Fail(at.key, "%s", c.says(p, vars))
		}
	}
}

// lost says that the run ends early: what would be found is not asked for.
func lost(p *lint.Pass) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

func (c *check) holds(p *lint.Pass, vars map[string]any) (bool, error) {
	got, err := evaluate(p, c.program, vars)
	if err != nil {
		return false, err
	}
	right, ok := got.Value().(bool)
	if !ok {
		return false, fmt.Errorf("it gives %s, not true or false", got.Type().TypeName())
	}
	return right, nil
}

// says is the message of a finding.
func (c *check) says(p *lint.Pass, vars map[string]any) string {
	if c.say != nil {
		if got, err := evaluate(p, c.say, vars); err == nil {
			if s, ok := got.Value().(string); ok && len(s) <= limits.MaxEvaluatedMessageExpressionSizeBytes && strings.TrimSpace(s) != "" {
				return strings.TrimSpace(s)
			}
		}
	}
	if c.message != "" {
		return c.message
	}
	return "not so: " + clip(c.expr)
}

// place is a value that a path leads to; key is where it is pointed at.
type place struct{ key, value source.Value }

// places are those that a path matches. * stands for each item of a list or entry of a
// mapping, of which there may be none. Where a path without * ends early, the place is
// what is nearest, and the value absent.
func places(root source.Value, steps []string) []place {
	all := []place{{root, root}}
	for _, step := range steps {
		var next []place
		for _, at := range all {
			next = append(next, at.step(step)...)
		}
		all = next
	}
	return all
}

func (at place) step(step string) []place {
	var all []place
	if step == "*" {
		for _, item := range at.value.Items() {
			all = append(all, place{item, item})
		}
		for k, item := range at.value.Pairs() {
			all = append(all, place{k, item})
		}
		return all
	}
	value, key := at.value.Get(step), at.value.Key(step)
	if items := at.value.Items(); items != nil {
		var i int
		if _, err := fmt.Sscan(step, &i); err == nil && i >= 0 && i < len(items) {
			value, key = items[i], items[i]
		}
	}
	switch {
	case !value.Exists():
		return []place{{at.key, source.Value{}}}
	case value.IsScalar():
		key = value
	}
	return []place{{key, value}}
}
