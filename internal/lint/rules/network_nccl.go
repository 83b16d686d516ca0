package rules

import (
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/practice"
)

// A settingCheck looks at one variable, wherever it is set.
type settingCheck func(*lint.Pass, setting)

func onContainer(check settingCheck) func(*lint.Pass, *lint.Container) {
	return func(p *lint.Pass, c *lint.Container) {
		for _, s := range settings(c) {
			check(p, s)
		}
	}
}

// onSettings looks at ConfigMaps, which pods take variables and scripts from.
func onSettings(check settingCheck) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		if !o.Is("", "ConfigMap") {
			return
		}
		for _, s := range shared(o) {
			check(p, s)
		}
	}
}

func notNeeded(p *lint.Pass, s setting) {
	known, ok := practice.NetworkSetting(s.Name)
	if !ok || known.Advice != facts.NotNeeded || known.Value != s.Value {
		return
	}
	s.fail(p, "%s=%s is not needed since %s: %s", s.Name, s.Value, known.Since, known.Reason)
}

func rdmav(p *lint.Pass, s setting) {
	if known, ok := practice.NetworkSetting(s.Name); ok && known.Advice == facts.Never {
		s.fail(p, "%s is %s", s.Name, known.Reason)
	}
}

func ncclAlgo(p *lint.Pass, s setting) {
	if s.Name != "NCCL_ALGO" || s.Value == "" || s.open() {
		return
	}
	s.fail(p, "NCCL_ALGO=%s%s", s.Value, shutOut(s.Value))
}

// shutOut says what a list of algorithms leaves out. A list may be of single
// collectives, allreduce:ring;broadcast:tree, and ^ turns it round.
func shutOut(list string) string {
	if strings.ContainsAny(list, ":^") {
		return " narrows what NCCL may choose from"
	}
	var out []string
	for _, a := range []string{"NVLS", "NVLSTree", "CollnetDirect", "CollnetChain", "PAT"} {
		named := false
		for one := range strings.SplitSeq(list, ",") {
			named = named || strings.EqualFold(strings.TrimSpace(one), a)
		}
		if !named {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return " takes the choice from NCCL"
	}
	return " shuts out " + strings.Join(out, ", ")
}

func ncclProto(p *lint.Pass, s setting) {
	if s.Name == "NCCL_PROTO" && s.Value != "" && !s.open() {
		s.fail(p, "NCCL_PROTO=%s allows no other protocol", s.Value)
	}
}

func ncclDebug(p *lint.Pass, s setting) {
	if level := strings.ToUpper(s.Value); s.Name == "NCCL_DEBUG" && (level == "INFO" || level == "TRACE") {
		s.failValue(p, "NCCL_DEBUG=%s in what is applied; WARN is enough", s.Value)
	}
}

// ownChecks are settings that other rules speak of.
var ownChecks = map[string]bool{"NCCL_ALGO": true, "NCCL_PROTO": true}

func ncclIdle(p *lint.Pass, c *lint.Container) {
	if !usesEFA(c) {
		return
	}
	for _, s := range settings(c) {
		known, ok := practice.NetworkSetting(s.Name)
		if ok && known.Advice == facts.LeaveOut && !ownChecks[s.Name] && s.Value != "0" {
			s.fail(p, "%s=%s: %s", s.Name, s.Value, known.Reason)
		}
	}
}

func ncclLoopback(p *lint.Pass, c *lint.Container) {
	for _, s := range settings(c) {
		if (s.Name == "NCCL_SOCKET_IFNAME" || s.Name == "GLOO_SOCKET_IFNAME") && (s.Value == "lo" || s.Value == "=lo") && together(c.Pod) > 1 {
			s.failValue(p, "%s=%s, and the job has %d pods", s.Name, s.Value, together(c.Pod))
		}
	}
}

func ncclPeerOff(p *lint.Pass, c *lint.Container) {
	n, _, ok := c.GPUs()
	if !ok || n < 2 {
		return
	}
	on, ok := instancesOf(c.Pod)
	if !ok {
		return
	}
	for _, i := range on.Types {
		if chip, known := i.Chip(); !known || !chip.NVLink {
			return
		}
	}
	for _, s := range settings(c) {
		if s.Name == "NCCL_P2P_DISABLE" && s.Value == "1" {
			s.fail(p, "NCCL_P2P_DISABLE=1 with %d GPUs of %s, which NVLink connects", n, names(on.Types))
		}
	}
}
