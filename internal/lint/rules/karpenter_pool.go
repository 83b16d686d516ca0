package rules

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

const instanceType = "node.kubernetes.io/instance-type"

// pinnedPools is a rule over pools of accelerated types alone, whose types are all known.
func pinnedPools(check func(*lint.Pass, pool)) func(*lint.Pass, *lint.Object) {
	return onPools(func(p *lint.Pass, q pool) {
		if q.Pinned() {
			check(p, q)
		}
	})
}

func requirementsNoType(p *lint.Pass, q pool) {
	if len(q.Roomy().Types()) > 0 || mistakenValue(q) || contradictionOf(q) != nil {
		return
	}
	culprit, ok := culpritOf(q)
	if !ok {
		return
	}
	at := q.valueAt(culprit)
	if !culprit.Takes() {
		p.Fail(at, "no accelerated instance type has %s; %s", culprit, knownValues(culprit.Key))
		return
	}
	rest := without(q, culprit).Types()
	p.Fail(at, "no accelerated instance type meets %s beside the other requirements, which leave %s", culprit, karpenter.Names(rest))
}

// culpritOf is the requirement without which types would be left: one that lets in none
// alone, else the last such.
func culpritOf(q pool) (karpenter.Requirement, bool) {
	for _, r := range q.Requirements {
		if karpenter.Judged(r.Key) && !r.Takes() {
			return r, true
		}
	}
	for _, r := range slices.Backward(q.Requirements) {
		if karpenter.Judged(r.Key) && len(without(q, r).Types()) > 0 {
			return r, true
		}
	}
	return karpenter.Requirement{}, false
}

func without(q pool, r karpenter.Requirement) karpenter.NodePool {
	rest := q.Roomy()
	rest.Requirements = slices.DeleteFunc(slices.Clone(rest.Requirements), func(o karpenter.Requirement) bool { return o.Place == r.Place })
	return rest
}

// knownValues says which values of a label there are, where they are few.
func knownValues(key string) string {
	const most = 12
	values := karpenter.Values(key)
	name := key[strings.LastIndexByte(key, '/')+1:]
	if len(values) > most {
		return "the catalogue has " + name + " of " + facts.InstanceSource().Date
	}
	return name + " is one of " + strings.Join(values, ", ")
}

// mistakenValue says that another rule speaks of one of the pool's values.
func mistakenValue(q pool) bool {
	for _, r := range q.Requirements {
		for _, v := range r.Values {
			if _, wrong := wrongValue(r.Key, v); wrong || wrongType(r.Key, v) {
				return true
			}
		}
	}
	return false
}

// wrongType says that a value names a type which its family does not have.
func wrongType(key, value string) bool {
	return key == instanceType && karpenter.FamilyKnown(value) && !karpenter.TypeKnown(value)
}

func unknownType(p *lint.Pass, o *lint.Object) {
	for _, item := range requirements(o) {
		typesIn(p, item.Get("key"), item.Get("operator").Text(), item.Get("values").Items())
	}
}

// typesIn looks at the values of one requirement of a pool or a pod.
func typesIn(p *lint.Pass, key source.Value, operator string, values []source.Value) {
	if name := key.Text(); name != instanceType && name != "beta.kubernetes.io/instance-type" || operator != "In" {
		return
	}
	for _, v := range values {
		typeOf(p, v)
	}
}

func typeOf(p *lint.Pass, v source.Value) {
	if v.Open() || !wrongType(instanceType, v.Text()) {
		return
	}
	p.Fail(v, "there is no instance type %s: its family has %s; the nearest is %s", v.Text(), sizesOf(v.Text()), closest(v.Text(), karpenter.Values(instanceType)))
}

// sizesOf are the sizes of a type's family.
func sizesOf(name string) string {
	family, _, _ := strings.Cut(name, ".")
	var all []string
	for _, i := range facts.Instances() {
		if i.Family == family {
			all = append(all, i.Size)
		}
	}
	return strings.Join(all, ", ")
}

func unknownTypeOfPod(p *lint.Pass, pod *lint.Pod) {
	nodeKeys(pod, func(key source.Value, operator string, values []source.Value) { typesIn(p, key, operator, values) })
}

