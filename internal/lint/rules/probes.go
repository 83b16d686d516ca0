package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var (
	podProbes  = facts.Source{Title: "Kubernetes, liveness, readiness and startup probes", URL: "https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/", Date: "2026-11-30"}
	vllmOnKube = facts.Source{Title: "vLLM, using Kubernetes: a probe that is too short kills the server while it starts", URL: "https://docs.vllm.ai/en/latest/deployment/k8s/", Date: "2026-11-30"}
)

var probeRules = []*lint.Rule{
	{
		ID: "liveness-kills-start", Severity: lint.Error, Subject: lint.Probes,
		Title:     "A liveness probe restarts vLLM before it can have loaded the model",
		Why:       "Without a startup probe the liveness probe counts from initialDelaySeconds on. Until weights are loaded and the engine is compiled nothing answers: the container is restarted after periodSeconds × failureThreshold, and begins anew, for ever.",
		Fix:       "Add a startupProbe on /health that waits for the slowest start, such as periodSeconds 10 and failureThreshold 180.",
		Sources:   []facts.Source{podProbes, vllmOnKube},
		Container: onServer(livenessKills),
	},
	{
		ID: "startup-too-short", Severity: lint.Error, Subject: lint.Probes,
		Title:     "A startup probe gives up before vLLM can have loaded the model",
		Why:       "After initialDelaySeconds + periodSeconds × failureThreshold the container is restarted, and begins anew, for ever.",
		Fix:       "Raise failureThreshold until both cover the slowest start. A patient startup probe costs nothing: an engine that fails exits by itself.",
		Sources:   []facts.Source{podProbes, vllmOnKube},
		Container: onServer(startupShort),
	},
	{
		ID: "probe-path", Severity: lint.Error, Subject: lint.Probes,
		Title:     "A probe asks for a path that vLLM does not have",
		Why:       "vLLM answers 404, which is a failure: the pod never becomes ready, or is restarted for ever.",
		Fix:       "Use /health.",
		Sources:   []facts.Source{vllmRoutes},
		Container: onServer(probePath),
	},
	{
		ID: "probe-generates", Severity: lint.Error, Subject: lint.Probes,
		Title:     "A probe asks for tokens",
		Why:       "A request that generates waits in the queue with all others: under load it is late, and a busy server is restarted or taken out, which gives its load to the next. As httpGet it is answered with 405 at once.",
		Fix:       "Use httpGet on /health.",
		Sources:   []facts.Source{vllmRoutes, podProbes},
		Container: onServer(probeGenerates),
	},
	{
		ID: "probe-port", Severity: lint.Error, Subject: lint.Probes,
		Title:     "A probe asks at a port on which vLLM does not listen",
		Why:       "The connection is refused: the pod never becomes ready, or is restarted for ever.",
		Fix:       "Use the port that --port says, 8000 by default.",
		Sources:   []facts.Source{podProbes},
		Container: onServer(probePort),
	},
	{
		ID: "probe-scheme", Severity: lint.Error, Subject: lint.Probes,
		Title:     "A probe and vLLM do not agree on TLS",
		Why:       "With --ssl-certfile vLLM speaks TLS alone, without it plain HTTP: the other is no answer.",
		Fix:       "Write scheme: HTTPS where vLLM has a certificate, and leave it out where it has none.",
		Sources:   []facts.Source{podProbes},
		Container: onServer(probeScheme),
	},
	{
		ID: "readiness-missing", Severity: lint.Warning, Subject: lint.Probes,
		Title:     "A pod counts as ready before vLLM answers",
		Why:       "Without a readiness or a startup probe a pod is ready as soon as its process runs. vLLM then loads for minutes: requests are refused, and a rollout takes the old pods away meanwhile.",
		Fix:       "Add a readinessProbe on /health.",
		Sources:   []facts.Source{podProbes},
		Container: onServer(readinessMissing),
	},
	{
		ID: "liveness-impatient", Severity: lint.Warning, Subject: lint.Probes,
		Title:     "One slow answer restarts vLLM",
		Why:       "A restart costs every running request and minutes of loading. The server's event loop is busy with tokens under load, and /health waits for its turn: what is slow is not dead.",
		Fix:       "Let a liveness probe fail for a minute or more: periodSeconds 30, failureThreshold 6.",
		Sources:   []facts.Source{podProbes},
		Container: onServer(livenessImpatient),
	},
	{
		ID: "liveness-timeout-short", Severity: lint.Warning, Subject: lint.Probes,
		Title:     "A liveness probe of vLLM waits one second for its answer",
		Why:       "Under load the event loop that answers /health writes the tokens of all streams first. An answer that takes longer than timeoutSeconds is a failure, and failures restart a server that works.",
		Fix:       "Write timeoutSeconds: 10.",
		Sources:   []facts.Source{podProbes},
		Container: onServer(livenessTimeout),
	},
}

