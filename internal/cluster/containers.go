package cluster

import (
	"fmt"
	"strings"

	"assay/internal/diagnose"
)

// incidentsOfContainer says how it last ended and what keeps it from running.
// Stuck says that the second explains why the pod is not ready.
func (w watch) incidentsOfContainer(p pod, c container, warnings []event) (found []diagnose.Incident, stuck bool) {
	last := c.LastState.Terminated
	if now := c.State.Terminated; now != nil && now.ExitCode != 0 {
		last = now
	}
	looping := c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
	switch {
	case looping:
		fact := fmt.Sprintf("container %s does not stay up: restarted %s", c.Name, times(c.RestartCount))
		at := lastChange(p)
		if last != nil {
			fact, at = fact+", last time "+ending(last), last.FinishedAt
		}
		found = append(found, p.incident(diagnose.CrashLoop, fact+probe(warnings, c.Name), at))
	case c.State.Waiting != nil && waitsInVain[c.State.Waiting.Reason] != "":
		fact := fmt.Sprintf("container %s does not start: %s (%s): %s", c.Name, waitsInVain[c.State.Waiting.Reason], c.State.Waiting.Reason, plain(c.State.Waiting.Message))
		return append(found, p.incident(diagnose.NotReady, fact, lastChange(p))), true
	}
	if last == nil || last.FinishedAt.Before(w.since) {
		return found, looping
	}
	switch {
	case last.Reason == "OOMKilled":
		fact := fmt.Sprintf("container %s was killed for memory: exit code %d, restarted %s; its limit is below what it needs, or the node was full", c.Name, last.ExitCode, times(c.RestartCount))
		found = append(found, p.incident(diagnose.OOMKilled, fact, last.FinishedAt))
	case c.RestartCount > 0 && !looping:
		fact := fmt.Sprintf("container %s was restarted, %s in all, last after %s", c.Name, times(c.RestartCount), ending(last))
		found = append(found, p.incident(diagnose.Restarted, fact+probe(warnings, c.Name), last.FinishedAt))
	}
	return found, looping
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// waitsInVain are reasons for which a container that waits will wait on.
var waitsInVain = map[string]string{
	"ImagePullBackOff":           "its image cannot be pulled",
	"ErrImagePull":               "its image cannot be pulled",
	"ErrImageNeverPull":          "its image is not on the node and may not be pulled",
	"InvalidImageName":           "its image has no valid name",
	"RegistryUnavailable":        "its registry does not answer",
	"CreateContainerConfigError": "a ConfigMap, a Secret or a key of one is missing",
	"CreateContainerError":       "the runtime cannot create it",
	"RunContainerError":          "the runtime cannot start it",
}

// ending is how a process ended. A code above 128 is a signal.
func ending(t *terminated) string {
	s := fmt.Sprintf("exit code %d", t.ExitCode)
	if t.Reason != "" && t.Reason != "Error" {
		s += " (" + plain(t.Reason) + ")"
	}
	if name := signals[t.ExitCode]; name != "" && t.Reason != "OOMKilled" {
		s += ", " + name
	}
	if t.Message != "" {
		s += ": " + plain(t.Message)
	}
	return s
}

var signals = map[int]string{
	134: "SIGABRT: it gave up on an error of its own",
	137: "SIGKILL: killed from outside, for example after a failed liveness probe or a grace period that was too short",
	139: "SIGSEGV: it touched memory that is not its own",
	143: "SIGTERM: asked to end",
}

// probe is the container's last failed liveness or startup probe, which is what
// restarts one that did not end by itself. A readiness probe restarts nothing.
func probe(warnings []event, container string) string {
	var own []event
	for _, e := range warnings {
		if strings.HasSuffix(e.InvolvedObject.FieldPath, "{"+container+"}") && !strings.HasPrefix(e.Message, "Readiness") {
			own = append(own, e)
		}
	}
	if e, ok := latest(own, "Unhealthy"); ok {
		return "; " + plain(e.Message)
	}
	return ""
}
