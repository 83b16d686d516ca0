package trace

import (
	"errors"
	"strconv"
)

// blockIDs are the ids of a prompt's blocks. They are read by hand: there are
// thousands in a row, and a general decoder takes most of the time for them.
type blockIDs []uint64

// UnmarshalJSON reads a list of whole numbers; negative ones keep their bits.
func (b *blockIDs) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if len(raw) < 2 || raw[0] != '[' {
		return errors.New("block ids are not a list")
	}
	ids := make(blockIDs, 0, len(raw)/6)
	for i := 1; i < len(raw); {
		switch c := raw[i]; {
		case c == ',' || c == ']' || c <= ' ':
			i++
		default:
			end := i
			for end < len(raw) && raw[end] != ',' && raw[end] != ']' && raw[end] > ' ' {
				end++
			}
			id, err := blockID(string(raw[i:end]))
			if err != nil {
				return err
			}
			ids = append(ids, id)
			i = end
		}
	}
	*b = ids
	return nil
}

func blockID(s string) (uint64, error) {
	if id, err := strconv.ParseUint(s, 10, 64); err == nil {
		return id, nil
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, errors.New("block id " + strconv.Quote(s[:min(len(s), 40)]) + " is not a whole number")
	}
	return uint64(id), nil
}
