package engine

import (
	"math"

	"assay/internal/facts"
	"assay/internal/model"
)

// Shape is a model laid out over the ranks of one replica.
type Shape struct {
	Model   model.Arch
	Format  model.Format
	KVWidth float64 // bytes of one KV element
	Chip    facts.Chip
	TP      int // ranks that share one attention
	DP      int // attention's data parallel: as many schedulers, in step
	EP      int // ranks over which whole experts are spread; 1: each expert is divided
}

// Pass is what one step computes: of one scheduler, while those of the other ranks
// of data-parallel attention compute as much.
type Pass struct {
	Sequences      int
	Decode         int     // tokens that follow a token
	Prompt         int     // tokens of prompts
	Sampled        int     // positions that yield a token
	KVBytes        float64 // keys, values and state read, before ranks divide them
	AttentionFLOPs float64 // of prompts; decode attention is bound by its reads
}

// Costs are the seconds of one pass, by what they go to; Products and Weights
// overlap. What was done is over all GPUs.
type Costs struct {
	Products   float64 // matrix products
	Weights    float64 // reading weights
	KV         float64 // reading keys, values, state
	Attention  float64 // of prompts
	Collective float64
	Launch     float64
	Host       float64

	FLOPs   float64 // of products and of prompts' attention
	Read    float64 // bytes of weights, keys, values and state
	Written float64 // bytes of keys and values
	Linked  float64 // bytes that one GPU sends to the others
}

// Seconds is how long the pass takes. Products hide behind reading the weights, or
// the other way round, all but where the two are near each other.
func (c Costs) Seconds() float64 {
	return c.larger() + c.KV + c.Attention + c.Collective + c.Launch + c.Host
}

// larger is a maximum with a rounded corner: kernels overlap the two imperfectly.
func (c Costs) larger() float64 {
	a, b := c.Products*c.Products, c.Weights*c.Weights
	return math.Sqrt(math.Sqrt(a*a + b*b))
}

// StepModel is the time of steps of one shape: a roofline with overheads.
type StepModel struct {
	costs model.Costs
	width float64 // bytes of a KV element
	k     Coefficients

	gpus, tp, dp, kvRanks float64

	bandwidth, rate, half float64 // of one GPU, as the data sheet says

	sharedByTP, sharedByAll       float64 // bytes of dense weights that one GPU reads
	flopsByTP, flopsByAll         float64 // of one token, on one GPU
	flopsHead                     float64 // of one sampled position
	spread                        bool    // whole experts over ranks
	layers, expertLayers, states  float64
	reductions, doublings, linked float64 // all-reduces of a pass; log2 of their ranks; bytes of a token on a link
	link                          float64
}

// Activations cross the links in 16 bits; Megatron's layout has one all-reduce
// after attention and one after the MLP.
const (
	activationBytes    = 2
	reductionsPerLayer = 2
)

// NewStepModel sums up a shape once, so that a step may ask each time.
func NewStepModel(s Shape, k Coefficients) StepModel {
	s.TP, s.DP, s.EP = max(s.TP, 1), max(s.DP, 1), max(s.EP, 1)
	m := StepModel{costs: s.Model.Costs(s.Format), width: s.KVWidth, k: k, tp: float64(s.TP), dp: float64(s.DP), gpus: float64(s.TP * s.DP)}
	m.bandwidth, m.rate, m.half = s.Chip.Bandwidth, s.Chip.Rate(s.Format.Name), s.Chip.Half()
	m.kvRanks = kvRanks(s)
	m.divideDense(s)
	for _, l := range s.Model.Layers {
		m.layers++
		if l.MLP.Experts > 0 {
			m.expertLayers++
		}
		if l.State.Kind != "" {
			m.states++
		}
	}
	m.spread, m.link = s.EP > 1, s.Chip.Link
	if s.TP > 1 {
		m.reductions, m.doublings = reductionsPerLayer*m.layers, math.Log2(m.tp)
		// A ring moves 2(n-1)/n of the message over each link.
		m.linked = m.reductions * 2 * (m.tp - 1) / m.tp * float64(s.Model.Hidden*activationBytes)
	}
	return m
}

// With is the same shape under other coefficients.
func (m StepModel) With(k Coefficients) StepModel {
	m.k = k
	return m
}

// kvRanks is over how many ranks the reading of keys and values is divided: those
// of a latent are on each rank.
func kvRanks(s Shape) float64 {
	for _, l := range s.Model.Layers {
		if l.Attention.Kind == model.Latent {
			return 1
		}
	}
	return float64(min(s.TP, max(s.Model.KVHeads(), 1)))
}

