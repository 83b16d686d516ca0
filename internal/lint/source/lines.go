package source

import (
	"bytes"
	"sync"
)

// lines finds lines of a text; the table is made when the first is asked for.
type lines struct {
	once   sync.Once
	starts []int32 // offsets in the body, ascending
}

// Line is a line of the text without its end; lines count from 1, one that is not
// there is empty. A body of more than 2 GiB is never read.
func (f *File) Line(n int) []byte {
	f.lines.once.Do(func() { f.lines.starts = startsOf(f.Body) })
	if n < 1 || n > len(f.lines.starts) {
		return nil
	}
	line := f.Body[f.lines.starts[n-1]:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return bytes.TrimSuffix(line, []byte("\r"))
}

// Lines is how many lines the text has.
func (f *File) Lines() int {
	f.lines.once.Do(func() { f.lines.starts = startsOf(f.Body) })
	return len(f.lines.starts)
}

// Offset is where a line and a column in bytes lie in the body; what is past the end
// is its end.
func (f *File) Offset(line, column int) int {
	if n := f.Lines(); line < 1 || line > n {
		return len(f.Body)
	}
	return min(int(f.lines.starts[line-1])+max(0, column-1), len(f.Body))
}

func startsOf(body []byte) []int32 {
	starts := make([]int32, 0, bytes.Count(body, []byte("\n"))+1)
	for at := 0; at < len(body); {
		starts = append(starts, int32(at))
		i := bytes.IndexByte(body[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return starts
}
