package report

import (
	"io"
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/stats"
)

// hollowed are ways in which a record can know less than a fixture does.
var hollowed = map[string]func(in *Input){
	"requests": func(in *Input) { in.Requests = nil },
	"samples":  func(in *Input) { in.Client, in.Metrics = nil, nil },
	"server": func(in *Input) {
		for i := range in.Run.Levels {
			in.Run.Levels[i].Server, in.Run.Levels[i].Anatomy = nil, record.Anatomy{}
		}
	},
	"anything of the server": func(in *Input) {
		for i := range in.Run.Levels {
			in.Run.Levels[i].Server = &record.Server{}
		}
	},
	"distributions": func(in *Input) {
		for i := range in.Run.Levels {
			l := &in.Run.Levels[i]
			l.TTFT, l.ITL, l.E2E, l.Client = stats.Dist{}, stats.Dist{}, stats.Dist{}, record.Client{}
		}
	},
	"verdicts": func(in *Input) {
		in.Run.Saturation, in.Run.Bound, in.Run.SLO = nil, record.Bound{}, record.SLO{}
		for i := range in.Run.Levels {
			in.Run.Levels[i].Validity, in.Run.Levels[i].SLO = record.Validity{}, nil
		}
	},
	"an operating point": func(in *Input) {
		if s := in.Run.Saturation; s != nil {
			s.OperatingPoint, s.WhyNoPoint, s.Peak = nil, "no level meets the SLO", nil
		}
	},
	"throughput": func(in *Input) {
		for i := range in.Run.Levels {
			in.Run.Levels[i].Throughput = record.Throughput{}
		}
	},
	"nothing":            func(*Input) {},
	"all but the schema": func(in *Input) { *in = Input{Run: record.Run{Schema: record.Schema}} },
}

func TestEveryFormStandsWhatIsMissing(t *testing.T) {
	for name, f := range fixtures {
		for hole, dig := range hollowed {
			in := f().input()
			dig(&in)
			for form, s := range map[string]string{"HTML": visible(htmlOf(t, in)), "text": text(t, in, TextOptions{}), "Markdown": markdown(t, in)} {
				if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Contains(s, "%!") {
					t.Errorf("%s of %s without %s shows a number that is none", form, name, hole)
				}
			}
		}
	}
}

func TestNoOperatingPointSaysWhy(t *testing.T) {
	in := saturationRun().input()
	hollowed["an operating point"](&in)
	if s := strings.Join(strings.Fields(text(t, in, TextOptions{})), " "); !strings.Contains(s, "no operating point: no level meets the SLO") {
		t.Errorf("the verdict does not say why there is no operating point:\n%s", s)
	}
}

// failing is a full disk.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriteErrorsAreReturned(t *testing.T) {
	in := saturationRun().input()
	full := failing{io.ErrShortWrite}
	for form, err := range map[string]error{"text": Text(full, in, TextOptions{}), "Markdown": Markdown(full, in), "HTML": HTML(full, in)} {
		if err == nil {
			t.Errorf("%s hides that its writer failed", form)
		}
	}
}
