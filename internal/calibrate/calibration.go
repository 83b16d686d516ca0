package calibrate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"assay/internal/facts"
	"assay/internal/record"
)

// Kinds of calibration.
const (
	FromLog = "engine's log"
	FromRun = "measured run"
)

// Calibration is what was measured of one system: memory and start-up by its
// engine's log, or latencies by a run.
type Calibration struct {
	Path string
	Kind string // FromLog or FromRun

	Model           string // as it was served; empty: not known
	Engine, Version string // empty: not known
	Platform        Platform

	Log    *Log    // nil of a run
	Points []Point // the valid levels of a run
	// Simulated says that the run is of the simulated engine, whose time is the
	// plan's own model: such factors show that the loop closes, and measure nothing.
	Simulated bool
	Remarks   []string
}

// Platform is what was measured on; zero values are not known.
type Platform struct {
	Instance string
	Chip     facts.Chip
	Count    int // GPUs, of all replicas
	TP, PP   int
}

// Read reads a run folder, its run.json, or a start-up log of vLLM.
func Read(path string) (*Calibration, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if info.IsDir() || filepath.Base(path) == record.RunFile {
		dir := path
		if !info.IsDir() {
			dir = filepath.Dir(path)
		}
		folder, err := record.Open(dir)
		if err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
		return FromRecord(path, folder.Run)
	}
	return readFile(path, info)
}

// readFile tells a run under another name from a log.
func readFile(path string, info os.FileInfo) (*Calibration, error) {
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("calibrate: %s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	defer f.Close()
	var head [1]byte
	if _, err := f.Read(head[:]); err == nil && head[0] == '{' {
		if run, ok := asRun(path); ok {
			return FromRecord(path, run)
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	l, err := ReadLog(f)
	if errors.Is(err, ErrNoLog) {
		return nil, fmt.Errorf("calibrate: %s is neither a run of assay bench nor a log: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("calibrate: %s: %w", path, err)
	}
	l.Path = path
	return FromEngineLog(path, l), nil
}

// OpenLog reads a start-up log for its phases, which a run does not have.
func OpenLog(path string) (*Log, error) {
	c, err := Read(path)
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		return nil, fmt.Errorf("calibrate: %s is a run: how long an engine takes to start stands in its start-up log alone", path)
	}
	return c.Log, nil
}

// mostRunBytes is far above a run.json, which takes some 10 KiB a level.
const mostRunBytes = 256 << 20

func asRun(path string) (record.Run, bool) {
	b, err := record.ReadFile(path, mostRunBytes)
	if err != nil {
		return record.Run{}, false
	}
	run, err := record.ParseRun(b)
	return run, err == nil && run.Schema == record.Schema
}

// FromEngineLog is the calibration that a log gives.
func FromEngineLog(path string, l Log) *Calibration {
	return &Calibration{
		Path: path, Kind: FromLog, Model: l.Model, Engine: l.Engine, Version: l.Version, Log: &l,
		Platform: Platform{TP: max(l.Arg("tensor_parallel_size"), 1), PP: max(l.Arg("pipeline_parallel_size"), 1)},
	}
}

// mostLevels is far above what a run takes, and is fitted in a moment.
const mostLevels = 1000

// FromRecord is the calibration that a run gives, by its valid levels.
func FromRecord(path string, run record.Run) (*Calibration, error) {
	c := &Calibration{
		Path: path, Kind: FromRun, Model: run.Target.Model, Simulated: run.Target.Simulated,
		Engine: run.Target.Engine.Name, Version: run.Target.Engine.Version,
	}
	c.Platform = platformOf(run)
	if len(run.Levels) > mostLevels {
		return nil, fmt.Errorf("calibrate: %s has %d levels: at most %d are fitted", path, len(run.Levels), mostLevels)
	}
	skipped := 0
	for _, l := range run.Levels {
		if p, ok := pointOf(l); ok {
			c.Points = append(c.Points, p)
		} else {
			skipped++
		}
	}
	if len(c.Points) == 0 {
		return nil, fmt.Errorf("calibrate: %s has no valid level with TTFT and ITL, of one model and of lengths that are known: nothing can be taken from it", path)
	}
	if skipped > 0 {
		c.Remarks = append(c.Remarks, fmt.Sprintf("%d of %d levels of %s are left out: not valid, without TTFT or ITL, or replayed from a trace", skipped, len(run.Levels), path))
	}
	if c.Simulated {
		c.Remarks = append(c.Remarks, fmt.Sprintf("%s is of the simulated engine: it measures nothing, and what it calibrates is called simulated", path))
	}
	return c, nil
}

// embedded is how the simulated engine describes itself in a run.
var embedded = regexp.MustCompile(` on (\d+)x (.+), simulated:`)

func platformOf(run record.Run) Platform {
	var p Platform
	if run.Platform.Instance != nil {
		p.Instance = *run.Platform.Instance
	}
	if run.Platform.GPU != nil {
		p.Chip, _ = facts.ChipReported(*run.Platform.GPU)
	}
	if run.Platform.Count != nil {
		p.Count = *run.Platform.Count
	}
	if run.Platform.TP != nil {
		p.TP = *run.Platform.TP
	}
	if m := embedded.FindStringSubmatch(run.Target.Preset); m != nil && p.Chip.Name == "" {
		p.Chip, _ = facts.ChipReported(m[2])
		p.TP, _ = strconv.Atoi(m[1])
	}
	if i, err := facts.InstanceNamed(p.Instance); err == nil && p.Chip.Name == "" {
		p.Chip, _ = i.Chip()
	}
	if p.TP == 0 {
		p.TP = p.Count
	}
	if p.Count == 0 {
		p.Count = p.TP
	}
	return p
}
