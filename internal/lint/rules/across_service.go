package rules

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/lint"
)

// crowd is a set of labelled things, by namespace, that selectors choose from. Those of
// one label are found without a look at all.
type crowd struct {
	all []labelled
	by  map[string][]int // "key=value" → places in all
}

type labelled struct {
	ref    lint.Ref
	labels map[string]string
	ports  []string
}

func crowdOf(all []labelled) *crowd {
	c := &crowd{all: all, by: map[string][]int{}}
	for i, l := range all {
		for k, v := range l.labels {
			c.by[k+"="+v] = append(c.by[k+"="+v], i)
		}
	}
	return c
}

func podCrowd(x *lint.Index) *crowd {
	var all []labelled
	for _, w := range x.Workloads {
		all = append(all, labelled{w.At.Object, w.Labels, w.Ports})
	}
	return crowdOf(all)
}

func serviceCrowd(x *lint.Index) *crowd {
	var all []labelled
	for _, s := range x.Services {
		l := labelled{ref: s.At.Object, labels: s.Labels}
		for _, p := range s.Ports {
			l.ports = append(l.ports, p.Name)
		}
		all = append(all, l)
	}
	return crowdOf(all)
}

// chosen are those that a selector matches and that are seen from where it stands.
func (c *crowd) chosen(s lint.Selector, sees func(lint.Ref) bool) []labelled {
	among := -1
	var few []int
	for _, l := range s.Labels {
		if these := c.by[l.Key+"="+l.Value]; among < 0 || len(these) < among {
			among, few = len(these), these
		}
	}
	var all []labelled
	if among < 0 {
		for _, l := range c.all {
			if sees(l.ref) && s.Matches(l.labels) {
				all = append(all, l)
			}
		}
		return all
	}
	for _, i := range few {
		if l := c.all[i]; sees(l.ref) && s.Matches(l.labels) {
			all = append(all, l)
		}
	}
	return all
}

// nearMiss is something that a selector misses by one label, and that label.
type nearMiss struct {
	labelled
	label lint.Label
	has   string // what is there in its place; empty: nothing
}

// nearly finds what a selector misses by little: by one label whose value is misspelt,
// or that is not there beside others that are.
func (c *crowd) nearly(s lint.Selector, sees func(lint.Ref) bool) (nearMiss, bool) {
	if len(s.Labels) == 0 || len(s.Expressions) > 0 || s.Open || slices.ContainsFunc(s.Labels, func(l lint.Label) bool { return setByController(l.Key) }) {
		return nearMiss{}, false
	}
	for _, l := range c.all {
		if !sees(l.ref) {
			continue
		}
		var missed []lint.Label
		for _, want := range s.Labels {
			if l.labels[want.Key] != want.Value {
				missed = append(missed, want)
			}
		}
		if len(missed) != 1 {
			continue
		}
		want := missed[0]
		has, there := l.labels[want.Key]
		if !there && addedLater(want.Key) {
			continue
		}
		if strings.Contains(has, "${") || strings.Contains(has, "{{") {
			return nearMiss{}, false
		}
		if _, alike := nearest(want.Value, []string{has}); there && alike || !there && len(s.Labels) > 1 || there && sameThing(s, l) {
			return nearMiss{l, want, has}, true
		}
	}
	return nearMiss{}, false
}

// addedLater says that a label may come from a controller, as those of LeaderWorkerSet,
// JobSet, Job and StatefulSet do: a template without it does not show that pods lack it.
func addedLater(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return strings.Contains(key, "/") && domain != "app.kubernetes.io" || key == "job-name" || key == "pod-template-hash"
}

// sameThing says that what selects and what is missed bear one name.
func sameThing(s lint.Selector, l labelled) bool {
	return s.At.Object.Name != "" && s.At.Object.Name == l.ref.Name && s.At.Object.Namespace == l.ref.Namespace
}

func (n nearMiss) said() string {
	if n.has == "" {
		return fmt.Sprintf("%s %s lacks the label %s", n.ref.Kind, n.ref.Name, n.label.Key)
	}
	return fmt.Sprintf("%s %s has %s: %s", n.ref.Kind, n.ref.Name, n.label.Key, n.has)
}

func inNamespaceOf(at lint.Spot) func(lint.Ref) bool {
	return func(r lint.Ref) bool { return lint.SameNamespace(at.Object, r) }
}

func serviceSelectsNothing(p *lint.Pass, x *lint.Index) {
	all := podCrowd(x)
	for _, s := range x.Services {
		sees := inNamespaceOf(s.At)
		if s.Selector.Empty() || len(all.chosen(s.Selector, sees)) > 0 {
			continue
		}
		if n, ok := all.nearly(s.Selector, sees); ok {
			p.FailAt(n.label.At, "no pods that were read have %s: %s; %s", n.label.Key, n.label.Value, n.said())
		}
	}
}

func serviceTargetPort(p *lint.Pass, x *lint.Index) {
	all := podCrowd(x)
	for _, s := range x.Services {
		chosen := []labelled(nil)
		for _, port := range s.Ports {
			if port.Target == "" || s.Selector.Empty() {
				continue
			}
			if chosen == nil {
				chosen = all.chosen(s.Selector, inNamespaceOf(s.At))
			}
			if names, lacking := portsOf(chosen, port.Target); lacking {
				p.FailAt(port.At, "no container of %s %s has a port named %s%s", chosen[0].ref.Kind, chosen[0].ref.Name, port.Target, otherPorts(names))
			}
		}
	}
}

// portsOf are the names of ports of some things; lacking says that there are things and
// none of them has the name.
func portsOf(all []labelled, name string) (names []string, lacking bool) {
	for _, l := range all {
		if slices.Contains(l.ports, name) {
			return nil, false
		}
		for _, p := range l.ports {
			if p != "" && !slices.Contains(names, p) {
				names = append(names, p)
			}
		}
	}
	return names, len(all) > 0
}

func otherPorts(names []string) string {
	if len(names) == 0 {
		return ", nor any with a name"
	}
	return "; there is " + strings.Join(names[:min(len(names), 5)], ", ")
}

// monitored are what a monitor selects from: Services, or pods.
func monitored(x *lint.Index) map[string]*crowd {
	return map[string]*crowd{"ServiceMonitor": serviceCrowd(x), "PodMonitor": podCrowd(x)}
}

func monitorSelectsNothing(p *lint.Pass, x *lint.Index) {
	if len(x.Monitors) == 0 {
		return
	}
	all := monitored(x)
	for _, m := range x.Monitors {
		from := all[m.At.Object.Kind]
		if m.Selector.Empty() || len(from.chosen(m.Selector, m.Sees)) > 0 {
			continue
		}
		if n, ok := from.nearly(m.Selector, m.Sees); ok {
			p.FailAt(n.label.At, "nothing that was read has %s: %s; %s", n.label.Key, n.label.Value, n.said())
		}
	}
}

func monitorPort(p *lint.Pass, x *lint.Index) {
	if len(x.Monitors) == 0 {
		return
	}
	all := monitored(x)
	for _, m := range x.Monitors {
		if m.Selector.Empty() {
			continue
		}
		chosen := all[m.At.Object.Kind].chosen(m.Selector, m.Sees)
		for _, port := range m.Ports {
			if names, lacking := portsOf(chosen, port.Value); lacking {
				p.FailAt(port.At, "%s %s has no port named %s%s", chosen[0].ref.Kind, chosen[0].ref.Name, port.Value, otherPorts(names))
			}
		}
	}
}