// divideDense lays what every token passes over the ranks: attention and the
// output projection over those of one scheduler, MLPs over all.
func (m *StepModel) divideDense(s Shape) {
	counts := s.Model.Counts()
	counts[model.Head] = s.Model.Embedding() // the table itself where it is tied
	for _, p := range []model.Part{model.Projection, model.Index, model.Recurrence, model.Norm, model.Head} {
		m.sharedByTP += float64(counts[p]) * s.Format.Width(p) / m.tp
	}
	for _, p := range []model.Part{model.Dense, model.SharedExpert, model.Router} {
		m.sharedByAll += float64(counts[p]) * s.Format.Width(p) / m.gpus
	}
	perToken := 2 * float64(counts[model.Projection]+counts[model.Index]+counts[model.Recurrence])
	for _, l := range s.Model.Layers {
		perToken += l.State.FLOPs
	}
	m.flopsByTP = perToken / m.tp
	m.flopsByAll = 2 * float64(counts[model.Dense]+counts[model.SharedExpert]+counts[model.Router]) / m.gpus
	m.flopsHead = m.costs.Head / m.tp
}

// Of is what a pass costs.
func (m *StepModel) Of(p Pass) Costs {
	tokens := p.Decode + p.Prompt
	all := float64(tokens) * m.dp
	var c Costs
	dense, experts := m.sharedByTP+m.sharedByAll, 0.0
	decode, prompt := m.flops(p.Decode), m.flops(p.Prompt)
	decode += float64(p.Sampled) * m.flopsHead
	share, prefill := m.k.Decode, m.k.Prefill
	if len(m.costs.Experts) > 0 {
		share, prefill = m.k.ExpertDecode, m.k.ExpertPrefill
		experts = m.experts(all)
	}
	c.Weights = dense/m.bandwidth/m.k.Read + experts/m.bandwidth/m.k.ExpertRead
	c.Products = decode/(m.rate*share) + prompt/(m.rate*prefill)
	c.KV = p.KVBytes / m.kvRanks / m.bandwidth / m.k.KVRead
	c.Attention = p.AttentionFLOPs / m.tp / (m.half * m.k.Prefill)
	c.Collective = m.collective(float64(tokens))
	c.Launch = m.layers*m.k.Layer + m.expertLayers*m.k.ExpertLayer + m.states*m.k.StateLayer
	c.Host = m.k.Step + float64(p.Sequences)*m.dp*m.k.Sequence

	c.FLOPs = (decode+prompt)*m.gpus + p.AttentionFLOPs*m.dp
	c.Read = (dense+experts)*m.gpus + p.KVBytes/m.kvRanks*m.gpus
	c.Written = m.costs.KVWriteBytes(m.width) / m.kvRanks * m.gpus * float64(tokens)
	c.Linked = m.linked * float64(tokens)
	return c
}

// collective is what ranks wait for one another and exchange.
func (m *StepModel) collective(tokens float64) float64 {
	total := 0.0
	if m.reductions > 0 {
		total = m.reductions*m.k.AllReduce*m.doublings + tokens*m.linked/(m.link*m.k.Link)
	}
	if m.spread || m.dp > 1 {
		total += m.expertLayers * m.k.Dispatch
	}
	return total
}

// imbalance is how much more than the mean the busiest rank has of experts.
func (m *StepModel) imbalance() float64 {
	if m.spread {
		return 1 + m.k.Imbalance
	}
	return 1
}

// flops are those of so many tokens on one GPU, while each rank has as many.
func (m *StepModel) flops(tokens int) float64 {
	n := float64(tokens)
	total := n*m.flopsByTP + n*m.dp*m.flopsByAll
	for _, x := range m.costs.Experts {
		total += n * m.dp * float64(x.Layers*x.Active) * x.FLOPs * m.imbalance() / m.gpus
	}
	return total
}

// experts are the bytes of experts that the busiest GPU reads for that many tokens.
func (m *StepModel) experts(tokens float64) float64 {
	total := 0.0
	for _, x := range m.costs.Experts {
		visited := float64(x.Experts) * (1 - math.Pow(1-float64(x.Active)/float64(x.Experts), tokens))
		total += float64(x.Layers) * visited * x.Bytes * m.imbalance() / m.gpus
	}
	return total
}

// KVBytes is what one decode step of one sequence reads at that context.
func (m *StepModel) KVBytes(context int) float64 {
	return m.costs.KVReadBytes(context, m.width) + m.costs.State
}

// AttentionFLOPs is the work of attention of n tokens of a prompt after a context.
func (m *StepModel) AttentionFLOPs(context, n int) float64 { return m.costs.AttentionFLOPs(context, n) }
