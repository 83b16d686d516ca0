package manifest

import (
	"cmp"
	"fmt"

	"assay/internal/input"
	"assay/internal/plan"
	"assay/internal/plan/train"
	"assay/internal/practice"
	"assay/internal/record"
	"assay/internal/spec"
)

// Sources are what an Input is read from. Empty is not given.
type Sources struct {
	File   string // assay.yaml
	Plan   string // of assay plan serve -o json; - is standard input
	Option string // of the plan, by its id

	Run     *record.Run
	RunName string

	Name, Namespace, Image string // in place of what File says
}

// NoOptionError says that a plan found nothing that would do.
type NoOptionError struct{ Say string }

func (e *NoOptionError) Error() string { return "there is nothing to render: " + e.Say }

// Hint is the way out.
func (e *NoOptionError) Hint() string {
	return "assay plan serve says what comes nearest; plan for that, or name an --option"
}

// Open reads what the named parts are written from.
func Open(s Sources, part string) (in Input, err error) {
	declared := &spec.Spec{}
	if s.File != "" {
		if declared, err = spec.ReadFile(s.File); err != nil {
			return in, err
		}
	}
	in = Input{Spec: declared.Render, SLO: declared.SLO}
	in.Spec.Name, in.Spec.Namespace = cmp.Or(s.Name, in.Spec.Name), cmp.Or(s.Namespace, in.Spec.Namespace)
	in.image(part, s.Image)
	if s.Run != nil {
		in.Run, in.Measured = s.Run, practice.MeasuredOf(s.Run, s.RunName)
	}
	if err := in.openPlan(s, declared, part); err != nil {
		return in, err
	}
	if in.Plan != nil {
		in.Spec.Region = cmp.Or(in.Spec.Region, in.Plan.Request.Region)
		if len(in.SLO) == 0 {
			in.SLO = in.Plan.Request.SLO
		}
	}
	return in, nil
}

// image sets that of one part.
func (in *Input) image(part, image string) {
	if image == "" {
		return
	}
	switch part {
	case "bench":
		in.Spec.Bench.Image = image
	case "train":
		in.Spec.Train.Image = image
	default:
		in.Spec.Serve.Image = image
	}
}

// pinned refuses an image of a part whose tag moves: pods that start later would be others.
func (in Input) pinned(part string) error {
	image := map[string]string{"serve": in.Spec.Serve.Image, "train": in.Spec.Train.Image, "bench": in.Spec.Bench.Image}[part]
	switch {
	case image == "":
		return nil
	case !practice.ValidImage(image):
		return &plan.UsageError{What: fmt.Sprintf("%q is no image", image), Way: "name one with a tag or digest, such as vllm/vllm-openai:v0.32.0"}
	case practice.ImageOf(image).Moves():
		return &plan.UsageError{What: fmt.Sprintf("the image %s is another tomorrow: pods that start later would not be the same", image), Way: "name a version's tag, or a digest"}
	}
	return nil
}

// openPlan reads the plan, or makes it where assay.yaml says enough.
func (in *Input) openPlan(s Sources, declared *spec.Spec, part string) (err error) {
	p, ok := PartNamed(part)
	switch {
	case s.Plan != "":
		data, name, err := input.ReadAll(s.Plan, plan.MostFile)
		if err != nil {
			return fmt.Errorf("read plan: %w", err)
		}
		if train.IsPlan(data) || part == "train" {
			return in.openTraining(s, name, data, part)
		}
		if in.Plan, err = plan.Read(name, data); err != nil {
			return err
		}
	case declared.Model == "" || declared.Workload.Concurrency == 0 && declared.Workload.Rate == 0, ok && !p.Plans:
		return nil
	default:
		if in.Plan, err = plan.Serve(plan.Request{}.Declared(declared)); err != nil {
			return err
		}
	}
	if len(in.Plan.Options) == 0 {
		return &NoOptionError{in.Plan.Verdict.Say}
	}
	in.Option, err = in.Plan.Option(s.Option)
	return err
}

// openTraining reads a training plan.
func (in *Input) openTraining(s Sources, name string, data []byte, part string) (err error) {
	if part != "" && part != "train" {
		return fmt.Errorf("%s is a training plan: it is for render train, and %s takes what assay plan serve -o json writes", name, part)
	}
	if in.TrainPlan, err = train.Read(name, data); err != nil {
		return err
	}
	if len(in.TrainPlan.Options) == 0 {
		return &NoOptionError{cmp.Or(in.TrainPlan.Nearest, "the training plan has no option")}
	}
	in.Spec.Region = cmp.Or(in.Spec.Region, in.TrainPlan.Request.Region)
	in.Trained, err = in.TrainPlan.Option(s.Option)
	return err
}
