package main

// origin is a released module whose files are vendored. A module is pinned by the hash
// of its content, as go.sum has it.
type origin struct {
	module, version, sum string
	licence              string // SPDX
	folder               string // of the files
	files                []string
}

// kubernetes publishes the schemas of all built-in kinds as one file.
var kubernetes = origin{
	"k8s.io/kubernetes", "v1.37.2", "h1:A2VDEiObzkYqFTKhSsn0ZEb0RlLEXpHWj93gi2HqEwE=", "Apache-2.0",
	"api/openapi-spec", []string{"swagger.json"},
}

// definitions are those of custom resources. Karpenter's come from its AWS provider,
// whose files are what EKS users install: the core's, with the provider's own labels in
// the rules.
var definitions = []origin{
	{"github.com/aws/karpenter-provider-aws", "v1.14.1", "h1:WGtIQTQcxpElYMdWfWuPwaF2+9muR+hYhPZsTtoY8Gs=", "Apache-2.0",
		"pkg/apis/crds", []string{
			"karpenter.sh_nodepools.yaml", "karpenter.sh_nodeclaims.yaml", "karpenter.sh_nodeoverlays.yaml",
			"karpenter.k8s.aws_ec2nodeclasses.yaml",
		}},
	{"github.com/external-secrets/external-secrets", "v1.3.2", "h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ=", "Apache-2.0",
		"config/crds/bases", []string{
			"external-secrets.io_externalsecrets.yaml", "external-secrets.io_clusterexternalsecrets.yaml",
			"external-secrets.io_secretstores.yaml", "external-secrets.io_clustersecretstores.yaml",
			"generators.external-secrets.io_ecrauthorizationtokens.yaml",
		}},
	{"github.com/prometheus-operator/prometheus-operator", "v0.94.0", "h1:VxMKzqr8Xqw5/QInNT7a3B5XInPnHqE7SD2UIdwKpRM=", "Apache-2.0",
		"example/prometheus-operator-crd", []string{
			"monitoring.coreos.com_servicemonitors.yaml", "monitoring.coreos.com_podmonitors.yaml",
			"monitoring.coreos.com_prometheusrules.yaml",
		}},
	{"github.com/kedacore/keda/v2", "v2.21.0", "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=", "Apache-2.0",
		"config/crd/bases", []string{
			"keda.sh_scaledobjects.yaml", "keda.sh_scaledjobs.yaml",
			"keda.sh_triggerauthentications.yaml", "keda.sh_clustertriggerauthentications.yaml",
		}},
	{"sigs.k8s.io/lws", "v0.8.0", "h1:DdhJ8QabwTfWgbgaHH2gdf8twliioHaoSfmDXRYEVU0=", "Apache-2.0",
		"config/crd/bases", []string{"leaderworkerset.x-k8s.io_leaderworkersets.yaml"}},
	{"sigs.k8s.io/jobset", "v0.11.1", "h1:WgLEBnXTeX+4MxfVkIbfm4jIVgjvIY6Jfaei2okxKNk=", "Apache-2.0",
		"config/components/crd/bases", []string{"jobset.x-k8s.io_jobsets.yaml"}},
	{"sigs.k8s.io/kueue", "v0.17.0", "h1:7hzb38M4eKGzYW+CFv2s1L+swzzacUCHOCXxZmAV90I=", "Apache-2.0",
		"config/components/crd/bases", []string{
			"kueue.x-k8s.io_clusterqueues.yaml", "kueue.x-k8s.io_localqueues.yaml", "kueue.x-k8s.io_resourceflavors.yaml",
			"kueue.x-k8s.io_topologies.yaml", "kueue.x-k8s.io_workloadpriorityclasses.yaml",
		}},
	{"sigs.k8s.io/gateway-api", "v1.6.0", "h1:735YBRj5NXFrOGX0GoSjwzUIzbz8kiEOfADsqHFmHgE=", "Apache-2.0",
		"config/crd/standard", []string{
			"gateway.networking.k8s.io_gatewayclasses.yaml", "gateway.networking.k8s.io_gateways.yaml",
			"gateway.networking.k8s.io_httproutes.yaml",
		}},
	{"sigs.k8s.io/gateway-api-inference-extension", "v1.0.0", "h1:GsHvlu1Cn1t6+vrHoPdNNlpwKxf/y1HuQSlUjd58Ds8=", "Apache-2.0",
		"config/crd/bases", []string{
			"inference.networking.k8s.io_inferencepools.yaml", "inference.networking.x-k8s.io_inferenceobjectives.yaml",
		}},
	{"github.com/kubeflow/training-operator", "v1.8.1", "h1:mVvoBSCInbMBX0gGSn4+Ihj3ycwoLO1iEAw+0qPhQfc=", "Apache-2.0",
		"manifests/base/crds", []string{"kubeflow.org_pytorchjobs.yaml"}},
	{"github.com/kubeflow/trainer/v2", "v2.0.0", "h1:mnQSR9iPKItxyUR8mq66XsmxqKNVHwr9YYOB7BTU9dU=", "Apache-2.0",
		"manifests/base/crds", []string{"trainer.kubeflow.org_trainjobs.yaml"}},
	{"github.com/kubernetes-csi/external-snapshotter/client/v8", "v8.7.0", "h1:HVaSUeRRHPu49aSiL8eXOjS9Re9G6pM0NzdTGI7mM14=", "Apache-2.0",
		"config/crd", []string{
			"snapshot.storage.k8s.io_volumesnapshots.yaml", "snapshot.storage.k8s.io_volumesnapshotclasses.yaml",
		}},
}
