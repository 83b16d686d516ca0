package schema

// What the published schemas of built-in kinds leave out and servers check, by the
// name of the schema behind io.k8s.

const (
	apiCore      = "io.k8s.api.core.v1."
	apiMachinery = "io.k8s.apimachinery.pkg."
)

// known completes a schema that was read.
func (c *builtIns) known(name string, n *node) {
	switch name {
	case apiMachinery + "api.resource.Quantity":
		n.quantity = true
	case apiMachinery + "util.intstr.IntOrString":
		n.IntOrString = true
	}
	if n.Type == "" || name == apiMachinery+"runtime.RawExtension" || name == apiMachinery+"apis.meta.v1.FieldsV1" {
		n.Open = true // of any content; other mappings without fields stay empty
	}
	for field, values := range enums[name] {
		if p := n.Properties[field]; p != nil {
			allowed := p
			if p.Items != nil {
				allowed = p.Items
			}
			for _, v := range values {
				allowed.Enum = append(allowed.Enum, v)
			}
		}
	}
	for _, field := range unique[name] {
		if p := n.Properties[field]; p != nil {
			p.ListType, p.ListKeys = "map", []string{"name"}
		}
	}
	if allowed := absent[name]; len(allowed) > 0 {
		var still []string
		for _, field := range n.Required {
			if !contains(allowed, field) {
				still = append(still, field)
			}
		}
		n.Required = still
	}
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// enums are values that servers take for fields whose published schema is any text.
// Source: the API reference of Kubernetes 1.37 (kubernetes.io/docs/reference/kubernetes-api,
// 2026-11-30); test/controlplane holds them against a server.
var enums = map[string]map[string][]string{
	apiCore + "Container": {
		"imagePullPolicy":          {"Always", "IfNotPresent", "Never"},
		"terminationMessagePolicy": {"File", "FallbackToLogsOnError"},
	},
	apiCore + "ContainerPort": {"protocol": protocols},
	apiCore + "ServicePort":   {"protocol": protocols},
	apiCore + "PodSpec": {
		"restartPolicy": {"Always", "OnFailure", "Never"},
		"dnsPolicy":     {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"},
	},
	apiCore + "Toleration": {
		"effect": {"", "NoSchedule", "PreferNoSchedule", "NoExecute"},
	},
	apiCore + "TopologySpreadConstraint": {
		"whenUnsatisfiable":  {"DoNotSchedule", "ScheduleAnyway"},
		"nodeAffinityPolicy": {"Honor", "Ignore"},
		"nodeTaintsPolicy":   {"Honor", "Ignore"},
	},
	apiCore + "NodeSelectorRequirement": {
		"operator": {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"},
	},
	apiMachinery + "apis.meta.v1.LabelSelectorRequirement": {
		"operator": {"In", "NotIn", "Exists", "DoesNotExist"},
	},
	apiCore + "SeccompProfile": {"type": {"RuntimeDefault", "Unconfined", "Localhost"}},
	apiCore + "HTTPGetAction":  {"scheme": {"HTTP", "HTTPS"}},
	apiCore + "ServiceSpec": {
		"type":                  {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"},
		"sessionAffinity":       {"None", "ClientIP"},
		"externalTrafficPolicy": {"Cluster", "Local"},
		"internalTrafficPolicy": {"Cluster", "Local"},
		"ipFamilyPolicy":        {"SingleStack", "PreferDualStack", "RequireDualStack"},
	},
	apiCore + "PersistentVolumeClaimSpec": {"accessModes": accessModes, "volumeMode": volumeModes},
	apiCore + "PersistentVolumeSpec": {
		"accessModes": accessModes, "volumeMode": volumeModes,
		"persistentVolumeReclaimPolicy": {"Retain", "Delete", "Recycle"},
	},
	"io.k8s.api.storage.v1.StorageClass": {
		"reclaimPolicy":     {"Retain", "Delete"},
		"volumeBindingMode": {"Immediate", "WaitForFirstConsumer"},
	},
	"io.k8s.api.apps.v1.DeploymentStrategy":        {"type": {"Recreate", "RollingUpdate"}},
	"io.k8s.api.apps.v1.DaemonSetUpdateStrategy":   {"type": {"OnDelete", "RollingUpdate"}},
	"io.k8s.api.apps.v1.StatefulSetUpdateStrategy": {"type": {"OnDelete", "RollingUpdate"}},
	"io.k8s.api.apps.v1.StatefulSetSpec":           {"podManagementPolicy": {"OrderedReady", "Parallel"}},
	"io.k8s.api.batch.v1.CronJobSpec":              {"concurrencyPolicy": {"Allow", "Forbid", "Replace"}},
	"io.k8s.api.batch.v1.JobSpec":                  {"completionMode": {"NonIndexed", "Indexed"}},
	"io.k8s.api.networking.v1.HTTPIngressPath":     {"pathType": {"Exact", "Prefix", "ImplementationSpecific"}},
	"io.k8s.api.networking.v1.NetworkPolicySpec":   {"policyTypes": {"Ingress", "Egress"}},
	"io.k8s.api.policy.v1.PodDisruptionBudgetSpec": {"unhealthyPodEvictionPolicy": {"IfHealthyBudget", "AlwaysAllow"}},
	"io.k8s.api.scheduling.v1.PriorityClass":       {"preemptionPolicy": {"Never", "PreemptLowerPriority"}},
	"io.k8s.api.autoscaling.v2.MetricSpec": {
		"type": {"Object", "Pods", "Resource", "ContainerResource", "External"},
	},
	"io.k8s.api.autoscaling.v2.MetricTarget": {"type": {"Utilization", "Value", "AverageValue"}},
}

var (
	protocols   = []string{"TCP", "UDP", "SCTP"}
	volumeModes = []string{"Filesystem", "Block"}
	accessModes = []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
)

// unique are lists whose items servers want by different names.
var unique = map[string][]string{
	apiCore + "PodSpec": {"containers", "initContainers", "volumes"},
}

// absent are fields that the published schema requires and servers do without.
var absent = map[string][]string{
	"io.k8s.api.scheduling.v1.PriorityClass": {"value"}, // 0
	"io.k8s.api.rbac.v1.RoleRef":             {"apiGroup"},
	"io.k8s.api.batch.v1.PodFailurePolicy":   {"rules"},
	"io.k8s.api.storage.v1.TokenRequest":     {"audience"},
	apiCore + "Sysctl":                       {"value"},
	apiCore + "HTTPHeader":                   {"value"},
	apiCore + "SleepAction":                  {"seconds"}, // 0
	apiCore + "PreferredSchedulingTerm":      {"preference"},
	apiCore + "LimitRangeSpec":               {"limits"},
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion": {"served", "storage"}, // false
}
