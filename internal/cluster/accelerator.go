package cluster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/diagnose"
	"assay/internal/facts"
)

// acceleratorCondition is the node condition of the EKS node monitoring agent.
// Its events carry the same word as their reason, and what it is about at the
// start of their message.
const acceleratorCondition = "AcceleratedHardwareReady"

// xidWord finds codes in the agent's reasons (NvidiaXID79Error) and messages
// (detected XID-79 on the instance).
var xidWord = regexp.MustCompile(`NvidiaXID(\d{1,4})(?:Error|Warning)|XID-(\d{1,4})\b`)

// accelerator is a node whose accelerators are not well by its condition.
func (w watch) accelerator(name string, c condition) diagnose.Incident {
	// That DCGM does not answer says nothing of the hardware.
	if c.Reason == "DCGMError" {
		fact := fmt.Sprintf("nobody knows whether its GPUs are well, for %s: %s: %s", w.ago(c.LastTransitionTime), c.Reason, plain(c.Message))
		return incidentOfNode(name, diagnose.NotReady, fact, c.LastTransitionTime)
	}
	fact := fmt.Sprintf("%s is false for %s: %s: %s", acceleratorCondition, w.ago(c.LastTransitionTime), c.Reason, plain(c.Message))
	for _, x := range codes(c.Reason + " " + c.Message) {
		fact += fmt.Sprintf("; XID %d: %s", x.Code, x.Meaning)
	}
	return incidentOfNode(name, diagnose.AcceleratorUnhealthy, fact, c.LastTransitionTime)
}

// acceleratorEvent is a warning of the agent. Only a code that leaves the GPU
// unfit for a measurement is an incident; the rest is remarked on.
func (w watch) acceleratorEvent(name string, e event) (diagnose.Incident, bool) {
	told := e.Reason + " " + e.Message
	if e.Type == "Normal" || !strings.Contains(told, "Nvidia") && !strings.Contains(told, "Neuron") && !strings.Contains(told, "DCGM") {
		return diagnose.Incident{}, false
	}
	found := codes(told)
	for _, x := range found {
		if x.Fatal {
			i := incidentOfNode(name, diagnose.AcceleratorUnhealthy, fmt.Sprintf("XID %d %s ago: %s: %s", x.Code, w.ago(e.at()), x.Meaning, plain(e.Message)), e.at())
			i.Source = "Kubernetes API, event of the node"
			return i, true
		}
	}
	if len(found) > 0 {
		w.remark("node %s reported XID %d %s ago: %s (assay explain xid %d)", name, found[0].Code, w.ago(e.at()), found[0].Meaning, found[0].Code)
	} else {
		w.remark("node %s, %s ago: %s", name, w.ago(e.at()), plain(e.Message))
	}
	return diagnose.Incident{}, false
}

// codes are the XIDs that a text names, each once.
func codes(text string) []facts.XID {
	var found []facts.XID
	seen := map[int]bool{}
	for _, m := range xidWord.FindAllStringSubmatch(text, 16) {
		code, err := strconv.Atoi(m[1] + m[2])
		if x, ok := facts.XIDOf(code); err == nil && ok && !seen[code] {
			seen[code] = true
			found = append(found, x)
		}
	}
	return found
}
