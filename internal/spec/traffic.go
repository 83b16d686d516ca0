package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Traffic is what a scenario's requests are like beyond their lengths: whose
// times they keep, which conversations they are turns of, what they share, whom
// they ask. Zero values mean "not said".
type Traffic struct {
	Replay       string    `json:"replay,omitempty"`        // of a dataset: timestamps or lengths (also when empty)
	Speed        []float64 `json:"speed,omitempty"`         // of a replay by time stamps, one level each: 2 is twice as fast
	ReplaySpread bool      `json:"replay_spread,omitempty"` // requests of one tick of a coarse clock move apart

	Sessions    bool          `json:"sessions,omitempty"`          // a dataset's conversations turn by turn
	Turns       Lengths       `json:"turns,omitzero"`              // of synthetic sessions
	TurnPrompt  Lengths       `json:"turn_prompt_length,omitzero"` // tokens that each turn after the first adds
	ThinkTime   time.Duration `json:"think_time_ns,omitempty"`     // mean, before each turn after the first
	ThinkSpread string        `json:"think_spread,omitempty"`      // exponential (also when empty) or fixed
	History     string        `json:"history,omitempty"`           // answered (also when empty) or recorded

	PrefixGroups int     `json:"prefix_groups,omitempty"` // shared prefixes of which each prompt has one
	PrefixSkew   float64 `json:"prefix_skew,omitempty"`   // Zipf's exponent of their shares; 0: all alike

	Models []ModelShare `json:"models,omitempty"` // drawn for each request or session

	Images      int    `json:"images,omitempty"` // of each prompt
	ImageSize   Size   `json:"image_size,omitzero"`
	ImageFormat string `json:"image_format,omitempty"` // png (also when empty) or jpeg
}

// Ways to replay a dataset, to think, to repeat answers, to encode images; the
// first of each is the default.
var (
	Replays      = []string{ReplayLengths, ReplayTimestamps}
	ThinkSpreads = []string{"exponential", ThinkFixed}
	Histories    = []string{"answered", HistoryRecorded}
	ImageFormats = []string{"png", "jpeg"}
)

// Names that are asked for by name.
const (
	ReplayTimestamps = "timestamps"
	ReplayLengths    = "lengths"
	ThinkFixed       = "fixed"
	HistoryRecorded  = "recorded"
)

// ModelShare is a model, such as a LoRA adapter, and its weight among those that
// a level asks for.
type ModelShare struct {
	Model  string  `json:"model"`
	Weight float64 `json:"weight"`
}

// Size is that of an image, pixels.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Width, s.Height) }

// Timed says that requests are sent at a trace's own times.
func (t Traffic) Timed() bool { return t.Replay == ReplayTimestamps }

// InSessions says that requests are turns of conversations.
func (t Traffic) InSessions() bool { return t.Sessions || !t.Turns.IsZero() }

// NeedsAnswers says that prompts hold what the server answered before.
func (t Traffic) NeedsAnswers() bool { return t.InSessions() && t.History != HistoryRecorded }

// over is base with what t says in its place.
func (t Traffic) over(base Traffic) Traffic {
	out := base
	say(&out.Replay, t.Replay)
	say(&out.ReplaySpread, t.ReplaySpread)
	say(&out.Sessions, t.Sessions)
	say(&out.ThinkTime, t.ThinkTime)
	say(&out.ThinkSpread, t.ThinkSpread)
	say(&out.History, t.History)
	say(&out.PrefixGroups, t.PrefixGroups)
	say(&out.PrefixSkew, t.PrefixSkew)
	say(&out.Images, t.Images)
	say(&out.ImageSize, t.ImageSize)
	say(&out.ImageFormat, t.ImageFormat)
	if len(t.Speed) > 0 {
		out.Speed = t.Speed
	}
	if len(t.Models) > 0 {
		out.Models = t.Models
	}
	if !t.Turns.IsZero() {
		out.Turns = t.Turns
	}
	if !t.TurnPrompt.IsZero() {
		out.TurnPrompt = t.TurnPrompt
	}
	return out
}

// Bounds on typing errors.
const (
	mostTurns  = 1000
	mostImages = 64
	mostPixels = 8192 // of a side
	mostGroups = 100_000
	leastSpeed = 1e-3
	mostSpeed  = 1e6
)

// mistake names what is wrong with the traffic of a scenario, or "".
func (s Scenario) mistake() string {
	for _, check := range []func(Scenario) string{replayMistake, sessionMistake, shareMistake, imageMistake} {
		if why := check(s); why != "" {
			return why
		}
	}
	return ""
}

func replayMistake(s Scenario) string {
	switch {
	case s.Replay != "" && !slices.Contains(Replays, s.Replay):
		return fmt.Sprintf("--replay %q is not one of %v", s.Replay, Replays)
	case s.Replay != "" && s.DatasetPath == "":
		return "--replay needs a file with times or lengths; give --dataset FILE"
	case len(s.Speed) > 0 && !s.Timed():
		return "--speed needs --replay timestamps: without it the load is by --concurrency or --request-rate"
	case s.ReplaySpread && !s.Timed():
		return "--replay-spread needs --replay timestamps"
	}
	for _, x := range s.Speed {
		if !(x >= leastSpeed && x <= mostSpeed) {
			return fmt.Sprintf("--speed %g; it must be between %g and %g", x, leastSpeed, float64(mostSpeed))
		}
	}
	return ""
}

