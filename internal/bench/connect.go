package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/wire"
)

const embeddedName = "embedded simulated engine"

// target is what a run measures, once it is known to answer.
type target struct {
	client     *wire.Client
	dialect    wire.Dialect
	info       record.Target
	inspection *record.Inspection
	places     []place  // of metrics that are in reach
	past       *past    // what a Prometheus server recorded; nil: none is asked
	noneBeside string   // why an engine's metrics were not found beside its API
	noMetrics  []string // why others are not
	countText  bool     // answers carry no usage: what came is counted by /tokenize
	embedded   *httpd.Server
}

func (t *target) close() {
	if t.client != nil {
		t.client.Close()
	}
	if t.embedded != nil {
		t.embedded.Terminate(0)
		<-t.embedded.Done()
	}
}

// connect starts the embedded engine or finds the target, and inspects one
// request before there is any load.
func connect(ctx context.Context, opt Options, epoch time.Time) (*target, error) {
	t := &target{}
	if err := t.find(ctx, opt, epoch); err != nil {
		t.close()
		return nil, err
	}
	if err := t.inspect(ctx, opt, epoch); err != nil {
		t.close()
		return nil, err
	}
	if err := t.findMetrics(ctx, opt.Metrics); err != nil {
		t.close()
		return nil, err
	}
	if !opt.Metrics.None {
		t.askLimits(ctx)
	}
	return t, nil
}

func (t *target) find(ctx context.Context, opt Options, epoch time.Time) error {
	if opt.Target == "" {
		var err error
		if t.embedded, err = startEmbedded(opt); err != nil {
			return err
		}
		opt.Target, opt.Reach = t.embedded.URL(), wire.Endpoint{}
		t.info.Simulated, t.info.Preset = true, t.embedded.Describe()
	}
	client, err := wire.New(opt.Endpoint(), clientOptions(opt, epoch, false))
	if err != nil {
		return &usageError{err}
	}
	defer client.Close()
	found, err := client.Find(ctx, cmp.Or(opt.API, wire.Auto))
	if err != nil && opt.Model == "" {
		return fmt.Errorf("find the target's model: %w", err)
	}
	mixed := mixedModels(opt.Scenarios)
	if opt.Model == "" && len(mixed) > 0 {
		opt.Model = mixed[0]
	}
	for _, name := range mixed {
		if _, err := choose(found.Models, name); err != nil {
			return err
		}
	}
	model, err := choose(found.Models, opt.Model)
	if err != nil {
		return err
	}
	opt.API, opt.Model = found.API, model.ID
	if t.client, err = wire.New(opt.Endpoint(), clientOptions(opt, epoch, false)); err != nil {
		return &usageError{err}
	}
	t.info.URL, t.info.Model, t.info.API, t.info.MaxLen = client.URL(), model.ID, found.API, model.MaxModelLen
	t.info.Engine.Name, t.info.Engine.Version = found.Engine, found.Version
	t.info.Simulated = t.info.Simulated || t.info.Engine.Name == simulatorName
	return nil
}

// simulatorName is how the simulated engine calls itself.
const simulatorName = "assay-sim"

func startEmbedded(opt Options) (*httpd.Server, error) {
	cfg := engine.Demo()
	if opt.GPU != "" || opt.EngineModel != "" {
		demo := engine.Demo()
		gpu, model := opt.GPU, opt.EngineModel
		if gpu == "" {
			gpu = demo.Chip.Name
		}
		if model == "" {
			model = demo.Model.Name
		}
		var err error
		if cfg, err = engine.Preset(gpu, model); err != nil {
			return nil, &usageError{err}
		}
	}
	cfg.Seed = opt.Seed
	s, err := httpd.Start(cfg, httpd.Options{PromptTokensDetails: true})
	if err != nil {
		return nil, fmt.Errorf("start the %s: %w", embeddedName, err)
	}
	return s, nil
}

func clientOptions(opt Options, epoch time.Time, keepText bool) wire.Options {
	return wire.Options{Epoch: epoch, Timeout: opt.Timeout, Stall: opt.Stall, KeepText: keepText}
}

