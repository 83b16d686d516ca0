package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"assay/internal/spec"
)

// trafficFlags are the flags of what requests are like beyond their lengths.
type trafficFlags struct {
	replay, speed                string
	spread, sessions             bool
	turns, turnISL               string
	thinkTime, thinkBy, history  string
	prefixGroups, images         int
	prefixSkew                   float64
	models, imageSize, imageKind string
}

func (f *trafficFlags) add(p *pflag.FlagSet) {
	p.StringVar(&f.replay, "replay", "", "of a dataset: timestamps sends each row at its own time (an open loop), lengths (default) by --concurrency or --request-rate")
	p.StringVar(&f.speed, "speed", "", "with --replay timestamps: how much faster than recorded, one level each, such as 1,2,4")
	p.BoolVar(&f.spread, "replay-spread", false, "with --replay timestamps: spread requests that share a tick of a coarse clock over it")
	p.BoolVar(&f.sessions, "sessions", false, "play a dataset's conversations turn by turn, each after the answer before; --concurrency then counts sessions in progress, and --request-rate still requests: sessions begin at it over their mean turns")
	p.StringVar(&f.turns, "turns", "", "synthetic sessions of so many turns, such as 5; counted as with --sessions")
	p.StringVar(&f.turnISL, "turn-isl", "", "tokens that each turn after the first adds to what was said (default: --isl)")
	p.StringVar(&f.thinkTime, "think-time", "", "mean time between an answer's end and the next turn, such as 2s, where the dataset does not say it (default: none)")
	p.StringVar(&f.thinkBy, "think-spread", "", "of --think-time: exponential (default) or fixed")
	p.StringVar(&f.history, "history", "", "what turns repeat: answered, the server's own answers (default), or recorded, the dataset's")
	p.IntVar(&f.prefixGroups, "prefix-groups", 0, "so many different prefixes of --shared-prefix tokens, of which each prompt has one")
	p.Float64Var(&f.prefixSkew, "prefix-skew", 0, "Zipf's exponent of the groups' shares; 0: all alike")
	p.StringVar(&f.models, "models", "", "models, such as LoRA adapters, that requests ask for by weight: base=2,lora-a,lora-b")
	p.IntVar(&f.images, "images", 0, "synthetic images in each prompt, no two alike")
	p.StringVar(&f.imageSize, "image-size", "", "their size in pixels (default: 512x512); with a dataset that counts images, sends as many as it says")
	p.StringVar(&f.imageKind, "image-format", "", "png (default) or jpeg")
}

// traffic is what the flags say of a scenario's traffic.
func (f *trafficFlags) traffic() (spec.Traffic, error) {
	t := spec.Traffic{
		Replay: f.replay, ReplaySpread: f.spread, Sessions: f.sessions, ThinkSpread: f.thinkBy, History: f.history,
		PrefixGroups: f.prefixGroups, PrefixSkew: f.prefixSkew, Images: f.images, ImageFormat: f.imageKind,
	}
	var err error
	if t.Speed, err = numbers(f.speed, "--speed", parseFloat); err != nil {
		return t, err
	}
	if t.Turns, err = oneLength(f.turns, "--turns"); err != nil {
		return t, err
	}
	if t.TurnPrompt, err = oneLength(f.turnISL, "--turn-isl"); err != nil {
		return t, err
	}
	if t.ThinkTime, err = optionalDuration(f.thinkTime, "--think-time"); err != nil {
		return t, err
	}
	if f.models != "" {
		if t.Models, err = spec.ParseModels(f.models); err != nil {
			return t, fmt.Errorf("--models: %w", err)
		}
	}
	if f.imageSize != "" {
		if t.ImageSize, err = spec.ParseSize(f.imageSize); err != nil {
			return t, fmt.Errorf("--image-size: %w", err)
		}
	}
	return t, nil
}

func oneLength(text, flag string) (spec.Lengths, error) {
	list, err := numbers(text, flag, strconv.Atoi)
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("%s %s: give one number", flag, text)
	}
	return lengths(list, 0), err
}
