package practice

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones are known wherever Assay runs
)

// Zone finds a time zone by its name in the IANA database, such as Europe/Berlin.
// Abbreviations are refused: CET knows no city, and IST is three zones.
func Zone(name string) (*time.Location, error) {
	if name == "UTC" || name == "Etc/UTC" {
		return time.UTC, nil
	}
	if !strings.Contains(name, "/") || strings.HasPrefix(name, "/") || strings.Contains(name, "..") {
		return nil, fmt.Errorf("time zone %q is no name of the IANA database: write one such as Europe/Berlin, or UTC", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is not in the IANA database: write one such as Europe/Berlin, or UTC", name)
	}
	return zone, nil
}

// The years over which a zone's offsets are taken. Rules may change; what is written
// for a zone is then written again.
const (
	offsetsFrom = 2026
	offsetsTo   = 2032
)

// Offsets are those from UTC that a zone has over the year, least first: two where it
// knows daylight saving.
func Offsets(zone *time.Location) []time.Duration {
	var all []time.Duration
	end := time.Date(offsetsTo, 1, 1, 0, 0, 0, 0, time.UTC)
	for at := time.Date(offsetsFrom, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(end); {
		_, seconds := at.In(zone).Zone()
		if o := time.Duration(seconds) * time.Second; !slices.Contains(all, o) {
			all = append(all, o)
		}
		_, next := at.In(zone).ZoneBounds()
		if next.IsZero() {
			break
		}
		at = next.UTC()
	}
	slices.Sort(all)
	return all
}
