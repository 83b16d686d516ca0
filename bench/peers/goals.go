package main

import (
	"fmt"
	"math"
)

// The goals of Assay beside its peers.
const (
	mostCPURatio  = 1.3 // of the plain client's CPU time for a token
	mostErrRatio  = 1.5 // of the plain client's error of TTFT
	mostErrMany   = 1.5 // ms, of the mean TTFT at 256 streams, request by request
	mostErrCrowd  = 3.0 // ms, at 1,024
	mostStartS    = 0.1 // to the first request
	severalTimes  = 3.0 // cheaper than each peer
	errResolution = 0.5 // ms: below it an error is the machine's, and no ratio is taken
)

// Goals is the table of goals and whether they were met, of medians.
func (v view) Goals() string {
	rows := [][]string{{"goal", "got", ""}}
	add := func(goal string, got *float64, format string, limit float64) {
		verdict := "not known"
		if got != nil {
			verdict = "missed"
			if *got <= limit {
				verdict = "met"
			}
		}
		rows = append(rows, []string{goal, number(got, format), verdict})
	}
	assay, plain := assayTool.name, plainTool.name
	add(fmt.Sprintf("CPU time of a token at most %.1f times the plain client's", mostCPURatio),
		ratio(v.million(assay), v.million(plain)), "%.2f times", mostCPURatio)
	for _, x := range []string{few, many, crowd} {
		e, floor := v.ttftError(assay, x), v.ttftError(plain, x)
		if floor != nil {
			atLeast := math.Max(*floor, errResolution)
			floor = &atLeast
		}
		add(fmt.Sprintf("error of mean TTFT at %s streams at most %.1f times the plain client's (or %.1f ms)", x, mostErrRatio, errResolution),
			ratio(e, floor), "%.2f times", mostErrRatio)
	}
	add(fmt.Sprintf("TTFT within %.1f ms of the ledger at 256 streams, mean by request", mostErrMany), v.byRequest(many), "%.2f ms", mostErrMany)
	add(fmt.Sprintf("within %.0f ms at 1,024", mostErrCrowd), v.byRequest(crowd), "%.2f ms", mostErrCrowd)
	add(fmt.Sprintf("start-up to first request below %.0f ms", mostStartS*1000),
		median(v.values(assay, "", func(r Run) *float64 { return r.FirstRequestS })), "%.3f s", mostStartS)
	for _, t := range tools {
		if !t.ours && v.has(t.name) {
			add(fmt.Sprintf("several times cheaper than %s", t.name), ratio(v.million(assay), v.million(t.name)), "%.2f of its CPU time", 1/severalTimes)
		}
	}
	add("no failure counted as a success", v.swallowed(assay), "%.0f", 0)
	return markdown(rows)
}

// ttftError is the size of the median error of a tool's mean TTFT, ms.
func (v view) ttftError(tool, experiment string) *float64 {
	e := median(v.values(tool, experiment, func(r Run) *float64 { return minus(r.Reported.TTFTMean, r.Truth.TTFTMean) }))
	if e == nil {
		return nil
	}
	size := math.Abs(*e)
	return &size
}

// byRequest is the same of Assay, compared request by request.
func (v view) byRequest(experiment string) *float64 {
	return median(v.values(assayTool.name, experiment, func(r Run) *float64 { return r.Truth.ErrorMean }))
}

func ratio(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	r := *a / *b
	return &r
}
