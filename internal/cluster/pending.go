package cluster

import (
	"fmt"
	"regexp"
	"strings"

	"assay/internal/diagnose"
)

// pending says why no node takes a pod, and what that means.
func (w watch) pending(p pod, warnings []event) (diagnose.Incident, bool) {
	scheduled, ok := conditionOf(p.Status.Conditions, "PodScheduled")
	if p.Status.Phase != "Pending" || ok && scheduled.Status == "True" || p.Spec.NodeName != "" {
		return diagnose.Incident{}, false
	}
	since := scheduled.LastTransitionTime
	if since.IsZero() {
		since = p.Metadata.CreationTimestamp
	}
	message := scheduled.Message
	if message == "" {
		if e, ok := latest(warnings, "FailedScheduling"); ok {
			message = e.Message
		}
	}
	fact := "no node has taken it for " + w.ago(since)
	if scheduled.Reason == "SchedulingGated" {
		fact = "a scheduling gate has held it back for " + w.ago(since)
	}
	// What the scheduler says of preemption repeats the reasons.
	message, _, _ = strings.Cut(message, "preemption:")
	if message != "" {
		fact += ": " + plain(message)
	}
	for _, meaning := range meanings(message) {
		fact += "; " + meaning
	}
	if e, ok := latest(warnings, "FailedScaleUp", "NotTriggerScaleUp"); ok {
		fact += fmt.Sprintf("; the autoscaler: %s: %s", e.Reason, plain(e.Message))
	}
	return p.incident(diagnose.Pending, fact, since), true
}

// unschedulable are what the scheduler says of nodes that do not fit, and what
// it means. $1 stands for what the expression caught. The texts are those of
// kube-scheduler's plugins, as of Kubernetes 1.37.
var unschedulable = []struct {
	says  *regexp.Regexp
	means string
}{
	{regexp.MustCompile(`Insufficient (nvidia\.com/\S+|amd\.com/\S+|aws\.amazon\.com/neuron\S*)`), "$1: no node has that many free: others hold them, the instance has fewer, or the device plugin does not offer them"},
	{regexp.MustCompile(`Insufficient (vpc\.amazonaws\.com/efa)`), "$1: the request is above what the instance has (p4d 4, p5.48xlarge 32, p5en 16), or the EFA device plugin does not run"},
	{regexp.MustCompile(`Insufficient (cpu|memory|ephemeral-storage|pods|hugepages-\S+)`), "$1: requests, not use, count; nodes are full or too small"},
	{regexp.MustCompile(`untolerated taint(?:\(s\))? ?\{([^}]*)\}`), "the pod does not tolerate the taint {$1}"},
	{regexp.MustCompile(`untolerated taint\(s\)`), "the pod does not tolerate a taint of the nodes"},
	{regexp.MustCompile(`didn't match Pod's node affinity/selector`), "no node has the labels that the pod asks for: instance type, zone, capacity type"},
	{regexp.MustCompile(`volume node affinity conflict`), "its volume is in another zone than the nodes that are free: an EBS volume does not leave its zone"},
	{regexp.MustCompile(`topology spread constraints`), "topologySpreadConstraints with DoNotSchedule forbid the nodes that are free"},
	{regexp.MustCompile(`didn't match pod (anti-)?affinity rules`), "pod affinity rules forbid the nodes that are free"},
	{regexp.MustCompile(`existing pods anti-affinity rules`), "anti-affinity of pods that run forbids the nodes that are free"},
	{regexp.MustCompile(`unbound immediate PersistentVolumeClaims`), "a PersistentVolumeClaim has no volume: its storage class or driver gives none"},
	{regexp.MustCompile(`persistentvolumeclaim ("[^"]*") not found`), "the PersistentVolumeClaim $1 does not exist"},
	{regexp.MustCompile(`max volume count`), "the nodes hold as many volumes as their instance type can"},
	{regexp.MustCompile(`were unschedulable`), "nodes are cordoned"},
	{regexp.MustCompile(`Too many pods`), "nodes hold as many pods as they may: on EKS a matter of addresses for each instance type"},
	{regexp.MustCompile(`cannot allocate all claims|resourceclaim not created`), "no node has devices for its resource claims"},
	{regexp.MustCompile(`^0/0 nodes are available|no nodes available`), "the cluster has no nodes"},
	{regexp.MustCompile(`(?i)incompatible with (?:nodepool|provisioner)`), "Karpenter has no NodePool that may make a node for it"},
}

// meanings explains a message of the scheduler.
func meanings(message string) []string {
	var found []string
	seen := map[string]bool{}
	for _, u := range unschedulable {
		for _, m := range u.says.FindAllStringSubmatch(message, 4) {
			meaning := u.means
			if len(m) > 1 {
				meaning = strings.ReplaceAll(meaning, "$1", strings.TrimRight(m[1], ".,"))
			}
			if !seen[meaning] {
				seen[meaning] = true
				found = append(found, meaning)
			}
		}
	}
	return found
}
