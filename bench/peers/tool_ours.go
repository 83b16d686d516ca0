package main

import (
	"fmt"
	"path/filepath"
	"strconv"

	"assay/bench/result"
	"assay/internal/record"
)

// assayTool is the whole program, as a user starts it.
var assayTool = tool{
	name: "Assay", ours: true, note: "itl_ms.mean",
	command: func(s setting) (client, error) {
		return client{args: []string{
			s.paths.program("assay"), "bench", "--target", s.url, "--model", s.model,
			"--concurrency", strconv.Itoa(s.Streams), "--num-requests", strconv.Itoa(s.Requests),
			"--isl", strconv.Itoa(promptTokens), "--osl", strconv.Itoa(outputTokens),
			"--refine", "0", "--max-errors", "1", "--out", filepath.Join(s.dir, "run"),
		}}, nil
	},
	read: readAssay,
}

func readAssay(s setting) (Account, error) {
	folder, err := record.Open(filepath.Join(s.dir, "run"))
	if err != nil {
		return Account{}, err
	}
	if n := len(folder.Run.Levels); n != 1 {
		return Account{}, fmt.Errorf("%s holds %d levels, want 1", folder.Dir, n)
	}
	l := folder.Run.Levels[0]
	a := Account{
		Completed: l.Requests.Completed, Failed: l.Requests.Failed + l.Requests.Cancelled,
		TTFTMean: l.TTFT.Mean, TTFTP99: l.TTFT.P99, ITLMean: l.ITL.Mean,
		RequestsPerS: &l.Throughput.RequestsPerS, Validity: l.Validity.Verdict, byID: map[string]*float64{},
	}
	err = folder.EachRequest(func(r record.Request) error {
		if r.Phase != record.Measured {
			return nil
		}
		a.byID[r.ID] = nil
		if r.Error == "" && len(r.ChunkUS) > 0 {
			ms := float64(r.ChunkUS[0]) / 1e3
			a.byID[r.ID] = &ms
		}
		return nil
	})
	return a, err
}

// plainTool is the floor: see bench/plainclient.
var plainTool = tool{
	name: "plain net/http client", ours: true, note: "(last − first) / (n − 1)",
	command: func(s setting) (client, error) {
		return client{args: []string{
			s.paths.program("plainclient"), "-url", s.url, "-model", s.model, "-streams", strconv.Itoa(s.Streams),
			"-requests", strconv.Itoa(s.Requests), "-tokens", strconv.Itoa(outputTokens),
		}}, nil
	},
	read: func(s setting) (Account, error) {
		var r result.Result
		if err := readJSON(filepath.Join(s.dir, "stdout"), &r); err != nil {
			return Account{}, err
		}
		rate := float64(r.Requests) / r.WallS
		return Account{Completed: r.Requests, Failed: r.Failed, TTFTMean: r.TTFT.Mean, TTFTP99: r.TTFT.P99, ITLMean: r.ITL.Mean, RequestsPerS: &rate}, nil
	},
}
