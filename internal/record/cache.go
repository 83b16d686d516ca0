package record

// Cache is what a prefix cache had to do with a level, against what its prompts
// share by intent. nil means not known.
type Cache struct {
	// CachedTokens of the measured prompts by the usage of their answers, and
	// their share of these prompts' tokens.
	CachedTokens *int64   `json:"cached_tokens"`
	CachedShare  *float64 `json:"cached_share"`
	// PrefixHitShare is the engine's own: hits over queries in tokens, of all that
	// it served within the level, warm-up included.
	PrefixHitShare *float64 `json:"prefix_hit_share"`
	Expected       string   `json:"expected"` // none, prefix, session, trace or dataset: as the level's reuse
	// ExpectedShare is the most that the prompts' common beginning explains.
	ExpectedShare *float64 `json:"expected_share"`
	Repeated      int      `json:"repeated_prompts"` // prompts that a dataset gave a second time
	Reset         bool     `json:"reset"`            // the cache was emptied before the level
	Verdict       string   `json:"verdict"`
	Why           string   `json:"why,omitempty"`
}

// Verdicts of Cache.
const (
	CacheAsExpected = "as-expected"
	CacheUnexpected = "unexpected-hits" // more was cached than the prompts share by intent
	CacheNoHits     = "no-hits"         // prompts share a prefix and the cache served none of it
	CacheRepeated   = "repeated-prompts"
	CacheUnknown    = "unknown"
)
