package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

// source is where a level's prompts come from.
func (s *session) source(p PlannedLevel) (load.Source, error) {
	from, err := s.prompts(p)
	if err != nil {
		return nil, err
	}
	sc := p.Scenario
	if len(sc.Models) > 0 {
		from = load.NewMix(from, sc.Models)
	}
	if pictured(sc) {
		from = load.NewIllustrated(from, imagesOf(sc), s.run.Nonce, p.ID)
	}
	return from, nil
}

func (s *session) prompts(p PlannedLevel) (load.Source, error) {
	sc := p.Scenario
	if sc.DatasetPath != "" {
		return s.rows(p)
	}
	shared := load.Prefixes{Tokens: sc.SharedPrefix, Groups: sc.PrefixGroups, Skew: sc.PrefixSkew}
	first := load.NewSynthetic(s.calibration, p.Prompt, p.Output, shared, s.run.Nonce, p.ID)
	if sc.Turns.IsZero() {
		return first, nil
	}
	return load.NewDialogue(first, load.DialogueOptions{
		Turns: sc.Turns, Turn: p.turnPrompt(), Think: thinkOf(sc), History: historyOf(sc),
	}), nil
}

// rows is the scenario's dataset. Its levels read on in the file, so that no
// level is served from a cache that another filled; a replay begins anew.
func (s *session) rows(p PlannedLevel) (load.Source, error) {
	name, path := p.Scenario.Name, p.Scenario.DatasetPath
	d := s.datasets[name]
	if p.Load.Arrival == record.ArrivalTrace && slices.Contains(s.read[path], d) {
		_ = d.Close() // it was only read
		var err error
		if d, err = s.openDataset(p); err != nil {
			return nil, err
		}
		s.datasets[name] = d
	}
	for _, other := range s.read[path] {
		if other != d && !s.opt.ResetCache {
			d.GivenBefore(other.Given())
		}
	}
	if !slices.Contains(s.read[path], d) {
		s.read[path] = append(s.read[path], d)
	}
	if s.calibration != nil {
		d.WriteWith(s.calibration, s.run.Nonce, p.ID)
	}
	return d, nil
}

func (s *session) openDataset(p PlannedLevel) (*load.Dataset, error) {
	sc := p.Scenario
	return load.OpenDataset(sc.DatasetPath, load.DatasetOptions{
		Kind: sc.DatasetKind, API: s.target.info.API, Output: p.Output, Context: s.target.info.MaxLen,
		Replay: sc.Timed(), Spread: sc.ReplaySpread,
		Sessions: sc.Sessions, History: historyOf(sc), Think: thinkOf(sc),
	})
}

// turnsOf is how many requests one arrival brings in the mean.
func (s *session) turnsOf(p PlannedLevel) float64 {
	switch d := s.datasets[p.Scenario.Name]; {
	case !p.Scenario.InSessions():
		return 1
	case d != nil:
		return d.MeanTurns()
	}
	return max(1, p.Scenario.Turns.Expected())
}

func thinkOf(s spec.Scenario) load.ThinkTime {
	return load.ThinkTime{Mean: s.ThinkTime, Fixed: s.ThinkSpread == spec.ThinkFixed}
}

func historyOf(s spec.Scenario) load.History {
	if s.NeedsAnswers() {
		return load.Answered
	}
	return load.FromRecord
}

// defaultImage is the side of a synthetic image, pixels: a tile of the common
// vision encoders.
const defaultImage = 512

func imagesOf(s spec.Scenario) load.ImageOptions {
	size := s.ImageSize
	if size == (spec.Size{}) {
		size = spec.Size{Width: defaultImage, Height: defaultImage}
	}
	return load.ImageOptions{Count: s.Images, Width: size.Width, Height: size.Height, Format: s.ImageFormat}
}

