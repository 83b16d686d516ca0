package bench

import (
	"fmt"

	"assay/internal/record"
)

const (
	// cacheSlack is the share of a prompt by which hits may exceed what prompts
	// share by intent: words that begin two texts alike by chance, and other
	// traffic's few requests. Ours.
	cacheSlack = 0.02
	// templateUnknown is taken for a chat template whose length is not known,
	// tokens: the default system prompts of common models stay below it. Ours.
	templateUnknown = 64
	// fewHits is the part of a shared prefix below which a cache served none of
	// it. Ours.
	fewHits = 0.1
)

// cacheOf says what a prefix cache had to do with a level.
func cacheOf(l record.Level, in Recorded, measured []*record.Request) *record.Cache {
	c := &record.Cache{Expected: l.Reuse, Repeated: in.Repeated, Reset: in.CacheReset, CachedTokens: l.Cached, CachedShare: cachedShare(measured)}
	if s := l.Server; s != nil && s.PrefixHits != nil && s.PrefixQueries != nil && *s.PrefixQueries > 0 {
		share := *s.PrefixHits / *s.PrefixQueries
		c.PrefixHitShare = &share
	}
	c.ExpectedShare = explained(l, in)
	c.Verdict, c.Why = judgeCache(c, l, in)
	return c
}

// cachedShare is of all prompts whose length is known, once any answer says what
// was cached: engines leave the count out where it is 0, as SGLang does.
func cachedShare(measured []*record.Request) *float64 {
	var cached, prompt float64
	said := false
	for _, r := range measured {
		if !r.OK() || r.PromptTokens == nil {
			continue
		}
		prompt += float64(*r.PromptTokens)
		if r.CachedTokens != nil {
			said = true
			cached += float64(*r.CachedTokens)
		}
	}
	if !said || prompt == 0 {
		return nil
	}
	share := cached / prompt
	return &share
}

// explained is the share of a mean prompt that all prompts begin with: the
// template, and a prefix where one is shared on purpose. nil where prompts share
// what a file makes them.
func explained(l record.Level, in Recorded) *float64 {
	if l.Got.Prompt == nil || *l.Got.Prompt <= 0 {
		return nil
	}
	common := float64(in.TemplateTokens)
	if in.TemplateTokens == 0 {
		common = templateUnknown
	}
	switch l.Reuse {
	case record.ReuseNone:
	case record.ReusePrefix:
		common += float64(in.Plan.Scenario.SharedPrefix)
	default:
		return nil
	}
	share := min(common / *l.Got.Prompt, 1)
	return &share
}

// judgeCache compares what was cached with what the prompts share. The answers'
// own counts come first: the engine's hold other traffic too.
func judgeCache(c *record.Cache, l record.Level, in Recorded) (verdict, why string) {
	share, source := c.CachedShare, "the answers"
	if share == nil {
		share, source = c.PrefixHitShare, "the engine"
	}
	switch {
	case c.Repeated > 0:
		return record.CacheRepeated, fmt.Sprintf("%d prompts came a second time: a prefix cache may have served them", c.Repeated)
	case share == nil:
		return record.CacheUnknown, "neither the answers nor the engine's metrics say what was cached"
	case c.ExpectedShare == nil:
		return record.CacheAsExpected, ""
	case *share > *c.ExpectedShare+cacheSlack:
		return record.CacheUnexpected, fmt.Sprintf(
			"by %s %.0f %% of the prompt tokens came from the prefix cache, where the prompts share %.0f %% at most: something else asks the same, or prompts are not as unlike as they should be; TTFT and throughput flatter the server",
			source, 100**share, 100**c.ExpectedShare)
	case l.Reuse == record.ReusePrefix && *share**l.Got.Prompt < fewHits*float64(in.Plan.Scenario.SharedPrefix):
		return record.CacheNoHits, fmt.Sprintf(
			"prompts share %d tokens, and by %s %.0f %% of the prompt tokens came from the prefix cache: it is off, or holds too little",
			in.Plan.Scenario.SharedPrefix, source, 100**share)
	}
	return record.CacheAsExpected, ""
}

// resetCache empties the engine's prefix cache before a level where the user
// asked for it, and reports whether it could.
func (s *session) resetCache(p PlannedLevel) bool {
	if !s.opt.ResetCache {
		return false
	}
	if err := s.target.client.ResetCache(s.hard); err != nil {
		s.note("%s: the prefix cache could not be emptied before it: %v", p.ID, err)
		return false
	}
	return true
}
