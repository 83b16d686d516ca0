package load

import (
	"fmt"
	"time"

	"assay/internal/wire"
)

// play sends a request that the meter has counted as begun and the gate has
// admitted, and then the turns of its session: each when the one before has
// ended and the user has thought. A turn that fails ends its session, and so
// does the level's end. It gives the moment of the last end, and whether no
// connection could be made.
func (u *execution) play(it item, seq int, warm bool, due time.Duration, isWarm func() bool) (end time.Duration, refused bool) {
	session, model := it.prompt.Session, it.prompt.Model
	for turn := 1; ; turn++ {
		o := u.exchange(it, seq, warm, due)
		if session == nil || o.Err != nil || turn == it.turns {
			return o.End, noConnection(o.Err)
		}
		left := it.turns
		p, ok := session.Next(Answer{Text: o.Answer, Tokens: tokensOf(o)})
		if !ok {
			return o.End, false
		}
		p.Model = model
		var err error
		if it, err = u.feed.encoded(p); err != nil {
			u.fail(err)
			return o.End, false
		}
		it.turns = left
		due = u.dueAfter(o.End, p)
		it.prompt.Think = due - o.End
		if !u.think(due - u.Client.Now()) {
			return o.End, false
		}
		if !u.meter.reserve(u.limit) {
			u.meter.drop()
			return o.End, false
		}
		warm = isWarm()
		var admitted bool
		if seq, admitted = u.gate.admit(warm, due); !admitted {
			u.meter.release()
			return o.End, false
		}
	}
}

// dueAfter is when a turn is due whose session's last one ended at that moment.
// A replay that is faster than its trace has users think as much faster.
func (u *execution) dueAfter(end time.Duration, p Prompt) time.Duration {
	switch {
	case p.Timed:
		return max(end, u.start+time.Duration(float64(p.At)/u.level.speed()))
	case u.level.Replay:
		return end + time.Duration(float64(p.Think)/u.level.speed())
	}
	return end + p.Think
}

// think waits, or reports false when nothing more is to be sent.
func (u *execution) think(d time.Duration) bool {
	if d <= 0 {
		return u.sending.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-u.sending.Done():
		return false
	}
}

// fail ends the level for a reason on our side.
func (u *execution) fail(err error) {
	if u.gate.close("") {
		u.failed.Store(&err)
	}
}

// tokensOf is the answer's length as the server says it, 0 where it does not.
func tokensOf(o wire.Outcome) int {
	if o.Usage == nil {
		return 0
	}
	return o.Usage.Completion
}

func noConnection(err *wire.Error) bool {
	if err == nil {
		return false
	}
	switch err.Kind {
	case wire.KindConnect, wire.KindResolve, wire.KindTLS, wire.KindProxy:
		return true
	}
	return false
}

// exchange sends a request that the meter has counted as begun.
func (u *execution) exchange(it item, seq int, warm bool, due time.Duration) wire.Outcome {
	id := fmt.Sprintf("%s-%s-%d", u.RunID, u.level.ID, seq)
	u.meter.begin()
	o := u.Client.Do(u.flight, id, it.body)
	if o.End == 0 {
		o.End = u.Client.Now()
	}
	u.meter.end(o, due)
	if !warm {
		u.gate.finish(o.Err != nil && o.Err.Kind != wire.KindCancelled)
	}
	u.trips <- trip{id: id, level: u.level.ID, seq: seq, warm: warm, due: due, prompt: it.prompt, images: it.images, bytes: len(it.body), outcome: o}
	return o
}

// collect folds each request into the tally and hands on its record, off the
// path of the requests.
func (u *execution) collect() {
	for t := range u.trips {
		q := t.record()
		u.tally.add(t)
		if !t.warm && q.OutputTokens != nil {
			u.tokens.Add(int64(*q.OutputTokens))
		}
		if u.OnRequest != nil {
			u.OnRequest(q)
		}
	}
}
