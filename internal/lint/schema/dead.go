package schema

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/lint/source"
)

// removal says since when a version of built-in kinds is not served.
type removal struct {
	api   string   // apiVersion
	kinds []string // nil: all of the group's
	since string   // the minor version of Kubernetes
}

// removals are those of the built-in kinds. Source: Kubernetes, Deprecated API
// Migration Guide, https://kubernetes.io/docs/reference/using-api/deprecation-guide/,
// 2026-11-30.
var removals = []removal{
	{"extensions/v1beta1", []string{"Ingress"}, "1.22"},
	{"extensions/v1beta1", nil, "1.16"},
	{"apps/v1beta1", nil, "1.16"},
	{"apps/v1beta2", nil, "1.16"},
	{"networking.k8s.io/v1beta1", []string{"Ingress", "IngressClass"}, "1.22"},
	{"rbac.authorization.k8s.io/v1alpha1", nil, "1.22"},
	{"rbac.authorization.k8s.io/v1beta1", nil, "1.22"},
	{"storage.k8s.io/v1beta1", []string{"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"}, "1.22"},
	{"storage.k8s.io/v1beta1", []string{"CSIStorageCapacity"}, "1.27"},
	{"scheduling.k8s.io/v1beta1", []string{"PriorityClass"}, "1.22"},
	{"coordination.k8s.io/v1beta1", []string{"Lease"}, "1.22"},
	{"apiextensions.k8s.io/v1beta1", nil, "1.22"},
	{"apiregistration.k8s.io/v1beta1", nil, "1.22"},
	{"certificates.k8s.io/v1beta1", []string{"CertificateSigningRequest"}, "1.22"},
	{"admissionregistration.k8s.io/v1beta1", []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}, "1.22"},
	{"batch/v1beta1", []string{"CronJob"}, "1.25"},
	{"discovery.k8s.io/v1beta1", []string{"EndpointSlice"}, "1.25"},
	{"events.k8s.io/v1beta1", nil, "1.25"},
	{"autoscaling/v2beta1", nil, "1.25"},
	{"autoscaling/v2beta2", nil, "1.26"},
	{"policy/v1beta1", []string{"PodDisruptionBudget", "PodSecurityPolicy"}, "1.25"},
	{"node.k8s.io/v1beta1", nil, "1.25"},
	{"flowcontrol.apiserver.k8s.io/v1beta1", nil, "1.26"},
	{"flowcontrol.apiserver.k8s.io/v1beta2", nil, "1.29"},
	{"flowcontrol.apiserver.k8s.io/v1beta3", nil, "1.32"},
}

// successors are kinds of extensions that another one replaced. Sources: Karpenter,
// v1beta1 migration, https://karpenter.sh/v0.32/upgrading/v1beta1-migration/; KEDA,
// https://keda.sh/docs/2.0/migration/; Gateway API Inference Extension v1.0.0,
// config/crd/bases; read 2026-11-30.
var successors = map[string]string{
	"karpenter.sh/Provisioner":                     "NodePool of karpenter.sh/v1",
	"karpenter.sh/Machine":                         "NodeClaim of karpenter.sh/v1",
	"karpenter.k8s.aws/AWSNodeTemplate":            "EC2NodeClass of karpenter.k8s.aws/v1",
	"keda.k8s.io/ScaledObject":                     "ScaledObject of keda.sh/v1alpha1",
	"keda.k8s.io/ScaledJob":                        "ScaledJob of keda.sh/v1alpha1",
	"keda.k8s.io/TriggerAuthentication":            "TriggerAuthentication of keda.sh/v1alpha1",
	"inference.networking.x-k8s.io/InferenceModel": "InferenceObjective of inference.networking.x-k8s.io/v1alpha2",
}

// unserved is the issue of a custom resource under a version that its definition does
// not serve.
func unserved(group, kind, name string, d *definition, root source.Value) *Issue {
	if group == "external-secrets.io" {
		return nil // a rule of its own speaks of these
	}
	served := make([]string, 0, len(d.versions))
	for v := range d.versions {
		served = append(served, group+"/"+v)
	}
	slices.Sort(served)
	return outdated(root, fmt.Sprintf("%s of %s/%s is not served; %s is", kind, group, clip(name), strings.Join(served, " or ")))
}

func outdated(root source.Value, message string) *Issue {
	return &Issue{DeadVersion, "apiVersion", root.Get("apiVersion"), message}
}

// dead is the issue of a kind that has no schema: its version was removed, or its group
// is one of Kubernetes and has no such kind. Any other kind is nobody's business.
func dead(apiVersion, kind string, root source.Value) *Issue {
	group, _, named := strings.Cut(apiVersion, "/")
	if !named {
		group = ""
	}
	if by, ok := successors[group+"/"+kind]; ok {
		return outdated(root, fmt.Sprintf("%s of %s is not served; %s replaced it", kind, apiVersion, by))
	}
	now := core().versions(kind)
	for _, r := range removals {
		if r.api == apiVersion && (r.kinds == nil || slices.Contains(r.kinds, kind)) {
			return outdated(root, fmt.Sprintf("%s of %s is not served since Kubernetes %s; %s", kind, apiVersion, r.since, instead(now)))
		}
	}
	if !core().groups()[group] || strings.HasSuffix(kind, "List") || strings.Contains(apiVersion, "alpha") {
		return nil
	}
	if len(now) > 0 {
		return outdated(root, fmt.Sprintf("%s has no %s; %s", clip(apiVersion), clip(kind), instead(now)))
	}
	near := nearest(kind, core().named(apiVersion))
	if near == "" && group == "" {
		return nil // files of other programs say v1 too, such as kubectl's configuration
	}
	issue := Issue{UnknownKind, "kind", root.Get("kind"), fmt.Sprintf("%s has no kind %s", clip(apiVersion), clip(kind))}
	if near != "" {
		issue.Message += "; " + near + " is near"
	}
	return &issue
}

func instead(now []string) string {
	if len(now) == 0 {
		return "nothing takes its place"
	}
	return strings.Join(now, " or ") + " is"
}

// versions are the apiVersions that have a built-in kind, stable ones where there are
// any.
func (c *builtIns) versions(kind string) []string {
	var stable, all []string
	for k := range c.Kinds {
		api, has := strings.CutSuffix(k, "/"+kind)
		if !has {
			continue
		}
		all = append(all, api)
		if !strings.Contains(api, "alpha") && !strings.Contains(api, "beta") {
			stable = append(stable, api)
		}
	}
	if len(stable) > 0 {
		all = stable
	}
	slices.Sort(all)
	return all
}

// groups are those of built-in kinds.
func (c *builtIns) groups() map[string]bool {
	all := map[string]bool{}
	for k := range c.Kinds {
		parts := strings.Split(k, "/")
		if len(parts) == 3 {
			all[parts[0]] = true
		} else {
			all[""] = true
		}
	}
	return all
}

// named are the kinds of an apiVersion, as keys.
func (c *builtIns) named(apiVersion string) map[string]*node {
	all := map[string]*node{}
	for k := range c.Kinds {
		if kind, ok := strings.CutPrefix(k, apiVersion+"/"); ok && !strings.Contains(kind, "/") {
			all[kind] = nil
		}
	}
	return all
}
