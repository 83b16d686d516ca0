package rules

import (
	"path"
	"regexp"
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var (
	buildSecrets = facts.Source{Title: "Docker, build secrets", URL: "https://docs.docker.com/build/building/secrets/", Date: "2026-11-30"}
	secretCheck  = facts.Source{Title: "Docker, build check SecretsUsedInArgOrEnv", URL: "https://docs.docker.com/reference/build-checks/secrets-used-in-arg-or-env/", Date: "2026-11-30"}
	multiStage   = facts.Source{Title: "Docker, multi-stage builds", URL: "https://docs.docker.com/build/building/multi-stage/", Date: "2026-11-30"}
	buildGuide   = facts.Source{Title: "Docker, building best practices", URL: "https://docs.docker.com/build/building/best-practices/", Date: "2026-11-30"}
	aimlStorage  = facts.Source{Title: "Amazon EKS best practices, AI/ML storage", URL: "https://docs.aws.amazon.com/eks/latest/best-practices/aiml-storage.html", Date: "2026-11-30"}
)

var dockerfileRules = []*lint.Rule{
	{
		ID: "dockerfile-syntax", Severity: lint.Error, Subject: lint.Images,
		Title:   "A Dockerfile that no build begins with",
		Why:     "The build ends at this line before it runs anything; what follows was checked as far as it can be told.",
		Fix:     "Mend the line named.",
		Sources: []facts.Source{{Title: "Dockerfile reference", URL: "https://docs.docker.com/reference/dockerfile/", Date: "2026-11-30"}, {Title: "BuildKit, frontend/dockerfile/parser/parser.go", URL: "https://github.com/moby/buildkit/blob/master/frontend/dockerfile/parser/parser.go", Date: "2026-11-30"}},
		File: func(p *lint.Pass) {
			for _, problem := range p.File.Instructions().Problems {
				p.FailPlace(problem.Place, "%s", problem.Message)
			}
		},
	},
	{
		ID: "dockerfile-too-large", Severity: lint.Error, Subject: lint.Images,
		Title:   "A Dockerfile is larger than any that is written",
		Why:     "Some kilobytes are usual. One of megabytes holds data, and nothing in it is checked.",
		Fix:     "Keep the data in a file, and COPY it.",
		Sources: []facts.Source{buildGuide},
	},
	{
		ID: "dockerfile-secret", Severity: lint.Error, Subject: lint.Images,
		Title:   "A Dockerfile holds a secret",
		Why:     "It is in the file, in the image's history and in every copy of the image, also where a later line takes it away.",
		Fix:     "Revoke it. At build time mount it: RUN --mount=type=secret,id=hub …; at run time take it by a mounted file or secretKeyRef.",
		Sources: []facts.Source{buildSecrets, secretCheck},
		File:    eachInstruction(dockerfileSecret),
	},
	{
		ID: "dockerfile-secret-argument", Severity: lint.Warning, Subject: lint.Images,
		Title:   "A secret comes into the build as an argument",
		Why:     "Values of build arguments are kept in the image's history and in the build's provenance: docker history shows them to whoever pulls the image.",
		Fix:     "Mount it: RUN --mount=type=secret,id=hub …, and docker build --secret id=hub,env=HF_TOKEN.",
		Sources: []facts.Source{secretCheck, buildSecrets},
		File:    eachInstruction(dockerfileArgument),
	},
	{
		ID: "dockerfile-secret-copied", Severity: lint.Error, Subject: lint.Images,
		Title:   "A file with credentials is copied into the image",
		Why:     "It stays in its layer, also where a later line deletes it.",
		Fix:     "Leave it out, name it in .dockerignore, and mount it where the build needs it: RUN --mount=type=secret.",
		Sources: []facts.Source{buildSecrets},
		File:    eachInstruction(dockerfileCopied),
	},
	{
		ID: "dockerfile-weights", Severity: lint.Warning, Subject: lint.Images,
		Title:   "Weights of a model are baked into the image",
		Why:     "Every node pulls and unpacks them with the image, at the speed of a registry and of one layer, for each new version of the code again; nodes that have the image cannot share the copy. 70B in FP16 are 140 GB.",
		Fix:     "Keep weights in a volume (FSx, EFS, EBS snapshot, S3) or load them from the hub into the node's NVMe: assay plan storage compares.",
		Sources: []facts.Source{aimlStorage},
		File:    dockerfileWeights,
	},
	{
		ID: "dockerfile-base-moves", Severity: lint.Warning, Subject: lint.Images,
		Title:   "A base image is another one tomorrow",
		Why:     "The same Dockerfile gives another CUDA, Python or engine at the next build, and nobody sees what changed.",
		Fix:     "Name a version, or a digest.",
		Sources: []facts.Source{buildGuide},
		File:    dockerfileBase,
	},
	{
		ID: "dockerfile-one-stage", Severity: lint.Warning, Subject: lint.Images,
		Title:   "The image keeps the compilers that built it",
		Why:     "Compilers, headers and sources are pulled and unpacked by every node and run by nobody: CUDA's devel image is some gigabytes larger than its runtime.",
		Fix:     "Build in a first stage, and COPY --from it into a second one that starts from the runtime image.",
		Sources: []facts.Source{multiStage},
		File:    dockerfileStages,
	},
	{
		ID: "dockerfile-shell-command", Severity: lint.Warning, Subject: lint.Images,
		Title:   "The server is a child of a shell that is PID 1",
		Why:     "SIGTERM goes to the shell, which does not hand it on: the server is killed at the end of the grace period, and the responses that run are lost.",
		Fix:     "Write CMD [\"vllm\", \"serve\", …], or begin the last command with exec.",
		Sources: []facts.Source{{Title: "Docker, build check JSONArgsRecommended", URL: "https://docs.docker.com/reference/build-checks/json-args-recommended/", Date: "2026-11-30"}},
		File:    dockerfileCommand,
	},
}

// eachInstruction looks at all instructions of all stages.
func eachInstruction(check func(*lint.Pass, *source.Instruction)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		d := p.File.Instructions()
		for _, i := range d.Before {
			check(p, i)
		}
		for _, s := range d.Stages {
			check(p, s.From)
			for _, i := range s.Body {
				check(p, i)
			}
		}
	}
}

