package main

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// repeats is how often each pair of clients is run, in turn, so that what else
// the machine does falls on both.
const repeats = 3

var clients = []string{"plainclient", "wireclient"}

// ttft compares the reported TTFT with the ledger's.
func ttft(ctx context.Context, b bench) error {
	fmt.Printf("\n| streams | client | TTFT reported - truth, ms: mean | p50 | p99 | ITL reported - truth, ms |\n|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		streams int
		itl     time.Duration
	}{{64, 10 * time.Millisecond}, {256, 10 * time.Millisecond}, {1024, 40 * time.Millisecond}} {
		s, err := b.serve(ctx, 50*time.Millisecond, c.itl)
		if err != nil {
			return err
		}
		for range repeats {
			for _, name := range clients {
				r, l, err := b.client(ctx, s, name, "-streams", strconv.Itoa(c.streams), "-requests", strconv.Itoa(4*c.streams))
				if err != nil {
					s.stop()
					return err
				}
				fmt.Printf("| %d | %s | %s | %s | %s | %s |\n", c.streams, name, difference(r.TTFT.Mean, l.TTFT.Mean),
					difference(r.TTFT.P50, l.TTFT.P50), difference(r.TTFT.P99, l.TTFT.P99), difference(r.ITL.Mean, l.ITL.Mean))
			}
		}
		s.stop()
	}
	return nil
}

// cpu compares what a token costs.
func cpu(ctx context.Context, b bench) error {
	s, err := b.serve(ctx, 50*time.Millisecond, 10*time.Millisecond)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("\n| client | tokens | CPU s per million tokens | peak MiB |\n|---|---|---|---|\n")
	for range repeats {
		for _, name := range clients {
			r, _, err := b.client(ctx, s, name, "-streams", "256", "-requests", "4096")
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d | %.1f | %.0f |\n", name, r.Tokens, r.CPUS/float64(r.Tokens)*1e6, r.PeakMiB)
		}
	}
	return nil
}

// rate sends one-token requests in an open loop.
func rate(ctx context.Context, b bench) error {
	s, err := b.serve(ctx, 0, 0)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("\n| asked, requests/s | requests | lateness p50, ms | p99 | max | most in flight | client, cores |\n|---|---|---|---|---|---|---|\n")
	for range repeats {
		r, _, err := b.client(ctx, s, "wireclient", "-streams", "0", "-rate", "5000", "-requests", "50000", "-tokens", "1")
		if err != nil {
			return err
		}
		fmt.Printf("| 5000 | %d | %s | %s | %s | %d | %.2f |\n", r.Requests, figure(r.Lag.P50), figure(r.Lag.P99), figure(r.Lag.Max), r.InFlight, r.CPUS/r.WallS)
	}
	return nil
}

// hold keeps many streams open that bring a token a second.
func hold(ctx context.Context, b bench) error {
	s, err := b.serve(ctx, time.Second, time.Second)
	if err != nil {
		return err
	}
	defer s.stop()
	const streams = 16000
	r, l, err := b.client(ctx, s, "wireclient", "-streams", strconv.Itoa(streams), "-requests", strconv.Itoa(streams), "-tokens", "20")
	if err != nil {
		return err
	}
	fmt.Printf("\n| streams asked | open at once, client | server | tokens | peak MiB | TTFT reported - truth, ms: mean | CPU s |\n|---|---|---|---|---|---|---|\n")
	fmt.Printf("| %d | %d | %d | %d | %.0f | %s | %.1f |\n", streams, r.InFlight, l.MostOpen, r.Tokens, r.PeakMiB, difference(r.TTFT.Mean, l.TTFT.Mean), r.CPUS)
	return nil
}

func difference(got, truth *float64) string {
	if got == nil || truth == nil {
		return "not supported"
	}
	return fmt.Sprintf("%+.2f", *got-*truth)
}

func figure(v *float64) string {
	if v == nil {
		return "not supported"
	}
	return fmt.Sprintf("%.3f", *v)
}
