package predict

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func predictedTable(t *testing.T, in string) [][]string {
	t.Helper()
	var out bytes.Buffer
	if _, err := PredictTable(strings.NewReader(in), &out, Resolver{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestTableKeepsRowsAndColumns(t *testing.T) {
	in := "run,Concurrency,model,osl,isl,system,ttft_ms\n" +
		"a,8,meta-llama/Llama-3.1-8B-Instruct,200,1000,h100_sxm,\n" +
		"b,8,nobody/nothing,200,1000,h100_sxm,12\n" +
		"\"c, last\",16,Qwen/Qwen3-32B,200,1000,p5.48xlarge,nan\n"
	rows := predictedTable(t, in)
	want := append(strings.Split("run,Concurrency,model,osl,isl,system,ttft_ms", ","), Predicted...)
	if diff := cmp.Diff(want, rows[0]); diff != "" {
		t.Error(diff)
	}
	if len(rows) != 4 || rows[1][0] != "a" || rows[2][0] != "b" || rows[3][0] != "c, last" || rows[3][6] != "nan" {
		t.Fatalf("rows %v", rows)
	}
	for _, i := range []int{1, 3} {
		mid, low, high := number(t, rows[i][7]), number(t, rows[i][8]), number(t, rows[i][9])
		if !(0 < low && low < mid && mid < high) {
			t.Errorf("row %d: TTFT %g, %g, %g", i, low, mid, high)
		}
	}
	if diff := cmp.Diff([]string{"", "", "", "", "", ""}, rows[2][7:13]); diff != "" || !strings.Contains(rows[2][13], "nobody/nothing") {
		t.Errorf("the row of an unknown model: %v", rows[2])
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTablePredictedTwiceIsTheSame(t *testing.T) {
	in := "model,system,isl,osl,concurrency\nllama-3.1-70b,h200_sxm,1024,1024,32\n"
	once := predictedTable(t, in)
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(once); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(once, predictedTable(t, b.String())); diff != "" {
		t.Error(diff)
	}
}

func TestRowsOfImpossibleSystemsAreRefused(t *testing.T) {
	for row, want := range map[string]string{
		"llama-3.1-8b,h100_sxm,100,100,8,1000000,1":       "tp 1000000, attention_dp 1 and pp 1 are 1e+06 GPUs",
		"llama-3.1-8b,h100_sxm,100,100,8,9999999,9999999": "GPUs: more than 16384",
		"llama-3.1-8b,h100_sxm,100,100,8,-1,1":            "no number of at least 0",
	} {
		var out bytes.Buffer
		n, err := PredictTable(strings.NewReader("model,system,isl,osl,concurrency,tp,pp\n"+row+"\n"), &out, Resolver{})
		if err != nil || n.Refused != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %+v, %v, %s; want %q", row, n, err, out.String(), want)
		}
	}
}

func TestTableSaysWhatItLacks(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "empty",
		"model,isl\n":                 "system",
		"model,system,isl,osl,conc\n": "",
		"model,system,isl,osl,concurrency\n" + strings.Repeat("x", 2*maxRecord) + ",h100,1,1,1\n": "longer",
	} {
		_, err := PredictTable(strings.NewReader(in), &bytes.Buffer{}, Resolver{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", in, err, want)
		}
	}
}

func TestLayoutsWrittenInTwoWays(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want layout
	}{
		{Row{TP: 8, AttentionDP: 1, MoETP: 8, MoEEP: 1, Concurrency: 4}, layout{TP: 8, DP: 1, EP: 1, PP: 1, PerRank: 4}},
		{Row{TP: 64, AttentionDP: 1, MoETP: 8, MoEEP: 8, Concurrency: 4}, layout{TP: 8, DP: 1, EP: 8, PP: 1, PerRank: 4}},
		{Row{TP: 1, AttentionDP: 64, MoETP: 8, MoEEP: 8, Concurrency: 4}, layout{TP: 1, DP: 8, EP: 8, PP: 1, PerRank: 32}},
		{Row{TP: 4, AttentionDP: 4, MoETP: 1, MoEEP: 16, Concurrency: 4}, layout{TP: 4, DP: 1, EP: 4, PP: 1, PerRank: 16}},
		{Row{TP: 4, MoETP: 2, MoEEP: 2, Concurrency: 4}, layout{TP: 4, DP: 1, EP: 2, PP: 1, PerRank: 4}},
		{Row{TP: 2, MoETP: 4, MoEEP: 1, Concurrency: 4}, layout{TP: 2, DP: 2, EP: 1, PP: 1, PerRank: 4}},
		{Row{Concurrency: 4}, layout{TP: 1, DP: 1, EP: 1, PP: 1, PerRank: 4}},
	} {
		if got := layoutOf(c.row); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.row, got, c.want)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("model,system,isl,osl,concurrency,tp\nllama-3.1-8b,h100,100,10,4,2\n")
	f.Add("model,system,isl,osl,concurrency,tp,moe_ep\nFoo-235B-A22B,b200_sxm,1e3,10,4,9223372036854775807,2\n")
	f.Add("model,system,isl,osl,concurrency\nx,\"h1\n00\",-1,NaN,\n")
	f.Add("a\n\"")
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		table, err := PredictTable(strings.NewReader(in), &out, Resolver{})
		if err != nil {
			return
		}
		r := csv.NewReader(&out)
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatalf("what was written is no table: %v", err)
		}
		if len(rows) != table.Rows+1 {
			t.Fatalf("%d rows in, %d out", table.Rows, len(rows)-1)
		}
		for _, row := range rows[1:] {
			n := len(row)
			if (row[n-2] == "") && row[n-1] == "" {
				t.Fatalf("a row without figures does not say why: %q", row)
			}
			for _, s := range row[n-7 : n-1] {
				if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
					t.Fatalf("figures %q", row)
				}
			}
		}
	})
}
