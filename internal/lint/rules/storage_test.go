package rules

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// said are the findings of some files, as "ID status line".
func said(text string) []string {
	var all []string
	res := lint.Files([]*source.File{{Name: "a.yaml", Body: []byte(text)}}, lint.Options{Rules: All()})
	for _, f := range res.Findings {
		all = append(all, fmt.Sprintf("%s %s %d", f.ID, f.Status, f.Line))
	}
	return all
}

const loading = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: weights}
provisioner: %s
parameters: {%s}
reclaimPolicy: Retain
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: weights}
spec: {accessModes: [%s], storageClassName: weights, resources: {requests: {storage: %s}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  replicas: %d
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: chat}}}]
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.32.0
          args: [%s]
          env: [{name: HF_HOME, value: %s}]
          resources: {limits: {nvidia.com/gpu: 8}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}, {name: weights, mountPath: /models}]
      volumes:
        - {name: shm, emptyDir: {medium: Memory, sizeLimit: 16Gi}}
        - {name: weights, persistentVolumeClaim: {claimName: weights}}
`

func TestLoadingOfWeights(t *testing.T) {
	const (
		ebs, fsx, efs = "ebs.csi.aws.com", "fsx.csi.aws.com", "efs.csi.aws.com"
		known         = "--model=/models/meta-llama/Llama-3.3-70B-Instruct, --tensor-parallel-size=8"
		own           = "--model=/models/ours, --tensor-parallel-size=8"
		hub           = "--model=meta-llama/Llama-3.3-70B-Instruct, --tensor-parallel-size=8"
		lustre        = "subnetId: subnet-0a1b2c3d, deploymentType: PERSISTENT_2, perUnitStorageThroughput: "
		slow          = "weights-load-slow"
	)
	for _, test := range []struct {
		name, driver, parameters, mode, size string
		replicas                             int
		args, home                           string
		want                                 string // status of the finding; empty: none
	}{
		{"gp3's own throughput", ebs, "type: gp3", "ReadWriteOnce", "200Gi", 1, known, "/x", "fail"},
		{"the driver's default type", ebs, `encrypted: "true"`, "ReadWriteOnce", "200Gi", 1, known, "/x", "fail"},
		{"fast enough", ebs, `throughput: "1000", iops: "4000"`, "ReadWriteOnce", "200Gi", 1, known, "/x", ""},
		{"the hub's cache on the claim", ebs, "type: gp3", "ReadWriteOnce", "200Gi", 1, hub, "/models", "fail"},
		{"the hub's cache elsewhere", ebs, "type: gp3", "ReadWriteOnce", "200Gi", 1, hub, "/x", ""},
		{"weights of no known size", ebs, "type: gp3", "ReadWriteOnce", "200Gi", 1, own, "/x", "unknown"},
		{"a disk that is read in time, whatever it holds", ebs, "type: gp3", "ReadWriteOnce", "30Gi", 1, own, "/x", ""},
		{"two nodes, which read a part each", ebs, "type: gp3", "ReadWriteOnce", "200Gi", 1, known + ", --nnodes=2", "/x", ""},
		{"a small file system", fsx, lustre + `"125"`, "ReadWriteMany", "1200Gi", 1, known, "/x", "fail"},
		{"a larger one", fsx, lustre + `"500"`, "ReadWriteMany", "1200Gi", 1, known, "/x", ""},
		{"the same for two at once", fsx, lustre + `"500"`, "ReadWriteMany", "1200Gi", 3, known, "/x", "fail"},
		{"a file system whose weights are not known", fsx, lustre + `"125"`, "ReadWriteMany", "1200Gi", 1, own, "/x", ""},
		{"throughput of a file system that exists", efs, "provisioningMode: efs-ap, fileSystemId: fs-0a1b2c3d, directoryPerms: \"700\"", "ReadWriteMany", "1200Gi", 1, known, "/x", ""},
		{"a class that is filled in later", ebs, "type: \"${TYPE}\"", "ReadWriteOnce", "200Gi", 1, known, "/x", ""},
	} {
		text := fmt.Sprintf(loading, test.driver, test.parameters, test.mode, test.size, test.replicas, test.args, test.home)
		got := ""
		for _, f := range said(text) {
			if rest, ok := strings.CutPrefix(f, slow+" "); ok {
				got, _, _ = strings.Cut(rest, " ")
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q (%v)", test.name, got, test.want, said(text))
		}
	}
}

// A volume that exists is no matter of a class of its name.
func TestLoadingFromWhatExists(t *testing.T) {
	text := fmt.Sprintf(loading, "ebs.csi.aws.com", "type: gp3", "ReadWriteOnce", "200Gi", 1, "--model=/models/meta-llama/Llama-3.3-70B-Instruct, --tensor-parallel-size=8", "/x") + `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: kept}
spec:
  capacity: {storage: 200Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: weights
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-0a1b2c3d}
`
	for _, f := range said(text) {
		if strings.HasPrefix(f, "weights-load-slow") {
			t.Errorf("%s", f)
		}
	}
}

// A pattern of the EFS driver hides nothing that stands beside it.
func TestPatternOfADriver(t *testing.T) {
	text := `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: shared}
provisioner: efs.csi.aws.com
parameters:
  provisioningMode: efs
  fileSystemId: fs-0a1b2c3d
  directoryPerms: "700"
  subPathPattern: "${.PVC.namespace}/${.PVC.name}"
`
	if got := strings.Join(said(text), ", "); got != "efs-value fail 6" {
		t.Errorf("%q", got)
	}
}

// Drivers of Mountpoint after 2.7 make volumes; whether one runs is not to be seen.
func TestMountpointThatMakesVolumes(t *testing.T) {
	for parameters, want := range map[string]string{
		"bucketName: models-prod":                                                  "s3-storage-class fail 4",
		"bucketName: models-prod, creationPolicy: useExisting":                     "s3-storage-class unknown 5",
		"bucketName: models-prod, prefixPattern: \"claims/${pvc.metadata.name}/\"": "s3-storage-class unknown 5",
	} {
		text := "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: models}\nprovisioner: s3.csi.aws.com\nparameters: {" + parameters + "}\n"
		if got := strings.Join(said(text), ", "); got != want {
			t.Errorf("%s: %q, want %q", parameters, got, want)
		}
	}
}
