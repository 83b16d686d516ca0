package rules

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
	"assay/internal/spelling"
)

var (
	vllmArgs      = facts.Source{Title: "vLLM, engine arguments", URL: "https://docs.vllm.ai/en/latest/configuration/engine_args.html", Date: "2026-11-30"}
	vllmScheduler = facts.Source{Title: "vLLM, config/scheduler.py, read in 0.32", URL: "https://github.com/vllm-project/vllm/blob/main/vllm/config/scheduler.py", Date: "2026-11-30"}
	vllmEnvDoc    = facts.Source{Title: "vLLM, environment variables", URL: "https://docs.vllm.ai/en/latest/configuration/env_vars.html", Date: "2026-11-30"}
	vllmChunked   = facts.Source{Title: "vLLM, optimization and tuning: chunked prefill is on by default in V1", URL: "https://docs.vllm.ai/en/latest/configuration/optimization.html", Date: "2026-11-30"}
)

var vllmRules = []*lint.Rule{
	{
		ID: "vllm-flag-unknown", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A flag that vLLM does not have",
		Why:       "vLLM's parser ends with \"unrecognized arguments\": the container restarts for ever.",
		Fix:       "Correct its spelling, or leave it out.",
		Sources:   []facts.Source{practice.VLLMNames},
		Container: onServer(flagUnknown),
	},
	{
		ID: "vllm-flag-removed", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A flag that the image's version of vLLM no longer has",
		Why:       "vLLM's parser ends with \"unrecognized arguments\": the container restarts for ever, as soon as the image is the new one.",
		Fix:       "Leave it out, or write what took its place.",
		Sources:   []facts.Source{practice.VLLMNames},
		Container: onServer(flagRemoved),
	},
	{
		ID: "vllm-flag-too-new", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A flag that the image's version of vLLM does not have yet",
		Why:       "vLLM's parser ends with \"unrecognized arguments\": the container restarts for ever.",
		Fix:       "Take an image that has it, or leave it out.",
		Sources:   []facts.Source{practice.VLLMNames},
		Container: onServer(flagTooNew),
	},
	{
		ID: "vllm-argument-joined", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A flag and its value are one argument with a blank",
		Why:       "Nothing cuts the item of a list at its blanks: vLLM gets a flag whose name has a blank in it, and ends with \"unrecognized arguments\".",
		Fix:       "Write --name=value, or two items.",
		Sources:   []facts.Source{{Title: "Kubernetes, define a command and arguments for a container", URL: "https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/", Date: "2026-11-30"}},
		Container: onServer(argumentJoined),
	},
	{
		ID: "vllm-flags-contradict", Severity: lint.Warning, Subject: lint.VLLM,
		Title:     "A flag is turned on and off",
		Why:       "The last one counts, and the other says to readers that it were otherwise.",
		Fix:       "Leave one of them out.",
		Sources:   []facts.Source{vllmArgs},
		Container: onServer(contradiction),
	},
	{
		ID: "vllm-json-broken", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A flag's JSON cannot be read",
		Why:       "vLLM's parser ends with \"cannot be converted\": the container restarts for ever. In a shell's script quotes outside of others are gone before vLLM sees them.",
		Fix:       "Correct it; within a script put the whole value into single quotes.",
		Sources:   []facts.Source{vllmArgs},
		Container: onServer(jsonBroken),
	},
	{
		ID: "vllm-quantization-differs", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A checkpoint is quantised in another way than --quantization says",
		Why:       "vLLM reads from the checkpoint's configuration how its weights are quantised, and refuses to start where the flag says otherwise.",
		Fix:       "Leave --quantization out: the checkpoint says it.",
		Sources:   []facts.Source{{Title: "vLLM, quantization", URL: "https://docs.vllm.ai/en/latest/features/quantization/", Date: "2026-11-30"}},
		Container: onServer(quantizationDiffers),
	},
	{
		ID: "chunked-prefill-default", Severity: lint.Info, Subject: lint.VLLM,
		Title:     "Chunked prefill is turned on, and is on anyway",
		Why:       "It is V1's default, the only engine since 0.11. It is no remedy for a full KV cache either: the same requests need the same KV.",
		Fix:       "Leave it out.",
		Sources:   []facts.Source{vllmChunked},
		Container: onServer(chunkedPrefill),
	},
	{
		ID: "context-beyond-model", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "--max-model-len is longer than what the model attends to",
		Why:       "vLLM refuses to start with a length above the one that the model's configuration gives; VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 lets it, and answers are then wrong beyond it.",
		Fix:       "Lower it to the model's context, or extend that with --hf-overrides and rope scaling where the model's card says how.",
		Sources:   []facts.Source{vllmArgs},
		Container: onServer(contextModel),
	},
	{
		ID: "gpu-memory-utilization", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A share of GPU memory that is none, or leaves nothing",
		Why:       "It is a fraction: above 1 vLLM refuses to start. From 0.98 on nothing is left for what lies outside of its account, such as CUDA's context, fragments and NCCL: out of memory under load.",
		Fix:       "Stay between 0.85 and 0.95.",
		Sources:   []facts.Source{vllmArgs},
		Container: onServer(utilizationRange),
	},
	{
		ID: "batched-tokens-too-few", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A step takes fewer tokens than it has to",
		Why:       "vLLM refuses to start where --max-num-batched-tokens is below --max-num-seqs; without chunked prefill also where it is below --max-model-len, for a prompt must fit into one step.",
		Fix:       "Raise --max-num-batched-tokens, or lower the other.",
		Sources:   []facts.Source{vllmScheduler},
		Container: onServer(batchedTokens),
	},
	{
		ID: "tool-parser-missing", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "Tools may be chosen by the model, and no parser reads its choice",
		Why:       "vLLM ends with \"--enable-auto-tool-choice requires --tool-call-parser\".",
		Fix:       "Add --tool-call-parser with the model's, such as hermes or llama3_json.",
		Sources:   []facts.Source{{Title: "vLLM, tool calling", URL: "https://docs.vllm.ai/en/latest/features/tool_calling.html", Date: "2026-11-30"}},
		Container: onServer(toolParser),
	},
	{
		ID: "vllm-entrypoint-twice", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "The arguments of an image that starts vLLM begin with a program",
		Why:       "The entry point of vllm/vllm-openai is the server, and args follow it: vllm serve, python3 or a shell among them is taken for a model's name. vLLM ends with \"unrecognized arguments\".",
		Fix:       "Write the program as command, or leave it out of args.",
		Sources:   []facts.Source{{Title: "vLLM, using Docker: the image's entry point", URL: "https://docs.vllm.ai/en/latest/deployment/docker/", Date: "2026-11-30"}},
		Container: entryTwice,
	},
	{
		ID: "vllm-model-variable", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "A variable names the model, and vLLM does not read it",
		Why:       "vLLM takes its model as an argument alone. Without one it serves its default, a small model, under that one's name: requests for another are answered with 404.",
		Fix:       "Write the model as the first argument, such as $(MODEL_NAME).",
		Sources:   []facts.Source{vllmArgs, vllmEnvDoc},
		Container: onServer(modelVariable),
	},
	{
		ID: "vllm-port", Severity: lint.Warning, Subject: lint.VLLM,
		Title:     "The container's port is not the one on which vLLM listens",
		Why:       "Probes, Services and monitors that use the port's name ask where nobody listens.",
		Fix:       "Write the same number as containerPort and as --port, 8000 by default.",
		Sources:   []facts.Source{vllmOnKube},
		Container: onServer(containerPort),
	},
	{
		ID: "vllm-localhost", Severity: lint.Error, Subject: lint.VLLM,
		Title:     "vLLM listens on the loopback interface alone",
		Why:       "Probes and Services come to the pod's address: the connection is refused.",
		Fix:       "Leave --host out, or write 0.0.0.0.",
		Sources:   []facts.Source{vllmArgs},
		Container: onServer(loopback),
	},
	{
		ID: "vllm-variable-removed", Severity: lint.Warning, Subject: lint.VLLM,
		Title:     "A variable that the image's version of vLLM no longer reads",
		Why:       "vLLM warns of an unknown variable and goes on without it: what it was set for does not happen.",
		Fix:       "Leave it out, or write what took its place.",
		Sources:   []facts.Source{practice.VLLMNames, vllmEnvDoc},
		Container: onServer(variableRemoved),
	},
	{
		ID: "vllm-variable-misspelt", Severity: lint.Warning, Subject: lint.VLLM,
		Title:     "A variable that vLLM does not have, and one of nearly that name",
		Why:       "vLLM warns of an unknown variable and goes on without it: what it was meant for does not happen.",
		Fix:       "Correct its spelling.",
		Sources:   []facts.Source{practice.VLLMNames, vllmEnvDoc},
		Container: onServer(variableMisspelt),
	},
	{
		ID: "vllm-port-variable", Severity: lint.Error, Subject: lint.VLLM,
		Title:   "A Service by the name of vllm sets VLLM_PORT in the pods beside it",
		Why:     "Kubernetes sets VLLM_PORT=tcp://… in each pod of the namespace that starts after a Service named vllm. vLLM reads VLLM_PORT as its own, and ends with \"appears to be a URI. This may be caused by a Kubernetes service discovery issue\".",
		Fix:     "Give the Service another name, or write enableServiceLinks: false in the pod's spec.",
		Sources: []facts.Source{vllmEnvDoc},
		Across:  portVariable,
	},
}

