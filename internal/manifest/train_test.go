package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/plan/train"
	"assay/internal/spec"
)

func trainInput() Input {
	return Input{Spec: spec.Render{
		Name: "llama", Namespace: "training", Region: "us-east-1", Zones: []string{"us-east-1a"},
		Train: spec.RenderTrain{
			Image: "example.com/train:1.4.0", Command: []string{"-m", "train.main", "--config", "8b.yaml"},
			Instance: "p5.48xlarge", Nodes: 4, Capacity: "reserved", Checkpoints: "llama-checkpoints",
		},
	}}
}

func TestTrain(t *testing.T) {
	for name, change := range map[string]func(*spec.Render){
		"jobset": func(r *spec.Render) { r.Train.Queue, r.Train.Quota = "team", 8 },
		"jobset-one-node": func(r *spec.Render) {
			r.Train.Instance, r.Train.Nodes, r.Train.Capacity = "g6e.12xlarge", 1, "spot"
			r.Train.Restarts, r.Train.Deadline = -1, 6*time.Hour
			r.Train.Image = "nvcr.io/nvidia/pytorch:25.10-py3"
			r.Secrets.HuggingFace, r.Secrets.NGC = spec.SecretKey{Secret: "models/hub-token"}, spec.SecretKey{Secret: "models/ngc"}
		},
		"pytorchjob": func(r *spec.Render) {
			r.Train.Kind, r.Train.HugePages, r.Zones = spec.KindPyTorchJob, spec.Never, nil
			r.Train.Instance, r.Train.Nodes, r.Train.Capacity = "p4d.24xlarge", 2, "on-demand"
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := trainInput()
			change(&in.Spec)
			all, err := Train(in)
			if err != nil {
				t.Fatal(err)
			}
			if marks := MarksIn(goldenFolder(t, "train-"+name, all)); len(marks) > 0 {
				t.Errorf("marks though all is given: %v", marks)
			}
		})
	}
}

func TestTrainRefuses(t *testing.T) {
	for want, change := range map[string]func(*spec.Render){
		"nothing says on what to train":       func(r *spec.Render) { r.Train.Instance = "" },
		"4 nodes that train together on Spot": func(r *spec.Render) { r.Train.Capacity = "spot" },
		"unknown accelerated instance type":   func(r *spec.Render) { r.Train.Instance = "p5.49xlarge" },
		"trn1.32xlarge has no NVIDIA GPUs":    func(r *spec.Render) { r.Train.Instance = "trn1.32xlarge" },
		"which one node mounts, and the job has 4": func(r *spec.Render) {
			r.Storage.Volumes = []spec.RenderVolume{{Kind: spec.OnEBS, For: spec.ForCheckpoints}}
		},
		"checkpoints in S3 and does not let pods": func(r *spec.Render) {
			r.Storage.Volumes = []spec.RenderVolume{{Kind: spec.OnS3, For: spec.ForCheckpoints}}
		},
	} {
		in := trainInput()
		change(&in.Spec)
		if _, err := Train(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

// TestTrainSaysWhatIsNotPlanned: what a plan says of its own instances is not said of others.
func TestTrainSaysWhatIsNotPlanned(t *testing.T) {
	in := plannedOn("g6e.12xlarge", 4, 1, 2)
	in.Rendered = []string{"nodepool", "serve", "train"}
	in.Spec.Train = trainInput().Spec.Train
	in.Spec.Train.Instance, in.Spec.Train.Nodes = "p5.48xlarge", 2
	o := train.Option{ID: "p6-b200.48xlarge-x2", Instance: "p6-b200.48xlarge", Count: 2}
	in.TrainPlan, in.Trained = &train.Result{Model: train.ModelFacts{Name: "llama-3.1-8b"}}, &o
	all, err := Train(in)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(all[0].Head, "By the plan") {
		t.Errorf("of another instance: %s", all[0].Head)
	}
	remarks := strings.Join(all[0].Remarks, "\n")
	for _, want := range []string{"2 × p5.48xlarge, as render.train says, and the plan chose p6-b200.48xlarge-x2", "launches no p5.48xlarge"} {
		if !strings.Contains(remarks, want) {
			t.Errorf("%q is not in %s", want, remarks)
		}
	}
}

// TestRenderPinsImages: a tag that moves is refused, whatever names it.
func TestRenderPinsImages(t *testing.T) {
	for image, ok := range map[string]bool{
		"vllm/vllm-openai:latest": false, "vllm/vllm-openai": false, "vllm/vllm-openai:nightly": false, "vllm/:v1": false,
		"vllm/vllm-openai:v0.32.0": true, "registry.example:5000/vllm@sha256:" + strings.Repeat("0a", 32): true,
	} {
		in := plannedOn("g6e.12xlarge", 4, 1, 2)
		in.Spec.Serve.Image = image
		if _, _, err := Render(in, []string{"serve"}); (err == nil) != ok {
			t.Errorf("%s: %v", image, err)
		}
	}
}

// TestTrainFollowsThePlan renders the answer of assay plan train.
func TestTrainFollowsThePlan(t *testing.T) {
	r := train.Result{Request: train.Asked{Method: train.Full, Tokens: 1e10}, Model: train.ModelFacts{Name: "llama-3.1-8b"}}
	o := train.Option{ID: "p5en.48xlarge-x2", Instance: "p5en.48xlarge", Count: 2}
	o.Capacity.Advice = train.CapacityBlock
	o.Checkpoint.Bytes, o.Checkpoint.Interval, o.Checkpoint.Write.High = 112<<30, 3600, 45
	in := trainInput()
	in.Spec.Train.Instance, in.Spec.Train.Nodes, in.Spec.Train.Capacity = "", 0, ""
	in.TrainPlan, in.Trained = &r, &o
	all, err := Train(in)
	if err != nil {
		t.Fatal(err)
	}
	body, err := all[0].Object.marshal(all[0].Head)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# A JobSet of 2 × p5en.48xlarge, 16 GPUs.", "llama-3.1-8b", "10B tokens",
		"vpc.amazonaws.com/efa: 16", "karpenter.sh/capacity-type: reserved", "completions: 2",
		"--nnodes=2", "one checkpoint has 112 GiB, the plan writes one every 60 min", "terminationGracePeriodSeconds: 75",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
}

// TestOpenTellsPlansApart reads a training plan where one is wanted, and nowhere else.
func TestOpenTellsPlansApart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plan := write("train.json", `{"request": {"method": "full"}, "network": {}, "options": [{"id": "a", "instance": "p5.48xlarge", "count": 2}, {"id": "b", "instance": "p4d.24xlarge", "count": 4}]}`)
	in, err := Open(Sources{Plan: plan, Option: "b"}, "train")
	if err != nil || in.Trained == nil || in.Trained.Instance != "p4d.24xlarge" {
		t.Fatalf("option b: %v, %v", in.Trained, err)
	}
	for want, s := range map[string]struct{ path, option, part string }{
		"it is for render train":       {plan, "", "serve"},
		`no option "c"`:                {plan, "c", "train"},
		"has no training plan":         {write("other.json", `{"options": []}`), "", "train"},
		"is not what assay plan train": {write("broken.json", `{`), "", "train"},
		"is of 0 nodes":                {write("none.json", `{"request": {"method": "full"}, "network": {}, "options": [{"id": "a", "instance": "p5.48xlarge"}]}`), "", "train"},
	} {
		if _, err := Open(Sources{Plan: s.path, Option: s.option}, s.part); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", s, err, want)
		}
	}
}
