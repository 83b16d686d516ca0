package load

import "sync"

// crew runs the requests of an open loop on goroutines that it keeps. A new
// goroutine grows its stack anew for each request, which at thousands a second
// is a tenth of the client's time.
type crew struct {
	jobs    sync.WaitGroup // given and not done
	members sync.WaitGroup

	mu   sync.Mutex
	idle []chan func() // one of each idle member; the last that fell idle is called first
}

// do runs job on an idle member, or on a new one. It does not wait.
func (c *crew) do(job func()) {
	c.jobs.Add(1)
	c.mu.Lock()
	n := len(c.idle)
	if n == 0 {
		c.mu.Unlock()
		c.members.Go(func() { c.work(job) })
		return
	}
	next := c.idle[n-1]
	c.idle = c.idle[:n-1]
	c.mu.Unlock()
	next <- job
}

func (c *crew) work(job func()) {
	next := make(chan func(), 1)
	for ok := true; ok; job, ok = <-next {
		job()
		c.mu.Lock()
		c.idle = append(c.idle, next)
		c.mu.Unlock()
		c.jobs.Done()
	}
}

// wait waits for every job and sends the members home. Nothing may be given to
// the crew after it.
func (c *crew) wait() {
	c.jobs.Wait()
	c.mu.Lock()
	for _, next := range c.idle {
		close(next)
	}
	c.idle = nil
	c.mu.Unlock()
	c.members.Wait()
}
