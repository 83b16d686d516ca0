package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// pauseImage holds a pod that does nothing: 0.3 MB, released with Kubernetes 1.34.
const pauseImage = "registry.k8s.io/pause:3.10.1"

// prefetch is a DaemonSet that pulls images onto each node of the pool as soon as it is
// there, so that the second pod of a node, or one that comes later, does not wait.
func (p *pool) prefetch() []Written {
	if len(p.spec.Prefetch) == 0 {
		return nil
	}
	name := p.name() + "-prefetch"
	labels := object{{nameLabel, name, ""}, {managedByLabel, managedBy, ""}}
	small := object{
		{"requests", object{{"cpu", "10m", ""}, {"memory", "32Mi", ""}}, ""},
		{"limits", object{{"memory", "64Mi", ""}}, ""},
	}
	security := object{
		{"allowPrivilegeEscalation", false, ""},
		{"readOnlyRootFilesystem", true, ""},
		{"capabilities", object{{"drop", []string{"ALL"}, ""}}, ""},
	}
	var pulls []object
	for i, image := range p.spec.Prefetch {
		pulls = append(pulls, object{
			{"name", fmt.Sprintf("pull-%d", i+1), ""},
			{"image", image, ""},
			{"command", []string{"true"}, "the image is pulled, and nothing of it runs; it must have true"},
			{"env", []object{{{"name", "NVIDIA_VISIBLE_DEVICES", ""}, {"value", "void", "no GPU, although the image asks for all"}}}, ""},
			{"resources", small, ""},
			{"securityContext", security, ""},
		})
	}
	spec := object{
		{"automountServiceAccountToken", false, ""},
		{"terminationGracePeriodSeconds", 1, "there is nothing to end"},
		{"nodeSelector", object{{poolLabel, p.name(), ""}}, ""},
		{"tolerations", []object{{{"key", p.resource, ""}, {"operator", "Exists", ""}, {"effect", "NoSchedule", ""}}}, ""},
		{"securityContext", object{{"seccompProfile", object{{"type", "RuntimeDefault", ""}}, ""}}, ""},
	}
	fromNGC := func(image string) bool { return strings.HasPrefix(image, "nvcr.io/") }
	if secret, written := p.ngcPullSecret(); written && slices.ContainsFunc(p.spec.Prefetch, fromNGC) {
		spec = append(spec, field{"imagePullSecrets", []object{{{"name", secret, ""}}}, ""})
	}
	spec = append(spec,
		field{"initContainers", pulls, ""},
		field{"containers", []object{{
			{"name", "pause", ""},
			{"image", pauseImage, "keeps the pod, and with it the images in use: the kubelet does not clear them away"},
			{"resources", small, ""},
			{"securityContext", append(object{{"runAsNonRoot", true, ""}, {"runAsUser", 65535, ""}}, security...), ""},
		}}, ""},
	)
	return []Written{{
		Name: name + ".yaml",
		Head: "Pulls images onto each node of the pool before a pod asks for them. The first pod of a new node gains little: it pulls at the same time.",
		Object: object{
			{"apiVersion", "apps/v1", ""},
			{"kind", "DaemonSet", ""},
			{"metadata", object{{"name", name, ""}, {"namespace", p.Spec.Namespace, ""}, {"labels", labels, ""}}, ""},
			{"spec", object{
				{"selector", object{{"matchLabels", object{{nameLabel, name, ""}}, ""}}, ""},
				{"updateStrategy", object{{"rollingUpdate", object{{"maxUnavailable", "100%", "nobody waits for these pods"}}, ""}}, ""},
				{"template", object{
					{"metadata", object{{"labels", labels, ""}}, ""},
					{"spec", spec, ""},
				}, ""},
			}, ""},
		},
	}}
}
