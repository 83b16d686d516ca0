package report

import (
	"fmt"

	"assay/internal/record"
	"assay/internal/saturate"
)

// refutedAt is the open loop that shows that the knee lies lower than the closed
// loop says.
func refutedAt(s record.Saturation) (record.Confirmation, bool) {
	for _, c := range s.Confirmation {
		if c.Share == saturate.ConfirmShares[0] && c.Held != nil && !*c.Held {
			return c, true
		}
	}
	return record.Confirmation{}, false
}

func confirmWarnings(run record.Run) []string {
	if run.Saturation == nil {
		return nil
	}
	c, refuted := refutedAt(*run.Saturation)
	if !refuted {
		return nil
	}
	return []string{fmt.Sprintf("The knee does not hold: random arrivals at %s requests/s, %s of the throughput measured there, are more than the server keeps up with: %s. "+
		"Do not plan with the operating point; a lower one is to be measured by --request-rate.", short(c.Rate), short(c.Share), plain(c.Why))}
}

// confirmRows are the open loops beside the methods that found the knee.
func confirmRows(s record.Saturation) []methodView {
	var out []methodView
	for _, c := range s.Confirmation {
		verdict := "not known"
		if c.Held != nil && *c.Held {
			verdict = "held"
		} else if c.Held != nil {
			verdict = "not held"
		}
		out = append(out, methodView{Method: "open loop at " + short(c.Share) + " of its rate", Value: verdict, Range: none,
			Note: short(c.Rate) + " requests/s: " + plain(c.Why)})
	}
	return out
}