// choose is the model asked for, or the only one.
func choose(models []wire.Model, asked string) (wire.Model, error) {
	var names []string
	for _, m := range models {
		names = append(names, m.ID)
	}
	if asked != "" {
		for _, name := range []string{asked, asked + ":latest"} { // Ollama lists tags and takes names without
			if i := slices.Index(names, name); i >= 0 {
				return models[i], nil
			}
		}
		if len(models) > 0 {
			return wire.Model{}, &usageError{fmt.Errorf("the target does not serve the model %q; it serves %s", asked, someOf(names))}
		}
		return wire.Model{ID: asked}, nil
	}
	switch len(models) {
	case 0:
		return wire.Model{}, errors.New("the target lists no model; name one with --model")
	case 1:
		return models[0], nil
	}
	return wire.Model{}, &usageError{fmt.Errorf("the target serves %d models; choose one with --model: %s", len(models), someOf(names))}
}

// someOf lists a dozen names, and how many more there are.
func someOf(names []string) string {
	const most = 12
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// inspectPrompt is what the inspected request asks.
const inspectPrompt = "Count slowly from one to twenty in words."

// inspectTries is how often the inspected request is sent where it fails in a
// way that may pass: one unlucky request must not end a run.
const inspectTries = 3

// passing reports a failure that the next request need not meet.
func passing(err error) bool {
	var target *wire.TargetError
	return errors.As(err, &target) && target.Cause.Passing()
}

func (t *target) inspect(ctx context.Context, opt Options, epoch time.Time) error {
	in, err := t.client.Inspect(ctx, wire.Prompt{Text: inspectPrompt})
	for tries := 1; err != nil && tries < inspectTries && passing(err); tries++ {
		in, err = t.client.Inspect(ctx, wire.Prompt{Text: inspectPrompt})
	}
	if err != nil {
		return fmt.Errorf("inspect one request: %w", t.withWayOut(ctx, err))
	}
	t.dialect = in.Dialect
	if in.Outcome.Usage == nil && wire.Streams(t.info.API) && t.countsText(ctx) {
		t.countText = true
		in.Remarks = append(in.Remarks, "has /tokenize, by which output tokens are counted")
		opt.Target, opt.Model, opt.API = t.client.URL(), t.info.Model, t.info.API
		t.client.Close()
		if t.client, err = wire.New(opt.Endpoint(), clientOptions(opt, epoch, true)); err != nil {
			return err
		}
	}
	t.inspection = &record.Inspection{
		Status: in.Outcome.Status, RoleChunkFirst: in.Facts.RoleFirst, Comments: in.Facts.Comments, CRLF: in.Facts.CRLF,
		UsageChunk: in.Facts.UsageChunk, TokensPerChunk: in.TokensPerChunk, FirstChunkTokens: in.FirstChunkTokens,
		ReasoningField: in.Facts.ReasoningField, CachedTokensKnown: in.Outcome.Usage != nil && in.Outcome.Usage.Cached != nil,
		Buffered: in.Buffered, IgnoreEOS: in.Dialect.IgnoreEOS, Remarks: in.Remarks,
	}
	return nil
}

// withWayOut names the API that the model does take, where it refused this one.
func (t *target) withWayOut(ctx context.Context, err error) error {
	var refused *wire.TargetError
	if !errors.As(err, &refused) || refused.Cause.Kind != wire.KindNotFound && refused.Cause.Kind != wire.KindBadRequest {
		return err
	}
	if api := t.client.Instead(ctx); api != "" {
		return refused.WithHint(fmt.Sprintf("the model does answer to --api %s", api))
	}
	return err
}

// countsText reports whether /tokenize is there to count what a model wrote.
func (t *target) countsText(ctx context.Context) bool {
	n, err := t.client.TokenizeText(ctx, inspectPrompt)
	return err == nil && n > 0
}

// calibrate learns to write prompts of a length in the server's own tokens.
func (t *target) calibrate(ctx context.Context, shortest, longest int) (*load.Calibration, error) {
	count, _, err := load.FindCounter(ctx, t.client, t.dialect)
	if err != nil {
		return nil, err
	}
	if count == nil {
		return load.Estimate(), nil
	}
	return load.Calibrate(ctx, count, shortest, longest)
}

// usageError is a mistake of the user's, found only by asking the target.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Usage marks the error as one of usage.
func (e *usageError) Usage() bool { return true }
