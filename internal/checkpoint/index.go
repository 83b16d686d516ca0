package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/internal/model"
)

const (
	// mostIndexBytes is far above DeepSeek-V3's, which takes 9 MB.
	mostIndexBytes = 256 << 20
	mostShards     = 4096 // DeepSeek-V3 has 163
)

// index is model.safetensors.index.json: which shard holds which tensor.
type index struct {
	total  int64 // bytes of all tensors; 0: not said
	shards []string
	names  []string
}

func readIndex(path string) (index, error) {
	b, err := readRegular(path, mostIndexBytes)
	if err != nil {
		return index{}, err
	}
	x, err := parseIndex(b)
	if err != nil {
		return index{}, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

func parseIndex(b []byte) (index, error) {
	var raw struct {
		Metadata struct {
			Total json.Number `json:"total_size"`
		} `json:"metadata"`
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return index{}, fmt.Errorf("not an index of safetensors: %w", err)
	}
	if len(raw.Map) == 0 {
		return index{}, errors.New("not an index of safetensors: it has no weight_map")
	}
	x := index{names: slices.Sorted(maps.Keys(raw.Map))}
	if len(x.names) > mostTensors {
		return index{}, fmt.Errorf("weight_map has more than %d tensors", mostTensors)
	}
	shards := map[string]bool{}
	for _, shard := range raw.Map {
		// A name that leads out of the folder is nobody's shard.
		if shard == "" || strings.ContainsAny(shard, `/\`) || shard == ".." {
			return index{}, fmt.Errorf("weight_map names a file outside its folder: %s", short(shard))
		}
		shards[shard] = true
	}
	if len(shards) > mostShards {
		return index{}, fmt.Errorf("weight_map names %d files, more than %d", len(shards), mostShards)
	}
	x.shards = slices.Sorted(maps.Keys(shards))
	if s := raw.Metadata.Total.String(); s != "" {
		// Some writers give it as 1.6e10.
		total, err := strconv.ParseFloat(s, 64)
		if err != nil || total < 1 || total > 1<<60 {
			return index{}, fmt.Errorf("metadata.total_size %s is no size of weights", s)
		}
		x.total = int64(total)
	}
	return x, nil
}

// draft says whether some tensors are of draft layers, which the sum includes.
func (x index) draft() bool {
	tensors := make([]tensor, len(x.names))
	for i, n := range x.names {
		tensors[i].name = n
	}
	return len(newNames(tensors).draft) > 0 || slices.ContainsFunc(x.names, func(n string) bool { return strings.HasPrefix(n, "mtp.") })
}

// readShards reads the headers of all shards beside an index. Those that are not
// there are returned by name.
func (x index) readShards(folder string) (tensors []tensor, missing []string, err error) {
	seen := map[string]bool{}
	for _, shard := range x.shards {
		ts, err := readSafetensors(filepath.Join(folder, shard))
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, shard)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if tensors, err = join(tensors, ts, seen); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", filepath.Join(folder, shard), err)
		}
	}
	return tensors, missing, nil
}

// join adds a shard's tensors to those of the others.
func join(all, shard []tensor, seen map[string]bool) ([]tensor, error) {
	if len(all)+len(shard) > mostTensors {
		return nil, fmt.Errorf("more than %d tensors in all shards", mostTensors)
	}
	for _, t := range shard {
		if seen[t.name] {
			return nil, fmt.Errorf("tensor %s stands in another file too", short(t.name))
		}
		seen[t.name] = true
	}
	return append(all, shard...), nil
}

// stored are the bytes that an index tells of: from its shards where all are
// there, else the sum that it gives, by the architecture's rule.
func (x index) stored(folder string, arch *model.Arch, c *Checkpoint) (*Stored, error) {
	tensors, missing, err := x.readShards(folder)
	if err != nil {
		return nil, err
	}
	if len(missing) == 0 {
		return store(tensors), nil
	}
	if x.total == 0 {
		return nil, fmt.Errorf("%s: %d of %d files of weights are missing (%s …), and the index gives no total_size", folder, len(missing), len(x.shards), missing[0])
	}
	c.remark("%d of %d files of weights are not there: the size is total_size of the index", len(missing), len(x.shards))
	if arch == nil {
		return &Stored{Other: x.total, Tensors: len(x.names), ByRule: true}, nil
	}
	s := byRule(x.total, *arch, x.draft())
	s.Tensors = len(x.names)
	return s, nil
}
