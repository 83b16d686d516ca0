package predict

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"sync"
)

// published are measurements that ship with the tool; points/README.md says whose.
//
//go:embed points/serving.csv
var published []byte

// PublishedHash is the SHA-256 of the measurements that ship with the tool.
func PublishedHash() string {
	sum := sha256.Sum256(published)
	return hex.EncodeToString(sum[:])
}

// thin are measurements on chips of which little is measured; points/thin_chips.md
// says whose. The fit does not see them.
//
//go:embed points/thin_chips.csv
var thin []byte

// Published returns the measurements that ship with the tool.
var Published = sync.OnceValue(func() []Row { return rowsOf("points/serving.csv", published) })

// ThinChips returns those on chips of which little is measured.
var ThinChips = sync.OnceValue(func() []Row { return rowsOf("points/thin_chips.csv", thin) })

func rowsOf(name string, data []byte) []Row {
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err)) // a test reads it
	}
	h, err := NewHeader(records[0])
	if err != nil {
		panic(err)
	}
	out := make([]Row, 0, len(records)-1)
	for i, record := range records[1:] {
		r, err := h.Row(record)
		if err != nil {
			panic(fmt.Sprintf("%s, line %d: %v", name, i+2, err))
		}
		out = append(out, r)
	}
	return out
}
