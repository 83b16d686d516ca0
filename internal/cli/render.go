package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/manifest"
	"assay/internal/spec"
)

// renderFlags are the flags of `assay render` and of its parts.
type renderFlags struct {
	manifest.Sources
	from, out, output string
	strict            bool
}

func newRender(env *Env) *cobra.Command {
	f := &renderFlags{}
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write what is applied to a cluster: serving, node pools, training, storage, secrets, monitoring",
		Long: `Write the Kubernetes manifests of a service as a folder for kubectl apply -k: one
file an object, in a stable order, with a comment on each line that is a decision.
Without a subcommand, every part that the section render of assay.yaml names, and
with a plan the serving and its node pool.

--plan takes what assay plan serve -o json wrote; without it the model, workload, SLO
and platform of -f are planned for. --from RUN takes what a run measured: how long
responses take sets the drain, the operating point the autoscaler.

Nothing is invented: what must be known and was not said is written as unset-NAME,
which assay lint finds again. --strict refuses it (exit code 1).`,
		Example: `  assay render --plan plan.json --name llama --out manifests
  assay render -f assay.yaml --plan plan.json --from assay-runs/20261130-091500 --out manifests
  assay render serve --plan plan.json --option g6e.12xlarge-tp4-x2 | kubectl apply -f -`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.File == "" && f.Plan == "" {
				return cmd.Help()
			}
			return renderParts(env, f, "")
		},
	}
	f.add(cmd, true)
	for _, p := range manifest.Parts {
		if p.Name != "monitoring" { // it is written without assay.yaml, too
			cmd.AddCommand(newRenderPart(env, p))
		}
	}
	cmd.AddCommand(newRenderMonitoring(env))
	return cmd
}

// partExamples are what is typed for one part.
var partExamples = map[string]string{
	"secrets":  "  assay render secrets -f assay.yaml --strict --out secrets",
	"storage":  "  assay render storage -f assay.yaml --out storage",
	"nodepool": "  assay render nodepool --plan plan.json -f assay.yaml --out nodes\n  assay lint nodes --calendar --time-zone Europe/Berlin    when its nodes may go",
	"serve":    "  assay render serve --plan plan.json --name llama --out manifests\n  assay render serve --plan plan.json --from assay-runs/20261130-091500 | kubectl diff -f -",
	"train":    "  assay plan train --model llama-3.1-8b --tokens 10B --deadline 24h -o json | assay render train --plan - -f assay.yaml",
	"bench":    "  assay render bench --plan plan.json --image REGISTRY/assay:1.0.0 | kubectl apply -f -",
}

func newRenderPart(env *Env, p manifest.Part) *cobra.Command {
	f := &renderFlags{}
	cmd := &cobra.Command{
		Use:     p.Name,
		Short:   "Write " + p.About,
		Long:    "Write " + p.About + ".\nSee assay render --help for where it is written from, and docs/render.md for its keys\nin assay.yaml.",
		Example: partExamples[p.Name],
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return renderParts(env, f, p.Name) },
	}
	f.add(cmd, p.Image)
	return cmd
}

func (f *renderFlags) add(cmd *cobra.Command, image bool) {
	p := cmd.Flags()
	p.SortFlags = false
	p.StringVarP(&f.File, "file", "f", "", "assay.yaml: its section render, and what to plan for where no --plan is given")
	p.StringVar(&f.Plan, "plan", "", "plan to write, the JSON of assay plan; - for stdin")
	p.StringVar(&f.Option, "option", "", "id of the plan's option (default: the first)")
	p.StringVar(&f.from, "from", "", "run folder whose measurements set drain and autoscaling")
	p.StringVar(&f.out, "out", "-", "folder to write; - for all objects on stdout")
	p.BoolVar(&f.strict, "strict", false, "refuse what would be written with values that nobody gave")
	p.StringVar(&f.Name, "name", "", "name of the service (default: render.name of -f, or "+manifest.DefaultName+")")
	p.StringVarP(&f.Namespace, "namespace", "n", "", "namespace (default: render.namespace of -f, or none)")
	if image {
		p.StringVar(&f.Image, "image", "", "image to run, with a tag or digest")
	}
	p.StringVarP(&f.output, "output", "o", "yaml", "yaml")
}

// renderParts writes one part, or with none named all that the sources call for.
func renderParts(env *Env, f *renderFlags, part string) error {
	if f.output != "yaml" {
		return usagef("-o %s: Kubernetes objects are written as yaml", f.output)
	}
	if err := spec.CheckNames(f.Name, f.Namespace, f.Image); err != nil {
		return usage(err)
	}
	if f.from != "" {
		folder, err := bench.Reopen(runFolder(f.from))
		if err != nil {
			return usage(err)
		}
		f.Run, f.RunName = &folder.Run, filepath.Base(folder.Dir)
	}
	in, err := manifest.Open(f.Sources, part)
	var none *manifest.NoOptionError
	if errors.As(err, &none) {
		return &exitError{code: exitNo, err: err}
	}
	if err != nil {
		return usage(err)
	}
	parts := []string{part}
	if part == "" {
		parts = in.All()
	}
	if len(parts) == 0 {
		return &exitError{code: exitUsage, err: fmt.Errorf("%s names no part to render, and there is no plan", f.File), hint: "give --plan, or parts in its section render: " + strings.Join(spec.RenderParts, ", ")}
	}
	files, remarks, err := manifest.Render(in, parts)
	if err != nil {
		return usage(err)
	}
	for _, r := range remarks {
		env.remark(r)
	}
	if unset := manifest.MarksIn(files); f.strict && len(unset) > 0 {
		for _, u := range unset {
			env.remark(u.String())
		}
		return &exitError{code: exitNo, err: fmt.Errorf("values that nobody gave: %d, and --strict refuses them", len(unset))}
	}
	if f.out == "-" {
		return writeStream(env, files, false)
	}
	return writeFolder(env, f.out, files)
}
