// Package checkpoint finds out which model a user means: a config.json, a folder
// as it lies on disk, safetensors or GGUF files, a known model's name, or a count
// of parameters such as 30B. Of files it reads the headers alone, so that weights
// are counted to the byte without being read.
//
// It knows no hardware and no engine, and opens no connection. All that it reads
// is bounded: files come from anywhere.
//
// Units: bytes, parameters.
//
//	c, err := checkpoint.Open("/models/Llama-3.1-8B-Instruct")
//	c.Arch.KVBytesPerToken(2) // from config.json
//	c.Stored.Total()          // from the headers of the *.safetensors
package checkpoint