// flags calls for each flag of a server that can be judged, with its place and whether
// the version has it.
func flags(s *lint.Server, each func(lint.Word, practice.Presence, practice.VLLM)) {
	for _, w := range s.Args {
		if !w.IsFlag() || (lint.Word{Text: w.Name()}).Open() || strings.Contains(w.Name(), " ") {
			continue
		}
		has, at := practice.VLLMFlag(s.Version, w.Name())
		each(w, has, at)
	}
}

func flagUnknown(p *lint.Pass, s *lint.Server) {
	flags(s, func(w lint.Word, has practice.Presence, _ practice.VLLM) {
		unversioned := has == practice.Unjudged && !s.Version.Known() && newest(w.Name()) == practice.Never
		if has != practice.Never && !unversioned {
			return
		}
		near := practice.VLLMNear(s.Version, w.Name())
		switch {
		case unversioned && near != "" && near != w.Name():
			p.Fail(w.At, "no version of vLLM has %s: %s is near it", w.Name(), near)
		case unversioned:
		case near != "":
			p.Fail(w.At, "vLLM %s has no %s: %s is near it", s.Version, w.Name(), near)
		default:
			p.Fail(w.At, "vLLM %s has no %s", s.Version, w.Name())
		}
	})
}

// newest says whether the newest version that was read has a flag.
func newest(name string) practice.Presence {
	has, _ := practice.VLLMFlag(practice.VLLMNewest(), name)
	return has
}

