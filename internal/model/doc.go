// Package model knows how large a transformer is: from its architecture, as
// config.json gives it, to parameters, bytes and FLOPs. It knows no hardware
// and no engine.
//
// Units: tokens, bytes, floating-point operations (a multiply-add counts two).
//
//	m, err := model.Named("llama-3.1-8b")
//	m.Parameters()            // 8030261248
//	m.KVBytesPerToken(2)      // 131072 in 16 bits
package model
