// Package price knows what EC2 instances cost: on-demand prices of the accelerated
// types in us-east-1 that ship with Assay, with their date, and whatever the user's
// own files say of other regions, of Spot and of Capacity Blocks. It asks no API and
// makes no price up: what is not in a table or a file is not known.
//
// Prices are US dollars an hour for one instance, Linux, shared tenancy.
//
//	book, err := price.Open("spot.json", "eu.yaml")
//	p, ok := book.OnDemand("g5.12xlarge", "us-east-1")
package price
