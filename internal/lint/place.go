package lint

import (
	"unicode/utf8"

	"assay/internal/lint/source"
)

// mostText bounds the part of a line that a finding keeps, bytes: more than a terminal
// shows. Where what it points at lies past it, leadText of it stand before that.
const (
	mostText = 400
	leadText = 100
)

// textOf is a line as a finding that points at a column keeps it, and the column at
// which that begins.
func textOf(file *source.File, line, column int) (string, int) {
	text := file.Line(line)
	begin := 0
	if at := bytesOf(text, column); at > mostText-leadText {
		begin = wholeRune(text, at-leadText)
	}
	end := len(text)
	if end > begin+mostText {
		end = wholeRune(text, begin+mostText)
	}
	return string(text[begin:end]), utf8.RuneCount(text[:begin]) + 1
}

// wholeRune is the offset of the character that an offset lies in.
func wholeRune(text []byte, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// place adds the line's text, and leads rendered text back to what is edited.
func place(f *Finding, file *source.File) {
	f.read = f.Place()
	if file == nil {
		return
	}
	f.Text, f.Begin = textOf(file, f.Line, f.Column)
	f.Rendered, f.named = file.Rendered, file.Named
	if file.Origin == nil {
		return
	}
	if at, ok := file.Origin(f.Line, f.Column); ok {
		f.File, f.Line, f.Column, f.Rendered, f.edited = at.File, at.Line, at.Column, false, file.Edited
	}
}
