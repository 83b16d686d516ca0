package httpd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"assay/internal/engine"
)

// Server is a running simulated engine.
type Server struct {
	cfg       engine.Config
	opt       Options
	loop      *loop
	metrics   *metrics
	machine   *machine
	tokenizer *tokenizer
	http      *http.Server
	listener  net.Listener
	started   time.Time
	calls     atomic.Uint64 // numbers calls, for seeds, ids and faults

	mu       sync.Mutex
	faults   Faults
	open     map[*answer]struct{}
	idle     chan struct{} // closed when draining and nothing is open; nil before
	draining bool
	dead     chan struct{} // the engine was killed: streams hang

	ending sync.Once
	watch  sync.WaitGroup // the exporters' looks
	done   chan struct{}
}

// Start serves an engine; when it returns the server is listening. It refuses a
// configuration that vLLM would refuse at startup.
func Start(cfg engine.Config, opt Options) (*Server, error) {
	if opt.Speed == 0 {
		opt.Speed = 1
	}
	if opt.CountWindow < 0 {
		return nil, fmt.Errorf("serve engine: a window of %v for counts is negative", opt.CountWindow)
	}
	if !(opt.Speed > 0) || math.IsInf(opt.Speed, 1) {
		return nil, fmt.Errorf("serve engine: speed %g is not above 0", opt.Speed)
	}
	if err := opt.Faults.check(); err != nil {
		return nil, fmt.Errorf("serve engine: faults: %w", err)
	}
	e, err := engine.New(cfg)
	if err != nil {
		return nil, err
	}
	if opt.Listen == "" {
		opt.Listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", opt.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("serve engine on %s: stop what listens there, or choose another port (port 0 finds a free one): %w", opt.Listen, err)
	}
	if err != nil {
		return nil, fmt.Errorf("serve engine on %s: %w", opt.Listen, err)
	}
	cfg = e.Config()
	if opt.ServedModel == "" {
		opt.ServedModel = cfg.Model.Name
	}
	s := &Server{
		cfg: cfg, opt: opt, faults: opt.Faults,
		metrics: newMetrics(cfg.MaxModelLen), tokenizer: newTokenizer(cfg.Model.Vocab),
		listener: listener, started: time.Now(),
		open: map[*answer]struct{}{}, dead: make(chan struct{}), done: make(chan struct{}),
	}
	s.machine = newMachine(cfg, cmp.Or(opt.CountWindow, countWindow), opt.Faults)
	s.loop = startLoop(e, opt.Speed, s.metrics)
	s.watch.Go(s.collect)
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: time.Minute}
	if err := s.apply(opt.Faults); err != nil {
		s.end()
		return nil, fmt.Errorf("serve engine: faults: %w", err)
	}
	go func() { _ = s.http.Serve(listener) }() // ends with ErrServerClosed, by end
	return s, nil
}

// URL is the base, such as http://127.0.0.1:8000.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Describe says in one line what is simulated.
func (s *Server) Describe() string { return s.cfg.Describe() }

// Config is the engine's configuration with its defaults resolved.
func (s *Server) Config() engine.Config { return s.cfg }

// Model is the name under which the model is served.
func (s *Server) Model() string { return s.opt.ServedModel }

// SetFaults replaces the faults, for requests that come from now on.
func (s *Server) SetFaults(f Faults) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("set faults: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
	return s.apply(f)
}

// apply tells engine and machine of the faults that are theirs.
func (s *Server) apply(f Faults) error {
	s.machine.setFaults(f)
	throttle, ok := f.throttle()
	if !ok {
		throttle = s.cfg.Throttle
	}
	return s.loop.fault(throttle, f.EngineStall)
}

// countWindow is dcgm-exporter's default for its counts of XIDs and clock events.
const countWindow = 5 * time.Minute

// leastLook bounds how often the exporters look, whatever the speed.
const leastLook = 10 * time.Millisecond

// collect looks at the machine as often as its exporters do.
func (s *Server) collect() {
	tick := time.NewTicker(max(time.Duration(float64(collectEvery)/s.opt.Speed), leastLook))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.machine.look(s.loop.counters())
		case <-s.done:
			return
		}
	}
}

// Late is how long after its time the latest step's tokens were handed out. A
// machine that cannot keep up shows here.
func (s *Server) Late() time.Duration {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	return s.loop.late
}

// Shutdown does what SIGTERM does, see Terminate, and waits for the end. When
// ctx ends first, everything is closed at once, as SIGKILL does.
func (s *Server) Shutdown(ctx context.Context) error {
	s.Terminate(s.opt.ShutdownTimeout)
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		s.end()
		<-s.done
		return fmt.Errorf("shut down: %w", ctx.Err())
	}
}

// routes is the API. What vLLM guards with its key is under /v1.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, methods := range map[string]map[string]http.HandlerFunc{
		"/v1/chat/completions": {http.MethodPost: s.chat},
		"/v1/completions":      {http.MethodPost: s.complete},
		"/v1/models":           {http.MethodGet: s.models},
		"/tokenize":            {http.MethodPost: s.tokenize},
		"/detokenize":          {http.MethodPost: s.detokenize},
		"/health":              {http.MethodGet: s.health},
		"/ping":                {http.MethodGet: s.health, http.MethodPost: s.health},
		"/version":             {http.MethodGet: s.version},
		"/load":                {http.MethodGet: s.load},
		"/reset_prefix_cache":  {http.MethodPost: s.resetCache},
		"/metrics":             {http.MethodGet: s.scraped(metricsType, func(f Faults) bool { return f.NoMetrics }, s.exposition)},
		"/dcgm/metrics":        {http.MethodGet: s.scraped(exporterType, func(f Faults) bool { return f.NoDCGM }, s.machine.dcgm)},
		"/node/metrics":        {http.MethodGet: s.scraped(exporterType, func(f Faults) bool { return f.NoNode }, s.machine.nodeText)},
		"/admin/faults":        {http.MethodGet: s.showFaults, http.MethodPost: s.changeFaults},
	} {
		mux.HandleFunc(path, s.counted(path, methods))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { writeDetail(w, http.StatusNotFound) })
	return s.guard(mux)
}

// counted counts each answer of a path, and answers other methods as vLLM does.
func (s *Server) counted(path string, methods map[string]http.HandlerFunc) http.HandlerFunc {
	allow := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		rec := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		if h, ok := methods[r.Method]; ok {
			h(rec, r)
		} else {
			w.Header().Set("Allow", allow)
			writeDetail(rec, http.StatusMethodNotAllowed)
		}
		s.metrics.served(httpKey{path, r.Method, fmt.Sprintf("%dxx", rec.status/100)})
	}
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// writeJSON answers with a body as Python's json would make it: no escapes of
// HTML, no newline at the end, its length known.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the types here can all be encoded
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}