func flagRemoved(p *lint.Pass, s *lint.Server) {
	flags(s, func(w lint.Word, has practice.Presence, at practice.VLLM) {
		if has != practice.Removed {
			return
		}
		f := p.Fail(w.At, "vLLM %s has no %s: it went with %s", s.Version, w.Name(), at)
		if instead := practice.VLLMInstead(w.Name()); instead != "" {
			f.Fix = "In its place: " + instead + "."
		}
	})
}

func flagTooNew(p *lint.Pass, s *lint.Server) {
	flags(s, func(w lint.Word, has practice.Presence, at practice.VLLM) {
		if has == practice.NotYet {
			p.Fail(w.At, "vLLM %s has no %s: it came with %s", s.Version, w.Name(), at)
		}
	})
}

func argumentJoined(p *lint.Pass, s *lint.Server) {
	if s.Words.Shell.Exists() {
		return
	}
	for _, w := range s.Args {
		name, _, _ := strings.Cut(w.Text, "=")
		if w.IsFlag() && strings.Contains(strings.TrimSpace(name), " ") {
			p.Fail(w.At, "%q is one argument", w.Text)
		}
	}
}

func contradiction(p *lint.Pass, s *lint.Server) {
	for _, w := range s.Args {
		positive, negated := strings.CutPrefix(w.Name(), "--no-")
		if a, both := s.Arg("--" + positive); negated && both {
			later := w.At
			if after(a.Flag, w.At) {
				later = a.Flag
			}
			p.Fail(later, "both --%s and --no-%s are given: the last one counts", positive, positive)
		}
	}
}

// after says that one place comes later in a file than another.
func after(a, b source.Value) bool {
	x, _ := a.Offset()
	y, _ := b.Offset()
	return cmp.Or(cmp.Compare(a.Line(), b.Line()), cmp.Compare(a.Column(), b.Column()), cmp.Compare(x, y)) > 0
}

