package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/model"
)

const (
	configFile = "config.json"
	indexFile  = "model.safetensors.index.json"

	mostConfigBytes = 16 << 20 // the largest seen, with tables of per-layer formats, has 1 MB
	mostEntries     = 100_000
)

// openFolder reads a model's folder: config.json for the architecture, headers
// of weights for the bytes. Either may be missing, but not both.
func openFolder(ref string) (Checkpoint, error) {
	files, err := list(ref)
	if err != nil {
		return Checkpoint{}, err
	}
	if file, ok := onlyGGUF(ref, files); ok {
		return openGGUF(file)
	}
	c := Checkpoint{Ref: ref, Kind: Folder}
	if slices.Contains(files, configFile) {
		if err := c.readConfig(filepath.Join(ref, configFile)); err != nil {
			return Checkpoint{}, err
		}
	}
	if err := c.readWeights(ref, files); err != nil {
		return Checkpoint{}, err
	}
	if c.Arch == nil && c.Stored == nil {
		return Checkpoint{}, noModel(ref, files)
	}
	return c, nil
}

// list names what lies in a folder, sorted.
func list(folder string) ([]string, error) {
	d, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	files, err := d.Readdirnames(mostEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(files) > mostEntries {
		return nil, fmt.Errorf("%s holds more than %d files: it is no model's folder", folder, mostEntries)
	}
	slices.Sort(files)
	return files, nil
}

func (c *Checkpoint) readConfig(path string) error {
	b, err := readRegular(path, mostConfigBytes)
	if err != nil {
		return err
	}
	a, err := model.Parse(nameOf(path), b)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.Arch, c.Parameters = &a, a.Parameters()
	return nil
}

// nameOf names a model by the folder that holds its file.
func nameOf(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Base(path)
	}
	return filepath.Base(filepath.Dir(abs))
}

// readWeights reads the headers of a folder's weights: of the index's shards, of
// all safetensors, or of a GGUF file. None is no error.
func (c *Checkpoint) readWeights(folder string, files []string) error {
	if slices.Contains(files, indexFile) {
		x, err := readIndex(filepath.Join(folder, indexFile))
		if err != nil {
			return err
		}
		c.Stored, err = x.stored(folder, c.Arch, c)
		if err != nil {
			return err
		}
		return c.settle()
	}
	if shards := weightFiles(files); len(shards) > 0 {
		x := index{shards: shards}
		tensors, missing, err := x.readShards(folder)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return fmt.Errorf("%s: %s is a link to a file that is not there", folder, missing[0])
		}
		c.Stored = store(tensors)
		c.infer(tensors)
		return c.settle()
	}
	return nil
}

// weightFiles are a folder's safetensors. Mistral's folders hold the same
// weights twice, as consolidated*.safetensors in their own names.
func weightFiles(files []string) []string {
	var own, consolidated []string
	for _, f := range files {
		switch {
		case !strings.HasSuffix(f, ".safetensors") || strings.HasPrefix(f, "adapter_"):
		case strings.HasPrefix(f, "consolidated"):
			consolidated = append(consolidated, f)
		default:
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		return own
	}
	return consolidated
}

// onlyGGUF is the GGUF file of a folder that holds one model, in one file or
// several, and no safetensors.
func onlyGGUF(folder string, files []string) (string, bool) {
	models := map[string]string{}
	for _, f := range files {
		if strings.HasSuffix(f, ".safetensors") || f == indexFile {
			return "", false
		}
		if strings.HasSuffix(f, ".gguf") && !strings.HasPrefix(f, "mmproj") {
			models[nameOfFile(f)] = filepath.Join(folder, f)
		}
	}
	for _, f := range models {
		return f, len(models) == 1
	}
	return "", false
}

// settle draws what the weights say together with what is known of the model.
func (c *Checkpoint) settle() error {
	s := c.Stored
	if s.Other > 0 && len(s.Unknown) > 0 {
		c.remark("%d bytes are of tensors with unknown names, such as %s: they count as weights of the layers", s.Other, s.Unknown[0])
	}
	if c.Arch != nil {
		return c.compare()
	}
	if len(c.Candidates) == 0 {
		c.remark("there is no config.json: the size of the weights is known, that of the KV cache is not")
	}
	return nil
}

// mostApart is how far the headers' bytes may be from the architecture's rule
// before the user is told: rules are made to be within 1 %.
const mostApart = 0.02

// farApart is how many times more or fewer bytes than the rule's are no other
// precision, but part of a model or another one.
const farApart = 10

// compare holds the weights' bytes against the rule.
func (c *Checkpoint) compare() error {
	rule := c.Arch.WeightBytes(c.Arch.Format)
	got := c.Stored.Total()
	if ratio := float64(got) / float64(rule); c.Kind != GGUF && (ratio > farApart || ratio < 1.0/farApart) {
		return fmt.Errorf("%s: its weights have %d bytes, and the architecture comes to %d: files are missing, or they are of another model", c.Ref, got, rule)
	}
	if off := float64(got)/float64(rule) - 1; !c.Stored.ByRule && (off > mostApart || off < -mostApart) {
		c.remark("the weights on disk have %d bytes, %+.1f %% from what config.json comes to: the plan takes those on disk", got, 100*off)
	}
	return nil
}

// noModel says what a folder is instead, and what to give.
func noModel(folder string, files []string) error {
	has := func(name string) bool { return slices.Contains(files, name) }
	switch {
	case len(files) == 0:
		return fmt.Errorf("%s is empty: a model's folder has config.json and *.safetensors", folder)
	case slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, ".gguf") }):
		return fmt.Errorf("%s holds several models as GGUF: give one file", folder)
	case has("adapter_config.json"):
		return fmt.Errorf("%s is a LoRA adapter, not a model: give the model that it was made for (base_model_name_or_path in adapter_config.json)", folder)
	case has("snapshots"):
		return fmt.Errorf("%s is a folder of the Hugging Face cache: give one of those in %s", folder, filepath.Join(folder, "snapshots"))
	case has("params.json"):
		return fmt.Errorf("%s has params.json, which is not read: give a folder with config.json, or a known model's name", folder)
	case slices.ContainsFunc(files, func(f string) bool {
		return strings.HasSuffix(f, ".bin") || strings.HasSuffix(f, ".pt") || strings.HasSuffix(f, ".pth")
	}):
		return fmt.Errorf("%s has weights as Python pickles and no config.json: pickles are not read; put config.json beside them", folder)
	}
	return fmt.Errorf("%s holds no model: neither config.json nor *.safetensors nor *.gguf", folder)
}
