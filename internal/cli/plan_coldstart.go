package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/calibrate"
	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/coldstart"
	"assay/internal/report"
)

// startFlags are the flags of plan coldstart as written.
type startFlags struct {
	image, unpacked, weights, from, instance, engine, os, root, slo, storage, calibrate string
	techniques                                                                          []string
	replicas                                                                            int
	output                                                                              string
	explain                                                                             bool
}

func newPlanColdStart(env *Env) *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "coldstart --image SIZE --weights SIZE --instance TYPE",
		Short: "Say how long a start takes by phase, what shortens it, and what makes it worse",
		Long: `Say how long it takes from an unscheduled pod to an engine that answers: node, pull,
unpack, load, and what the engine does, each as a range with its source; with each
technique alone and the best together; the phase to attack next and what remains
without it.

Techniques: ` + strings.Join(coldstart.TechniqueNames(), ", ") + `.

--image is the compressed size that the registry shows, without weights; with
--weights-from image the weights are counted to it. --calibrate takes the engine's
phases from its own start-up log.

The exit code is 1 when nothing can meet --slo.`,
		Example: `  assay plan coldstart --image 12GB --weights 60GB --instance g6e.12xlarge
  assay plan coldstart --image 12GB --weights 16GB --weights-from image --instance g5.2xlarge --root-volume gp3:16000:1000
  assay plan coldstart --image 9GB --weights 140GB --weights-from efs --instance p5.48xlarge --slo 120s --technique soci-parallel,stream`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return planColdStart(env, f) },
	}
	p := cmd.Flags()
	p.StringVar(&f.image, "image", "", "the image, compressed, without weights: 12GB")
	p.StringVar(&f.unpacked, "unpacked", "", "the image on disk (default: estimated)")
	p.StringVar(&f.weights, "weights", "", "the weights: 60GB")
	p.StringVar(&f.from, "weights-from", "s3", "s3, efs, fsx, ebs, nvme (fetched from S3 first) or image")
	p.StringVar(&f.storage, "storage-rate", "", "what the place of the weights gives a node: 1.2GB/s (default: its limits)")
	p.StringVar(&f.instance, "instance", "", "EC2 type")
	p.IntVar(&f.replicas, "replicas", 1, "nodes that start at once and share the storage")
	p.StringVar(&f.engine, "engine", "vllm", "vllm, or vllm@VERSION")
	p.StringSliceVar(&f.techniques, "technique", nil, "techniques to use together, shown besides the table")
	p.StringVar(&f.os, "os", "al2023", "al2023 or bottlerocket")
	p.StringVar(&f.root, "root-volume", "gp3", "where images are unpacked: gp3:IOPS:MiB/s (default gp3:3000:125), or nvme")
	p.StringVar(&f.slo, "slo", "", "how long a start may take: 120s")
	p.StringVar(&f.calibrate, "calibrate", "", "start-up log of the engine: its phases replace estimates")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml or markdown")
	p.BoolVar(&f.explain, "explain", false, "show the formula, inputs and source of each number, and what practice promises")
	return cmd
}

func planColdStart(env *Env, f startFlags) error {
	if err := checkPlanForm(f.output); err != nil {
		return err
	}
	request, err := f.request()
	if err != nil {
		return err
	}
	result, err := coldstart.Plan(request)
	if err != nil {
		return usage(err)
	}
	text := func(w io.Writer, o report.TextOptions) error { return report.PlanColdStart(w, result, o, f.explain) }
	markdown := func(w io.Writer) error { return report.PlanColdStartMarkdown(w, result, f.explain) }
	if err := printAnswer(env, f.output, result, text, markdown); err != nil {
		return err
	}
	if !result.Met() {
		return silent(exitNo)
	}
	return nil
}

func (f startFlags) request() (coldstart.Request, error) {
	r := coldstart.Request{From: coldstart.From(f.from), OS: coldstart.OS(f.os), Engine: f.engine, Replicas: f.replicas}
	for _, size := range []struct {
		flag, value string
		needed      bool
		to          *int64
	}{{"--image", f.image, true, &r.Image}, {"--weights", f.weights, true, &r.Weights}, {"--unpacked", f.unpacked, false, &r.Unpacked}} {
		if size.value == "" {
			if size.needed {
				return r, &exitError{code: exitUsage, err: fmt.Errorf("%s is missing", size.flag), hint: "see assay plan coldstart --help"}
			}
			continue
		}
		var err error
		if *size.to, err = figure.ParseBytes(size.value); err != nil {
			return r, usagef("%s: %w", size.flag, err)
		}
	}
	if f.instance == "" {
		return r, &exitError{code: exitUsage, err: fmt.Errorf("--instance is missing"), hint: "what its network, EBS bandwidth and disks allow decides: --instance g6e.12xlarge"}
	}
	var err error
	if r.Instance, err = facts.InstanceNamed(f.instance); err != nil {
		return r, usagef("--instance: %w", err)
	}
	if r.Root, err = rootDisk(f.root); err != nil {
		return r, usagef("--root-volume: %w", err)
	}
	if f.replicas < 1 {
		return r, usagef("--replicas %d: must be above 0", f.replicas)
	}
	if f.storage != "" {
		if r.Storage, err = figure.ParseRate(f.storage); err != nil {
			return r, usagef("--storage-rate: %w", err)
		}
	}
	if f.slo != "" {
		if r.SLO, err = figure.ParseSpan(f.slo); err != nil {
			return r, usagef("--slo: %w", err)
		}
	}
	for _, t := range f.techniques {
		r.Chosen = append(r.Chosen, coldstart.Technique(t))
	}
	if f.calibrate != "" {
		if r.Log, err = calibrate.OpenLog(f.calibrate); err != nil {
			return r, usage(err)
		}
	}
	return r, nil
}

// rootDisk reads gp3, gp3:IOPS:MiB/s or nvme.
func rootDisk(s string) (coldstart.Disk, error) {
	parts := strings.Split(s, ":")
	switch {
	case s == "nvme":
		return coldstart.Disk{NVMe: true}, nil
	case s == "gp3":
		return coldstart.Disk{}, nil
	case len(parts) != 3 || parts[0] != "gp3":
		return coldstart.Disk{}, fmt.Errorf("%q: want gp3:IOPS:MiB/s, such as gp3:16000:1000, or nvme", s)
	}
	iops, err := strconv.ParseFloat(parts[1], 64)
	if err != nil || !(iops >= facts.GP3.BaseIOPS && iops <= facts.GP3.MostIOPS) {
		return coldstart.Disk{}, fmt.Errorf("%q: gp3 has %.0f to %.0f IOPS", s, facts.GP3.BaseIOPS, facts.GP3.MostIOPS)
	}
	throughput, err := strconv.ParseFloat(parts[2], 64)
	if err != nil || !(throughput*facts.MiB >= facts.GP3.BaseThroughput && throughput*facts.MiB <= facts.GP3.MostThroughput) {
		return coldstart.Disk{}, fmt.Errorf("%q: gp3 has 125 to 2,000 MiB/s", s)
	}
	if most := iops * facts.GP3.ThroughputPerIOPS / facts.MiB; throughput > most {
		return coldstart.Disk{}, fmt.Errorf("%q: %.0f IOPS allow %.0f MiB/s", s, iops, most)
	}
	return coldstart.Disk{Throughput: throughput * facts.MiB}, nil
}
