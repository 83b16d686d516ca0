package trace

import (
	"errors"
	"strconv"
	"time"
)

// bailianBlock is the tokens of a block of Alibaba's Bailian traces.
const bailianBlock = 16

// bailian is a row of Bailian's: like Mooncake's, but in seconds, and with the
// request that it follows.
type bailian struct {
	ChatID       int64    `json:"chat_id"`
	Parent       int64    `json:"parent_chat_id"` // -1: none
	Timestamp    *float64 `json:"timestamp"`      // s
	InputLength  *int     `json:"input_length"`
	OutputLength *int     `json:"output_length"`
	HashIDs      blockIDs `json:"hash_ids"`
}

func newBailian(s source) parser {
	block, roots, seen := bailianBlock, map[int64]int64{}, sessions{}
	if s.blockSize > 0 {
		block = s.blockSize
	}
	return func(record []byte) ([]Row, error) {
		b := bailian{Parent: -1}
		if err := decode(record, &b); err != nil {
			return nil, err
		}
		row := Row{PromptTokens: b.InputLength, OutputTokens: b.OutputLength}
		if err := errors.Join(tokens("input_length", b.InputLength), tokens("output_length", b.OutputLength)); err != nil {
			return nil, err
		}
		if b.InputLength == nil {
			return nil, errors.New(`the row has no "input_length"`)
		}
		if len(b.HashIDs) > 0 {
			row.Blocks, row.BlockSize = b.HashIDs, block
			row.PartialBlock = len(b.HashIDs)*block > *b.InputLength
		}
		root, known := roots[b.Parent]
		if !known {
			root = b.ChatID
		}
		if len(roots) < maxSessions {
			roots[b.ChatID] = root
		}
		row.Session = strconv.FormatInt(root, 10)
		var err error
		if row.Turn, err = seen.turn(row.Session); err != nil {
			return nil, err
		}
		row.At, err = optional("timestamp", b.Timestamp, time.Second)
		return one(row, err)
	}
}
