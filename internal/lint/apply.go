package lint

import (
	"cmp"
	"slices"

	"assay/internal/lint/source"
)

// cutting is an edit with its place in a body.
type cutting struct {
	begin, end int
	text       string
}

// Apply makes the changes of several findings in a file's text and says how many of
// them were made. Those of one finding are made together or not at all: not where they
// overlap with those of one before, nor where the text is no longer what was judged.
func Apply(body []byte, findings [][]Edit) (mended []byte, made int) {
	f := &source.File{Body: body}
	var all []cutting
	for _, edits := range findings {
		cuts, ok := cuttings(f, edits)
		if !ok || slices.ContainsFunc(cuts, func(c cutting) bool { return slices.ContainsFunc(all, c.meets) }) {
			continue
		}
		all = append(all, cuts...)
		made++
	}
	slices.SortStableFunc(all, func(a, b cutting) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	at := 0
	for _, c := range all {
		mended = append(mended, body[at:c.begin]...)
		mended = append(mended, c.text...)
		at = c.end
	}
	return append(mended, body[at:]...), made
}

// cuttings are the places of one finding's edits; ok is false where they overlap
// among themselves or the text is another.
func cuttings(f *source.File, edits []Edit) (all []cutting, ok bool) {
	for _, e := range edits {
		c := cutting{f.Offset(e.Line, e.Column), f.Offset(e.EndLine, e.EndColumn), e.New}
		if c.end < c.begin || string(f.Body[c.begin:c.end]) != e.Old || slices.ContainsFunc(all, c.meets) {
			return nil, false
		}
		all = append(all, c)
	}
	return all, len(all) > 0
}

// meets says that two changes touch the same text, or insert at the same place.
func (c cutting) meets(d cutting) bool {
	if c.begin == d.begin {
		return true
	}
	return c.begin < d.end && d.begin < c.end
}
