package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/internal/record"
)

// none stands for a value that is not known or not supported.
const none = "–"

// num prints v with three significant digits, never fewer than its whole
// part, and a comma between thousands.
func num(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case a == 0:
		return "0"
	case a > mostShown:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 99.95:
		return commas(strconv.FormatFloat(v, 'f', 0, 64))
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a >= 0.001:
		return strconv.FormatFloat(v, 'f', 3, 64)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}

// short is num without trailing zeros: for loads, limits and axis ticks.
func short(v float64) string {
	s := num(v)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func commas(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

func count(n int) string { return commas(strconv.Itoa(n)) }

// opt prints *v, or a dash where it is not known.
func opt(v *float64) string {
	if v == nil {
		return none
	}
	return num(*v)
}

// millis prints v milliseconds with the unit, as seconds from ten on.
func millis(v float64) string {
	if math.Abs(v) >= 10_000 {
		return num(v/1000) + " s"
	}
	return num(v) + " ms"
}

func limit(v float64) string {
	if v >= 10_000 {
		return short(v/1000) + " s"
	}
	return short(v) + " ms"
}

func usd(v float64) string {
	if v >= 0.995 && v < 1000 {
		return fmt.Sprintf("$%.2f", v)
	}
	return "$" + num(v)
}

// span prints a duration as a person would say it.
func span(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

// mostPlain bounds a string that may come from a server, in characters.
const mostPlain = 300

// plain makes a string that may come from a server fit for one line: what is
// not to be seen, such as control characters, which could drive a terminal,
// and marks that turn the direction of text, becomes a space, and the length
// is bounded.
func plain(s string) string { return plainTo(s, mostPlain) }

// mostPlains bounds a list of such strings.
const mostPlains = 24

// plains are several such strings, each bounded by itself.
func plains(list []string, separator string) string {
	var out []string
	for i, s := range list {
		if i == mostPlains {
			out = append(out, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		out = append(out, plain(s))
	}
	return strings.Join(out, separator)
}

func plainTo(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == most {
			b.WriteString("…")
			break
		}
		n++
		if r == utf8.RuneError || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// plural is "1 level", "8 levels".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + one + "s"
}

// sentence begins s with a capital and ends it with a stop. A name that
// stands first, such as a level's, is left as it is.
func sentence(s string) string { return ended(plain(s)) }

// ended is sentence of a text that is our own, however long.
func ended(s string) string {
	if s == "" {
		return ""
	}
	if first, _, _ := strings.Cut(s, " "); !isName(first) {
		r, n := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(r)) + s[n:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// isName tells names, such as saturation-c1, "production:" or vLLM, from words.
func isName(word string) bool {
	return strings.HasSuffix(word, ":") || strings.ContainsAny(word, "0123456789_/.=") || strings.IndexFunc(word, unicode.IsUpper) > 0
}

// list joins words as English does: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// shellJoin prints a command so that it can be pasted into a POSIX shell.
func shellJoin(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsFunc(a, needsQuote) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func needsQuote(r rune) bool {
	return !(r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || r == '=' || r == ',' || r == '@' || r == '%' || r == '+' ||
		'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// metricNames are the names of run.json's metrics as people write them.
var metricNames = map[string]string{"ttft": "TTFT", "ttfo": "TTFO", "itl": "ITL", "icl": "ICL", "e2e": "E2E"}

func metricName(key string) string {
	if n, ok := metricNames[key]; ok {
		return n
	}
	return plain(key)
}

// condition is a criterion as its user would write it, with units.
func condition(c record.Criterion) string {
	return metricName(c.Metric) + " " + plain(c.Percentile) + " < " + limit(c.Limit)
}
