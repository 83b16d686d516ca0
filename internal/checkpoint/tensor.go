package checkpoint

import (
	"fmt"
	"math"
	"math/bits"
)

// tensor is what a header says of one tensor. Its shape is as stored: packed
// formats hold several parameters in one element.
type tensor struct {
	name  string
	dtype string
	shape []uint64
	bytes int64
}

// elements is the product of the shape; it was checked when the header was read.
func (t tensor) elements() int64 {
	n, _ := product(t.shape)
	return int64(n)
}

// Bounds on one header, far above any model's: DeepSeek-V3 has 91,991 tensors
// over all shards, the widest names some 100 characters.
const (
	mostTensors    = 1 << 20
	mostDimensions = 8
	mostNameBytes  = 1 << 10
)

// product is the number of elements of a shape. The error is of one that no
// file can hold.
func product(shape []uint64) (uint64, error) {
	n := uint64(1)
	for _, d := range shape {
		high, low := bits.Mul64(n, d)
		if high != 0 || low > math.MaxInt64/8 {
			return 0, fmt.Errorf("shape %v is larger than any file", shape)
		}
		n = low
	}
	return n, nil
}
