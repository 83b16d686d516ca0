package spec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// IsZero reports whether no length was given.
func (l Lengths) IsZero() bool {
	return l.Mean == 0 && l.Max == 0 && len(l.Choices) == 0
}

// Fixed is a constant length.
func Fixed(n int) Lengths { return Lengths{Mean: float64(n)} }

// Sample draws one length in tokens, at least 1.
func (l Lengths) Sample(rng *rand.Rand) int {
	if len(l.Choices) > 0 {
		return max(1, l.Choices[rng.IntN(len(l.Choices))])
	}
	if l.Mean == 0 && l.Max > 0 {
		return max(1, l.Min+rng.IntN(l.Max-l.Min+1))
	}
	x := l.Mean
	if l.Stddev > 0 {
		x += l.Stddev * rng.NormFloat64()
	}
	n := int(math.Round(x))
	if l.Max > 0 {
		n = min(n, l.Max)
	}
	return max(1, l.Min, n)
}

// Expected is the mean length, the cuts at Min and Max left out of account.
func (l Lengths) Expected() float64 {
	if len(l.Choices) > 0 {
		sum := 0
		for _, c := range l.Choices {
			sum += c
		}
		return float64(sum) / float64(len(l.Choices))
	}
	if l.Mean == 0 && l.Max > 0 {
		return float64(l.Min+l.Max) / 2
	}
	return l.Mean
}

// Largest is the longest length that Sample can be expected to draw: a
// thousandth of the normal's draws exceed it where no Max cuts them.
func (l Lengths) Largest() int {
	largest := 0
	for _, c := range l.Choices {
		largest = max(largest, c)
	}
	if largest > 0 {
		return largest
	}
	if l.Max > 0 {
		return l.Max
	}
	return int(min(math.Ceil(l.Mean+3.1*l.Stddev), math.MaxInt32))
}

func (l Lengths) String() string {
	switch {
	case len(l.Choices) > 0:
		return fmt.Sprintf("one of %v", l.Choices)
	case l.Mean == 0 && l.Max > 0:
		return fmt.Sprintf("%d-%d", l.Min, l.Max)
	case l.Stddev > 0:
		return fmt.Sprintf("%g±%g", l.Mean, l.Stddev)
	default:
		return strconv.FormatFloat(l.Mean, 'g', -1, 64)
	}
}

// validate names what is wrong with the lengths, or "".
func (l Lengths) validate() string {
	switch {
	case math.IsNaN(l.Mean+l.Stddev) || math.IsInf(l.Mean+l.Stddev, 0):
		return "a length must be a finite number"
	case l.Mean < 0 || l.Stddev < 0 || l.Min < 0 || l.Max < 0:
		return "a length cannot be negative"
	case l.Max > 0 && l.Min > l.Max:
		return fmt.Sprintf("min %d is above max %d", l.Min, l.Max)
	case l.Mean == 0 && l.Max == 0 && len(l.Choices) == 0:
		return "a length must be at least 1 token"
	case l.Largest() > maxLength:
		return fmt.Sprintf("a length of %d tokens is above %d", l.Largest(), maxLength)
	}
	return ""
}

// maxLength bounds a typing error, not a model: four million tokens.
const maxLength = 4_000_000
