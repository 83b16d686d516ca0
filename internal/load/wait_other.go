//go:build !linux

package load

func newPreciseWaiter() waiter { return timerWaiter{} }
