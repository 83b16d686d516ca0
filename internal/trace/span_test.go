package trace

import (
	"strings"
	"testing"
)

// Times as far apart as a file may say must not overflow where they are compared.
func TestTimesFarApart(t *testing.T) {
	azure := func(years ...string) string {
		s := "TIMESTAMP,ContextTokens,GeneratedTokens\n"
		for _, y := range years {
			s += y + "-01-01 00:00:00,5,5\n"
		}
		return s
	}
	moon := func(stamps ...string) string {
		s := ""
		for _, at := range stamps {
			s += `{"timestamp": ` + at + `, "input_length": 5, "output_length": 5}` + "\n"
		}
		return s
	}
	const most = "2305843009213" // ms
	for name, content := range map[string]string{"years": azure("1975", "1970", "2100"), "milliseconds": moon("0", "-"+most, most, "-"+most)} {
		rep := analyse(t, content, 0)
		if rep.Gaps.Mean == nil || *rep.Gaps.Mean <= 0 || *rep.SpanS <= 4e9 {
			t.Errorf("%s: gaps %v, span %v", name, rep.Gaps.Mean, rep.SpanS)
		}
	}
	for name, content := range map[string]string{
		"years": azure("1975", "1700", "2250"), "milliseconds": moon("0", "-4611686018427.387904", "4611686018427.387904"),
		"nanoseconds": `{"spans": [{"start_time": 1767225600000000000, "attributes": {"gen_ai.usage.input_tokens": 1}}, {"start_time": -9223372036854775807, "attributes": {"gen_ai.usage.input_tokens": 1}}, {"start_time": 9223372036854775807, "attributes": {"gen_ai.usage.input_tokens": 1}}]}`,
	} {
		_, err := Analyse(open(t, content, Options{}), "data", AnalyseOptions{})
		if err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