// probe is one of a container's.
type probe struct {
	Name string // livenessProbe
	Root source.Value
}

func probesOf(c *lint.Container) []probe {
	var all []probe
	for _, name := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		if v := c.Get(name); v.Exists() {
			all = append(all, probe{name, v})
		}
	}
	return all
}

// number is a field, or what holds without it; ok is false where it is filled in later.
func (p probe) number(field string, absent int) (int, bool) {
	v := p.Root.Get(field)
	if !v.Exists() {
		return absent, true
	}
	return v.Int()
}

// span is how long a container may fail the probe from its start on.
func (p probe) span() (time.Duration, bool) {
	delay, a := p.number("initialDelaySeconds", 0)
	period, b := p.number("periodSeconds", 10)
	failures, c := p.number("failureThreshold", 3)
	return time.Duration(delay+period*failures) * time.Second, a && b && c
}

// start is the least that a server takes from its process to its first answer, and why.
type start struct {
	Least   time.Duration
	Because string
}

// leastStart adds up the quick ends of what was seen: process, weights from storage,
// compilation and graphs. A server without GPUs starts otherwise.
func leastStart(s *lint.Server) (start, bool) {
	n, _, ok := s.Container.GPUs()
	if !ok || n == 0 || !s.Whole || s.Has("--headless") {
		return start{}, false
	}
	took := facts.EngineInit.Low
	because := fmt.Sprintf("at least %.0f s for process and engine", took)
	if !s.Has("--enforce-eager") {
		more := facts.EngineCompile.Low + facts.EngineGraphs.Low
		took += more
		because += fmt.Sprintf(", %.0f s to compile and capture graphs", more)
	}
	if bytes, name, ok := weightsOf(s); ok {
		rate := facts.DefaultLoader.High
		if a, given := s.Arg("--load-format"); given && a.Text != "auto" && a.Text != "safetensors" {
			rate = facts.StreamLoader.High
		}
		load := float64(bytes) / rate
		took += load
		because += fmt.Sprintf(", %.0f s for %.0f GB of %s at %.1f GB/s", load, float64(bytes)/1e9, name, rate/1e9)
	}
	return start{time.Duration(took * float64(time.Second)), because}, true
}

func livenessKills(p *lint.Pass, s *lint.Server) {
	live := probe{"livenessProbe", s.Container.Get("livenessProbe")}
	if !live.Root.Exists() || s.Container.Get("startupProbe").Exists() || wrongAnyway(s, live) {
		return
	}
	tooShort(p, s, live, "initialDelaySeconds")
}

func startupShort(p *lint.Pass, s *lint.Server) {
	up := probe{"startupProbe", s.Container.Get("startupProbe")}
	if !up.Root.Exists() || wrongAnyway(s, up) {
		return
	}
	tooShort(p, s, up, "failureThreshold")
}

func tooShort(p *lint.Pass, s *lint.Server, of probe, field string) {
	span, ok := of.span()
	least, known := leastStart(s)
	if !ok || !known || span >= least.Least {
		return
	}
	at := orElse(of.Root.Get(field), s.Container.Root.Key(of.Name))
	p.Fail(at, "the %s gives up after %s, and a start takes %.0f s or more: %s", of.Name, seconds(span), least.Least.Seconds(), least.Because)
}

// wrongAnyway says that a probe never succeeds, whatever its times: another rule says so.
func wrongAnyway(s *lint.Server, of probe) bool {
	path, _ := pathOf(of)
	port, _, ok := portOf(s.Container, of)
	listens, known := listensOn(s)
	return of.Root.Get("httpGet").Exists() && !vllmPaths[path] || ok && known && port != listens
}

