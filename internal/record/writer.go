package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
// already is refused, so that no run overwrites another.
func Create(dir string, run *Run) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make run folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, RunFile)); err == nil {
		return nil, fmt.Errorf("%s already holds a run: choose another folder with --out", dir)
	}
	w := &Writer{dir: dir, stop: make(chan struct{}), done: make(chan struct{}), failed: make(chan struct{})}
	for i, name := range []string{RequestsFile, MetricsFile, ClientFile} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("make run folder: %w", err), w.closeFiles())
		}
		w.files[i] = &lineFile{f, bufio.NewWriterSize(f, 64<<10)}
	}
	if err := w.SaveRun(run); err != nil {
		return nil, errors.Join(err, w.closeFiles())
	}
	go w.loop()
	return w, nil
}

// Dir is the run folder.
func (w *Writer) Dir() string { return w.dir }

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

func (w *Writer) flush() {
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

// WriteFile writes a file atomically: beside it first, then renamed.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, werr := f.Write(data)
	err = errors.Join(werr, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, removeQuietly(f.Name())))
	}
	return nil
}

func removeQuietly(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
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
