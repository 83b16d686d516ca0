package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// wekaBlock is the tokens of a block where a conversation does not say it.
const wekaBlock = 64

// wekaConversation is a conversation of an agent, as WEKA's cache tester records
// it. Each request holds the whole prompt so far. Only full blocks have ids.
type wekaConversation struct {
	ID          string          `json:"id"`
	BlockSize   int             `json:"block_size"`
	HashIDScope string          `json:"hash_id_scope"` // local, the default: of this conversation; or global
	Requests    []wekaRequest   `json:"requests"`
	Models      json.RawMessage `json:"models"`
}

// wekaRequest is a request of a conversation, or an agent below it with requests
// of its own.
type wekaRequest struct {
	T         float64       `json:"t"` // s
	Type      string        `json:"type"`
	Model     string        `json:"model"`
	In        *int          `json:"in"`
	Out       *int          `json:"out"`
	HashIDs   blockIDs      `json:"hash_ids"`
	APITime   *float64      `json:"api_time"`   // s
	TTFT      *float64      `json:"ttft"`       // s
	ThinkTime *float64      `json:"think_time"` // s
	AgentID   string        `json:"agent_id"`
	Requests  []wekaRequest `json:"requests"`
}

const wekaSubagent = "subagent"

// maxNested bounds agents below agents.
const maxNested = 16

func newWEKA(s source) parser {
	n := 0
	return func(record []byte) ([]Row, error) {
		var c wekaConversation
		if err := decode(record, &c); err != nil {
			return nil, err
		}
		n++
		c.ID = cmp.Or(c.ID, strconv.Itoa(n))
		c.BlockSize = cmp.Or(s.blockSize, c.BlockSize, wekaBlock)
		if c.BlockSize < 0 {
			return nil, fmt.Errorf("block_size is %d: must be above 0", c.BlockSize)
		}
		rows, err := c.session(c.ID, c.Requests, 0, 0)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, errNoPrompt
		}
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(*a.At, *b.At) })
		return rows, nil
	}
}

// session are the requests of one agent and of those below it, each agent a
// session with a cache of its own.
func (c wekaConversation) session(id string, requests []wekaRequest, from float64, depth int) ([]Row, error) {
	if depth > maxNested {
		return nil, fmt.Errorf("agents nested more than %d deep", maxNested)
	}
	var rows []Row
	turn := 0
	for i, r := range requests {
		if r.Type == wekaSubagent {
			below, err := c.session(fmt.Sprintf("%s/%s", id, cmp.Or(r.AgentID, strconv.Itoa(i))), r.Requests, since(from+r.T, r.Requests), depth+1)
			if err != nil {
				return nil, err
			}
			rows = append(rows, below...)
			continue
		}
		row, err := c.row(r, from)
		if err != nil {
			return nil, fmt.Errorf("request %d of %s: %w", i+1, id, err)
		}
		row.Session, row.Turn = id, turn
		if c.HashIDScope != "global" {
			row.Scope = id
		}
		turn++
		rows = append(rows, row)
	}
	return rows, nil
}

// since is where the clock of an agent's requests begins: some sets count from
// the agent's own start, some from the conversation's.
func since(start float64, requests []wekaRequest) float64 {
	if len(requests) > 0 && requests[0].T < start {
		return start
	}
	return 0
}

func (c wekaConversation) row(r wekaRequest, from float64) (Row, error) {
	row := Row{Model: r.Model, PromptTokens: r.In, OutputTokens: r.Out, Clock: c.ID}
	if err := errors.Join(tokens("in", r.In), tokens("out", r.Out)); err != nil {
		return row, err
	}
	if len(r.HashIDs) > 0 {
		row.Blocks, row.BlockSize = r.HashIDs, c.BlockSize
	}
	var err error
	for _, f := range []struct {
		what string
		from *float64
		to   **time.Duration
	}{
		{"t", new(from + r.T), &row.At}, {"api_time", r.APITime, &row.Latency},
		{"ttft", r.TTFT, &row.TTFT}, {"think_time", r.ThinkTime, &row.Delay},
	} {
		if *f.to, err = optional(f.what, f.from, time.Second); err != nil {
			return row, err
		}
	}
	return row, nil
}
