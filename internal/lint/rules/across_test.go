package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

const (
	poolText = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: CLASS}
      taints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}]
      requirements:
        - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [h100]}
        - {key: karpenter.sh/capacity-type, operator: In, values: [reserved]}
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30m}
`
	classText = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@v20251120}]
  subnetSelectorTerms: [{tags: {team: a}}]
  securityGroupSelectorTerms: [{tags: {team: a}}]
`
	reservedText = classText + "  capacityReservationSelectorTerms: [{id: cr-0123456789abcdef0}]\n"
	scalerText   = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: NAME}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  minReplicas: 1
  maxReplicas: 4
  metrics:
    - {type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 80}}}
`
)

// A repository may hold the objects of several clusters, of which one name is not one
// object: what an object names is looked for beside it.
func TestObjectsOfSeveralFolders(t *testing.T) {
	class := func(name string) string { return replaced(poolText, "CLASS", name) }
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"the class beside the pool selects": {
			map[string]string{"a/pool.yaml": class("gpu"), "a/class.yaml": reservedText, "b/class.yaml": classText}, nil,
		},
		"the class beside the pool does not": {
			map[string]string{"a/pool.yaml": class("gpu"), "a/class.yaml": classText, "b/class.yaml": reservedText}, []string{"a/pool.yaml reserved-without-selector"},
		},
		"two classes as near": {
			map[string]string{"a/pool.yaml": class("gpu"), "b/class.yaml": classText, "c/class.yaml": classText}, nil,
		},
		"a class of another name elsewhere": {
			map[string]string{"a/pool.yaml": class("training"), "b/class.yaml": reservedText}, nil,
		},
		"a class of another name in the file": {
			map[string]string{"a/pool.yaml": class("training") + "---\n" + reservedText}, []string{"a/pool.yaml node-class-absent"},
		},
		"two scalers of one folder": {
			map[string]string{"a/one.yaml": replaced(scalerText, "NAME", "one"), "a/two.yaml": replaced(scalerText, "NAME", "two")}, []string{"a/two.yaml two-scalers"},
		},
		"two scalers of two folders": {
			map[string]string{"a/one.yaml": replaced(scalerText, "NAME", "one"), "b/two.yaml": replaced(scalerText, "NAME", "two")}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var files []*source.File
			for _, path := range []string{"a/class.yaml", "a/one.yaml", "a/pool.yaml", "a/two.yaml", "b/class.yaml", "b/two.yaml", "c/class.yaml"} {
				if body, ok := c.files[path]; ok {
					files = append(files, &source.File{Name: path, Body: []byte(body)})
				}
			}
			var got []string
			for _, f := range lint.Files(files, lint.Options{Rules: All()}).Findings {
				got = append(got, f.File+" "+f.ID)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func replaced(text, old, with string) string { return strings.ReplaceAll(text, old, with) }
