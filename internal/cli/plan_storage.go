package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/storage"
	"assay/internal/report"
)

// storageFlags are the flags of plan storage as written.
type storageFlags struct {
	size, readRate, loadWithin, writeRate string
	readers                               int
	loads                                 float64
	shared, durable, posix, io2           bool
	zones, use, instance, region          string
	output                                string
	explain                               bool
}

func newPlanStorage(env *Env) *cobra.Command {
	var f storageFlags
	cmd := &cobra.Command{
		Use:   "storage --size SIZE",
		Short: "Say where to keep data: what meets a rate, what to provision, what binds, what it costs",
		Long: `Say where to keep a dataset, weights, checkpoints or an archive: EBS, EFS, FSx for
Lustre, S3 with Mountpoint, S3 Express, instance store; for each whether it meets
the need, what to provision, the limit that binds first, how long a load takes and
what a month costs (list prices of us-east-1, dated).

A read rate is that of each reader. --load-within is the time in which each reader
has read what is its own: all of it for weights, its part for the other uses.

The exit code is 1 when nothing meets the need.`,
		Example: `  assay plan storage --size 12TB --readers 16 --read-rate 2GB/s --instance p5.48xlarge
  assay plan storage --size 140GB --readers 8 --load-within 60s --use weights --instance g6e.12xlarge
  assay plan storage --size 2TB --readers 4 --use checkpoint --write-rate 5GB/s -o json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return planStorage(env, f) },
	}
	p := cmd.Flags()
	p.StringVar(&f.size, "size", "", "how much data: 12TB (powers of ten), 12TiB (powers of two)")
	p.IntVar(&f.readers, "readers", 1, "nodes that read it")
	p.StringVar(&f.readRate, "read-rate", "", "what each reader needs: 2GB/s")
	p.StringVar(&f.loadWithin, "load-within", "", "the time in which each reader has read what is its own: 60s")
	p.StringVar(&f.writeRate, "write-rate", "", "what all writers need together: 1GB/s")
	p.BoolVar(&f.shared, "shared", false, "one copy, mounted by all readers at once")
	p.BoolVar(&f.durable, "durable", false, "it must outlive its servers")
	p.BoolVar(&f.posix, "posix", false, "files are renamed, changed in place or locked")
	p.StringVar(&f.zones, "zones", "1", "zones of the readers: 1, or n for several")
	p.StringVar(&f.use, "use", "", "dataset, weights, checkpoint or archive (default dataset)")
	p.Float64Var(&f.loads, "loads-per-month", 0, "how often a month every reader reads, for what is charged by read (default 30, of an archive 1)")
	p.StringVar(&f.instance, "instance", "", "the readers' EC2 type: its EBS bandwidth, network and disks count")
	p.StringVar(&f.region, "region", facts.StorageRegion, "AWS region: prices are known of "+facts.StorageRegion)
	p.BoolVar(&f.io2, "io2", false, "consider EBS io2 Block Express as well")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml or markdown")
	p.BoolVar(&f.explain, "explain", false, "show the formula, inputs and source of each number")
	return cmd
}

func planStorage(env *Env, f storageFlags) error {
	if err := checkPlanForm(f.output); err != nil {
		return err
	}
	request, err := f.request()
	if err != nil {
		return err
	}
	result, err := storage.Plan(request)
	if err != nil {
		return usage(err)
	}
	text := func(w io.Writer, o report.TextOptions) error { return report.PlanStorage(w, result, o, f.explain) }
	markdown := func(w io.Writer) error { return report.PlanStorageMarkdown(w, result, f.explain) }
	if err := printAnswer(env, f.output, result, text, markdown); err != nil {
		return err
	}
	if !result.Met() {
		return silent(exitNo)
	}
	return nil
}

func (f storageFlags) request() (storage.Request, error) {
	r := storage.Request{
		Readers: f.readers, Shared: f.shared, Durable: f.durable, POSIX: f.posix, Use: storage.Use(f.use), Loads: f.loads, Region: f.region, IO2: f.io2,
	}
	var err error
	if f.size == "" {
		return r, &exitError{code: exitUsage, err: fmt.Errorf("--size is missing: how much data is it?"), hint: "see assay plan storage --help"}
	}
	if r.Size, err = figure.ParseBytes(f.size); err != nil {
		return r, usagef("--size: %w", err)
	}
	if f.readers < 1 {
		return r, usagef("--readers %d: must be above 0", f.readers)
	}
	for _, rate := range []struct {
		flag, value string
		to          *float64
	}{{"--read-rate", f.readRate, &r.ReadRate}, {"--write-rate", f.writeRate, &r.WriteRate}} {
		if rate.value == "" {
			continue
		}
		if *rate.to, err = figure.ParseRate(rate.value); err != nil {
			return r, usagef("%s: %w", rate.flag, err)
		}
	}
	if f.loadWithin != "" {
		if r.LoadWithin, err = figure.ParseSpan(f.loadWithin); err != nil {
			return r, usagef("--load-within: %w", err)
		}
	}
	switch f.zones {
	case "1":
	case "n", "2", "3", "4", "5", "6":
		r.Zones = true
	default:
		return r, usagef("--zones %s: want 1, or n for several", f.zones)
	}
	if f.instance != "" {
		node, err := facts.InstanceNamed(f.instance)
		if err != nil {
			return r, usagef("--instance: %w", err)
		}
		r.Instance = &node
	}
	return r, nil
}
