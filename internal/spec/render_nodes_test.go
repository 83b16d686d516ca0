package spec

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const nodesYAML = `render:
  cluster: prod
  time_zone: Europe/Berlin
  nodepool:
    os: bottlerocket
    ami: 1.55.0
    role: KarpenterNodeRole-prod
    capacity: [spot, on-demand]
    instances: [g6e.12xlarge]
    business_hours: {days: mon-thu, from: "07:30"}
    consolidate_after: never
    expire_after: 336h
    image_size: 12Gi
    snapshot: snap-0a1b
    soci: false
  storage:
    - {kind: fsx, size: 2Ti, deployment: PERSISTENT_2, per_tib: 250, subnet: subnet-1a}
    - {name: ckpt, for: checkpoints, kind: s3, bucket: my-bucket, prefix: a/, write: true}
`

func TestRenderNodesAndStorage(t *testing.T) {
	s, err := Parse("assay.yaml", []byte(nodesYAML))
	if err != nil {
		t.Fatal(err)
	}
	wantPool := RenderNodePool{
		OS: Bottlerocket, AMI: "1.55.0", Role: "KarpenterNodeRole-prod", Capacity: []string{"spot", "on-demand"}, Instances: []string{"g6e.12xlarge"},
		Hours: WorkingHours{"mon-thu", "07:30", "18:00"}, ConsolidateAfter: Off, ExpireAfter: 336 * time.Hour, ImageGiB: 12, Snapshot: "snap-0a1b", PlainPulls: true,
	}
	if d := cmp.Diff(wantPool, s.Render.NodePool); d != "" {
		t.Errorf("nodepool (-want +got):\n%s", d)
	}
	wantStorage := RenderStorage{Volumes: []RenderVolume{
		{Name: "weights", For: ForWeights, Kind: OnFSx, GiB: 2048, Deployment: "PERSISTENT_2", PerTiB: 250, Subnet: "subnet-1a"},
		{Name: "ckpt", For: ForCheckpoints, Kind: OnS3, Bucket: "my-bucket", Prefix: "a/", Write: true},
	}}
	if d := cmp.Diff(wantStorage, s.Render.Storage); d != "" {
		t.Errorf("storage (-want +got):\n%s", d)
	}
	if v, ok := s.Render.Storage.For(ForCheckpoints); !ok || v.Claim("llm") != "llm-ckpt" {
		t.Errorf("claim of checkpoints: %q, %v", v.Claim("llm"), ok)
	}
}

func TestRenderNodesRefuses(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"nodepool: {capcity: [spot]}", `1:21: unknown key "capcity" in render.nodepool; did you mean "capacity"?`},
		{"nodepool: {os: al2}", `os is "al2"; it is one of al2023, bottlerocket`},
		{"nodepool: {ami: latest}", "a version of the AMI"},
		{"nodepool: {role: 'arn:aws:iam::1:role/x'}", "without its ARN"},
		{"nodepool: {snapshot: snap-1}", "set os: bottlerocket"},
		{"nodepool: {business_hours: {days: weekdays}}", "days such as mon-fri"},
		{"nodepool: {business_hours: {from: 8}}", "time of day such as 08:00"},
		{"nodepool: {budget: 0}", "a number of nodes or a percentage"},
		{"nodepool: {budget: 120%}", "a number of nodes or a percentage"},
		{"nodepool: {root_size: 2}", ""},
		{"nodepool: {root_size: 200GB}", "such as 500Gi"},
		{"storage: {for: weights}", "needs a kind"},
		{"storage: [{kind: ebs}, {kind: efs}]", "two volumes of render.storage are called weights"},
		{"storage: {kind: s3, prefix: /a}", "a prefix of keys that ends in /"},
		{"storage: {kind: nfs}", `kind is "nfs"`},
	} {
		_, err := Parse("a.yaml", []byte("render: {"+test.yaml+"}\n"))
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.yaml, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %s", test.yaml, err, test.want)
		}
	}
}