// declared are the variables that an ENV or ARG sets, in each of their forms.
var declared = regexp.MustCompile(`(?:^|\s)([A-Za-z_][A-Za-z0-9_]*)(?:=("(?:[^"\\]|\\.)*"|'[^']*'|\S*))?`)

// older is the form ENV NAME value.
var older = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s+([^=\s].*)$`)

type variable struct {
	name, value string
	offset      int // of the value, else of the name
}

func variables(i *source.Instruction) []variable {
	if m := older.FindStringSubmatchIndex(i.Text); m != nil && i.Name == "ENV" {
		return []variable{{i.Text[m[2]:m[3]], strings.TrimSpace(i.Text[m[4]:m[5]]), m[4]}}
	}
	var all []variable
	for _, m := range declared.FindAllStringSubmatchIndex(i.Text, -1) {
		v := variable{name: i.Text[m[2]:m[3]], offset: m[2]}
		if m[4] >= 0 {
			v.value, v.offset = strings.Trim(i.Text[m[4]:m[5]], `"'`), m[4]
		}
		all = append(all, v)
	}
	return all
}

// dockerfileSecret reports one secret of an instruction, the first.
func dockerfileSecret(p *lint.Pass, i *source.Instruction) {
	if found, ok := practice.SecretIn(i.Text); ok {
		p.FailWord(i, found.Begin, "%s holds %s", i.Name, found.Kind)
		return
	}
	if i.Name != "ENV" && i.Name != "ARG" {
		for _, m := range assigned.FindAllStringSubmatchIndex(i.Text, -1) {
			name, value := i.Text[m[2]:m[3]], strings.Trim(i.Text[m[4]:m[5]], `"'`)
			if practice.PlainSecret(name, value) {
				veiled(p.FailWord(i, m[2], "%s sets %s to its secret", i.Name, name), value)
				return
			}
		}
		return
	}
	for _, v := range variables(i) {
		if practice.PlainSecret(v.name, v.value) {
			veiled(p.FailWord(i, v.offset, "%s sets %s to its secret", i.Name, v.name), v.value)
			return
		}
	}
}

// veiled hides a value in the line that is shown.
func veiled(f *lint.Finding, value string) {
	f.Text = strings.ReplaceAll(f.Text, value, practice.Hidden)
}

func dockerfileArgument(p *lint.Pass, i *source.Instruction) {
	if i.Name != "ARG" {
		return
	}
	for _, v := range variables(i) {
		if practice.NamesSecret(v.name) && !practice.PlainSecret(v.name, v.value) {
			p.FailWord(i, v.offset, "ARG %s takes a secret", v.name)
		}
	}
}

// credentials are files that hold them, by name.
var credentials = regexp.MustCompile(`^(?:\.env|\.env\.(?:local|prod|production|secret)|\.netrc|\.npmrc|\.pypirc|\.git-credentials|id_(?:rsa|ed25519|ecdsa|dsa)|.*\.(?:key|p12|pfx|keystore)|kubeconfig|service[-_]account.*\.json|\.?aws[-_]?credentials)$|(?:^|/)(?:\.aws/credentials|\.kube/config|\.ssh|\.cache/huggingface/token|\.huggingface/token|\.docker/config\.json)$`)

