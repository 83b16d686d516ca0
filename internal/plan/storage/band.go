package storage

import "strconv"

// Band is the choice by size alone: gp3 below 500 GB, EFS to 10 TB, FSx above. It
// is a habit of practice, and holds where nothing but a size is asked.
type Band struct {
	ID        Kind   `json:"id"`
	Text      string `json:"text"`
	Overruled bool   `json:"overruled"`
	Why       string `json:"why"` // why it was overruled
}

const (
	smallBand = 500e9
	largeBand = 10e12
)

func bandOf(size int64) Band {
	switch {
	case float64(size) < smallBand:
		return Band{ID: GP3, Text: "below 500 GB: EBS gp3"}
	case float64(size) <= largeBand:
		return Band{ID: EFSElastic, Text: "500 GB to 10 TB: EFS"}
	}
	return Band{ID: Persistent2, Text: "above 10 TB: FSx for Lustre"}
}

// overrule says why the band's choice is not the one recommended.
func (b *Band) overrule(choice *Option, all []Option, r Request) {
	if choice != nil && choice.ID == b.ID {
		return
	}
	b.Overruled = true
	for _, o := range all {
		if o.ID != b.ID {
			continue
		}
		switch {
		case len(o.Why) > 0:
			b.Why = o.Why[0]
		case choice != nil && choice.Total != nil && o.Total != nil:
			b.Why = choice.Name + " meets it for " + dollars(o.Total.Mid-choice.Total.Mid) + " a month less"
		default:
			b.Why = "another meets what was asked with more certainty"
		}
	}
}

// dollars prints whole dollars, with a comma between thousands.
func dollars(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return "$" + s
}
