package cluster

// kindRead is a kind that lint reads: its group and the name of its collection.
type kindRead struct{ group, resource string }

// kindsRead are the kinds that rules look at. Secrets are none of them: leave to list
// them is leave to read what they hold.
var kindsRead = []kindRead{
	{"", "services"}, {"", "configmaps"}, {"", "pods"}, {"", "persistentvolumeclaims"}, {"", "persistentvolumes"}, {"", "namespaces"},
	{"apps", "deployments"}, {"apps", "statefulsets"}, {"apps", "daemonsets"},
	{"batch", "jobs"}, {"batch", "cronjobs"},
	{"autoscaling", "horizontalpodautoscalers"}, {"policy", "poddisruptionbudgets"},
	{"networking.k8s.io", "ingresses"}, {"storage.k8s.io", "storageclasses"},
	{"karpenter.sh", "nodepools"}, {"karpenter.k8s.aws", "ec2nodeclasses"}, {"eks.amazonaws.com", "nodeclasses"},
	{"leaderworkerset.x-k8s.io", "leaderworkersets"}, {"jobset.x-k8s.io", "jobsets"}, {"argoproj.io", "rollouts"},
	{"kubeflow.org", "pytorchjobs"}, {"trainer.kubeflow.org", "trainjobs"},
	{"kueue.x-k8s.io", "clusterqueues"}, {"kueue.x-k8s.io", "localqueues"}, {"kueue.x-k8s.io", "resourceflavors"},
	{"keda.sh", "scaledobjects"}, {"keda.sh", "scaledjobs"}, {"keda.sh", "triggerauthentications"},
	{"external-secrets.io", "externalsecrets"}, {"external-secrets.io", "clusterexternalsecrets"},
	{"external-secrets.io", "secretstores"}, {"external-secrets.io", "clustersecretstores"},
	{"monitoring.coreos.com", "prometheusrules"}, {"monitoring.coreos.com", "servicemonitors"}, {"monitoring.coreos.com", "podmonitors"},
	{"gateway.networking.k8s.io", "gateways"}, {"gateway.networking.k8s.io", "httproutes"},
	{"inference.networking.k8s.io", "inferencepools"},
}