// copied are the sources of a COPY or ADD from the build's context, and the target.
func copied(i *source.Instruction) (sources []string, target string, from bool) {
	text, _, _ := strings.Cut(i.Text, "\n")
	var words []string
	for _, w := range strings.FieldsFunc(strings.Trim(text, "[]"), func(r rune) bool { return strings.ContainsRune(" \t,", r) }) {
		w = strings.Trim(w, `"`)
		if strings.HasPrefix(w, "--") {
			from = from || strings.HasPrefix(w, "--from=")
			continue
		}
		words = append(words, w)
	}
	if len(words) < 2 {
		return nil, "", from
	}
	return words[:len(words)-1], words[len(words)-1], from
}

func dockerfileCopied(p *lint.Pass, i *source.Instruction) {
	if i.Name != "COPY" && i.Name != "ADD" {
		return
	}
	sources, _, from := copied(i)
	for _, s := range sources {
		clean := path.Clean(s)
		if !from && (credentials.MatchString(path.Base(clean)) || credentials.MatchString(clean)) {
			p.FailWord(i, strings.Index(i.Text, s), "%s puts %s into the image", i.Name, s)
			return
		}
	}
}

var (
	weightFile = regexp.MustCompile(`(?i)\.(?:safetensors|gguf|ckpt|pth)$|pytorch_model[^/]*\.bin$|\.safetensors\.\*$`)
	// fetched finds commands that load weights. What they leave out is looked at apart.
	fetched = regexp.MustCompile(`\b(?:huggingface-cli|hf)\s+download\b|\bsnapshot_download\(|\bhf_hub_download\(|\b\w+\.from_pretrained\(|\bgit\s+(?:lfs\s+)?clone\s[^\n;&|]*huggingface\.co/[^\s;&|]+|\b(?:wget|curl|aws\s+s3\s+(?:cp|sync)|gsutil|s5cmd)\b[^\n;&|]*\.(?:safetensors|gguf|ckpt|pth)\b|\bollama\s+pull\b`)
	// small are parts of a model that are no weights.
	small = regexp.MustCompile(`(?:Tokenizer|Config|Processor|FeatureExtractor)\w*\.from_pretrained\(|huggingface\.co/(?:datasets|spaces)/|--repo-type[= ](?:dataset|space)`)
)

// dockerfileWeights looks at the stages that become the image.
func dockerfileWeights(p *lint.Pass) {
	for _, s := range p.File.Instructions().Last() {
		for _, i := range s.Body {
			switch i.Name {
			case "RUN":
				fetchedWeights(p, i)
			case "COPY", "ADD":
				copiedWeights(p, i)
			}
		}
	}
}

func fetchedWeights(p *lint.Pass, i *source.Instruction) {
	if strings.Contains(i.Text, "--mount=type=cache") {
		return // what is loaded may lie in the cache, which is no part of the image
	}
	for _, at := range fetched.FindAllStringIndex(i.Text, -1) {
		line, _, _ := strings.Cut(i.Text[at[0]:], "\n")
		line, _, _ = strings.Cut(line, "&&")
		if small.MatchString(line) || onlySmall(line) {
			continue
		}
		p.FailWord(i, at[0], "the build loads weights into the image: %s", i.Text[at[0]:at[1]])
		return
	}
}

// included are the files that a download is limited to.
var included = regexp.MustCompile(`(?:--include|allow_patterns=)[= ]*(.*)`)

// onlySmall says that a download takes files which are no weights.
func onlySmall(command string) bool {
	m := included.FindStringSubmatch(command)
	return m != nil && !regexp.MustCompile(`safetensors|gguf|\.bin|\.pt|["' ]\*["' ]`).MatchString(m[1]+" ")
}

// models are folders that hold nothing but weights where they are copied to the root.
var models = regexp.MustCompile(`^/(?:models?|weights|checkpoints?)(?:/|$)`)

func copiedWeights(p *lint.Pass, i *source.Instruction) {
	sources, target, _ := copied(i)
	for _, s := range sources {
		base := path.Base(strings.TrimRight(s, "/"))
		folder := path.Ext(base) == "" && models.MatchString(target)
		if weightFile.MatchString(s) || folder {
			p.FailWord(i, strings.Index(i.Text, s), "%s puts weights into the image: %s", i.Name, s)
			return
		}
	}
}

