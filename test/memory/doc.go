// Package memory holds the account of a GPU's memory against vLLM's own code: its
// models, built without their weights, and its classes of KV caches.
package memory
