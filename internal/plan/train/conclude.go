package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// conclude says whether the request is met, and what would meet it where not.
func (out *Result) conclude(r Request, s sizing) {
	out.Met = len(out.Options) > 0 && (out.Options[0].Verdict == Meets || out.Options[0].Verdict == May)
	switch {
	case out.Met:
	case len(out.Options) == 0:
		out.Nearest = r.remedy(s)
	default:
		out.Nearest = r.closest(out.Options)
	}
}

// closest says by how much the options miss, and what to ask for instead.
func (r Request) closest(options []Option) string {
	fastest := slices.MinFunc(options, func(a, b Option) int { return cmp.Compare(a.Seconds.Mid, b.Seconds.Mid) })
	var parts []string
	if r.Deadline > 0 {
		parts = append(parts, fmt.Sprintf("the fastest, %s, takes %s", fastest.ID, days(fastest.Seconds.Mid)))
	}
	priced := slices.DeleteFunc(slices.Clone(options), func(o Option) bool { return o.USD == nil })
	if len(priced) > 0 {
		cheapest := slices.MinFunc(priced, func(a, b Option) int { return cmp.Compare(a.USD.Mid, b.USD.Mid) })
		parts = append(parts, fmt.Sprintf("the cheapest, %s, costs %s ($%.2f an hour) and takes %s", cheapest.ID, dollars(cheapest.USD.Mid), cheapest.Price.PerHour.Mid, days(cheapest.Seconds.Mid)))
	}
	if len(priced) == 0 && (r.Budget > 0 || r.Hourly > 0) {
		return strings.Join(append(parts, "no price is known of what fits, so that a budget says nothing: --price-file gives them"), "; ")
	}
	less := "fewer --tokens or a longer --deadline need less"
	if r.Method == Full {
		less = "fewer --tokens, a longer --deadline or --method lora need less"
	}
	return strings.Join(append(parts, less), "; ")
}

// remedy says what makes a model fit that fits nowhere.
func (r Request) remedy(s sizing) string {
	var tips []string
	if r.Count > 0 {
		tips = append(tips, "leave --count out")
	}
	if r.TP > 0 || r.PP > 0 || r.FSDP > 0 || r.DP > 0 {
		tips = append(tips, "leave the degrees to auto")
	}
	if r.Recompute != "" && r.Recompute != FullRecompute {
		tips = append(tips, "--checkpointing full")
	}
	if !s.chunked {
		tips = append(tips, "--chunked-loss")
	}
	if r.Sequence > 4096 {
		tips = append(tips, "a shorter --seq")
	}
	switch r.Method {
	case Full:
		tips = append(tips, "--method lora")
	case LoRA:
		tips = append(tips, "--method qlora")
	}
	return "no instance holds it; what helps: " + strings.Join(append(tips, "a larger --instance"), ", ")
}

// dollars prints an amount with commas.
func dollars(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return "$" + s
}

// days prints seconds as people plan them.
func days(seconds float64) string {
	switch h := seconds / 3600; {
	case h >= 48:
		return fmt.Sprintf("%.1f days", h/24)
	case h >= 1:
		return fmt.Sprintf("%.1f hours", h)
	}
	return fmt.Sprintf("%.0f minutes", math.Max(1, seconds/60))
}
