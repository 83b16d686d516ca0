package rules

import (
	"strconv"
	"time"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// onServer makes a rule over vLLM servers one over containers.
func onServer(judge func(*lint.Pass, *lint.Server)) func(*lint.Pass, *lint.Container) {
	return func(p *lint.Pass, c *lint.Container) {
		if s, ok := c.VLLM(); ok {
			judge(p, s)
		}
	}
}

// whereArgs is where a flag that is absent would stand.
func whereArgs(c *lint.Container) source.Value {
	for _, key := range []string{"args", "command", "image"} {
		if k := c.Root.Key(key); k.Exists() {
			return k
		}
	}
	return c.Root
}

// grace is how long a pod has between the start of its deletion and SIGKILL; at is
// absent where nothing is written.
func grace(p *lint.Pod) (d time.Duration, at source.Value, ok bool) {
	at = p.Get("terminationGracePeriodSeconds")
	if !at.Exists() {
		return practice.DefaultGrace, at, true
	}
	n, ok := at.Int()
	return time.Duration(n) * time.Second, at, ok
}

// orElse is a value, or another place where it is absent.
func orElse(v, other source.Value) source.Value {
	if v.Exists() {
		return v
	}
	return other
}

// shutdown is what --shutdown-timeout gives running requests; ok is false where that is
// filled in later. Without the flag it is 0, as vLLM's default is.
func shutdown(s *lint.Server) (d time.Duration, at source.Value, ok bool) {
	a, given := s.Arg("--shutdown-timeout")
	if !given {
		return 0, at, s.Whole
	}
	if has, _ := practice.VLLMFlag(s.Version, "--shutdown-timeout"); has == practice.NotYet {
		return 0, a.At, false // another rule says so
	}
	n, err := strconv.ParseFloat(a.Text, 64)
	if err != nil || !(n >= 0 && n < 1e6) {
		return 0, a.At, false
	}
	return time.Duration(n * float64(time.Second)), a.At, true
}

// seconds writes a duration as manifests do.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// onSpot is where a pod lets its nodes be Spot, by Karpenter's label or that of node
// groups; only: it takes nothing else.
func onSpot(p *lint.Pod) (at source.Value, only bool) {
	if v := p.NodeSelector(practice.CapacityLabel); v.Exists() {
		if v.Text() == facts.Spot {
			return v, true
		}
		return source.Value{}, false
	}
	if v := p.NodeSelector(nodeGroupCapacity); v.Text() == "SPOT" {
		return v, true
	}
	for _, term := range required(p) {
		for _, e := range term.Get("matchExpressions").Items() {
			if e.Get("operator").Text() != "In" {
				continue
			}
			for _, v := range e.Get("values").Items() {
				spot := e.Get("key").Text() == practice.CapacityLabel && v.Text() == facts.Spot ||
					e.Get("key").Text() == nodeGroupCapacity && v.Text() == "SPOT"
				if spot {
					return v, len(e.Get("values").Items()) == 1 && len(required(p)) == 1
				}
			}
		}
	}
	return source.Value{}, false
}

// nodeGroupCapacity is the label of nodes of EKS's managed node groups.
const nodeGroupCapacity = "eks.amazonaws.com/capacityType"

// usesModels says that a pod serves or trains models: it asks for accelerators, or runs
// vLLM.
func usesModels(p *lint.Pod) bool {
	if accelerators(p) > 0 {
		return true
	}
	for _, c := range p.Containers() {
		if c.ServesVLLM() {
			return true
		}
	}
	return false
}

// serves says that a kind's pods answer requests until they are replaced.
func serves(o *lint.Object) bool {
	switch o.Kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "Rollout", "LeaderWorkerSet", "DaemonSet":
		return true
	}
	return false
}