func sessionMistake(s Scenario) string {
	switch {
	case s.Sessions && s.DatasetPath == "":
		return "--sessions plays the conversations of a file; give --dataset FILE, or --turns for synthetic ones"
	case !s.Turns.IsZero() && s.DatasetPath != "":
		return "--turns makes synthetic sessions; a dataset has its own turns: give --sessions"
	case !s.InSessions() && (s.ThinkTime > 0 || s.ThinkSpread != "" || s.History != "" || !s.TurnPrompt.IsZero()):
		return "--think-time, --think-spread, --history and --turn-isl need sessions; give --turns, or --dataset FILE --sessions"
	case s.ThinkSpread != "" && !slices.Contains(ThinkSpreads, s.ThinkSpread):
		return fmt.Sprintf("--think-spread %q is not one of %v", s.ThinkSpread, ThinkSpreads)
	case s.ThinkSpread == ThinkFixed && s.ThinkTime == 0:
		return "--think-spread is how --think-time spreads; give both"
	case s.History != "" && !slices.Contains(Histories, s.History):
		return fmt.Sprintf("--history %q is not one of %v", s.History, Histories)
	case s.InSessions() && s.Images > 0:
		return "--images with sessions: later turns would not repeat the images; leave one of them out"
	case s.Turns.Largest() > mostTurns:
		return fmt.Sprintf("sessions of %s turns; at most %d", s.Turns, mostTurns)
	}
	for _, l := range []Lengths{s.Turns, s.TurnPrompt} {
		if why := l.validate(); why != "" && !l.IsZero() {
			return "turns: " + why
		}
	}
	return ""
}

func shareMistake(s Scenario) string {
	switch {
	case s.PrefixGroups < 0 || s.PrefixGroups > mostGroups:
		return fmt.Sprintf("--prefix-groups %d; it must be between 1 and %d", s.PrefixGroups, mostGroups)
	case s.PrefixGroups > 1 && s.SharedPrefix == 0:
		return "--prefix-groups needs --shared-prefix, the tokens of each group's prefix"
	case s.PrefixSkew != 0 && s.PrefixGroups < 2:
		return "--prefix-skew needs --prefix-groups of 2 or more"
	case !(s.PrefixSkew >= 0 && s.PrefixSkew <= 10):
		return fmt.Sprintf("--prefix-skew %g; it must be between 0 (all groups alike) and 10", s.PrefixSkew)
	case s.SharedPrefix > 0 && s.DatasetPath != "":
		return "--shared-prefix is for synthetic prompts; a dataset's share what they share"
	}
	for i, m := range s.Models {
		switch {
		case !(m.Weight > 0) || math.IsInf(m.Weight, 0):
			return fmt.Sprintf("--models: the weight %g of %s must be above 0", m.Weight, m.Model)
		case slices.ContainsFunc(s.Models[:i], func(o ModelShare) bool { return o.Model == m.Model }):
			return fmt.Sprintf("--models names %s twice", m.Model)
		}
	}
	return ""
}

func imageMistake(s Scenario) string {
	switch {
	case s.Images < 0 || s.Images > mostImages:
		return fmt.Sprintf("--images %d; it must be between 1 and %d", s.Images, mostImages)
	case s.ImageSize != Size{} && (s.ImageSize.Width < 1 || s.ImageSize.Height < 1 || max(s.ImageSize.Width, s.ImageSize.Height) > mostPixels):
		return fmt.Sprintf("--image-size %s; each side must be between 1 and %d pixels", s.ImageSize, mostPixels)
	case s.ImageFormat != "" && !slices.Contains(ImageFormats, s.ImageFormat):
		return fmt.Sprintf("--image-format %q is not one of %v", s.ImageFormat, ImageFormats)
	case s.ImageFormat != "" && s.Images == 0 && s.ImageSize == Size{}:
		return "--image-format needs --images, how many each prompt carries, or --image-size with a dataset that counts images"
	case s.ImageSize != Size{} && s.Images == 0 && s.DatasetPath == "":
		return "--image-size needs --images, how many each prompt carries"
	}
	return ""
}

// ParseModels reads models with weights such as base=2,lora-a,lora-b. A weight
// may also stand behind a colon; without one it is 1.
func ParseModels(text string) ([]ModelShare, error) {
	var out []ModelShare
	for part := range strings.SplitSeq(text, ",") {
		m, err := ParseModel(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// ParseModel reads one model with its weight. What stands behind a colon and is
// no number belongs to the name, as in llama3:8b.
func ParseModel(text string) (ModelShare, error) {
	m := ModelShare{Model: text, Weight: 1}
	if at := strings.LastIndexAny(text, "=:"); at >= 0 {
		weight, err := strconv.ParseFloat(text[at+1:], 64)
		switch {
		case err == nil:
			m = ModelShare{Model: text[:at], Weight: weight}
		case text[at] == '=':
			return m, fmt.Errorf("model %q: the weight %q is not a number", text[:at], text[at+1:])
		}
	}
	if m.Model == "" {
		return m, fmt.Errorf("a model in %q has no name", text)
	}
	if !(m.Weight > 0) || math.IsInf(m.Weight, 0) {
		return m, fmt.Errorf("model %s: the weight %g must be above 0", m.Model, m.Weight)
	}
	return m, nil
}

// ParseSize reads an image's size such as 512x512.
func ParseSize(text string) (Size, error) {
	w, h, ok := strings.Cut(strings.ToLower(text), "x")
	width, werr := strconv.Atoi(w)
	height, herr := strconv.Atoi(h)
	if !ok || werr != nil || herr != nil {
		return Size{}, fmt.Errorf("%q is not a size such as 512x512", text)
	}
	return Size{width, height}, nil
}
