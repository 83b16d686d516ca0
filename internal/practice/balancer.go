package practice

import "time"

// Times of AWS's load balancers where nothing is set: how long a connection, of an NLB a
// TCP flow, may be without a byte, and how long a target that is deregistered keeps its
// connections. Source: Elastic Load Balancing user guides, read 2026-11-30.
const (
	ALBIdle     = 60 * time.Second
	NLBIdle     = 350 * time.Second
	ClassicIdle = 60 * time.Second

	DefaultDeregistration = 300 * time.Second
)
