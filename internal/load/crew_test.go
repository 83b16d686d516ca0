package load

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestCrewRunsEachJobOnceAndKeepsItsGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c crew
		var ran atomic.Int64
		for range 100 {
			for range 7 {
				c.do(func() { time.Sleep(time.Second); ran.Add(1) })
			}
			synctest.Wait()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if n := len(c.idle); n != 7 {
				t.Fatalf("%d goroutines for seven jobs at a time", n)
			}
		}
		c.do(func() { time.Sleep(time.Hour); ran.Add(1) })
		c.wait() // the bubble ends only when no goroutine is left
		if got := ran.Load(); got != 701 {
			t.Errorf("%d jobs ran, want 701", got)
		}
	})
}
