package lint

import (
	"path"
	"strings"
)

// Load is what a vLLM server reads from a claim at each start.
type Load struct {
	Claim        string
	Model        string // as the command names it
	Quantization string
	At           Spot // of the model's name
}

// loadOf is the claim that a container's server has its weights on; false where they lie
// elsewhere, or where several nodes read a part each.
func loadOf(p *Pod, c *Container) (Load, bool) {
	s, ok := c.VLLM()
	if !ok || !s.Whole {
		return Load{}, false
	}
	for _, parts := range []string{"--nnodes", "--pipeline-parallel-size", "-pp", "--cpu-offload-gb", "--hf-overrides", "--load-format"} {
		if s.Has(parts) {
			return Load{}, false
		}
	}
	m, given := s.Model()
	if !given || m.Open() {
		return Load{}, false
	}
	volume := volumeAt(c, weightsPath(s, m.Text))
	for _, v := range p.Get("volumes").Items() {
		claim := v.Get("persistentVolumeClaim", "claimName")
		if volume == "" || v.Get("name").Text() != volume || !claim.Exists() {
			continue
		}
		q, _ := s.Arg("--quantization", "-q")
		return Load{claim.Text(), m.Text, q.Text, p.Object.Spot(m.At)}, true
	}
	return Load{}, false
}

// weightsPath is the folder that a server reads: the model's, else the cache of the hub.
func weightsPath(s *Server, model string) string {
	if path.IsAbs(model) {
		return model
	}
	if a, given := s.Arg("--download-dir"); given {
		return a.Text
	}
	for _, v := range []struct{ name, under string }{{"HF_HUB_CACHE", ""}, {"HF_HOME", "hub"}} {
		if at := s.Container.Env(v.name); at.Exists() {
			return path.Join(at.Get("value").Text(), v.under)
		}
	}
	home := "/root"
	if at := s.Container.Env("HOME"); at.Exists() {
		home = at.Get("value").Text()
	}
	return path.Join(home, ".cache/huggingface/hub")
}

// volumeAt is the volume under a path in a container: that of the longest mount.
func volumeAt(c *Container, at string) (name string) {
	longest := 0
	for _, m := range c.Get("volumeMounts").Items() {
		mount := path.Clean(m.Get("mountPath").Text())
		if len(mount) > longest && (at == mount || strings.HasPrefix(at, strings.TrimSuffix(mount, "/")+"/")) {
			longest, name = len(mount), m.Get("name").Text()
		}
	}
	return name
}
