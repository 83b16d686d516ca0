package telemetry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// startSlack is how far the clocks of a server and of who scrapes it may differ.
// Ours.
const startSlack = time.Minute

// Alternates reports whether different processes answered a URL in turn, as they
// do behind a Service of several replicas, and what shows it. A restart is no
// alternation: it happens once, and the new process is younger. The snapshots are
// in order of time; a few in quick succession are enough.
func Alternates(snapshots []Snapshot) (why string, ok bool) {
	var kept []Snapshot
	for _, s := range snapshots {
		if !s.Empty() {
			kept = append(kept, s)
		}
	}
	starts, known := startsOf(kept)
	if why = olderAgain(kept, starts); why != "" {
		return why, true
	}
	if why = returns(kept, func(s Snapshot) string { return "the engines " + list(s.Engines()) }); why != "" {
		return why, true
	}
	if known {
		return "", false // one process at each time, by its own account
	}
	why = backAndForth(kept)
	return why, why != ""
}

// startsOf are the start times of the processes that answered; known when each
// said it.
func startsOf(kept []Snapshot) (starts []float64, known bool) {
	known = len(kept) > 0
	for _, s := range kept {
		v, ok := s.Value(ProcessStart)
		if !ok {
			v, known = 0, false
		}
		starts = append(starts, v)
	}
	return starts, known
}

// olderAgain finds a process that was there before the one that answered last:
// its start time is earlier, or it started before an answer that was not its own.
func olderAgain(kept []Snapshot, starts []float64) string {
	for i := 1; i < len(kept); i++ {
		was, is := starts[i-1], starts[i]
		if was == 0 || is == 0 || was == is {
			continue
		}
		before := float64(kept[i-1].At.Add(-startSlack).Unix())
		if is < was || !kept[i-1].At.IsZero() && is < before {
			return fmt.Sprintf("two processes answer in turn: their start times are %.10g and %.10g", was, is)
		}
	}
	return ""
}

// returns finds something that a snapshot says, then another does not, and a later
// one says again.
func returns(kept []Snapshot, of func(Snapshot) string) string {
	seen := map[string]bool{}
	last := ""
	for _, s := range kept {
		is := of(s)
		if is != last && seen[is] {
			return brief(fmt.Sprintf("two processes answer in turn: %s, then %s", last, is))
		}
		seen[is], last = true, is
	}
	return ""
}

// backAndForth finds counters that fall, are back at once, and fall again: a
// process that restarts twice climbs from 0 each time.
func backAndForth(kept []Snapshot) string {
	tracks := map[string][]float64{}
	for _, s := range kept {
		for name, list := range s.byName {
			if !cumulative[name] || !serving[known[name].name.Engine] || strings.HasSuffix(name, "_bucket") {
				continue
			}
			for _, one := range list {
				tracks[one.key()] = append(tracks[one.key()], one.value)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tracks)) {
		if high, low, ok := zigzag(tracks[key]); ok {
			return brief(fmt.Sprintf("two processes answer in turn: %.300s goes back and forth between %g and %g", key, high, low))
		}
	}
	return ""
}

// zigzag finds a fall, a rise in one step to where it was or above, and a fall to
// where that one had led or above: two counters that never fall, in turn.
func zigzag(track []float64) (high, low float64, ok bool) {
	fell, back := false, false
	for i := 1; i < len(track); i++ {
		was, is := track[i-1], track[i]
		switch {
		case is < was && back && is >= low:
			return high, low, true
		case is < was:
			high, low, fell, back = was, is, true, false
		case fell && was < high:
			back = is >= high && was-low < (high-low)/2
		}
	}
	return 0, 0, false
}
