package stats

import "math"

// binomialAtMost is P(Bin(n, q) <= k). It sums away from the mean, so that the
// small tail is the one that is summed and none is lost to cancellation.
func binomialAtMost(k, n int, q float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n || q <= 0:
		return 1
	case q >= 1:
		return 0
	}
	if float64(k) > float64(n)*q {
		return 1 - binomialTail(k+1, n, q, +1)
	}
	return binomialTail(k, n, q, -1)
}

// binomialAtLeast is P(Bin(n, q) >= k).
func binomialAtLeast(k, n int, q float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n || q <= 0:
		return 0
	case q >= 1:
		return 1
	}
	if float64(k) < float64(n)*q {
		return 1 - binomialTail(k-1, n, q, -1)
	}
	return binomialTail(k, n, q, +1)
}

// binomialTail sums the probabilities of k, k+step, k+2 step, ... until they no
// longer count; step leads away from the mean.
func binomialTail(k, n int, q float64, step int) float64 {
	term := math.Exp(logChoose(n, k) + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q))
	odds := q / (1 - q)
	var sum float64
	for k >= 0 && k <= n && term > sum*1e-16 {
		sum += term
		if step > 0 {
			term *= odds * float64(n-k) / float64(k+1)
		} else {
			term *= float64(k) / (odds * float64(n-k+1))
		}
		k += step
	}
	return min(sum, 1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