// openDatasets opens each scenario's dataset and looks at its first row, so that
// a wrong file is found before anything is measured.
func (s *session) openDatasets() error {
	for i, l := range s.plan.Levels {
		name := l.Scenario.Name
		if l.Scenario.DatasetPath == "" {
			continue
		}
		d := s.datasets[name]
		if d == nil {
			var err error
			if d, err = s.openDataset(l); err != nil {
				return &usageError{err}
			}
			s.datasets[name] = d
			if err := s.describeDataset(d, l.Scenario); err != nil {
				return &usageError{err}
			}
		}
		row, err := d.Look()
		if err != nil {
			return &usageError{err}
		}
		s.plan.Levels[i].Blocks = len(row.Blocks) > 0 && !row.HasPrompt()
		s.lengthsOnly = s.lengthsOnly || !row.HasPrompt()
	}
	return nil
}

// describeDataset says what a file is taken for and what it would allow.
func (s *session) describeDataset(d *load.Dataset, sc spec.Scenario) error {
	row, err := d.Look()
	if err != nil {
		return err
	}
	if row.HasPrompt() {
		if err := d.Check(); err != nil {
			return err
		}
	} else {
		s.note("%s (%s) says how long prompts were and not what they asked: texts of those lengths are made", sc.DatasetPath, d.Kind())
	}
	if row.At != nil && sc.Replay == "" {
		s.note("%s has times: --replay timestamps sends its requests when they say", sc.DatasetPath)
	}
	if row.Images != nil && !row.HasPrompt() && !pictured(sc) {
		s.note("%s counts images, which are not sent: --image-size sends synthetic ones", sc.DatasetPath)
	}
	return nil
}

// checkImages asks whether the API takes images, before anything is sent.
func (s *session) checkImages() error {
	for _, l := range s.plan.Levels {
		if !pictured(l.Scenario) {
			continue
		}
		p := wire.Prompt{Text: inspectPrompt, Images: []string{"data:image/png;base64,AAAA"}, MaxTokens: 1}
		if _, err := s.target.client.Encode(p, s.target.dialect); err != nil {
			return &usageError{fmt.Errorf("level %s: %w", l.ID, err)}
		}
	}
	return nil
}

// pictured says that a scenario's prompts carry images.
func pictured(s spec.Scenario) bool { return s.Images > 0 || s.ImageSize != (spec.Size{}) }

func (s *session) closeDatasets() {
	for _, d := range s.datasets {
		_ = d.Close() // it was only read
	}
}

// sender is what a level sends with: where turns repeat answers, a client that
// keeps them.
func (s *session) sender(p PlannedLevel, counter *textCounter) (load.Sender, error) {
	if !p.Scenario.NeedsAnswers() || s.target.countText {
		return counter.sender(s.target.client), nil
	}
	if s.talking == nil {
		var err error
		if s.talking, err = s.target.client.KeepingText(); err != nil {
			return nil, err
		}
	}
	return s.talking, nil
}

// textCounter counts the tokens of answers by /tokenize, for servers that send
// no usage. It does so off the path of the requests.
type textCounter struct {
	target *target
	mu     sync.Mutex
	texts  map[string]string // of requests that ended and are not counted yet
}

func (s *session) newTextCounter() *textCounter {
	return &textCounter{target: s.target, texts: map[string]string{}}
}

// sender keeps the text of each answer on its way where it must be counted.
func (c *textCounter) sender(client *wire.Client) load.Sender {
	if !c.target.countText {
		return client
	}
	return keepsText{client, c}
}

type keepsText struct {
	*wire.Client
	counter *textCounter
}

func (k keepsText) Do(ctx context.Context, id string, body []byte) wire.Outcome {
	o := k.Client.Do(ctx, id, body)
	if o.Err == nil && o.Usage == nil {
		k.counter.mu.Lock()
		k.counter.texts[id] = o.Text
		k.counter.mu.Unlock()
	}
	return o
}

// count puts the server's count in place of the number of chunks.
func (c *textCounter) count(ctx context.Context, q *record.Request) {
	c.mu.Lock()
	text, ok := c.texts[q.ID]
	delete(c.texts, q.ID)
	c.mu.Unlock()
	if !ok {
		return
	}
	if n, err := c.target.client.TokenizeText(ctx, text); err == nil && n > 0 {
		q.OutputTokens, q.TokensFrom = &n, record.FromTokenize
	}
}