func chunkedPrefill(p *lint.Pass, s *lint.Server) {
	a, ok := s.Arg("--enable-chunked-prefill")
	if !ok || s.Has("--no-enable-chunked-prefill") || strings.EqualFold(a.Text, "false") {
		return
	}
	if s.Version.Compare(practice.VLLM{Minor: 11}) >= 0 {
		p.Fail(a.Flag, "--enable-chunked-prefill is the default of vLLM %s", s.Version)
	}
}

func contextModel(p *lint.Pass, s *lint.Server) {
	a, given := s.Arg("--max-model-len")
	tokens, ok := length(a.Text)
	arch, _, known := modelOf(s)
	if !given || !ok || !known || arch.Context <= 0 || tokens <= arch.Context || s.Has("--rope-scaling") {
		return
	}
	if s.Container.Env("VLLM_ALLOW_LONG_MAX_MODEL_LEN").Exists() {
		return
	}
	p.Fail(a.At, "--max-model-len %s is more than the %d tokens of %s", a.Text, arch.Context, arch.Name)
}

func utilizationRange(p *lint.Pass, s *lint.Server) {
	a, given := s.Arg("--gpu-memory-utilization")
	v, ok := share(a)
	switch {
	case !given || !ok:
	case v > 1 || v <= 0:
		p.Fail(a.At, "--gpu-memory-utilization %s is no fraction above 0 and up to 1", a.Text)
	case v >= 0.98:
		p.Fail(a.At, "--gpu-memory-utilization %s leaves %.0f %% of the GPU for all that vLLM does not count", a.Text, 100*(1-v)).Severity = lint.Warning
	}
}

func batchedTokens(p *lint.Pass, s *lint.Server) {
	a, given := s.Arg("--max-num-batched-tokens")
	budget, ok := length(a.Text)
	if !given || !ok {
		return
	}
	seqs, _ := s.Arg("--max-num-seqs")
	longest, _ := s.Arg("--max-model-len")
	if n, ok := length(seqs.Text); ok && budget < n {
		p.Fail(a.At, "--max-num-batched-tokens %d is below --max-num-seqs %d", budget, n)
		return
	}
	if n, ok := length(longest.Text); ok && budget < n && s.Has("--no-enable-chunked-prefill") {
		p.Fail(a.At, "--max-num-batched-tokens %d is below --max-model-len %d, without chunked prefill", budget, n)
	}
}

func toolParser(p *lint.Pass, s *lint.Server) {
	if a, on := s.Arg("--enable-auto-tool-choice"); on && s.Whole && !s.Has("--tool-call-parser") {
		p.Fail(a.Flag, "--enable-auto-tool-choice without --tool-call-parser")
	}
}

// wrongPort is the container's one port, where it is another than the server's.
func wrongPort(s *lint.Server) (at source.Value, listens int, ok bool) {
	ports := s.Container.Get("ports").Items()
	listens, known := listensOn(s)
	if len(ports) != 1 || !known || s.Has("--headless") || s.Has("--uds") {
		return at, 0, false
	}
	at = ports[0].Get("containerPort")
	n, number := at.Int()
	return at, listens, number && n != listens
}

func containerPort(p *lint.Pass, s *lint.Server) {
	if at, listens, wrong := wrongPort(s); wrong {
		p.Fail(at, "containerPort is %s, and vLLM listens on %d", at.Text(), listens)
	}
}

func loopback(p *lint.Pass, s *lint.Server) {
	a, given := s.Arg("--host")
	if !given || len(s.Container.Pod.Containers()) > 1 { // a proxy beside it may be who asks
		return
	}
	if a.Text == "127.0.0.1" || a.Text == "localhost" || a.Text == "::1" {
		p.Fail(a.At, "--host %s: only this pod can reach the server", a.Text)
	}
}

func variableRemoved(p *lint.Pass, s *lint.Server) {
	for _, e := range s.Container.Get("env").Items() {
		name := e.Get("name").Text()
		if !strings.HasPrefix(name, "VLLM_") {
			continue
		}
		if has, at := practice.VLLMHas(s.Version, name); has == practice.Removed {
			f := p.Fail(e.Get("name"), "vLLM %s does not read %s: it went with %s", s.Version, name, at)
			if instead := practice.VLLMInstead(name); instead != "" {
				f.Fix = "In its place: " + instead + "."
			}
		}
	}
}

