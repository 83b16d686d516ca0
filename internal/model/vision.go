package model

// vision is the parameters of towers and projectors for images, by the rule of
// each family. Towers without a rule are refused: they hold up to a tenth of a model.
func (b *build) vision(top fields) int64 {
	for _, other := range []string{"audio_config", "speech_config", "talker_config"} {
		if len(top.sub(other).object) > 0 {
			b.fail(&UnknownError{What: "encoder", Name: other + " of " + top.text("model_type")})
			return 0
		}
	}
	v := top.sub("vision_config")
	if len(v.object) == 0 {
		return 0
	}
	kind := top.text("model_type")
	tower, ok := towers[kind]
	if !ok {
		b.fail(&UnknownError{What: "vision tower", Name: kind})
		return 0
	}
	n := tower(b, top, v)
	if float64(n) > float64(maxParameters) {
		b.fail(&UnknownError{What: "vision tower", Name: kind + " of an impossible size"})
	}
	return n
}

// towers by the model_type of the whole.
var towers = map[string]func(b *build, top, v fields) int64{
	"gemma3":        siglip,
	"mistral3":      pixtral,
	"llama4":        llama4Vision,
	"mllama":        mllamaVision,
	"qwen2_vl":      qwen2Vision,
	"qwen2_5_vl":    qwen25Vision,
	"qwen3_vl":      qwen3Vision,
	"qwen3_vl_moe":  qwen3Vision,
	"qwen3_5":       qwen3Vision,
	"qwen3_5_moe":   qwen3Vision,
	"minimax_m3_vl": minimaxVision,
	"kimi_k25":      moonViT,
	"kimi_k2":       moonViT,
}

// size is a field of a tower, bounded so that products of four do not overflow.
func size(v fields, name string, byDefault int) int64 {
	return int64(min(v.optional(name, byDefault, 1<<15), 1<<15))
}

// encoder is layers of attention and a plain MLP, both with biases, and two norms
// with them, as ViT has it.
func encoder(layers, h, inner int64) int64 { return layers * (4*(h*h+h) + 2*h*inner + inner + h + 4*h) }

// siglip is Gemma 3's tower; its projector is one matrix after a norm.
func siglip(b *build, _, v fields) int64 {
	h, inner, layers := size(v, "hidden_size", 1152), size(v, "intermediate_size", 4304), size(v, "num_hidden_layers", 27)
	patch, image := size(v, "patch_size", 14), size(v, "image_size", 896)
	positions := (image / max(patch, 1)) * (image / max(patch, 1))
	return 3*patch*patch*h + h + positions*h + encoder(layers, h, inner) + 2*h + h + h*int64(b.hidden)
}

// pixtral is Mistral's: gated MLPs, no biases; patches are merged before the projector.
func pixtral(b *build, top, v fields) int64 {
	h, inner, layers := size(v, "hidden_size", 1024), size(v, "intermediate_size", 4096), size(v, "num_hidden_layers", 24)
	patch, merge, text := size(v, "patch_size", 16), size(top, "spatial_merge_size", 2), int64(b.hidden)
	tower := 3*patch*patch*h + h + layers*(4*h*h+3*h*inner+2*h)
	projector := h + merge*merge*h*h + h*text + text*text
	if top.flag("multimodal_projector_bias", false) {
		projector += 2 * text
	}
	return tower + projector
}

func llama4Vision(b *build, _, v fields) int64 {
	h, inner, layers := size(v, "hidden_size", 1408), size(v, "intermediate_size", 5632), size(v, "num_hidden_layers", 34)
	patch, image := size(v, "patch_size", 14), size(v, "image_size", 336)
	positions := (image/max(patch, 1))*(image/max(patch, 1)) + 1
	in, out := size(v, "projector_input_dim", 4096), size(v, "projector_output_dim", 4096)
	return 3*patch*patch*h + h + positions*h + 4*h + encoder(layers, h, inner) +
		inner*in + out*out + size(v, "vision_output_dim", 4096)*int64(b.hidden)
}

