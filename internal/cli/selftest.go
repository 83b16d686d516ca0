package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/record"
)

func newSelftest(env *Env) *cobra.Command {
	var (
		output string
		step   time.Duration
	)
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Measure this machine's ceiling as a client against a built-in null server",
		Long: `Measure how exactly this machine measures. A built-in server streams tokens at
stated moments and keeps a ledger of what it really wrote; the client's figures
are compared with it. Server and client share the machine, so a server elsewhere
leaves the client more. Exit code 4 where a load is beyond this machine.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if output != "text" && output != "json" {
				return usagef("-o %s: selftest prints text or json", output)
			}
			if step < 4*time.Second {
				return usagef("--step %s: it must be at least 4s, so that 1,024 streams reach a steady state", step)
			}
			ctx, cancel := untilInterrupt(env)
			defer cancel()
			result, err := bench.Selftest(ctx, step, func(s bench.SelftestStep) {
				if output == "text" {
					s.Text(env.Stdout)
				}
			})
			if ctx.Err() != nil {
				return silent(exitInterrupted)
			}
			if err != nil {
				return impossible(err)
			}
			if output == "json" {
				if err := writeJSON(env.Stdout, result); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(env.Stdout, "\n%d CPUs, %s; server and client share them. TTFT error: mean reported less the server's own ledger.\n", result.Host.CPUs, result.Host.CPUModel)
			}
			if slices.ContainsFunc(result.Steps, func(s bench.SelftestStep) bool { return s.Validity.Verdict != record.Valid }) {
				return silent(exitNotValid)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	cmd.Flags().DurationVar(&step, "step", 5*time.Second, "how long each load is held")
	return cmd
}
