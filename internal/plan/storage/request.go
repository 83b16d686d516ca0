package storage

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/internal/facts"
	"assay/internal/price"
)

// Use is what the data is for: it says who reads how much of it and what is done to
// its files.
type Use string

// Uses.
const (
	Dataset    Use = "dataset"    // readers share it out: each reads its part
	Weights    Use = "weights"    // each reader reads the whole
	Checkpoint Use = "checkpoint" // written and renamed; each reader reads back its part
	Archive    Use = "archive"    // kept, seldom read
)

// Uses are all of them.
var Uses = []Use{Dataset, Weights, Checkpoint, Archive}

// Request is what is needed of a storage.
type Request struct {
	Size       int64         // bytes
	Readers    int           // nodes that read; 0: one
	ReadRate   float64       // bytes/s of each reader; 0: not said
	LoadWithin time.Duration // in which each reader has read what is its own; 0: not said
	WriteRate  float64       // bytes/s of all writers together; 0: not said
	Shared     bool          // one copy, mounted by all readers at once
	Durable    bool          // it must outlive a node and a server
	POSIX      bool          // files are renamed, changed in place or locked
	Zones      bool          // readers in several zones
	Use        Use           // "": Dataset
	Loads      float64       // how often a month every reader reads; 0: 30, of an archive 1
	Region     string        // "": us-east-1
	IO2        bool          // consider io2 as well
	Instance   *facts.Instance
}

const (
	mostReaders  = 100_000
	defaultLoads = 30
	mostLoads    = 1_000_000 // one every three seconds
)

// check refuses what is no need, and fills in what was not said.
func (r Request) check() (Request, error) {
	r.Use, r.Region = cmp.Or(r.Use, Dataset), cmp.Or(r.Region, facts.StorageRegion)
	r.Readers = cmp.Or(r.Readers, 1)
	if r.Use == Archive {
		r.Loads = cmp.Or(r.Loads, 1)
	}
	r.Loads = cmp.Or(r.Loads, defaultLoads)
	switch {
	case r.Size <= 0:
		return r, fmt.Errorf("size %d: must be above 0", r.Size)
	case r.Readers < 0 || r.Readers > mostReaders:
		return r, fmt.Errorf("%d readers: between 1 and %d", r.Readers, mostReaders)
	case !(r.Loads >= 0 && r.Loads <= mostLoads):
		return r, fmt.Errorf("%g loads a month: must be above 0 and at most %d", r.Loads, mostLoads)
	case !price.IsRegion(r.Region):
		return r, fmt.Errorf("%q is no AWS region, such as eu-central-1", r.Region)
	case r.ReadRate < 0 || r.WriteRate < 0 || r.LoadWithin < 0:
		return r, fmt.Errorf("rates, times and loads must be above 0")
	case r.ReadRate > 0 && r.LoadWithin > 0:
		return r, fmt.Errorf("a read rate and a time to load in say the same: give one of them")
	case !slices.Contains(Uses, r.Use):
		return r, fmt.Errorf("use %q: want dataset, weights, checkpoint or archive", r.Use)
	}
	if r.Use == Checkpoint {
		r.Durable, r.POSIX = true, true
		r.Shared = r.Shared || r.Readers > 1 // a job comes back on other nodes
	}
	if r.Use == Archive {
		r.Durable = true
	}
	return r, nil
}

// own is how many bytes one reader reads in a load.
func (r Request) own() float64 {
	if r.Use == Weights {
		return float64(r.Size)
	}
	return float64(r.Size) / float64(r.Readers)
}

// reader is the rate that each reader needs, all: all of them, in bytes/s; 0 where
// none was asked.
func (r Request) reader() float64 {
	if r.LoadWithin > 0 {
		return r.own() / r.LoadWithin.Seconds()
	}
	return r.ReadRate
}

func (r Request) all() float64 { return r.reader() * float64(r.Readers) }

// onlySize says that nothing was asked of it but to hold data in use.
func (r Request) onlySize() bool { return r.reader() == 0 && r.WriteRate == 0 && r.Use != Archive }
