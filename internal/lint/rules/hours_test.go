package rules

import (
	"testing"
	"time"
)

func TestInHours(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour: "1h", 720 * time.Hour: "720h", 10 * time.Minute: "10m", 30 * time.Second: "30s",
		90 * time.Minute: "1h30m", 4000 * time.Second: "1h6m40s", time.Hour + 20*time.Second: "1h0m20s", 0: "0s",
	} {
		if got := inHours(d); got != want {
			t.Errorf("%d s: %s, want %s", d/time.Second, got, want)
		}
	}
}
