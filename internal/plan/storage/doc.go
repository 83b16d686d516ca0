// Package storage says where to keep a dataset, weights, checkpoints or an archive
// on AWS: for each place whether it meets the need, what to provision, which limit
// binds first, how long a load takes and what a month costs.
//
// It chooses by bytes a second of each reader, not by size alone. Prices are of
// us-east-1 and dated; others are not known. Sizes in bytes, rates in bytes a
// second, times in seconds, money in US dollars.
//
//	result, err := storage.Plan(storage.Request{Size: 12e12, Readers: 16, ReadRate: 2e9})
package storage
