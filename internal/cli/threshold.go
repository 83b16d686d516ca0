package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"assay/internal/diagnose"
)

func addThresholds(p *pflag.FlagSet, to *[]string) {
	p.StringArrayVar(to, "threshold", nil, "a threshold of the diagnosis, NAME=VALUE, such as kv-full=0.9; repeatable (an unknown name lists all)")
}

// thresholds are those of the file and, over them, those typed.
func thresholds(file map[string]float64, typed []string) (diagnose.Thresholds, error) {
	var t diagnose.Thresholds
	if err := t.SetAll(file); err != nil {
		return nil, fmt.Errorf("diagnose.thresholds: %w", err)
	}
	for _, text := range typed {
		if err := t.SetText(text); err != nil {
			return nil, fmt.Errorf("--threshold: %w", err)
		}
	}
	return t, nil
}
