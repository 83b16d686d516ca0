package report

import (
	"fmt"

	"assay/internal/record"
)

// cacheWarnings say which levels a prefix cache served more than their prompts
// share by intent.
func cacheWarnings(run record.Run) []string {
	var out []string
	for _, g := range groups(run.Levels) {
		var at []string
		var share, explained float64
		for _, l := range g.Levels {
			c := l.Cache
			if c == nil || c.Verdict != record.CacheUnexpected {
				continue
			}
			at = append(at, g.name(l))
			if s := cacheShare(c); s != nil && *s > share {
				share, explained = *s, value(c.ExpectedShare)
			}
		}
		if len(at) > 0 {
			out = append(out, fmt.Sprintf("Prompts that should be new to the server came from its prefix cache, %s, %s: up to %s %% of their tokens, where what they share explains %s %%. "+
				"TTFT and throughput flatter the server: something else asks the same, or the prompts are not as unlike as they should be.",
				plain(g.Scenario), some(at), short(100*share), short(100*explained)))
		}
	}
	return out
}

// cacheShare is what was cached by the answers' own count, or the engine's.
func cacheShare(c *record.Cache) *float64 {
	if c.CachedShare != nil {
		return c.CachedShare
	}
	return c.PrefixHitShare
}

// cacheCells are a level's cells in the table of tokens.
func cacheCells(l record.Level) []cellView {
	c := l.Cache
	if c == nil {
		return []cellView{{Text: none}, {Text: none}, {Text: none, Left: true}}
	}
	verdict := cellView{Text: cacheWord(c), Left: true, Tip: plain(c.Why)}
	if c.Verdict == record.CacheUnexpected {
		verdict.Tone = record.Missed
	}
	return []cellView{numberCell(percent(c.CachedShare)), numberCell(percent(c.PrefixHitShare)), verdict}
}

func cacheWord(c *record.Cache) string {
	word := map[string]string{record.CacheAsExpected: "as expected", record.CacheUnexpected: "unexpected hits", record.CacheNoHits: "no hits",
		record.CacheRepeated: "repeated prompts", record.CacheUnknown: "not known"}[c.Verdict]
	if word == "" {
		word = plain(c.Verdict)
	}
	if c.Reset {
		word += ", emptied before"
	}
	return word
}
