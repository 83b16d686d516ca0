// Package source reads what is linted into documents whose positions hold in the file
// that a user edits: line and column count from 1, over all documents of a stream.
//
// A stream is cut at its document markers before it is parsed, so that one broken
// document leaves the others readable, and that files are read by several workers.
// What cannot be read is a Problem with a place, never an end of the whole.
//
//	for _, c := range file.Chunks() {
//		doc, problems := c.Parse()
//	}
package source
