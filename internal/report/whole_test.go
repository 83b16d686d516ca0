package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/internal/record"
)

// smallRun has every part of a record and few levels, so that a test can
// afford a report for each of its fields.
func smallRun() Input {
	f := saturationRun()
	f.run.Levels = f.run.Levels[:2]
	f.run.Saturation.Scenario = "saturation"
	f.run.Saturation.USL = &record.USL{Lambda: 1, Sigma: 0.1, Kappa: 0.001}
	f.run.Levels[0].Errors, f.run.Levels[0].Requests.Failed = map[string]int{"timeout": 1}, 1
	in := f.input()
	in.Requests, in.Client, in.Metrics = nil, nil, nil
	return in
}

// each calls f for every value of a kind below v, with its path.
func each(v reflect.Value, kind reflect.Kind, path string, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case kind:
		f(path, v)
	case reflect.Pointer:
		if !v.IsNil() {
			each(v.Elem(), kind, path, f)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return
		}
		for i := range v.Len() {
			each(v.Index(i), kind, fmt.Sprintf("%s[%d]", path, i), f)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			each(v.Field(i), kind, path+"."+v.Type().Field(i).Name, f)
		}
	}
}

// A figure that is damage, in whatever field, neither hangs a form nor shows
// as a number that is none.
func TestEveryFormStandsAbsurdFigures(t *testing.T) {
	in := smallRun()
	each(reflect.ValueOf(&in.Run).Elem(), reflect.Float64, "run", func(path string, v reflect.Value) {
		was := v.Float()
		v.SetFloat(1e308)
		standsUp(t, path+" = 1e308", in)
		v.SetFloat(was)
	})
	for _, x := range []float64{1e308, -1e308, 5e-324} {
		each(reflect.ValueOf(&in.Run).Elem(), reflect.Float64, "run", func(_ string, v reflect.Value) { v.SetFloat(x) })
		standsUp(t, fmt.Sprintf("all figures = %g", x), in)
	}
}

func standsUp(t *testing.T, what string, in Input) {
	t.Helper()
	for form, s := range map[string]string{"HTML": htmlOf(t, in), "text": text(t, in, TextOptions{}), "Markdown": markdown(t, in)} {
		if len(s) > 1<<20 {
			t.Errorf("%s: %s takes %d bytes", what, form, len(s))
		}
		if form == "HTML" {
			s = visible(s)
		}
		for _, bad := range []string{"NaN", "Inf", "%!", strings.Repeat("0", 30), ",000,000,000,000,000,000"} {
			if strings.Contains(s, bad) {
				t.Errorf("%s: %s shows %q", what, form, bad)
			}
		}
	}
}

func TestEveryFormStandsAbsurdLines(t *testing.T) {
	for _, x := range []float64{1e308, 1.7e308, math.MaxFloat64} {
		in := saturationRun().input()
		for i := range in.Metrics {
			for k := range in.Metrics[i].Values {
				in.Metrics[i].Values[k] = x
			}
		}
		for i := range in.Client {
			in.Client[i].LagP99US = math.MaxInt64
		}
		standsUp(t, fmt.Sprintf("metrics = %g", x), in)
	}
	for _, us := range []int64{math.MaxInt64, math.MinInt64, math.MaxInt64 / 2} {
		in := saturationRun().input()
		requests := in.Requests
		in.Requests = func(f func(record.Request) error) error {
			return requests(func(r record.Request) error {
				r.EndUS, r.SentUS = us, -us
				r.ChunkUS = []int64{us, 0, us}
				return f(r)
			})
		}
		in.Client[len(in.Client)-1].AtUS, in.Metrics[len(in.Metrics)-1].AtUS = us, us
		in.Run.Levels[0].Start, in.Run.Levels[1].End = time.Unix(253402300799, 0), time.Unix(-62135596800, 0)
		if s := htmlOf(t, in); len(s) > 4<<20 {
			t.Errorf("offsets of %d: the page takes %d bytes", us, len(s))
		}
	}
}

// What a server, or who wrote the record, put into any string reaches no
// terminal as a control and takes no more than its share of room.
func TestNoStringReachesTheReaderRaw(t *testing.T) {
	evil := "\x1b]0;owned\a\x1b[2J\u009b31m\u202e\u2066\u200b\U000e0041\r\n\x00\xff" + strings.Repeat("A", 100_000)
	check := func(path string, in Input) {
		for form, s := range map[string]string{"text": text(t, in, TextOptions{}), "Markdown": markdown(t, in)} {
			// The same string may stand once in each level's row and remark.
			if len(s) > 40_000 {
				t.Errorf("%s: %s takes %d bytes", path, form, len(s))
			}
			seen(t, path+": "+form, s)
		}
	}
	in := smallRun()
	each(reflect.ValueOf(&in.Run).Elem(), reflect.String, "run", func(path string, v reflect.Value) {
		was := v.String()
		v.SetString(evil)
		check(path, in)
		v.SetString(was)
	})
	each(reflect.ValueOf(&in.Run).Elem(), reflect.String, "run", func(_ string, v reflect.Value) { v.SetString(evil) })
	for i := range 100 {
		in.Run.Levels[0].Errors[fmt.Sprint(i, evil)] = 1
	}
	check("all strings", in)
	seen(t, "all strings: HTML", visible(htmlOf(t, in)))
}

func seen(t *testing.T, what, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%s is not UTF-8", what)
	}
	for _, r := range s {
		if r != '\n' && r != '\u200b' && unicode.In(r, unicode.C) { // md itself puts U+200B behind an @
			t.Errorf("%s holds %U", what, r)
			return
		}
	}
}