// vllmPaths are the paths of vLLM's server that a GET may ask for, and those of its
// framework; those of generation are in vllmWork. Read in 0.32.
var vllmPaths = paths("/health /ping /load /version /metrics /docs /redoc /openapi.json /v1/models /server_info /is_sleeping /is_paused /get_world_size /is_scaling_elastic_ep /tokenizer_info /fault_tolerance/status /weight_info /weight_checker /kv_event_sources")

// vllmWork are those that compute, and take POST.
var vllmWork = paths("/v1/completions /v1/chat/completions /v1/responses /v1/messages /v1/embeddings /v1/score /v1/rerank /v2/rerank /v2/embed /score /rerank /classify /pooling /invocations /tokenize /detokenize /generate /inference/v1/generate /v1/audio/transcriptions /v1/audio/translations")

func paths(list string) map[string]bool {
	m := map[string]bool{}
	for _, p := range strings.Fields(list) {
		m[p] = true
	}
	return m
}

// pathOf is what a probe's httpGet asks for, without its query, and where.
func pathOf(of probe) (string, source.Value) {
	at := of.Root.Get("httpGet", "path")
	path, _, _ := strings.Cut(at.Text(), "?")
	return path, orElse(at, of.Root.Get("httpGet"))
}

func probePath(p *lint.Pass, s *lint.Server) {
	if s.Has("--root-path") || s.Has("--middleware") || s.Has("--headless") || !s.Whole {
		return
	}
	for _, of := range probesOf(s.Container) {
		path, at := pathOf(of)
		if !of.Root.Get("httpGet").Exists() || at.Open() || vllmPaths[path] || vllmWork[path] {
			continue
		}
		if path == "" {
			path = "/"
		}
		if _, listens, ok := probePorts(s, of); ok && !listens {
			continue // another server may answer there
		}
		p.Fail(at, "the %s asks for %s, which vLLM does not have", of.Name, path)
	}
}

// probePorts compares a probe's port with the server's.
func probePorts(s *lint.Server, of probe) (at source.Value, same, ok bool) {
	port, at, a := portOf(s.Container, of)
	listens, b := listensOn(s)
	return at, port == listens, a && b
}

// portOf is the port that a probe asks at; a name is that of one of the container's.
func portOf(c *lint.Container, of probe) (int, source.Value, bool) {
	at := of.Root.Get("httpGet", "port")
	if !at.Exists() {
		at = of.Root.Get("tcpSocket", "port")
	}
	if n, ok := at.Int(); ok {
		return n, at, true
	}
	for _, port := range c.Get("ports").Items() {
		if name := port.Get("name").Text(); name != "" && name == at.Text() {
			n, ok := port.Get("containerPort").Int()
			return n, at, ok
		}
	}
	return 0, at, false
}

// listensOn is the port of a server's API.
func listensOn(s *lint.Server) (int, bool) {
	a, given := s.Arg("--port")
	if !given {
		return vllmPort, s.Whole
	}
	n, err := strconv.Atoi(a.Text)
	return n, err == nil
}

// vllmPort is vLLM's default.
const vllmPort = 8000

func probePort(p *lint.Pass, s *lint.Server) {
	if s.Has("--headless") || s.Has("--uds") || len(s.Container.Pod.Containers()) > 1 && sidecarListens(s) {
		return
	}
	for _, of := range probesOf(s.Container) {
		at, same, ok := probePorts(s, of)
		if !ok || same || at.Text() != "" && !isNumber(at) && portWrong(s) {
			continue
		}
		listens, _ := listensOn(s)
		p.Fail(at, "the %s asks at port %s, and vLLM listens on %d", of.Name, at.Text(), listens)
	}
}

func isNumber(v source.Value) bool {
	_, ok := v.Int()
	return ok
}

// portWrong says that the rule on containerPort speaks.
func portWrong(s *lint.Server) bool {
	at, _, ok := wrongPort(s)
	return ok && at.Exists()
}

// sidecarListens says that another container of the pod has a port that a probe of this
// one asks at, such as a proxy before the server.
func sidecarListens(s *lint.Server) bool {
	for _, of := range probesOf(s.Container) {
		port, _, ok := portOf(s.Container, of)
		for _, c := range s.Container.Pod.Containers() {
			for _, held := range c.Get("ports").Items() {
				if n, _ := held.Get("containerPort").Int(); ok && n == port && c.Name() != s.Container.Name() {
					return true
				}
			}
		}
	}
	return false
}

