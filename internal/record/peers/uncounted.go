package peers

import (
	"fmt"

	"assay/internal/record"
)

// dropEstimates takes away token counts of another source where the server
// counted for other requests: an answer without usage beside answers with it
// was often cut off, and an estimate would make its ITL another thing's.
func dropEstimates(requests []record.Request) {
	from := false
	for i := range requests {
		from = from || requests[i].TokensFrom == record.FromUsage && requests[i].OutputTokens != nil
	}
	for i := range requests {
		if r := &requests[i]; from && r.TokensFrom != record.FromUsage {
			r.OutputTokens, r.TokensFrom = nil, record.FromUsage
		}
	}
}

// suspects remarks on answers that the tool counts as successes and for which
// the server never said how many tokens they hold, though for others it did:
// an answer that breaks off in its middle looks so.
func suspects(requests []record.Request, tool string) string {
	counted, not := 0, 0
	for i := range requests {
		switch r := &requests[i]; {
		case !r.OK() || r.Phase != record.Measured:
		case r.OutputTokens != nil:
			counted++
		case len(r.ChunkUS) > 0:
			not++
		}
	}
	if counted == 0 || not == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d answers that %s counts as successes have no usage, though the others have: they may have broken off", not, counted+not, tool)
}

// clientCounted is said of tokens where no answer has usage.
const clientCounted = "the tokens are counted by the client's tokenizer, for no answer has usage"

// uncounted reports requests of which the server counted the tokens of none.
func uncounted(requests []record.Request) bool {
	client := false
	for i := range requests {
		if r := &requests[i]; r.OK() && r.OutputTokens != nil {
			if r.TokensFrom != record.FromTokenize {
				return false
			}
			client = true
		}
	}
	return client
}
