package saturate

import (
	"fmt"
	"math"

	"assay/internal/record"
	"assay/internal/stats"
)

// ConfirmShares are the shares of the throughput at the knee's lower end that an
// open loop must be able to offer. At the lower one, the operating point's, a
// queue is short by any model of arrivals; at the upper one it is long but ends.
var ConfirmShares = []float64{headroom, 0.95}

const (
	// leastDelivered is the share of the arrivals that must be answered while they
	// come, the same as load.MinRate asks of the client.
	leastDelivered = 1 - piledUp
	// confirmAnswers is how many mean answers long such a level must be, and
	// confirmS how many seconds where answers are short: a queue's ups and downs
	// last for several answers. Ours.
	confirmAnswers = 20
	confirmS       = 30
)

// ConfirmLength is how long an open loop at that rate (requests per second) must
// be held to tell whether the server holds it, seconds, and the least below
// which it tells nothing. latencyS is a mean answer's.
func ConfirmLength(rate, latencyS float64) (wanted, least float64) {
	least = max(leastGrowthS, confirmAnswers*latencyS/2, 1.25*leastGrowthN/rate)
	return max(least, confirmS, confirmAnswers*latencyS), least
}

// KneeLatency is a mean answer's time at the knee's lower end by Little's law,
// seconds; 0 where it is not known.
func KneeLatency(s record.Saturation) float64 {
	if s.Knee == nil || s.KneeRate == nil || *s.KneeRate <= 0 {
		return 0
	}
	return s.Knee.Low / *s.KneeRate
}

// Confirm judges the open-loop levels that were held below a knee.
func Confirm(levels []record.Level, kneeRate float64) []record.Confirmation {
	var out []record.Confirmation
	for i := range levels {
		out = append(out, confirm(&levels[i], kneeRate))
	}
	return out
}

func confirm(l *record.Level, kneeRate float64) record.Confirmation {
	c := record.Confirmation{Share: math.Round(100*l.Load.Value/kneeRate) / 100, Rate: l.Load.Value, Level: l.ID}
	o := l.Oversaturated
	if o != nil {
		c.Offered, c.Delivered = o.Offered, o.Delivered
	}
	switch v := l.Validity.Verdict; {
	case v == record.Invalid || v == record.ClientLimited || o == nil:
		c.Why = "the level is " + v
		if len(l.Validity.Reasons) > 0 {
			c.Why += ": " + l.Validity.Reasons[0]
		}
	case o.Verdict == record.NotKnown:
		c.Why = o.Why
	case o.Verdict == record.Oversaturated:
		c.Held, c.Why = new(bool), o.Why
	case *o.Delivered < leastDelivered:
		c.Why = fmt.Sprintf("%.1f %% of the arrivals were answered while they came, below %.0f %%", 100**o.Delivered, 100*leastDelivered)
		// What is answered and what arrives differ by how many more are in flight at
		// the end, whose deviation is that of two counts of requests in flight.
		missing := (1 - *o.Delivered) * *o.Offered * o.WindowS
		if missing > stats.NormalQuantile(stats.Confidence)*math.Sqrt(2*l.Client.InFlight.Mean) {
			c.Held = new(bool)
		} else {
			c.Why += ", which chance explains"
		}
	default:
		held := true
		c.Held = &held
		c.Why = fmt.Sprintf("%.1f %% of the arrivals were answered while they came, and requests in flight did not grow", 100*min(*o.Delivered, 1))
	}
	return c
}

// Confirmed says what open loop and closed loop say together; "" without an
// open loop.
func Confirmed(all []record.Confirmation) string {
	held := func(share float64) *bool {
		for _, c := range all {
			if c.Share == share {
				return c.Held
			}
		}
		return nil
	}
	low, high := held(ConfirmShares[0]), held(ConfirmShares[1])
	switch {
	case low != nil && !*low:
		return fmt.Sprintf("an open loop at %g of the knee's rate is not held: closed loop and open loop disagree, and the knee lies lower than the closed loop shows", ConfirmShares[0])
	case high != nil && !*high && low != nil:
		return fmt.Sprintf("random arrivals are held at %g of the knee's rate and not at %g: between them is as far as a service goes", ConfirmShares[0], ConfirmShares[1])
	case high != nil && !*high:
		return fmt.Sprintf("random arrivals are not held at %g of the knee's rate", ConfirmShares[1])
	case high != nil && low != nil:
		return fmt.Sprintf("an open loop holds %g and %g of the knee's rate: it is confirmed", ConfirmShares[0], ConfirmShares[1])
	}
	for _, c := range all {
		if c.Held == nil {
			return fmt.Sprintf("whether an open loop holds %g of its rate is not known: %s", c.Share, c.Why)
		}
	}
	return ""
}
