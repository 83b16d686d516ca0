package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/internal/facts"
	"assay/internal/predict"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run() error {
	m, trials, err := predict.Refit(predict.Published())
	if err != nil {
		return err
	}
	today, hash := time.Now().UTC().Format(time.DateOnly), predict.PublishedHash()
	m.Steps.Date, m.Steps.Points = today, hash
	m.Steps.Source = facts.Source{Title: "fitted to the published measurements of internal/predict/points", URL: "docs/prediction.md", Date: today}
	if err := write("internal/engine/coefficients.json", m.Steps, true); err != nil {
		return err
	}
	record := predict.Record{Date: today, Points: hash, Serving: m.Serving, Bars: m.Bars, Correction: *m.Correction}
	if err := write("internal/predict/correction.json", record, false); err != nil {
		return err
	}
	return write("internal/predict/crossvalidation.json", predict.Summaries(trials), true)
}

func write(path string, v any, indent bool) error {
	data, err := json.Marshal(v)
	if indent {
		data, err = json.MarshalIndent(v, "", "  ")
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.FromSlash(path), append(data, '\n'), 0o644)
}
