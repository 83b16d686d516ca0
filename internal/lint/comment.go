package lint

import (
	"bytes"
	"regexp"
	"strings"

	"assay/internal/lint/source"
)

// ignoring is a comment that leaves out findings of the line in which it stands, or of
// the next one with content where it stands alone:
//
//	# assay:ignore RULE[,RULE] reason [until 2027-01-31]
var ignoring = regexp.MustCompile(`(?:^|\s)#\s*assay:ignore\s+([a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*)(.*)$`)

var ignoreWord = []byte("assay:ignore")

// suppressionsOf are those of a document, and of the objects in it.
func suppressionsOf(c source.Chunk, objects []*Object) []*suppression {
	var all []*suppression
	var of Ref
	for i, o := range objects {
		if i == 0 {
			of = o.Ref
		}
		all = append(all, annotationsOf(o)...)
	}
	return append(all, commentsOf(c.File, c.Text, c.Line, of)...)
}

// editedComments are the suppressions in the files that findings in rendered text lead
// back to: rendering drops comments.
func editedComments(findings []Finding) []*suppression {
	var all []*suppression
	seen := map[string]bool{}
	for _, f := range findings {
		if f.edited == nil || seen[f.File] {
			continue
		}
		seen[f.File] = true
		if body := f.edited(f.File); body != nil {
			all = append(all, commentsOf(&source.File{Name: f.File, Body: body}, body, 1, f.Object)...)
		}
	}
	return all
}

// commentsOf are the suppressions in the comments of a text, which begins in a line of
// the file.
func commentsOf(f *source.File, text []byte, first int, of Ref) []*suppression {
	if !bytes.Contains(text, ignoreWord) {
		return nil
	}
	var all []*suppression
	var waiting []*suppression // for a line with content
	line := first
	for raw := range bytes.Lines(text) {
		content := strings.TrimSpace(string(raw))
		m := ignoring.FindStringSubmatchIndex(content)
		alone := strings.HasPrefix(content, "#")
		if content != "" && !alone {
			for _, s := range waiting {
				s.line = line
			}
			waiting = nil
		}
		if m != nil {
			s := commentAt(f, line, 1+bytes.Index(raw, ignoreWord), of)
			s.rules = strings.FieldsFunc(content[m[2]:m[3]], func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
			s.reason, s.until = reasoned(content[m[4]:m[5]])
			all = append(all, s)
			if alone {
				waiting = append(waiting, s)
			}
		}
		line++
	}
	return all
}

func commentAt(f *source.File, line, column int, of Ref) *suppression {
	return &suppression{by: "comment", line: line, at: Spot{source.Place{File: f.Name, Line: line, Column: column}, of, f}}
}
