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

// Published returns the measurements that ship with the tool.
var Published = sync.OnceValue(func() []Row {
	records, err := csv.NewReader(bytes.NewReader(published)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("points/serving.csv: %v", err)) // a test reads it
	}
	h, err := NewHeader(records[0])
	if err != nil {
		panic(err)
	}
	out := make([]Row, 0, len(records)-1)
	for i, record := range records[1:] {
		r, err := h.Row(record)
		if err != nil {
			panic(fmt.Sprintf("points/serving.csv, line %d: %v", i+2, err))
		}
		out = append(out, r)
	}
	return out
})
