package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/practice"
)

var (
	vllmShutdown = facts.Source{Title: "vLLM pull request 36666, --shutdown-timeout; and vLLM 0.32 as it was seen to end", URL: "https://github.com/vllm-project/vllm/pull/36666", Date: "2026-11-30"}
	podEnd       = facts.Source{Title: "Kubernetes, termination of Pods", URL: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination", Date: "2026-11-30"}
	podHooks     = facts.Source{Title: "Kubernetes, container lifecycle hooks", URL: "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/", Date: "2026-11-30"}
	spotNotice   = facts.Source{Title: "Amazon EC2, Spot Instance interruption notices", URL: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html", Date: "2026-11-30"}
	vllmRoutes   = facts.Source{Title: "vLLM, the routes of its server, read in 0.32", URL: "https://github.com/vllm-project/vllm/tree/main/vllm/entrypoints", Date: "2026-11-30"}
)

var drainRules = []*lint.Rule{
	{
		ID: "drain-no-such-route", Severity: lint.Error, Subject: lint.Drain,
		Title:     "A preStop hook asks vLLM for a route that it does not have",
		Why:       "vLLM has no /drain: the request is answered with 404 and nothing drains. After the hook SIGTERM ends every stream at once, with --shutdown-timeout left at 0 (finish_reason abort, then [DONE]: it looks well to clients).",
		Fix:       "Let preStop sleep until the endpoint has left the Service, start vLLM with --shutdown-timeout N, and give a grace period above both.",
		Sources:   []facts.Source{vllmRoutes, vllmShutdown},
		Container: onServer(drainRoute),
	},
	{
		ID: "grace-shorter-than-drain", Severity: lint.Error, Subject: lint.Drain,
		Title:     "The grace period ends before the drain does",
		Why:       "preStop counts within the grace period, and SIGKILL comes at its end: with grace ≤ preStop + --shutdown-timeout requests that vLLM still finishes are cut, and their clients wait for an end that does not come.",
		Fix:       "Make terminationGracePeriodSeconds longer than both together, with slack for the process to end: 10 s.",
		Sources:   []facts.Source{podEnd, vllmShutdown},
		Container: onServer(graceShort),
	},
	{
		ID: "prestop-longer-than-grace", Severity: lint.Error, Subject: lint.Drain,
		Title:     "A preStop hook lasts as long as the grace period or longer",
		Why:       "The hook counts within terminationGracePeriodSeconds, 30 if nothing is written. When that is over, the container is killed (two seconds after SIGTERM at most): what runs is lost.",
		Fix:       "Shorten the hook, or make the grace period longer than it and than what runs needs.",
		Sources:   []facts.Source{podHooks, podEnd},
		Container: hookLong,
	},
	{
		ID: "shutdown-timeout-missing", Severity: lint.Warning, Subject: lint.Drain,
		Title:     "A pod waits to drain, and vLLM is not told to",
		Why:       "Without --shutdown-timeout vLLM ends every stream at SIGTERM, with finish_reason abort and [DONE]. The grace period that is left after preStop is used by nobody.",
		Fix:       "Add --shutdown-timeout: the grace period less preStop and 10 s. Without preStop add that first, a sleep of 10 s: SIGTERM comes before the endpoint has left the Service.",
		Sources:   []facts.Source{vllmShutdown},
		Container: onServer(shutdownMissing),
	},
	{
		ID: "drain-without-prestop", Severity: lint.Warning, Subject: lint.Drain,
		Title:     "vLLM drains while requests are still sent to it",
		Why:       "SIGTERM comes as soon as the pod is deleted, and the endpoint leaves Services and load balancers seconds later. From SIGTERM on vLLM answers new requests with 500, while /health stays 200.",
		Fix:       "Add a preStop hook that sleeps until the endpoint is out: 10 s, more behind a load balancer; and as much to the grace period.",
		Sources:   []facts.Source{vllmShutdown, podEnd},
		Container: onServer(noPreStop),
	},
	{
		ID: "grace-beyond-spot-notice", Severity: lint.Warning, Subject: lint.Drain,
		Title:   "A grace period that a Spot node does not have",
		Why:     "EC2 takes the instance 120 s after its notice, and some of these pass before the pod is deleted (EventBridge, SQS, Karpenter, eviction). With 120 s of grace or more, what still runs is lost with the node.",
		Fix:     "Stay at 100 s or below on Spot: preStop 10, --shutdown-timeout 80, slack 10. For more, use on-demand or reserved capacity.",
		Sources: []facts.Source{spotNotice},
		Pod:     graceOnSpot,
		Across:  graceOnSpotPools,
	},
	{
		ID: "spot-without-drain", Severity: lint.Warning, Subject: lint.Drain,
		Title:     "A server on Spot nodes that does not drain",
		Why:       "Spot takes nodes in ordinary operation. Without preStop and --shutdown-timeout vLLM ends every stream at SIGTERM, with finish_reason abort and [DONE], which clients take for a whole answer; and requests still come while the endpoint leaves the Service.",
		Fix:       "Add preStop with a sleep of 10 s, --shutdown-timeout of as long as a response takes, 80 s at most, and a grace period of both and 10 s more (assay render serve --from RUN writes them).",
		Sources:   []facts.Source{vllmShutdown, spotNotice},
		Container: onServer(spotUndrained),
	},
	{
		ID: "shell-is-pid-1", Severity: lint.Warning, Subject: lint.Drain,
		Title:     "A shell stands between SIGTERM and vLLM",
		Why:       "SIGTERM goes to the container's first process alone. A shell that waits for a command passes it to nobody, and as process 1 ignores it: vLLM is killed at the end of the grace period, with all its streams. (bash takes the place of the last command of a script; sh does not.)",
		Fix:       "Write exec before vllm, or leave the shell out.",
		Sources:   []facts.Source{podEnd, {Title: "Docker, ENTRYPOINT: exec form and shell form", URL: "https://docs.docker.com/reference/dockerfile/#entrypoint", Date: "2026-11-30"}},
		Container: onServer(shellFirst),
	},
	{
		ID: "exec-not-split", Severity: lint.Error, Subject: lint.Drain,
		Title:     "A hook's or probe's command is a line for a shell, and there is none",
		Why:       "exec starts a program with arguments. A line with blanks is taken for the program's name, and && or | for arguments: the hook fails, or does something else, at each try.",
		Fix:       "Write one item a word, or [\"/bin/sh\", \"-c\", \"the line\"].",
		Sources:   []facts.Source{podHooks},
		Container: execLine,
	},
	{
		ID: "grace-zero", Severity: lint.Warning, Subject: lint.Drain,
		Title:   "A server is killed without being told",
		Why:     "With terminationGracePeriodSeconds: 0 neither preStop nor SIGTERM comes: every running request is cut, at each rollout, drain and consolidation.",
		Fix:     "Give the time that requests need: preStop, --shutdown-timeout and 10 s of slack.",
		Sources: []facts.Source{podEnd},
		Pod:     graceZero,
	},
	{
		ID: "grace-shorter-than-response", Severity: lint.Warning, Subject: lint.Drain,
		Title:     "Requests take longer than a pod that ends lets them",
		Why:       "What is not answered when --shutdown-timeout or the grace period is over is cut: with the response time that was measured, requests are lost at each rollout.",
		Fix:       "Give running requests the time that was measured: --shutdown-timeout above it, the grace period above preStop and that.",
		Sources:   []facts.Source{podEnd, vllmShutdown},
		Container: onServer(graceMeasured),
	},
}

func drainRoute(p *lint.Pass, s *lint.Server) {
	h, ok := s.Container.PreStop()
	if ok && asksForDrain(h) {
		p.Fail(h.At, "preStop asks for /drain, which vLLM does not have")
	}
}

func asksForDrain(h lint.Hook) bool {
	text := h.Text
	for {
		i := strings.Index(text, "/drain")
		if i < 0 {
			return false
		}
		after := text[i+len("/drain"):]
		if after == "" || strings.ContainsAny(after[:1], " \n?\"'/;") {
			return strings.HasPrefix(h.Text, "/drain") || strings.Contains(h.Text, "curl") || strings.Contains(h.Text, "wget") || strings.Contains(h.Text, "http")
		}
		text = after
	}
}

func graceShort(p *lint.Pass, s *lint.Server) {
	g, at, ok := grace(s.Container.Pod)
	n, flag, known := shutdown(s)
	h, _ := s.Container.PreStop()
	if !ok || !known || n == 0 || g == 0 || h.Sleep >= g || g > h.Sleep+n {
		return
	}
	written := ""
	if !at.Exists() {
		written = ", the default,"
	}
	p.Fail(orElse(at, flag), "the grace period of %s%s is over before preStop of %s and --shutdown-timeout of %s are: %s", seconds(g), written, seconds(h.Sleep), seconds(n), seconds(h.Sleep+n))
}

func hookLong(p *lint.Pass, c *lint.Container) {
	g, at, ok := grace(c.Pod)
	h, _ := c.PreStop()
	if c.Init || !ok || g == 0 || h.Sleep < g || h.Sleep == 0 {
		return
	}
	p.Fail(orElse(at, h.At), "preStop sleeps %s, and the grace period is %s", seconds(h.Sleep), seconds(g))
}

func shutdownMissing(p *lint.Pass, s *lint.Server) {
	g, at, ok := grace(s.Container.Pod)
	n, flag, known := shutdown(s)
	h, _ := s.Container.PreStop()
	left := g - h.Sleep
	if !ok || !known || n > 0 || s.Has("--headless") || !at.Exists() || asksForDrain(h) || left < 2*practice.DrainSlack {
		return
	}
	raised := !s.Container.Get("lifecycle", "preStop").Exists() && g > practice.DefaultGrace && serves(s.Container.Pod.Object)
	if h.Sleep == 0 && !raised {
		return // what else the hook does may be to wait, and what nobody asked for is nobody's mistake
	}
	has, _ := practice.VLLMFlag(s.Version, "--shutdown-timeout")
	switch {
	case has == practice.Present && raised:
		p.Fail(orElse(flag, whereArgs(s.Container)), "the grace period of %s is used by nothing: there is no preStop, and --shutdown-timeout is 0: streams end at SIGTERM", seconds(g))
	case has == practice.Present:
		p.Fail(orElse(flag, whereArgs(s.Container)), "of the grace period of %s, %s are left after preStop, and --shutdown-timeout is 0: streams end at SIGTERM", seconds(g), seconds(left))
	case has == practice.Unjudged && !s.Version.Known():
		p.Unknown(orElse(flag, whereArgs(s.Container)), "%s are left after preStop; whether vLLM uses them depends on its version, which %q does not say: since 0.18 it takes --shutdown-timeout", seconds(left), s.Container.Image())
	}
}

// spotUndrained speaks where nobody thought of a drain; what is wrong with one, others say.
func spotUndrained(p *lint.Pass, s *lint.Server) {
	n, flag, known := shutdown(s)
	spot, _ := onSpot(s.Container.Pod)
	has, _ := practice.VLLMFlag(s.Version, "--shutdown-timeout")
	_, at, ok := grace(s.Container.Pod)
	switch {
	case !known || n > 0 || has != practice.Present || s.Has("--headless") || !serves(s.Container.Pod.Object):
	case !spot.Exists() || !ok || at.Exists() || s.Container.Get("lifecycle", "preStop").Exists():
	default:
		p.Fail(orElse(flag, whereArgs(s.Container)), "neither preStop nor --shutdown-timeout, on nodes that may be Spot: every interruption cuts the streams that run")
	}
}

func noPreStop(p *lint.Pass, s *lint.Server) {
	n, at, known := shutdown(s)
	if !known || n == 0 || !serves(s.Container.Pod.Object) || s.Container.Get("lifecycle", "preStop").Exists() {
		return
	}
	if g, _, ok := grace(s.Container.Pod); ok && (g == 0 || g <= n) {
		return // said by the rules on the grace period
	}
	p.Fail(at, "--shutdown-timeout %s without preStop: requests that come before the endpoint is out of the Service are answered with 500", seconds(n))
}

func graceOnSpot(pass *lint.Pass, p *lint.Pod) {
	g, at, ok := grace(p)
	spot, _ := onSpot(p)
	if !ok || g < practice.SpotNotice || !spot.Exists() || !usesModels(p) {
		return
	}
	pass.Fail(at, "a grace period of %s on nodes that may be Spot: the notice is %s, and some %s of it pass before the pod is deleted", seconds(g), seconds(practice.SpotNotice), seconds(practice.SpotLatency))
}

// graceOnSpotPools judges pods that do not say themselves how their nodes are bought:
// all NodePools that they may use buy Spot alone.
func graceOnSpotPools(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		if w.Grace < practice.SpotNotice || w.GraceAt.Line == 0 || w.Asks[gpuResource] < 1 && !w.ServesVLLM || asksCapacity(w) {
			continue
		}
		pool, used := "", 0
		for _, q := range x.NodePools {
			if mayUse(w, q) {
				used++
				if slices.Equal(q.Capacities(), []string{facts.Spot}) {
					pool, used = q.NodePool.Name, used-1
				}
			}
		}
		if pool != "" && used == 0 {
			p.FailAt(w.GraceAt, "a grace period of %s on nodes of NodePool %s, which are Spot: the notice is %s, and some %s of it pass before the pod is deleted", seconds(w.Grace), pool, seconds(practice.SpotNotice), seconds(practice.SpotLatency))
		}
	}
}

func asksCapacity(w lint.Workload) bool {
	asks := func(r karpenter.Requirement) bool {
		return r.Key == practice.CapacityLabel || r.Key == nodeGroupCapacity
	}
	return slices.ContainsFunc(w.Requirements, asks) || slices.ContainsFunc(w.Terms, func(t []karpenter.Requirement) bool { return slices.ContainsFunc(t, asks) })
}

func shellFirst(p *lint.Pass, s *lint.Server) {
	w := s.Words
	if !w.Shell.Exists() {
		return
	}
	cmd := w.Commands[s.Command]
	last := s.Command == len(w.Commands)-1
	replaced := cmd.Exec || w.ShellName == "bash" && last && !redirected(cmd)
	if replaced && cmd.Then != "|" && cmd.Then != "&" && !piped(w, s.Command) {
		return
	}
	for _, c := range w.Commands {
		if len(c.Words) > 0 && (c.Words[0].Text == "trap" || c.Words[0].Text == "tini" || c.Words[0].Text == "dumb-init") {
			return
		}
	}
	p.Fail(cmd.Words[0].At, "vLLM runs under %s, which is process 1 and does not pass SIGTERM on", w.ShellName)
}

// redirected says that a command's output goes elsewhere: bash does not give its place to
// such a one.
func redirected(c lint.Command) bool {
	return slices.ContainsFunc(c.Words, func(w lint.Word) bool { return redirection.MatchString(w.Text) })
}

var redirection = regexp.MustCompile(`^(\d*|&)[<>]`)

// piped says that a command reads what the one before it writes.
func piped(w lint.Words, i int) bool { return i > 0 && w.Commands[i-1].Then == "|" }

// execLine looks at each exec of a container.
func execLine(p *lint.Pass, c *lint.Container) {
	for _, at := range [][]string{
		{"lifecycle", "preStop"}, {"lifecycle", "postStart"}, {"livenessProbe"}, {"readinessProbe"}, {"startupProbe"},
	} {
		list := c.Get(at...).Get("exec", "command")
		items := list.Items()
		if len(items) == 1 && strings.Contains(strings.TrimSpace(items[0].Text()), " ") && !items[0].Open() {
			p.Fail(items[0], "%q is taken for the name of a program", items[0].Text())
			continue
		}
		if lint.WordsOf(list).Shell.Exists() {
			continue
		}
		for _, item := range items {
			if operator(item.Text()) {
				p.Fail(item, "%q is an argument of %s, for no shell reads the line", item.Text(), items[0].Text())
				break
			}
		}
	}
}

func operator(word string) bool {
	switch word {
	case "&&", "||", "|", ";", ">", ">>", "2>&1":
		return true
	}
	return false
}

func graceZero(pass *lint.Pass, p *lint.Pod) {
	g, at, ok := grace(p)
	if !ok || g > 0 {
		return
	}
	for _, c := range p.Containers() {
		if c.ServesVLLM() {
			pass.Fail(at, "terminationGracePeriodSeconds is 0: vLLM is killed in the middle of its answers")
			return
		}
	}
}

func graceMeasured(p *lint.Pass, s *lint.Server) {
	if p.Measured == nil || p.Measured.Response <= 0 || s.Has("--headless") { // a worker of several nodes answers nobody
		return
	}
	g, at, ok := grace(s.Container.Pod)
	n, flag, known := shutdown(s)
	h, _ := s.Container.PreStop()
	if !ok || !known || g <= h.Sleep+n && n > 0 || g <= h.Sleep {
		return
	}
	need := p.Measured.Response
	switch {
	case h.Loops && g >= need: // the hook may wait for them
	case n > 0 && (practice.Drain{PreStop: h.Sleep, Shutdown: n}).Room() < need:
		p.Fail(flag, "running requests get %s to end, and %s", seconds(n), response(p.Measured))
	case n == 0 && g-h.Sleep < need:
		p.Fail(orElse(at, whereArgs(s.Container)), "a grace period of %s leaves %s after preStop, and %s", seconds(g), seconds(g-h.Sleep), response(p.Measured))
	}
}

// response is how long a response was measured to take: by what the sample supports, and
// the longest beside it.
func response(m *practice.Measured) string {
	round := func(d time.Duration) string { return seconds(d.Round(time.Second / 10)) }
	text := fmt.Sprintf("the measured %s of a response is %s", m.ResponseName, round(m.Response))
	if m.ResponseName != "maximum" && m.Longest > 0 {
		text += ", the maximum " + round(m.Longest)
	}
	return text + " (" + m.Run + ")"
}
