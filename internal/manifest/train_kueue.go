package manifest

import (
	"fmt"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/practice"
)

const kueueVersion = "kueue.x-k8s.io/v1beta2"

// queue is a quota of nodes for the job's queue, where one is wanted.
func (t *trainer) queue() []Written {
	if t.job.Queue == "" || t.job.Quota == 0 {
		return nil
	}
	flavor := t.job.Queue + "-" + strings.ReplaceAll(t.instance.Name, ".", "-")
	namespaces := any(blank{})
	why := "every namespace may use it"
	if t.Spec.Namespace != "" {
		namespaces, why = object{{"matchLabels", object{{"kubernetes.io/metadata.name", t.Spec.Namespace, ""}}, ""}}, ""
	}
	covered, quotas := t.quotas()
	return []Written{
		{Name: t.job.Queue + "-flavor.yaml", Head: "The nodes of which the queue has a quota.", Object: object{
			{"apiVersion", kueueVersion, ""},
			{"kind", "ResourceFlavor", ""},
			{"metadata", t.clusterMeta(flavor), ""},
			{"spec", object{
				{"nodeLabels", object{{"node.kubernetes.io/instance-type", t.instance.Name, ""}}, ""},
				{"tolerations", []object{{{"key", "nvidia.com/gpu", ""}, {"operator", "Exists", ""}, {"effect", "NoSchedule", ""}}}, ""},
			}, ""},
		}},
		{Name: t.job.Queue + "-clusterqueue.yaml", Head: fmt.Sprintf("A quota of %d nodes. A job is admitted as a whole or waits: pods of two half-started jobs cannot keep each other from their GPUs. A quota is not yet nodes: where some of them do not come, waitForPodsReady in Kueue's own configuration takes the job back and queues it again.", t.job.Quota), Object: object{
			{"apiVersion", kueueVersion, ""},
			{"kind", "ClusterQueue", ""},
			{"metadata", t.clusterMeta(t.job.Queue), ""},
			{"spec", object{
				{"namespaceSelector", namespaces, why},
				{"queueingStrategy", "BestEffortFIFO", "a small job may pass a large one that does not fit yet"},
				{"resourceGroups", []object{{
					{"coveredResources", covered, "all that the job asks for: with one left out it is never admitted"},
					{"flavors", []object{{{"name", flavor, ""}, {"resources", quotas, ""}}}, ""},
				}}, ""},
			}, ""},
		}},
		{Name: t.job.Queue + "-localqueue.yaml", Head: "The queue's name in the namespace.", Object: object{
			{"apiVersion", kueueVersion, ""},
			{"kind", "LocalQueue", ""},
			{"metadata", t.Input.meta(t.job.Queue), ""},
			{"spec", object{{"clusterQueue", t.job.Queue, ""}}, ""},
		}},
	}
}

// quotas are what the pods of so many nodes ask for.
func (t *trainer) quotas() (covered []string, quotas []object) {
	add := func(resource, quota string) {
		covered = append(covered, resource)
		quotas = append(quotas, object{{"name", resource, ""}, {"nominalQuota", quota, ""}})
	}
	n := t.job.Quota
	memory, vcpu := t.share()
	add("cpu", fmt.Sprint(n*vcpu))
	add("memory", fmt.Sprintf("%dGi", n*memory))
	add(t.resource, fmt.Sprint(n*t.instance.Count))
	if t.efa > 0 {
		add(practice.EFAResource, fmt.Sprint(n*t.efa))
	}
	if t.pages {
		pages, _, _ := facts.HugePages()
		each, _ := karpenter.Quantity(pages)
		add(practice.HugePagesResource, fmt.Sprintf("%dMi", n*int(each/facts.MiB)))
	}
	return covered, quotas
}

// overlay tells Karpenter of the huge pages of its nodes.
func (t *trainer) overlay() Written {
	pages, _, source := facts.HugePages()
	return Written{
		Name: t.name + "-hugepages.yaml",
		Head: "Karpenter does not know that nodes have huge pages, and launches none for a pod that asks for them. This tells it. It needs the feature gate NodeOverlay (alpha) of Karpenter 1.7 or later; nodes of a managed node group need none of it.",
		Object: object{
			{"apiVersion", "karpenter.sh/v1alpha1", ""},
			{"kind", "NodeOverlay", ""},
			{"metadata", t.clusterMeta(t.name + "-hugepages"), ""},
			{"spec", object{
				{"requirements", []object{{{"key", "node.kubernetes.io/instance-type", ""}, {"operator", "In", ""}, {"values", []string{t.instance.Name}, ""}}}, ""},
				{"capacity", object{{practice.HugePagesResource, pages, "what the job asks for, of the 5,128 pages of 2 MiB that EKS's AMI sets aside with EFA (" + source.Title + ")"}}, ""},
			}, ""},
		},
	}
}
