package manifest

import (
	"fmt"
	"path"
	"strings"

	"assay/internal/facts"
	"assay/internal/plan"
	"assay/internal/spec"
)

// weights is where the engine finds them.
type weights struct {
	claim string // of a volume; empty: from the hub at each start
	kind  string // of that volume: ebs, efs, fsx, s3; empty: not known
	path  string // of the model in it
	secret,
	key string // the Secret with the hub's token; empty: none
}

const (
	weightsMount = "/models"
	tokenMount   = "/secrets/hub"
)

// resolveWeights settles where the weights lie.
func (s *server) resolveWeights() error {
	sv := s.Spec.Serve
	volume, stored := s.Spec.Storage.For(spec.ForWeights)
	switch {
	case sv.Weights == "hub":
	case sv.Claim != "":
		s.weights.claim = sv.Claim
	case stored:
		s.weights.claim, s.weights.kind = volume.Claim(s.name()), volume.Kind
	case sv.Weights == "pvc":
		return &plan.UsageError{What: "render.serve.weights is pvc, and no claim is named", Way: "give render.serve.claim, or a volume in render.storage"}
	}
	if s.weights.kind == spec.OnEBS && (s.nodes > 1 || s.replicas > s.onNode) {
		return &plan.UsageError{
			What: fmt.Sprintf("an EBS volume is attached to one node, and %d replicas take more: their weights cannot lie on it", s.replicas),
			Way:  "keep them on efs, fsx or s3 (render.storage), or load them from the hub (render.serve.weights: hub)",
		}
	}
	if s.weights.claim == "" {
		s.weights.secret, s.weights.key = s.hubToken()
		return nil
	}
	s.weights.path = s.model
	if !path.IsAbs(s.model) && !strings.HasPrefix(s.model, "unset-") {
		s.weights.path = path.Join(weightsMount, s.model)
	}
	return nil
}

// hubToken is the Secret with the token of the model hub, and its key.
func (s *server) hubToken() (secret, key string) {
	if name := s.Spec.Serve.TokenSecret; name != "" {
		return name, hubTokenKey
	}
	if name, written := s.hubTokenSecret(); written {
		return name, hubTokenKey
	}
	return "", ""
}

// loads is the model as the engine's command names it.
func (s *server) loads() string {
	if s.weights.path != "" {
		return s.weights.path
	}
	return s.model
}

// volumes of a pod, and where its container mounts them.
func (s *server) volumes() (volumes, mounts []object) {
	shm := s.sharedMemory()
	volumes = append(volumes, object{
		{"name", "shm", ""},
		{"emptyDir", object{{"medium", "Memory", ""}, {"sizeLimit", gib(shm), s.whySharedMemory()}}, ""},
	})
	mounts = append(mounts, object{{"name", "shm", ""}, {"mountPath", "/dev/shm", ""}})
	volumes = append(volumes, s.cacheVolume())
	mounts = append(mounts, object{{"name", "cache", ""}, {"mountPath", s.home + "/.cache", ""}})
	if s.weights.claim != "" {
		volumes = append(volumes, object{{"name", "weights", ""}, {"persistentVolumeClaim", object{{"claimName", s.weights.claim, ""}, {"readOnly", true, ""}}, ""}})
		mounts = append(mounts, object{{"name", "weights", ""}, {"mountPath", weightsMount, ""}, {"readOnly", true, ""}})
	}
	if s.weights.secret != "" {
		volumes = append(volumes, object{{"name", "hub-token", ""}, {"secret", object{{"secretName", s.weights.secret, ""}, {"defaultMode", 0o440, "0440 in octal: the group that the engine runs as reads it"}}, "a file, not a variable: it is read at each use, so that a token that rotates needs no restart"}})
		mounts = append(mounts, object{{"name", "hub-token", ""}, {"mountPath", tokenMount, ""}, {"readOnly", true, ""}})
	}
	return volumes, mounts
}

// cacheVolume holds compiled graphs, and the weights where they come from the hub.
func (s *server) cacheVolume() object {
	size, why := int64(20*facts.GiB), "compiled kernels and graphs: gone with the pod"
	if s.weights.claim == "" {
		size += s.Plan.Memory.Weights * 3 / 2
		why = fmt.Sprintf("the weights, %s as they are planned, half as much again for other formats beside them, and 20 GiB for compiled graphs. On the node's disk: its instance store where the node pool puts it there", gib(s.Plan.Memory.Weights))
	}
	return object{{"name", "cache", ""}, {"emptyDir", object{{"sizeLimit", gib(size), why}}, ""}}
}

// environment of the container.
func (s *server) environment() []object {
	env := []object{{{"name", "HOME", ""}, {"value", s.home, ""}}}
	if s.weights.claim != "" {
		env = append(env, object{{"name", "HF_HUB_OFFLINE", "the weights are in the volume: a start asks nobody"}, {"value", "1", ""}})
	}
	if s.weights.secret != "" {
		env = append(env, object{{"name", "HF_TOKEN_PATH", ""}, {"value", path.Join(tokenMount, s.weights.key), ""}})
	}
	return env
}

// gib rounds bytes up to GiB, as Kubernetes writes them.
func gib(b int64) string { return fmt.Sprintf("%dGi", (b+facts.GiB-1)/facts.GiB) }
