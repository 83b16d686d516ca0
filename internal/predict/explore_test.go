package predict

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

func TestExplore(t *testing.T) {
	if os.Getenv("EXPLORE") == "" {
		t.Skip()
	}
	t0 := time.Now()
	points, err := pointsOf(Published())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("points", len(points), time.Since(t0))
	t0 = time.Now()
	x := fitCoefficients(points)
	fmt.Println("fit", time.Since(t0))
	for i, p := range parameters {
		fmt.Printf("%s=%.3g ", p.name, math.Exp(x[i]))
	}
	fmt.Println()
	k := [2]Kernel{
		{Engine: .002, Version: .006, Chip: .006, Model: .03, Near: .03, Layout: .03, Noise: .003},
		{Engine: .01, Version: .04, Chip: .02, Model: .04, Near: .12, Layout: .08, Noise: .015},
	}
	for _, p := range Protocols {
		if w := os.Getenv("EXPLORE"); w != "all" && w != p.Name {
			continue
		}
		t0 = time.Now()
		tr := crossValidate(points, p, k)
		fmt.Println(p.Name, time.Since(t0))
		by := map[string][]Trial{}
		for _, r := range tr {
			by["all"] = append(by["all"], r)
			by[r.point.key.Shape+" "+r.point.site.Model.Name+" "+r.point.key.Engine] = append(by[r.point.key.Shape+" "+r.point.site.Model.Name+" "+r.point.key.Engine], r)
		}
		names := []string{}
		for n := range by {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			var a, b, s1, s2, z1, z2 []float64
			ba, bb := []float64{}, []float64{}
			for _, r := range by[n] {
				a = append(a, math.Abs(math.Expm1(r.ITL)))
				b = append(b, math.Abs(math.Expm1(r.TTFT)))
				ba, bb = append(ba, r.ITL), append(bb, r.TTFT)
				s1, s2 = append(s1, r.ITLSD), append(s2, r.TTFTSD)
				z1, z2 = append(z1, math.Abs(r.ITL/r.ITLSD)), append(z2, math.Abs(r.TTFT/r.TTFTSD))
			}
			q := func(v []float64, p float64) float64 {
				v = slices.Clone(v)
				slices.Sort(v)
				return v[int(p*float64(len(v)-1))]
			}
			m := func(v []float64) float64 {
				s := 0.
				for _, x := range v {
					s += x
				}
				return 100 * s / float64(len(v))
			}
			fmt.Printf("%-8s %-40s n %4d TPOT %5.1f (%4.1f) %+.2f TTFT %6.1f (%4.1f) %+.2f | width %.2f %.2f z %.2f %.2f\n", p.Name, n, len(a), m(a), 100*q(a, .5), q(ba, .5), m(b), 100*q(b, .5), q(bb, .5),
				math.Exp(2*q(z1, .9)*q(s1, .5)), math.Exp(2*q(z2, .9)*q(s2, .5)), q(z1, .9), q(z2, .9))
		}
	}
}