// mllamaVision is Llama 3.2 Vision's: two stacks of layers without biases in their
// attention, the second with gates, and embeddings of tiles and aspect ratios.
func mllamaVision(b *build, _, v fields) int64 {
	h, inner := size(v, "hidden_size", 1280), size(v, "intermediate_size", 5120)
	layers, global := size(v, "num_hidden_layers", 32), size(v, "num_global_layers", 8)
	patch, image, tiles := size(v, "patch_size", 14), size(v, "image_size", 448), size(v, "max_num_tiles", 4)
	positions := (image/max(patch, 1))*(image/max(patch, 1)) + 1
	ratios := int64(9)
	if l := v.list("supported_aspect_ratios"); len(l) > 0 {
		ratios = int64(len(l)) + 1
	}
	b.imageTokens(int(min(tiles*positions, maxTokens)))
	layer := 4*h*h + 2*h*inner + inner + h + 4*h
	tower := 3*patch*patch*h + h + positions*h + ratios*tiles*positions*h + 1 + 2*(ratios*tiles*h+1) + 4*h + layers*layer + global*(layer+2)
	out := size(v, "vision_output_dim", 7680)
	return tower + out*int64(b.hidden) + int64(b.hidden)
}

// imageTokens sets what cross attention reads.
func (b *build) imageTokens(n int) {
	for i := range b.arch.Layers {
		if t := &b.arch.Layers[i].Attention; t.Kind == Cross {
			t.Window = n
		}
	}
}

func qwen2Vision(b *build, _, v fields) int64 {
	h, layers, patch, frames := size(v, "embed_dim", 1280), size(v, "depth", 32), size(v, "patch_size", 14), size(v, "temporal_patch_size", 2)
	inner, merged := h*size(v, "mlp_ratio", 4), 4*h
	return 3*frames*patch*patch*h + encoder(layers, h, inner) + 2*h + merged*merged + merged + merged*int64(b.hidden) + int64(b.hidden)
}

// qwen25Vision has norms without and gated MLPs with biases.
func qwen25Vision(b *build, _, v fields) int64 {
	h, inner, layers := size(v, "hidden_size", 1280), size(v, "intermediate_size", 3420), size(v, "depth", 32)
	patch, frames, merged := size(v, "patch_size", 14), size(v, "temporal_patch_size", 2), 4*h
	out := size(v, "out_hidden_size", b.hidden)
	layer := 4*(h*h+h) + 3*h*inner + 2*inner + h + 2*h
	return 3*frames*patch*patch*h + layers*layer + h + merged*merged + merged + merged*out + out
}

// qwen3Vision has one merger more for each layer that feeds the decoder's first layers.
func qwen3Vision(b *build, _, v fields) int64 {
	h, inner, layers := size(v, "hidden_size", 1152), size(v, "intermediate_size", 4304), size(v, "depth", 27)
	patch, frames, merge := size(v, "patch_size", 16), size(v, "temporal_patch_size", 2), size(v, "spatial_merge_size", 2)
	merged, out := merge*merge*h, size(v, "out_hidden_size", b.hidden)
	merger := merged*merged + merged + merged*out + out
	deep := int64(len(v.list("deepstack_visual_indexes")))
	return 3*frames*patch*patch*h + h + size(v, "num_position_embeddings", 2304)*h + encoder(layers, h, inner) +
		merger + 2*h + deep*(merger+2*merged)
}

// moonViT is Kimi K2.5's.
func moonViT(b *build, _, v fields) int64 {
	h, inner := size(v, v.first("vt_hidden_size", "hidden_size"), 1152), size(v, v.first("vt_intermediate_size", "intermediate_size"), 4304)
	layers, patch := size(v, v.first("vt_num_hidden_layers", "num_hidden_layers"), 27), size(v, "patch_size", 14)
	positions := size(v, "init_pos_emb_height", 64) * size(v, "init_pos_emb_width", 64)
	merged, text := 4*h, int64(b.hidden)
	return 3*patch*patch*h + h + positions*h + encoder(layers, h, inner) + 2*h + 2*h + merged*merged + merged + merged*text + text
}

// minimaxVision is MiniMax-M3's: each patch is projected, then four are merged.
func minimaxVision(b *build, top, v fields) int64 {
	h, inner, layers := size(v, "hidden_size", 1280), size(v, "intermediate_size", 5120), size(v, "num_hidden_layers", 32)
	patch, wide, text := size(v, "patch_size", 14), size(top, "projector_hidden_size", 6144), int64(b.hidden)
	const frames, merged = 2, 4
	return 3*frames*patch*patch*h + 2*h + encoder(layers, h, inner) +
		h*wide + wide + wide*text + text + merged*text*wide + wide + wide*text + text
}
