package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Names of the files of a run folder.
const (
	RunFile      = "run.json"
	RequestsFile = "requests.jsonl"
	MetricsFile  = "metrics.jsonl"
	ClientFile   = "client.jsonl"
	ReportFile   = "report.html"
)

// flushEvery is how long a finished request may wait in memory: what a kill can cost.
const flushEvery = 250 * time.Millisecond

// Writer records a run as it happens. Its methods may be called from any
// goroutine; encoding and writing happen in the Writer's own, so that a caller
// on the measuring path only appends to a slice. The first error sticks and is
// returned by Err and Close.
type Writer struct {
	dir   string
	files [3]*lineFile
	stop  chan struct{}
	done  chan struct{}

	writing sync.Mutex // of the files

	mu      sync.Mutex
	pending [3][]any
	err     error
	failed  chan struct{} // closed with the first error
}

type lineFile struct {
	f *os.File
	w *bufio.Writer
}

// Create makes the run folder and writes run.json. A folder that holds a run
// already, or any file of one, is refused, so that no run overwrites another,
// extends its lines or follows a link out of the folder.
func Create(dir string, run *Run) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make run folder: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, RunFile)); err == nil {
		return nil, fmt.Errorf("%s already holds a run: choose another folder with --out", dir)
	}
	w := &Writer{dir: dir, stop: make(chan struct{}), done: make(chan struct{}), failed: make(chan struct{})}
	if err := w.begin(run); err != nil {
		return nil, errors.Join(err, w.discard())
	}
	go w.loop()
	return w, nil
}

// begin makes the files of the run.
func (w *Writer) begin(run *Run) error {
	for i, name := range []string{RequestsFile, MetricsFile, ClientFile} {
		path := filepath.Join(w.dir, name)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s stands in the way: it is there already, of another run; choose another folder with --out", path)
		}
		if err != nil {
			return fmt.Errorf("make run folder: %w", err)
		}
		w.files[i] = &lineFile{f, bufio.NewWriterSize(f, 64<<10)}
	}
	return w.SaveRun(run)
}

// discard closes and removes what begin had made, so that a second try does
// not meet it.
func (w *Writer) discard() error {
	err := w.closeFiles()
	for _, l := range w.files {
		if l != nil {
			err = errors.Join(err, removeQuietly(l.f.Name()))
		}
	}
	return err
}

// Request appends a line to requests.jsonl.
func (w *Writer) Request(r Request) { w.add(0, r) }

// Metrics appends a line to metrics.jsonl.
func (w *Writer) Metrics(m MetricsSample) { w.add(1, m) }

// Client appends a line to client.jsonl.
func (w *Writer) Client(c ClientSample) { w.add(2, c) }

func (w *Writer) add(file int, line any) {
	w.mu.Lock()
	w.pending[file] = append(w.pending[file], line)
	w.mu.Unlock()
}

// Err is the first error in writing, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Failed is closed when writing has failed, such as on a full disk.
func (w *Writer) Failed() <-chan struct{} { return w.failed }

func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write run folder %s: %w", w.dir, err)
		close(w.failed)
	}
}

func (w *Writer) loop() {
	defer close(w.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.flush()
		case <-w.stop:
			w.flush()
			return
		}
	}
}

// EachRequest is what was written to requests.jsonl so far, read back.
func (w *Writer) EachRequest(fn func(Request) error) error {
	w.flush()
	return (&Folder{Dir: w.dir}).EachRequest(fn)
}

func (w *Writer) flush() {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.mu.Lock()
	pending := w.pending
	w.pending = [3][]any{}
	w.mu.Unlock()
	for i, lines := range pending {
		w.fail(w.files[i].append(lines))
	}
}

func (l *lineFile) append(lines []any) error {
	if len(lines) == 0 {
		return nil
	}
	for _, v := range lines {
		b, err := marshal(v)
		if err != nil {
			return err
		}
		if _, err := l.w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return l.w.Flush()
}

// SaveRun replaces run.json atomically: a reader sees the old one or the new
// one, whole.
func (w *Writer) SaveRun(run *Run) error {
	return SaveRun(w.dir, run)
}

// SaveRun writes run.json into dir, atomically.
func SaveRun(dir string, run *Run) error {
	b, err := encodeRun(run)
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, RunFile), b)
}

// Close writes what is pending and closes the files.
func (w *Writer) Close() error {
	close(w.stop)
	<-w.done
	w.fail(w.closeFiles())
	return w.Err()
}

func (w *Writer) closeFiles() error {
	var errs []error
	for _, l := range w.files {
		if l != nil {
			errs = append(errs, l.f.Close())
		}
	}
	return errors.Join(errs...)
}

// WriteRun writes run.json's text to w.
func WriteRun(w io.Writer, run *Run) error {
	b, err := encodeRun(run)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func encodeRun(run *Run) ([]byte, error) {
	b, err := json.MarshalIndent(finiteRun(run), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", RunFile, err)
	}
	return append(b, '\n'), nil
}
