package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Folder is a run read back. Run is run.json as it stands; after a kill it
// lacks the levels that had not ended, but the JSONL files have their lines.
type Folder struct {
	Dir string
	Run Run
}

// Open reads a run folder's run.json. The error names the file and says what
// a run folder is where dir is not one.
func Open(dir string) (*Folder, error) {
	path := filepath.Join(dir, RunFile)
	b, err := ReadFile(path, mostRunBytes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s is not a run folder: it has no %s (assay bench writes one, see --out)", dir, RunFile)
	}
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	f := &Folder{Dir: dir}
	if f.Run, err = ParseRun(b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Run.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %q, this assay reads %q", path, f.Run.Schema, Schema)
	}
	if spec := string(f.Run.Spec); f.Run.End == nil && (spec == "" || spec == "null") {
		return nil, fmt.Errorf("%s: it has neither an end nor a spec: without the spec the levels of a run that was cut short cannot be told from its lines", path)
	}
	return f, nil
}

// Check reads every line of the folder's files and gives the first error, with
// its file and line.
func (f *Folder) Check() error {
	return errors.Join(
		f.EachRequest(func(Request) error { return nil }),
		eachLine(filepath.Join(f.Dir, MetricsFile), func(MetricsSample) error { return nil }),
		eachLine(filepath.Join(f.Dir, ClientFile), func(ClientSample) error { return nil }),
	)
}

// EachRequest calls fn for each line of requests.jsonl, in the order in which
// the requests ended. A last line that a kill cut off is left out.
func (f *Folder) EachRequest(fn func(Request) error) error {
	return eachLine(filepath.Join(f.Dir, RequestsFile), fn)
}

// Requests is EachRequest as a slice.
func (f *Folder) Requests() ([]Request, error) { return collect[Request](f.Dir, RequestsFile) }

// ClientSamples reads client.jsonl.
func (f *Folder) ClientSamples() ([]ClientSample, error) {
	return collect[ClientSample](f.Dir, ClientFile)
}

// MetricsSamples reads metrics.jsonl.
func (f *Folder) MetricsSamples() ([]MetricsSample, error) {
	return collect[MetricsSample](f.Dir, MetricsFile)
}

func collect[T any](dir, file string) ([]T, error) {
	var out []T
	err := eachLine(filepath.Join(dir, file), func(v T) error {
		out = append(out, v)
		return nil
	})
	return out, err
}

func eachLine[T any](path string, fn func(T) error) error {
	file, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<20)
	var line []byte
	for n := 1; ; n++ {
		line, err = readLine(r, line[:0])
		if err == io.EOF {
			return nil // a line without its end was cut off by a kill
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if err := fn(v); err != nil {
			return err
		}
	}
}

// readLine appends the next line to buf, with its end.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		if len(buf) > mostLineBytes {
			return buf, fmt.Errorf("the line is longer than %s", bytesName(mostLineBytes))
		}
		if err != bufio.ErrBufferFull {
			return buf, err
		}
	}
}