// fewValues are labels with few values, all known; those without a list are held against
// the catalogue.
var fewValues = map[string][]string{
	"karpenter.sh/capacity-type":                  {facts.OnDemand, facts.Spot, karpenter.Reserved},
	"kubernetes.io/arch":                          {"amd64", "arm64"},
	"kubernetes.io/os":                            {"linux", "windows"},
	"karpenter.k8s.aws/instance-gpu-manufacturer": {"nvidia", "amd", "habana"},
	"karpenter.k8s.aws/instance-cpu-manufacturer": {"intel", "amd", "aws"},
	"karpenter.k8s.aws/instance-tenancy":          {"default", "dedicated"},
	"karpenter.k8s.aws/instance-capability-flex":  {"true", "false"},
	"karpenter.k8s.aws/capacity-reservation-type": {"default", "capacity-block"},
	"karpenter.k8s.aws/instance-accelerator-name": nil,
	"karpenter.k8s.aws/instance-gpu-name":         nil,
	"karpenter.k8s.aws/instance-category":         nil,
	"karpenter.k8s.aws/instance-family":           nil,
}

// halfFamilies are names that are written for families and that no family has.
var halfFamilies = map[string]string{"g4": "g4dn or g4ad", "p4": "p4d or p4de", "p3d": "p3dn"}

// wrongValue says that no node can have a label with a value, and what would be right.
func wrongValue(key, value string) (right string, wrong bool) {
	values, ours := fewValues[key]
	switch {
	case !ours || slices.Contains(values, value):
		return "", false
	case len(values) > 0:
		return strings.Join(values, ", "), true
	case key == "karpenter.k8s.aws/instance-family":
		right, wrong := halfFamilies[value]
		return right, wrong
	case key == "karpenter.k8s.aws/instance-category":
		// A category is letters alone: g5 is a family.
		if strings.ContainsAny(value, "0123456789") {
			return "letters alone, such as g or p; " + value + " would be an instance-family", true
		}
		return "", false
	case slices.Contains(karpenter.Values(key), value):
		return "", false
	case strings.HasSuffix(key, "-name"):
		if lower := strings.ToLower(value); lower != value {
			return "lower case, such as " + closest(lower, karpenter.Values(key)), true
		}
		if near, ok := nearest(value, karpenter.Values(key)); ok {
			return near, true
		}
	}
	return "", false
}

func requirementValue(p *lint.Pass, o *lint.Object) {
	if !isPool(o) {
		return
	}
	for _, item := range requirements(o) {
		valuesIn(p, item.Get("key").Text(), item.Get("operator").Text(), item.Get("values").Items())
	}
}

func valueOfPod(p *lint.Pass, pod *lint.Pod) {
	nodeKeys(pod, func(key source.Value, operator string, values []source.Value) {
		if capacityValues[key.Text()] == nil { // see capacityValue
			valuesIn(p, key.Text(), operator, values)
		}
	})
}

func valuesIn(p *lint.Pass, key, operator string, values []source.Value) {
	if operator != "In" && operator != "NotIn" {
		return
	}
	for _, v := range values {
		if v.Open() {
			continue
		}
		if right, wrong := wrongValue(key, v.Text()); wrong {
			p.Fail(v, "no node has %s: %s; right is %s", key, v.Text(), right)
		}
	}
}

func requirementsContradict(p *lint.Pass, q pool) {
	if r := contradictionOf(q); r != nil {
		var others []string
		for _, o := range q.Requirements {
			if o.Key == r.Key && o.Place != r.Place {
				others = append(others, o.String())
			}
		}
		p.Fail(q.valueAt(*r), "%s and %s cannot both hold: the pool launches nothing", r, strings.Join(others, ", "))
	}
}

// contradictionOf is the last of requirements on one label that cannot hold together.
func contradictionOf(q pool) *karpenter.Requirement {
	by := map[string][]karpenter.Requirement{}
	for _, r := range q.Requirements {
		by[r.Key] = append(by[r.Key], r)
		if same := by[r.Key]; len(same) > 1 && !karpenter.Together(same) {
			return &r
		}
	}
	return nil
}

