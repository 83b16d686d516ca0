package explain

import (
	"fmt"

	"assay/internal/facts"
)

func xidTopics() []topic {
	var all []topic
	for _, x := range facts.XIDs {
		all = append(all, topic{
			name: fmt.Sprintf("xid %d", x.Code), kind: XID, aliases: []string{fmt.Sprintf("XID%d", x.Code)},
			page: func() Page { return xidPage(x) },
		})
	}
	return all
}

func xidPage(x facts.XID) Page {
	p := Page{Topic: fmt.Sprintf("xid %d", x.Code), Kind: XID, Title: fmt.Sprintf("XID %d", x.Code), Is: x.Meaning}
	p.fact("severity", string(x.Severity)+": "+xidSeverities[x.Severity])
	p.fact("for measurements", map[bool]string{true: "a GPU that reported it is not to be trusted", false: "the GPU itself may be trusted"}[x.Fatal])
	p.fact("occurs on", x.Applies)
	p.fact("before Ampere (T4, V100)", x.Older)
	p.fact("NVIDIA's action", action(x.Action))
	p.fact("and if that fails", x.Then)
	p.Do = steps(x.OnEKS)
	p.Traps = xidTraps
	p.See = []string{"DCGM_FI_DEV_XID_ERRORS", "DCGM_EXP_XID_ERRORS_COUNT"}
	if x.Fatal {
		p.See = append(p.See, "gpu-fault")
	}
	for _, s := range []facts.Source{x.Source, x.EKSSource} {
		p.Sources = append(p.Sources, Source{s.Title, s.URL, s.Date})
	}
	return p
}

func action(name string) string {
	if words := facts.XIDActions[name]; words != "" {
		return name + ": " + words
	}
	return name
}

var xidSeverities = map[facts.XIDSeverity]string{
	facts.XIDPage:   "somebody has to act now",
	facts.XIDTicket: "somebody has to look, not at night",
	facts.XIDInfo:   "nobody has to act",
}

// xidTraps hold for every code.
var xidTraps = []string{
	"The metric is a gauge that holds the last code, until the driver is loaded again: a code that is there is no news, and a later one hides it.",
}