func probeGenerates(p *lint.Pass, s *lint.Server) {
	for _, of := range probesOf(s.Container) {
		path, at := pathOf(of)
		if vllmWork[path] {
			p.Fail(at, "the %s asks for %s with GET: vLLM answers 405", of.Name, path)
			continue
		}
		list := of.Root.Get("exec", "command")
		for _, w := range lint.WordsOf(list).All {
			if i := strings.Index(w.Text, "://"); i >= 0 && vllmWork[pathIn(w.Text[i+3:])] || strings.HasPrefix(w.Text, "localhost:") && vllmWork[pathIn(w.Text)] {
				p.Fail(w.At, "the %s sends a request to %s, which waits in the queue", of.Name, pathIn(w.Text[strings.Index(w.Text, "://")+1:]))
				break
			}
		}
	}
}

// pathIn is the path after a host.
func pathIn(address string) string {
	address = strings.TrimLeft(address, "/")
	_, path, _ := strings.Cut(address, "/")
	path, _, _ = strings.Cut(path, "?")
	return "/" + path
}

func probeScheme(p *lint.Pass, s *lint.Server) {
	if !s.Whole {
		return
	}
	tls := s.Has("--ssl-certfile")
	for _, of := range probesOf(s.Container) {
		get := of.Root.Get("httpGet")
		scheme := get.Get("scheme")
		if _, same, ok := probePorts(s, of); !get.Exists() || scheme.Open() || !ok || !same {
			continue
		}
		switch https := strings.EqualFold(scheme.Text(), "HTTPS"); {
		case tls && !https:
			p.Fail(orElse(scheme, get.Key("path")), "the %s speaks plain HTTP, and vLLM has --ssl-certfile", of.Name)
		case !tls && https:
			p.Fail(scheme, "the %s speaks TLS, and vLLM has no --ssl-certfile", of.Name)
		}
	}
}

func readinessMissing(p *lint.Pass, s *lint.Server) {
	c := s.Container
	if !serves(c.Pod.Object) || s.Has("--headless") || !c.Get("livenessProbe").Exists() || c.Get("readinessProbe").Exists() || c.Get("startupProbe").Exists() {
		return
	}
	p.Fail(c.Root.Key("livenessProbe"), "there is a liveness probe, and neither a readiness nor a startup probe: the pod is sent requests while vLLM loads")
}

func livenessImpatient(p *lint.Pass, s *lint.Server) {
	live := probe{"livenessProbe", s.Container.Get("livenessProbe")}
	if !live.Root.Exists() {
		return
	}
	if of, ok := impatient(live); ok {
		period, _ := live.number("periodSeconds", 10)
		failures, _ := live.number("failureThreshold", 3)
		p.Fail(of, "the liveness probe restarts vLLM after %d failure(s), %d s apart", failures, period)
	}
}

// impatient says that one failure is enough, or few within 15 s.
func impatient(live probe) (source.Value, bool) {
	period, a := live.number("periodSeconds", 10)
	failures, b := live.number("failureThreshold", 3)
	if !a || !b || failures > 1 && period*failures >= 15 {
		return source.Value{}, false
	}
	return orElse(live.Root.Get("failureThreshold"), live.Root.Get("periodSeconds")), true
}

func livenessTimeout(p *lint.Pass, s *lint.Server) {
	live := probe{"livenessProbe", s.Container.Get("livenessProbe")}
	v := live.Root.Get("timeoutSeconds")
	if n, ok := v.Int(); !ok || n != 1 || !live.Root.Get("httpGet").Exists() {
		return
	}
	if _, too := impatient(live); too || patient(live) {
		return
	}
	p.Fail(v, "the liveness probe waits 1 s for /health")

}

// patient says that a server may miss so many answers in a row that it must be dead.
func patient(live probe) bool {
	period, a := live.number("periodSeconds", 10)
	failures, b := live.number("failureThreshold", 3)
	return a && b && time.Duration(period*failures)*time.Second >= practice.Liveness.Span()
}
