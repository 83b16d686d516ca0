// Package dashboard makes Grafana dashboards for a service of vLLM on GPUs:
// overview, one service, KV and cache, GPU health, SLO.
//
// A panel is data: a title, one sentence that says what it means, a unit and
// queries. What the catalogue of telemetry does not know, a metric or a label of
// it, makes generation fail. Only judgements have colour. Shares are 0 to 1,
// times are seconds.
//
//	boards, err := dashboard.All(dashboard.Options{Objective: 0.99})
//	os.WriteFile(boards[0].Name+".json", boards[0].JSON, 0o644)
package dashboard
