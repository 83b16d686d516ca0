// Package model knows how large a transformer is: from its architecture, as
// config.json gives it, layer by layer, to parameters, bytes and FLOPs, and the
// state and the keys and values that a request keeps. It knows no hardware and
// no engine. An architecture, an attention or a quantisation that it has no rule
// for is refused by name.
//
// Units: tokens, bytes, floating-point operations (a multiply-add counts two).
//
//	m, err := model.Named("llama-3.1-8b")    // or model.Parse(name, config)
//	m.Parameters()                           // 8030261248
//	m.KVBytesPerToken(2)                     // 131072 in 16 bits
//	m.Costs(m.Format).KVReadBytes(8192, 2)   // of one decode step
package model
