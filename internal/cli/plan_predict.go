package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/checkpoint"
	"assay/internal/model"
	"assay/internal/predict"
)

func newPlanPredict(env *Env) *cobra.Command {
	var points string
	var configs []string
	cmd := &cobra.Command{
		Use:   "predict --points FILE|-",
		Short: "Predict TTFT and TPOT of each row of a table of systems and loads",
		Long: `Predict each row of a CSV table, so that the tool can be held against measurements of
your own. Columns, in any order: model, system, isl, osl, concurrency; and where
known backend, backend_version, precision, gemm_quant, moe_quant, tp, pp,
attention_dp, moe_tp, moe_ep. Concurrency is of one rank of attention's data
parallel. Others are kept as they are.

The same rows come out with pred_ttft_ms, pred_tpot_ms, the ranges that nine
measurements in ten fall into (pred_…_low, pred_…_high), and a note. A row that can't
be predicted has no figures and says why in its note; where that holds for all of
them the exit code is 1.`,
		Example: `  assay plan predict --points measured.csv > predicted.csv
  assay plan predict --points - --model-config my/model=config.json < points.csv`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return planPredict(env, points, configs) },
	}
	f := cmd.Flags()
	f.StringVar(&points, "points", "", "the table; - reads standard input")
	f.StringArrayVar(&configs, "model-config", nil, "NAME=FILE: the config.json, GGUF or directory of a model that the table names")
	return cmd
}

func planPredict(env *Env, points string, configs []string) error {
	if points == "" {
		return usagef("give --points FILE, or - for standard input")
	}
	v, err := resolver(configs)
	if err != nil {
		return err
	}
	var in io.Reader = env.Stdin
	if points != "-" {
		file, err := os.Open(points)
		if err != nil {
			return usage(err)
		}
		defer file.Close()
		in = bufio.NewReader(file)
	}
	t, err := predict.PredictTable(in, env.Stdout, v)
	if err != nil {
		return usagef("%s: %w", points, err)
	}
	if t.Refused > 0 {
		fmt.Fprintf(env.Stderr, "%d of %d rows could not be predicted: their notes say why\n", t.Refused, t.Rows)
	}
	if t.Rows > 0 && t.Refused == t.Rows {
		return silent(exitNo)
	}
	return nil
}

// resolver reads the architectures that were given by name.
func resolver(configs []string) (predict.Resolver, error) {
	v := predict.Resolver{Architectures: map[string]model.Arch{}}
	for _, c := range configs {
		name, file, ok := strings.Cut(c, "=")
		if !ok || name == "" || file == "" {
			return v, usagef("--model-config %s: write NAME=FILE", c)
		}
		p, err := checkpoint.Open(file)
		if err == nil && p.Arch == nil {
			err = errors.New("it is no architecture")
		}
		if err != nil {
			return v, usagef("--model-config %s: %w", c, err)
		}
		v.Architectures[name] = *p.Arch
	}
	return v, nil
}