func dockerfileBase(p *lint.Pass) {
	d := p.File.Instructions()
	for _, s := range d.Stages {
		if s.Base == "" || s.Base == "scratch" || filledIn(s.Base) || s.Parent != nil {
			continue
		}
		if i := practice.ImageOf(s.Base); i.Moves() {
			at := strings.Index(s.From.Text, s.Base)
			if i.Tag == "" {
				p.FailWord(s.From, at, "%s has no tag: it is latest", s.Base)
			} else {
				p.FailWord(s.From, at, "%s: the tag %s moves", s.Base, i.Tag)
			}
		}
	}
}

var (
	develImage   = regexp.MustCompile(`:[^@]*\bdevel\b`)
	builderImage = regexp.MustCompile(`(?:^|/)(?:golang|rust|maven|gradle)(?::|@|$)`)
	compilers    = regexp.MustCompile(`\b(?:build-essential|gcc|g\+\+|clang|cmake|ninja-build|cuda-nvcc[\w.-]*|cuda-toolkit[\w.-]*|rustc|cargo|golang(?:-go)?)\b`)
	installing   = regexp.MustCompile(`\b(?:apt-get|apt|apk|dnf|yum|microdnf)\b[^\n]*\b(?:install|add)\b`)
	removing     = regexp.MustCompile(`\b(?:purge|autoremove|apk\s+del|(?:apt|apt-get|dnf|yum)\s+(?:-y\s+)?remove)\b`)
	compiling    = regexp.MustCompile(`\bcmake\s+(?:--build|\.\.|-[BS])|\bmake\b(?:\s+-|\s+install|\s*&&|\s*$)|\bninja\b(?:\s|$)|setup\.py\s+(?:install|bdist_wheel|build_ext|develop)|\bpip3?\s+(?:wheel|install\s+(?:-\S+\s+)*(?:-e\s+)?\.(?:\s|/|$|\[))|\bnvcc\s|\bgo\s+(?:build|install)\b|\bcargo\s+(?:build|install)\b|\bmvn\b|\bgradlew?\b|--no-binary`)
	// atRunTime are what compiles kernels while it runs, and needs its compiler.
	atRunTime = regexp.MustCompile(`(?i)\b(?:flashinfer|vllm|sglang|triton|deepspeed|torch\.compile|tensorrt)`)
)

// dockerfileStages says where compilers stay in the image: those of its base, or those
// that are installed to build something in the only stage.
func dockerfileStages(p *lint.Pass) {
	d := p.File.Instructions()
	if len(d.Stages) == 0 {
		return
	}
	chain := d.Last()
	root, whole := chain[0], strings.Builder{}
	builds := false
	var install *source.Instruction
	for _, s := range chain {
		for _, i := range s.Body {
			whole.WriteString(i.Text + "\n")
			if i.Name != "RUN" {
				continue
			}
			builds = builds || compiling.MatchString(i.Text)
			if install == nil && installing.MatchString(i.Text) && compilers.MatchString(i.Text) && !removing.MatchString(i.Text) {
				install = i
			}
		}
	}
	at := strings.Index(root.From.Text, root.Base)
	switch {
	case builderImage.MatchString(root.Base) && builds:
		p.FailWord(root.From, at, "%s builds the program, and is the image that runs it", root.Base)
	case develImage.MatchString(root.Base) && (builds || !atRunTime.MatchString(whole.String())):
		p.FailWord(root.From, at, "the image starts from %s, with CUDA's compilers and headers", root.Base)
	case install != nil && builds && len(d.Stages) == 1:
		name := compilers.FindStringIndex(install.Text)
		p.FailWord(install, name[0], "%s builds in the only stage, and stays in the image", install.Text[name[0]:name[1]])
	}
}

var serving = regexp.MustCompile(`\b(?:vllm\s+serve|vllm\.entrypoints|sglang\.launch_server|tritonserver|text-generation-launcher|uvicorn|gunicorn|torchrun|ray\s+start|trtllm-serve)\b`)

// dockerfileCommand looks at the last ENTRYPOINT and CMD. A shell that is given one
// command takes its place; one that has more to do stays.
func dockerfileCommand(p *lint.Pass) {
	last := map[string]*source.Instruction{}
	for _, s := range p.File.Instructions().Last() {
		for _, i := range s.Body {
			last[i.Name] = i
		}
	}
	for _, name := range []string{"ENTRYPOINT", "CMD"} {
		i := last[name]
		if i == nil || strings.HasPrefix(strings.TrimSpace(i.Text), "[") {
			continue
		}
		at := serving.FindStringIndex(i.Text)
		if at == nil || !strings.ContainsAny(i.Text, ";|&") || strings.Contains(i.Text, "exec ") {
			continue
		}
		p.FailWord(i, at[0], "%s runs %s under /bin/sh -c, which stays PID 1", name, i.Text[at[0]:at[1]])
	}
}
