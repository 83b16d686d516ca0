package lint

import (
	"unicode/utf8"

	"assay/internal/lint/source"
)

// mostText bounds the line that a finding keeps, bytes: more than a terminal shows.
const mostText = 400

// textOf is a line as a finding keeps it.
func textOf(file *source.File, line int) string {
	text := file.Line(line)
	if len(text) <= mostText {
		return string(text)
	}
	end := mostText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end])
}

// place adds the line's text, and leads rendered text back to what is edited.
func place(f *Finding, file *source.File) {
	f.read = f.Place()
	if file == nil {
		return
	}
	f.Text = textOf(file, f.Line)
	f.Rendered = file.Rendered
	if file.Origin == nil {
		return
	}
	if at, ok := file.Origin(f.Line, f.Column); ok {
		f.File, f.Line, f.Column, f.Rendered = at.File, at.Line, at.Column, false
	}
}
