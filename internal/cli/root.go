package cli

import (
	"github.com/spf13/cobra"
)

// Main runs the command line and returns the exit code.
func Main(env *Env) int {
	root := newRoot(env)
	root.SetArgs(env.Args)
	return env.report(root.Execute())
}

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Measure an inference endpoint, say what limits it, plan what to run it on",
		Long: `Assay measures an inference endpoint (TTFT, ITL, TPS, E2E), finds the knee of
its throughput and says what limits the service, with the evidence. It plans GPUs,
instances, storage, cold starts and training runs, with a range and a source for
every number.`,
		Example: `  assay bench saturation                              the embedded simulated engine, no server needed
  assay bench --target http://localhost:8000          a real endpoint, its model found by itself
  assay bench baseline saturation production --target http://localhost:8000
  assay diagnose --metrics http://localhost:8000/metrics   what limits a service in use, without load of its own
  assay plan serve --model qwen3-32b --context 8192 --concurrency 32 --isl 1000 --osl 300
  assay report assay-runs/20261130-091500             a report again, later`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &exitError{code: exitUsage, err: err, hint: "see " + cmd.CommandPath() + " --help"}
	})
	root.Version = toolVersion()
	root.SetVersionTemplate("assay {{.Version}}\n")
	root.AddCommand(newBench(env), newSim(env), newReport(env), newTrace(env), newCompare(env), newDiagnose(env), newExplain(env), newRender(env), newLint(env), newPlan(env), newSelftest(env), newVersion(env))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			// A command that runs refuses what it does not know.
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}
