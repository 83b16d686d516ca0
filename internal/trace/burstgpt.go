package trace

import (
	"fmt"
	"strconv"
	"time"
)

// newBurst reads the requests of BurstGPT, in the form of 6 columns or in that
// of 8, which has sessions and the time of the answer. Time stamps are seconds
// from the first day's midnight. A request of no response tokens had failed.
func newBurst() func(record) (Row, error) {
	seen := sessions{}
	return func(r record) (Row, error) {
		row := Row{Model: r.get("model"), Session: r.get("session id")}
		var err error
		if row.At, err = seconds("Timestamp", r.get("timestamp")); err != nil {
			return row, err
		}
		if row.PromptTokens, err = count("Request tokens", r.get("request tokens")); err != nil {
			return row, err
		}
		if row.OutputTokens, err = count("Response tokens", r.get("response tokens")); err != nil {
			return row, err
		}
		row.Failed = *row.OutputTokens == 0
		if s := r.get("elapsed time"); s != "" {
			if row.Latency, err = seconds("Elapsed time", s); err != nil {
				return row, err
			}
		}
		if row.Session != "" {
			row.Turn, err = seen.turn(row.Session)
		}
		return row, err
	}
}

func seconds(what, s string) (*time.Duration, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is %q: want a number of seconds", what, s)
	}
	return span(what, f, time.Second)
}
