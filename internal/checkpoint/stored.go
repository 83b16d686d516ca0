package checkpoint

import "assay/internal/model"

// Stored are the bytes of a model's weights on disk, scales and zero points with
// the part that they belong to.
type Stored struct {
	Bytes model.Counts // by part; draft layers apart from the total
	Other int64        // of tensors whose names say no part
	// Elements are the numbers stored, scales and packed words as they lie; 0:
	// not known, as of an index without its shards.
	Elements int64
	Tensors  int
	Unknown  []string // the first names of Other
	// ByRule says that only the sum was read, and that the parts are the
	// architecture's, scaled to it.
	ByRule bool
}

// Total is the size of all weights but draft layers.
func (s *Stored) Total() int64 { return s.Bytes.Total() + s.Other }

// Parts are the bytes by part, Other with the projections: what is not known is
// most likely a matrix of the layers, and is divided as they are.
func (s *Stored) Parts() *model.Counts {
	parts := s.Bytes
	parts[model.Projection] += s.Other
	return &parts
}

// mostNamed is how many names of unknown tensors are kept for a remark.
const mostNamed = 5

func store(tensors []tensor) *Stored {
	s := &Stored{Tensors: len(tensors)}
	parts := newNames(tensors)
	for _, t := range tensors {
		s.Elements += t.elements()
		if p, ok := parts.of(t.name); ok {
			s.Bytes[p] += t.bytes
			continue
		}
		s.Other += t.bytes
		if len(s.Unknown) < mostNamed {
			s.Unknown = append(s.Unknown, t.name)
		}
	}
	return s
}

// byRule divides a sum as the architecture's weights are divided.
func byRule(total int64, a model.Arch, draft bool) *Stored {
	counts := a.Counts()
	if !draft {
		counts[model.Draft] = 0
	}
	rule := 0.0
	for p, n := range counts {
		rule += float64(n) * a.Format.Width(model.Part(p))
	}
	s := &Stored{ByRule: true}
	for p, n := range counts {
		s.Bytes[p] = int64(float64(n) * a.Format.Width(model.Part(p)) / rule * float64(total))
	}
	return s
}
