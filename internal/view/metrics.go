package view

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// Metrics is the run in progress in Prometheus form. Counters and histograms
// are of measured requests; "level" is the level's id in run.json.
type Metrics struct {
	registry *prometheus.Registry
	level    string
	scenario string

	requests *prometheus.CounterVec
	tokens   *prometheus.CounterVec
	ttft     *prometheus.HistogramVec
	itl      *prometheus.HistogramVec
	e2e      *prometheus.HistogramVec
	inFlight prometheus.Gauge
	offered  *prometheus.GaugeVec
	late     prometheus.Gauge
	cpu      prometheus.Gauge
	valid    *prometheus.GaugeVec
	achieved *prometheus.GaugeVec

	server *http.Server
	served chan struct{}
}

var _ bench.View = (*Metrics)(nil)

// Buckets are fine where services are told apart: 1 ms to about two minutes, by
// a factor of 1.5. Ours.
var latencyBuckets = prometheus.ExponentialBuckets(0.001, 1.5, 30)

// NewMetrics makes the metrics; Listen serves them.
func NewMetrics() *Metrics {
	level := []string{"scenario", "level"}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: latencyBuckets}, level)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append(level, labels...))
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_requests_total", Help: "Measured requests that ended, by outcome: ok or the kind of failure.",
		}, append(level, "outcome")),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_output_tokens_total", Help: "Output tokens of measured requests that succeeded; chunks where the server does not count.",
		}, level),
		ttft:     histogram("assay_time_to_first_token_seconds", "From the actual send to the first token."),
		itl:      histogram("assay_inter_token_latency_seconds", "Of each request, (last token - first token) / (tokens - 1)."),
		e2e:      histogram("assay_request_duration_seconds", "From the actual send to the end of the answer."),
		inFlight: gauge("assay_in_flight_requests", "Requests open now, warm-up included."),
		offered:  gauges("assay_level_load", "The load that the level holds: concurrency or requests per second.", "kind"),
		late:     gauge("assay_send_lateness_p99_seconds", "Actual minus intended send, p99 of the last second."),
		cpu:      gauge("assay_client_cpu_cores", "CPU that this process used in the last second."),
		valid:    gauges("assay_level_valid", "1 for a level that ended valid, 0 for one that did not.", "verdict"),
		achieved: gauges("assay_level_throughput", "What an ended level came to, over its window.", "unit"),
	}
	m.registry.MustRegister(m.requests, m.tokens, m.ttft, m.itl, m.e2e, m.inFlight, m.offered, m.late, m.cpu, m.valid, m.achieved)
	return m
}

// Listen serves /metrics on an address until Close. It gives the URL.
func (m *Metrics) Listen(address string) (url string, err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", fmt.Errorf("serve metrics on %s: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	m.served = make(chan struct{})
	go func() {
		defer close(m.served)
		_ = m.server.Serve(l) // it ends with Close
	}()
	return "http://" + l.Addr().String() + "/metrics", nil
}

// Close ends the server, if there is one.
func (m *Metrics) Close() {
	if m.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if m.server.Shutdown(ctx) != nil {
		m.server.Close()
	}
	<-m.served
}

// Note is nothing to count.
func (m *Metrics) Note(string) {}

// LevelStart sets the load that is held. The runner's calls for a level come
// after it and before LevelDone.
func (m *Metrics) LevelStart(l bench.PlannedLevel, _, _ int) {
	m.scenario, m.level = l.Scenario.Name, l.ID
	m.offered.Reset()
	if l.Load.Value > 0 { // what a replay offers is known at its end
		m.offered.WithLabelValues(m.scenario, m.level, l.Load.Kind).Set(l.Load.Value)
	}
}

// Request counts a measured request.
func (m *Metrics) Request(q *record.Request) {
	if q.Phase != record.Measured {
		return
	}
	if !q.OK() {
		m.requests.WithLabelValues(m.scenario, m.level, q.Error).Inc()
		return
	}
	m.requests.WithLabelValues(m.scenario, m.level, "ok").Inc()
	if q.OutputTokens != nil {
		m.tokens.WithLabelValues(m.scenario, m.level).Add(float64(*q.OutputTokens))
	}
	observe := func(h *prometheus.HistogramVec, ms float64, ok bool) {
		if ok {
			h.WithLabelValues(m.scenario, m.level).Observe(ms / 1000)
		}
	}
	ms, ok := q.TTFT()
	observe(m.ttft, ms, ok)
	ms, ok = q.ITL()
	observe(m.itl, ms, ok)
	ms, ok = q.E2E()
	observe(m.e2e, ms, ok)
}

// Sample shows how the client does.
func (m *Metrics) Sample(c record.ClientSample) {
	m.late.Set(float64(c.LagP99US) / 1e6)
	m.cpu.Set(c.CPUCores)
}

// Tick shows what is open.
func (m *Metrics) Tick(p load.Progress) { m.inFlight.Set(float64(p.InFlight)) }

// LevelDone shows what the level came to.
func (m *Metrics) LevelDone(l record.Level) {
	m.inFlight.Set(0)
	m.offered.WithLabelValues(l.Scenario, l.ID, l.Load.Kind).Set(l.Load.Value)
	valid := 0.0
	if l.Validity.Verdict == record.Valid {
		valid = 1
	}
	m.valid.WithLabelValues(l.Scenario, l.ID, l.Validity.Verdict).Set(valid)
	m.achieved.WithLabelValues(l.Scenario, l.ID, "requests_per_s").Set(l.Throughput.RequestsPerS)
	m.achieved.WithLabelValues(l.Scenario, l.ID, "output_tokens_per_s").Set(l.Throughput.OutputTokensPerS)
}
