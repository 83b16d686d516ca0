package rules

import (
	"path"
	"regexp"
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/practice"
)

var (
	imageGuide = facts.Source{Title: "Kubernetes, images", URL: "https://kubernetes.io/docs/concepts/containers/images/", Date: "2026-11-30"}
	imageForm  = facts.Source{Title: "distribution/reference, the grammar of image references", URL: "https://github.com/distribution/reference/blob/main/reference.go", Date: "2026-11-30"}
	sociPull   = facts.Source{Title: "SOCI snapshotter, parallel mode", URL: "https://github.com/awslabs/soci-snapshotter/blob/main/docs/parallel-mode.md", Date: "2026-11-30"}
)

var imageRules = []*lint.Rule{
	{
		ID: "image-moves", Severity: lint.Warning, Subject: lint.Images,
		Title:     "The image of a model server is another one tomorrow",
		Why:       "Nodes that started on different days run different engines, whose flags, memory and speed differ; what was measured is not what runs, and a rollback pulls the same tag. With latest or no tag Kubernetes also asks the registry at each start.",
		Fix:       "Name a version, or a digest.",
		Sources:   []facts.Source{imageGuide},
		Container: imageMoves,
	},
	{
		ID: "image-reference", Severity: lint.Error, Subject: lint.Images,
		Title:     "An image that no container runtime can read",
		Why:       "The pod stays in InvalidImageName: the API server takes any text.",
		Fix:       "Write host/path:tag, the path in lower case, without https://.",
		Sources:   []facts.Source{imageForm},
		Container: imageReference,
	},
	{
		ID: "weights-in-image", Severity: lint.Warning, Subject: lint.Images,
		Title:     "A model is served from a path that no volume holds",
		Why:       "The weights are then in the image, where every node pulls and unpacks them with each new version of the code, and cannot share them; or they are not there, and the server ends at its start.",
		Fix:       "Mount a volume that holds them (FSx, EFS, an EBS snapshot, S3), or name the model as the hub does: assay plan storage compares.",
		Sources:   []facts.Source{aimlStorage},
		Container: onServer(weightsInImage),
	},
	{
		ID: "image-with-compilers", Severity: lint.Info, Subject: lint.Images,
		Title:     "A service runs from an image with compilers and headers",
		Why:       "Each node pulls and unpacks them at each first start, and nothing runs them: PyTorch's devel image is about twice as large as its runtime image.",
		Fix:       "Take the runtime image of the same version, or copy what was built into one.",
		Sources:   []facts.Source{multiStage},
		Kinds:     []string{"Deployment", "StatefulSet", "LeaderWorkerSet"},
		Container: imageWithCompilers,
	},
	{
		ID: "soci-index", Severity: lint.Info, Subject: lint.Images,
		Title:     "A SOCI index is built, which parallel pull does not need",
		Why:       "SOCI's parallel pull and unpack works on any image. An index is for lazy loading, where a model server waits for each file that it reads: slower than a whole pull for images that are read whole.",
		Fix:       "Leave soci create and push out; turn on parallel pull on the nodes (assay render nodepool).",
		Sources:   []facts.Source{sociPull},
		Container: sociIndex,
	},
}

// accelerated says that a container is given accelerators, or serves a model.
func accelerated(c *lint.Container) bool {
	for _, resource := range []string{"nvidia.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "amd.com/gpu"} {
		if v := c.Asked(resource); v.Exists() && v.Text() != "0" {
			return true
		}
	}
	return c.ServesVLLM()
}

// filledIn says that an image is given later, by a template or a mark.
func filledIn(image string) bool {
	return strings.ContainsAny(image, "${}<>") || len(practice.Marks(image)) > 0
}

func imageMoves(p *lint.Pass, c *lint.Container) {
	image := c.Image()
	if image == "" || filledIn(image) || !practice.ValidImage(image) || !accelerated(c) {
		return
	}
	i := practice.ImageOf(image)
	switch {
	case !i.Moves():
	case i.Tag == "":
		p.Fail(c.Get("image"), "%s has no tag: it is latest", image)
	default:
		p.Fail(c.Get("image"), "%s: the tag %s moves", image, i.Tag)
	}
}

func imageReference(p *lint.Pass, c *lint.Container) {
	image := c.Image()
	if image == "" || filledIn(image) || practice.ValidImage(image) {
		return
	}
	why := "it is no host/path:tag"
	switch i := practice.ImageOf(image); {
	case strings.Contains(image, "://"):
		why = "a reference has no scheme"
	case strings.ContainsAny(image, " \t"):
		why = "it holds a blank"
	case i.Repository != strings.ToLower(i.Repository) && practice.ValidImage(strings.ToLower(image)):
		why = "its path is not in lower case"
	}
	p.Fail(c.Get("image"), "%s cannot be pulled: %s", image, why)
}

// injected is where KServe puts the weights that its webhook fetches.
const injected = "/mnt/models"

// weightsInImage looks at a server that is started at once: a script before it may have
// fetched the weights, and so may the entry point of an image that nobody knows.
func weightsInImage(p *lint.Pass, s *lint.Server) {
	at, given := s.Model()
	model := path.Clean(at.Text)
	if !given || at.Open() || !path.IsAbs(model) || within(model, injected) || len(s.Words.Commands) > 1 {
		return
	}
	if !practice.IsVLLMImage(s.Container.Image()) && len(s.Container.Get("command").Items()) == 0 {
		return
	}
	for _, m := range s.Container.Get("volumeMounts").Items() {
		if mount := m.Get("mountPath"); mount.Open() || within(model, path.Clean(mount.Text())) {
			return
		}
	}
	p.Fail(at.At, "%s lies in no volume: the weights are in the image %s, or nowhere", at.Text, s.Container.Image())
}

// within says that a path is a folder or lies in it.
func within(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// development are the images of CUDA and PyTorch that hold compilers.
var development = regexp.MustCompile(`(?:^|/)(?:nvidia/cuda|pytorch/pytorch):[\w.-]*-devel\b`)

func imageWithCompilers(p *lint.Pass, c *lint.Container) {
	if !development.MatchString(c.Image()) || c.Init {
		return
	}
	var command strings.Builder
	for _, w := range c.Words().All {
		command.WriteString(w.Text + " ")
	}
	if compiling.MatchString(command.String()) || compilers.MatchString(command.String()) || atRunTime.MatchString(command.String()) {
		return
	}
	p.Fail(c.Get("image"), "%s has compilers and headers that a service does not run", c.Image())
}

func sociIndex(p *lint.Pass, c *lint.Container) {
	words := c.Words().All
	for i, w := range words {
		if w.Text[strings.LastIndexByte(w.Text, '/')+1:] == "soci" && i+1 < len(words) && words[i+1].Text == "create" {
			p.Fail(w.At, "soci create builds an index that parallel pull does not read")
			return
		}
	}
}
