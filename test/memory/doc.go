// Package memory holds the account of a GPU's memory against vLLM's own code: its
// models, built without their weights, its classes of KV caches, and what its engine
// logs when it starts shrunken models on a CPU.
package memory