func variableMisspelt(p *lint.Pass, s *lint.Server) {
	for _, e := range s.Container.Get("env").Items() {
		name := e.Get("name").Text()
		if !strings.HasPrefix(name, "VLLM_") || len(name) > 80 || used(s, name) {
			continue
		}
		if has, _ := practice.VLLMHas(practice.VLLMNewest(), name); has != practice.Never {
			continue
		}
		for _, known := range practice.VLLMVariables() {
			if d := spelling.Distance(name, known); d <= 2 {
				p.Fail(e.Get("name"), "vLLM has no %s: %s is near it", name, known)
				break
			}
		}
	}
}

// used says that a variable is the manifest's own: its command line asks for it.
func used(s *lint.Server, name string) bool {
	for _, w := range s.Words.All {
		if strings.Contains(w.Text, name) {
			return true
		}
	}
	return false
}

// portVariable holds Services named vllm against the servers that would get their
// variables.
func portVariable(p *lint.Pass, x *lint.Index) {
	for _, service := range x.Services {
		if service.At.Object.Name != "vllm" {
			continue
		}
		for _, w := range x.Workloads {
			if w.ServesVLLM && w.ServiceLinks && lint.SameNamespace(w.At.Object, service.At.Object) {
				p.FailAt(service.At, "a Service named vllm sets VLLM_PORT=tcp://… in the pods of %s, and vLLM refuses it", w.Named())
				break
			}
		}
	}
}

// entryTwice looks at the project's own image, whose entry point is known.
func entryTwice(p *lint.Pass, c *lint.Container) {
	args := c.Get("args").Items()
	if c.Get("command").Exists() || len(args) == 0 || !practice.IsVLLMProject(c.Image()) {
		return
	}
	switch word := args[0].Text(); word[strings.LastIndexByte(word, '/')+1:] {
	case "vllm", "serve", "python", "python3", "bash", "sh":
		p.Fail(args[0], "%q follows the image's entry point, which is vLLM's server", word)
	}
}

// modelNames are variables that are met for the model, none of which vLLM reads.
var modelNames = paths("MODEL MODEL_NAME MODEL_ID MODEL_PATH HF_MODEL HF_MODEL_ID VLLM_MODEL VLLM_MODEL_NAME")

func modelVariable(p *lint.Pass, s *lint.Server) {
	c := s.Container
	if _, given := s.Model(); given || !s.Whole || s.Has("--help") || s.Has("--version") {
		return
	}
	if !practice.IsVLLMProject(c.Image()) && len(c.Get("command").Items()) == 0 {
		return // another's entry point may read it
	}
	for _, e := range c.Get("env").Items() {
		if name := e.Get("name"); modelNames[name.Text()] {
			p.Fail(name, "no argument names a model, and vLLM does not read %s", name.Text())
			return
		}
	}
}

// jsonFlags are those whose value is JSON alone.
var jsonFlags = paths("--kv-transfer-config --speculative-config --compilation-config --hf-overrides --override-generation-config --eplb-config --mm-processor-kwargs --model-loader-extra-config --structured-outputs-config")

func jsonBroken(p *lint.Pass, s *lint.Server) {
	for _, w := range s.Args {
		if !jsonFlags[w.Name()] {
			continue
		}
		a, _ := s.Arg(w.Name())
		text := strings.TrimSpace(a.Text)
		if strings.HasPrefix(text, "{") && !a.Open() && !json.Valid([]byte(text)) {
			p.Fail(a.At, "the value of %s is no JSON", w.Name())
		}
	}
}

// checkpointOf is how a model's name says that its weights are quantised.
var checkpointOf = regexp.MustCompile(`(?i)[-_/.](awq|gptq|fp8)(?:[-_/.]|$)`)

func quantizationDiffers(p *lint.Pass, s *lint.Server) {
	q, given := s.Arg("--quantization", "-q")
	m, named := s.Model()
	found := checkpointOf.FindAllStringSubmatch(m.Text, -1)
	if !given || !named || len(found) != 1 || q.Open() || m.Open() {
		return
	}
	has, asked := strings.ToLower(found[0][1]), ""
	for _, kind := range []string{"awq", "gptq", "fp8"} {
		if strings.HasPrefix(q.Text, kind) {
			asked = kind
		}
	}
	if asked != "" && asked != has {
		p.Fail(q.At, "--quantization %s, and %s is quantised as %s by its name", q.Text, m.Text, has)
	}
}
