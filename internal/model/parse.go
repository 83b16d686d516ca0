package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Parse reads the architecture from a config.json of Hugging Face. The error is an
// *UnknownError for an architecture, attention or quantisation without a rule here.
func Parse(name string, config []byte) (Arch, error) {
	top, err := readFields(config)
	if err != nil {
		return Arch{}, err
	}
	b, rule, err := newBuild(top)
	if err != nil {
		return Arch{}, err
	}
	a := Arch{Name: name, Type: b.kind, Source: top.text("_source"), Date: top.text("_date"), Repo: top.text("_name_or_path")}
	b.arch = &a
	b.begin(rule, top)
	rule.layers(b)
	a.widen()
	if *top.failed == nil {
		a.Outside.Vision += b.vision(top)
		a.Format = b.format(top)
	}
	if *top.failed == nil {
		top.fail(b.sane())
	}
	if *top.failed != nil {
		return Arch{}, *top.failed
	}
	return a, nil
}

// widen makes windows that hold the whole context what they are.
func (a *Arch) widen() {
	for i := range a.Layers {
		if t := &a.Layers[i].Attention; (t.Kind == Sliding || t.Kind == Chunked) && a.Context > 0 && t.Window >= a.Context {
			t.Kind, t.Window = Full, 0
		}
	}
}

// rule describes one family of models.
type rule struct {
	tied     bool           // tie_word_embeddings, where the file does not say
	defaults map[string]int // fields that published files leave to the class
	layers   func(*build)
}

// with is the rule with defaults for fields that published files leave out.
func (r rule) with(defaults map[string]int) rule {
	r.defaults = defaults
	return r
}

// build is a model under construction.
type build struct {
	fields        // of the language model
	kind   string // its model_type
	arch   *Arch

	hidden, count                   int // hidden_size, num_hidden_layers
	heads, kvHeads, headDim, window int
	types                           []string     // layer_types
	mlpTypes                        []string     // mlp_layer_types
	mlpOnly                         map[int]bool // mlp_only_layers
	attentionLayers                 map[int]bool // attn_layer_indices
}

// textConfigs are the names of the language model inside a multimodal one.
var textConfigs = []string{"text_config", "llm_config", "language_config", "thinker_config"}

// newBuild finds the language model and its rule.
func newBuild(top fields) (*build, rule, error) {
	f := top
	for depth := 0; depth < 3; depth++ {
		i := slices.IndexFunc(textConfigs, func(n string) bool { _, ok := f.object[n].(map[string]any); return ok })
		if i < 0 {
			break
		}
		f = f.sub(textConfigs[i])
	}
	if len(top.object) == 0 || len(f.object) == 0 {
		return nil, rule{}, errors.New("config.json describes no model: it has no fields")
	}
	kind, outer := f.text("model_type"), top.text("model_type")
	architectures := append(f.texts("architectures"), top.texts("architectures")...)
	for _, name := range architectures {
		if r, ok := byClass[name]; ok {
			return &build{fields: f, kind: kind}, r, *top.failed
		}
	}
	for _, name := range []string{kind, outer} {
		if r, ok := rules[name]; ok {
			return &build{fields: f, kind: name}, r, *top.failed
		}
	}
	for _, name := range append([]string{outer, kind}, architectures...) {
		if name != "" {
			return nil, rule{}, &UnknownError{What: "architecture", Name: name}
		}
	}
	return nil, rule{}, errors.New("config.json has no model_type and no architectures: it does not describe a model")
}

// begin reads what every model has.
func (b *build) begin(r rule, top fields) {
	a := b.arch
	for field, n := range r.defaults {
		if _, told := b.object[field]; !told { // null is told: there is none
			b.object[field] = json.Number(itoa(n))
		}
	}
	b.hidden = b.needed(b.first("hidden_size", "n_embd", "d_model"), maxSize)
	b.count = b.needed(b.first("num_hidden_layers", "n_layer", "num_layers", "n_layers"), maxLayers)
	a.Hidden = b.hidden
	a.Vocab = b.needed("vocab_size", maxSize)
	a.TiedEmbeddings = b.flag("tie_word_embeddings", top.flag("tie_word_embeddings", r.tied))
	a.Context = b.context()
	b.types = b.layerTypes()
	b.mlpTypes, b.mlpOnly = b.kinds("mlp_layer_types"), b.set("mlp_only_layers")
	b.attentionLayers = b.set("attn_layer_indices")
	a.Outside.Norm = int64(b.hidden)
}

// layerTypes is the kind of each layer where the file lists them.
func (b *build) layerTypes() []string {
	types := b.kinds("layer_types")
	if len(types) > 0 && len(types) < b.count {
		b.fail(fmt.Errorf("config.json: layer_types has %d items for %d layers", len(types), b.count))
		return nil
	}
	return types
}

// set is a list of layers' numbers.
func (b *build) set(field string) map[int]bool {
	out := map[int]bool{}
	for _, i := range b.numbers(field, maxLayers) {
		out[i] = true
	}
	return out
}

// context is what positions may be reached, as vLLM derives max_model_len.
func (b *build) context() int {
	n := b.optional(b.first("max_position_embeddings", "n_positions", "model_max_length", "max_sequence_length", "seq_length"), 0, maxTokens)
	scaling := b.sub(b.first("rope_scaling", "rope_parameters"))
	kind := scaling.text(scaling.first("rope_type", "type"))
	switch kind {
	case "", "default", "llama3", "longrope", "su", "mrope", "proportional":
		return n
	}
	if strings.HasPrefix(b.kind, "gemma3") {
		return n
	}
	factor, ok := scaling.number("factor", 1e6)
	if !ok || factor == 0 {
		return n
	}
	if kind == "yarn" || kind == "deepseek_yarn" {
		n = scaling.optional("original_max_position_embeddings", n, maxTokens)
	}
	return int(min(float64(n)*factor, maxTokens))
}

// sane says what no model is: without layers, or of more parameters than are counted exactly.
func (b *build) sane() error {
	a := b.arch
	if len(a.Layers) == 0 {
		return errors.New("config.json describes a model without layers")
	}
	total := 2 * float64(a.Vocab) * float64(a.Hidden)
	for _, l := range a.Layers {
		total += float64(l.Attention.Parameters) + float64(l.State.Parameters) + float64(l.MLP.dense(a.Hidden)) +
			float64(l.MLP.shared(a.Hidden)) + float64(l.MLP.Experts)*float64(l.MLP.expert(a.Hidden))
	}
	if total > float64(maxParameters) || math.IsNaN(total) {
		return fmt.Errorf("config.json describes a model of %.2g parameters: at most %.2g are counted", total, float64(maxParameters))
	}
	return nil
}
