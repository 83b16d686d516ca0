package spec

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRenderTrainAndSecrets(t *testing.T) {
	got, err := Parse("assay.yaml", []byte(`
render:
  train:
    kind: pytorchjob
    image: example.com/train:1.4.0
    command: [-m, train.main, --config, 8b.yaml]
    nodes: 4
    capacity: reserved
    checkpoints: llama-checkpoints
    queue: team
    quota: 8
    restarts: 0
    keep: 48h
  secrets:
    hugging_face: models/hub-token
    ngc: {secret: models/ngc, property: key}
    auth: irsa
    account: "111122223333"
    refresh: 30m
`))
	if err != nil {
		t.Fatal(err)
	}
	train := RenderTrain{
		Kind: KindPyTorchJob, Image: "example.com/train:1.4.0", Command: []string{"-m", "train.main", "--config", "8b.yaml"},
		Nodes: 4, Capacity: "reserved", Checkpoints: "llama-checkpoints", Queue: "team", Quota: 8, Restarts: -1, Keep: 48 * time.Hour,
	}
	secrets := RenderSecrets{
		HuggingFace: SecretKey{Secret: "models/hub-token"}, NGC: SecretKey{"models/ngc", "key"},
		Auth: AuthIRSA, Account: "111122223333", Refresh: 30 * time.Minute,
	}
	if d := cmp.Diff(train, got.Render.Train); d != "" {
		t.Errorf("train (-want +got):\n%s", d)
	}
	if d := cmp.Diff(secrets, got.Render.Secrets); d != "" {
		t.Errorf("secrets (-want +got):\n%s", d)
	}
}

func TestRenderTrainAndSecretsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"train: {nodse: 4}":                     `1:18: unknown key "nodse" in render.train; did you mean "nodes"?`,
		"train: {nodes: 4, queue: q, quota: 2}": "1:17: render.train.nodes 4 are more than the queue's quota of 2",
		"train: {quota: 2}":                     "1:17: render.train.quota is of a queue",
		"train: {capacity: block}":              `1:28: render.train.capacity is "block"`,
		"secrets: {account: 1111}":              "1:29: render.secrets.account",
		"secrets: {refresh: 10s}":               "1:29: render.secrets.refresh 10s",
		"secrets: {ngc: {property: key}}":       "1:25: render.secrets.ngc needs the name of its secret",
		"secrets: {hugging_face: https://x}":    "1:34: render.secrets.hugging_face",
		"secrets: {oidc_provider: oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF}": "render.secrets.oidc_provider is of IRSA",
	} {
		_, err := Parse("assay.yaml", []byte("render: {"+text+"}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", text, err, want)
		}
	}
}
