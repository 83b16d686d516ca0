package load

import (
	"context"
	"errors"

	"assay/internal/wire"
)

// Target is an endpoint that takes prompts and may count their tokens.
// wire.Client is one.
type Target interface {
	Sender
	Encode(p wire.Prompt, d wire.Dialect) ([]byte, error)
	Tokenize(ctx context.Context, p wire.Prompt) (int, error)
}

var _ Target = (*wire.Client)(nil)

// Encoder is a Runner's Encode for a target and what it was found to understand.
func Encoder(t Target, d wire.Dialect) func(Prompt) ([]byte, error) {
	return func(p Prompt) ([]byte, error) {
		return t.Encode(wire.Prompt{
			Text: p.Text, Messages: p.Messages, Body: p.Body, Model: p.Model, Images: p.Images,
			MaxTokens: p.MaxTokens, MinTokens: p.MinTokens,
		}, d)
	}
}

// Ways in which a target counts the tokens of a prompt.
const (
	CountsByTokenize = "/tokenize"
	CountsByUsage    = "usage.prompt_tokens"
	CountsNothing    = "" // lengths are estimates
)

// FindCounter finds out how a target counts. /tokenize costs it nothing, but is
// believed only where it agrees with the usage of a real request: some servers'
// leaves out the template. With CountsNothing the Counter is nil.
func FindCounter(ctx context.Context, t Target, d wire.Dialect) (Counter, string, error) {
	tokenize := func(ctx context.Context, text string) (int, error) {
		return t.Tokenize(ctx, wire.Prompt{Text: text})
	}
	usage := usageCounter{t, d}
	used, known, err := usage.ask(ctx, anchor)
	if err != nil {
		return nil, CountsNothing, err
	}
	counted, err := tokenize(ctx, anchor)
	switch {
	case ctx.Err() != nil:
		return nil, CountsNothing, context.Cause(ctx)
	case err == nil && counted > 0 && (!known || counted == used):
		return tokenize, CountsByTokenize, nil
	case known:
		return usage.count, CountsByUsage, nil
	}
	return nil, CountsNothing, nil
}

// usageCounter counts by requests for one token.
type usageCounter struct {
	target  Target
	dialect wire.Dialect
}

func (u usageCounter) count(ctx context.Context, text string) (int, error) {
	n, known, err := u.ask(ctx, text)
	if err == nil && !known {
		err = errors.New("the server gave no usage this time")
	}
	return n, err
}

// askTries is how often a text is sent where that fails in a way that may pass:
// one unlucky request must not end a run.
const askTries = 3

// ask sends a text; known is false when the server does not say its length.
func (u usageCounter) ask(ctx context.Context, text string) (tokens int, known bool, err error) {
	body, err := u.target.Encode(wire.Prompt{Text: text, MaxTokens: max(1, u.dialect.LeastTokens)}, u.dialect)
	if err != nil {
		return 0, false, err
	}
	o := u.target.Do(ctx, "calibration", body)
	for tries := 1; o.Err != nil && o.Err.Passing() && tries < askTries && ctx.Err() == nil; tries++ {
		o = u.target.Do(ctx, "calibration", body)
	}
	switch {
	case ctx.Err() != nil:
		return 0, false, context.Cause(ctx)
	case o.Usage != nil && o.Usage.Prompt > 0:
		return o.Usage.Prompt, true, nil
	case o.Err != nil && o.Err.Kind != wire.KindNoTokens:
		return 0, false, o.Err
	}
	return 0, false, nil
}