func minValues(p *lint.Pass, q pool) {
	for _, r := range q.Requirements {
		if r.MinValues < 2 || r.Operator == "In" && len(r.Values) < r.MinValues || len(q.Types()) == 0 {
			continue
		}
		if n := q.Choices(r); n < r.MinValues {
			p.Fail(q.at(r).Get("minValues"), "minValues %d of %s, and the types that the pool could launch (%s) have %d", r.MinValues, r.Key, karpenter.Names(q.Types()), n)
		}
	}
}

func limitBelowNode(p *lint.Pass, q pool) {
	could := q.Roomy().Types()
	if len(could) == 0 || len(q.Types()) > 0 {
		return
	}
	_, by, _ := q.Room(could[0])
	at := q.object.Get("spec", "limits", by.Resource)
	p.Fail(at, "a limit of %s %s is less than one node of any type that the pool could launch, such as %s", by.Text, by.Resource, could[0].Name)
}

func spotOneType(p *lint.Pass, q pool) {
	types := q.Types()
	if q.Static || len(types) != 1 || !slices.Equal(q.Capacities(), []string{facts.Spot}) {
		return
	}
	r, ok := pinning(q)
	if !ok {
		return
	}
	others := practice.Alike(types[0])
	if len(others) == 0 {
		return // who wants these GPUs from Spot has no choice
	}
	p.Fail(q.valueAt(r), "the pool launches Spot capacity of %s alone: when it runs out, as it does for all nodes of a type at a time, there is nothing to take its place; pods run as well on %s", types[0].Name, karpenter.Names(others))
}

// pinning is the requirement that says the most of the type: a type's name, else the
// last that tells types apart.
func pinning(q pool) (karpenter.Requirement, bool) {
	for _, r := range q.Requirements {
		if r.Key == instanceType {
			return r, true
		}
	}
	for _, r := range slices.Backward(q.Requirements) {
		if karpenter.Judged(r.Key) && r.Key != "kubernetes.io/arch" && r.Key != "kubernetes.io/os" {
			return r, true
		}
	}
	return karpenter.Requirement{}, false
}

func consolidateEager(p *lint.Pass, q pool) {
	d := q.object.Get("spec", "disruption")
	at := d.Get("consolidateAfter")
	after, err := time.ParseDuration(at.Text())
	policy := d.Get("consolidationPolicy").Text()
	if err != nil || after > 0 || policy != "" && policy != "WhenEmptyOrUnderutilized" || q.Static {
		return
	}
	p.Fail(at, "consolidateAfter %s with WhenEmptyOrUnderutilized: as soon as any pod ends, pods on accelerated nodes are moved to fill fewer of them", at.Text())
}

var (
	regionForm = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)
	zoneIDForm = regexp.MustCompile(`^[a-z]{2,4}[0-9]-az[0-9]+$`)
)

// zoneMistake says what a text is that stands where a zone's name should.
func zoneMistake(value string) (what string, wrong bool) {
	switch {
	case regionForm.MatchString(value):
		return "is a region: a zone has a letter behind, such as " + value + "a", true
	case zoneIDForm.MatchString(value):
		return "is the ID of a zone: that is the label topology.k8s.aws/zone-id; a zone's name is such as us-east-1a", true
	}
	return "", false
}

func zonesIn(p *lint.Pass, key source.Value, operator string, values []source.Value) {
	if key.Text() != practice.ZoneLabel || operator != "In" {
		return
	}
	for _, v := range values {
		if what, wrong := zoneMistake(v.Text()); wrong {
			p.Fail(v, "%s %s", v.Text(), what)
		}
	}
}

func zoneOfPool(p *lint.Pass, o *lint.Object) {
	for _, item := range requirements(o) {
		zonesIn(p, item.Get("key"), item.Get("operator").Text(), item.Get("values").Items())
	}
}

func zoneOfPod(p *lint.Pass, pod *lint.Pod) {
	nodeKeys(pod, func(key source.Value, operator string, values []source.Value) { zonesIn(p, key, operator, values) })
}
