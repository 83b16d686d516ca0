package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAlternates(t *testing.T) {
	// One snapshot a second from second 10 000 on, one text each.
	at := func(texts ...string) []Snapshot {
		var list []Snapshot
		for i, text := range texts {
			s := Snapshot{}
			if text != "" {
				s = parse(t, text, 0)
			}
			s.At = time.Unix(10_000+int64(i), 0)
			list = append(list, s)
		}
		return list
	}
	started := func(at int) string {
		return fmt.Sprintf("process_start_time_seconds %d\nvllm:generation_tokens_total{engine=\"0\"} 5\n", at)
	}
	tokens := func(n int) string { return fmt.Sprintf("vllm:generation_tokens_total{engine=\"0\"} %d\n", n) }
	engines := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, "vllm:num_requests_running{engine=%q} 1\n", n)
		}
		return b.String()
	}
	for _, c := range []struct {
		name      string
		snapshots []Snapshot
		want      string
	}{
		{"one process", at(started(5000), started(5000), started(5000)), ""},
		{"a restart", at(started(5000), started(10_000), started(10_000)), ""},
		{"a restart by a clock that is late", at(started(5000), started(9_970), started(9_970)), ""},
		{"two restarts", at(started(5000), started(10_000), started(10_001)), ""},
		{"back to the first", at(started(10_000), started(10_001), started(10_000)), "10000"},
		{"an older one", at(started(6000), started(5000)), "start times are 6000 and 5000"},
		{"one that was there already", at(started(5000), started(6000)), "start times are 5000 and 6000"},
		{"a scrape between them that failed", at(started(5000), "", started(6000)), "start times"},
		{"other engines in turn", at(engines("0"), engines("1"), engines("0")), `the engines "1", then the engines "0"`},
		{"an engine more", at(engines("0"), engines("0", "1"), engines("0", "1")), ""},
		{"counters in turn", at(tokens(1000), tokens(50), tokens(1010), tokens(60)), "back and forth between 1000 and 50"},
		{"a counter that falls once", at(tokens(1000), tokens(0), tokens(10), tokens(2000)), ""},
		{"a crash loop", at(tokens(1000), tokens(3), tokens(400), tokens(0), tokens(250), tokens(1)), ""},
		{"two restarts with a climb between", at(tokens(1000), tokens(0), tokens(300), tokens(900), tokens(1100), tokens(5)), ""},
		{"a fall to less than before", at(tokens(1000), tokens(50), tokens(1010), tokens(3)), ""},
		{"an idle replica beside a busy one", at(tokens(1000), tokens(0), tokens(1100), tokens(0)), "between 1000 and 0"},
		{"several scrapes of each", at(tokens(1000), tokens(1001), tokens(50), tokens(51), tokens(1010), tokens(60)), "between 1001 and 50"},
		{"counters, though each process says when it started", at(started(9_999)+tokens(90), started(10_001)+tokens(0), started(10_001)+tokens(90), started(10_003)+tokens(0)), ""},
		{"gauges", at("vllm:num_requests_running 5\n", "vllm:num_requests_running 0\n", "vllm:num_requests_running 5\n", "vllm:num_requests_running 0\n"), ""},
		{"nothing", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			why, ok := Alternates(c.snapshots)
			if ok != (c.want != "") || ok != (why != "") || !strings.Contains(why, c.want) {
				t.Errorf("Alternates = %q, %t; want %q", why, ok, c.want)
			}
		})
	}
}
