package rules

import (
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
)

// shm is the volume at a container's /dev/shm.
type shm struct {
	Mount, Dir source.Value // the mount's path; the emptyDir, absent where it is another volume
}

func shmOf(c *lint.Container) (shm, bool) {
	for _, m := range c.Get("volumeMounts").Items() {
		if path := m.Get("mountPath"); strings.TrimRight(path.Text(), "/") == "/dev/shm" {
			return shm{path, volumeOf(c.Pod, m.Get("name").Text()).Get("emptyDir")}, true
		}
	}
	return shm{}, false
}

func volumeOf(p *lint.Pod, name string) source.Value {
	for _, v := range p.Get("volumes").Items() {
		if v.Get("name").Text() == name {
			return v
		}
	}
	return source.Value{}
}

func (d shm) inMemory() bool { return d.Dir.Get("medium").Text() == "Memory" }

// size is the volume's limit in bytes.
func (d shm) size() (float64, bool) {
	v := d.Dir.Get("sizeLimit")
	n, ok := karpenter.Quantity(v.Text())
	return n, ok && v.Text() != ""
}

// shares says that ranks of a server exchange messages within its container.
func shares(s *lint.Server) bool {
	l, ok := layoutOf(s)
	n, _, counted := s.Container.GPUs()
	return ok && counted && n > 1 && l.TP*l.PP > 1
}

func shmAbsent(p *lint.Pass, s *lint.Server) {
	if _, mounted := shmOf(s.Container); mounted || !shares(s) {
		return
	}
	if host, _ := s.Container.Pod.Get("hostIPC").Bool(); host {
		return
	}
	l, _ := layoutOf(s)
	p.Fail(orElse(s.Container.Root.Key("volumeMounts"), flagAt(s)), "%d ranks share a /dev/shm of 64 MiB: nothing is mounted there", l.TP*l.PP)
}

// shmRing is what vLLM's ranks exchange messages through: VLLM_MQ_MAX_CHUNK_BYTES_MB,
// 16 by default, in 10 chunks (v1/executor, read in 0.32).
const shmRing = 160 << 20

func shmSmall(p *lint.Pass, s *lint.Server) {
	d, mounted := shmOf(s.Container)
	n, ok := d.size()
	if mounted && d.inMemory() && ok && n < shmRing && shares(s) {
		p.Fail(d.Dir.Get("sizeLimit"), "/dev/shm is %s, and the ring of vLLM's messages alone is 160 MiB", d.Dir.Get("sizeLimit").Text())
	}
}

func shmOnDisk(p *lint.Pass, c *lint.Container) {
	d, mounted := shmOf(c)
	if mounted && d.Dir.IsMap() && !d.inMemory() && !strings.HasPrefix(d.Dir.Get("medium").Text(), "HugePages") && !d.Dir.Get("medium").Open() {
		p.Fail(d.Mount, "the volume at /dev/shm has no medium: Memory")
	}
}

func shmBeyond(p *lint.Pass, c *lint.Container) {
	limit, ok := karpenter.Quantity(c.Get("resources", "limits", "memory").Text())
	if !ok || limit == 0 {
		return
	}
	for _, m := range c.Get("volumeMounts").Items() {
		d := shm{Dir: volumeOf(c.Pod, m.Get("name").Text()).Get("emptyDir")}
		if n, sized := d.size(); sized && d.inMemory() && n > limit {
			p.Fail(d.Dir.Get("sizeLimit"), "%s of a volume in memory, and a memory limit of %s", d.Dir.Get("sizeLimit").Text(), c.Get("resources", "limits", "memory").Text())
		}
	}
}

func shmUnbounded(p *lint.Pass, s *lint.Server) {
	d, mounted := shmOf(s.Container)
	if mounted && d.inMemory() && !d.Dir.Get("sizeLimit").Exists() && !s.Container.Get("resources", "limits", "memory").Exists() {
		p.Fail(d.Dir.Get("medium"), "/dev/shm has no sizeLimit, and the container no memory limit")
	}
}

func hostIPC(pass *lint.Pass, p *lint.Pod) {
	v := p.Get("hostIPC")
	if on, _ := v.Bool(); on && usesModels(p) {
		pass.Fail(v, "the pod shares the IPC namespace of its node")
	}
}
