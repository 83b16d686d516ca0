package facts

import "testing"

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		chip, format string
		want         How
		rate         float64
	}{
		{"H100", "bf16", Native, 989.4e12},
		{"H100", "FP8", Native, 1978.9e12},
		{"L40S", "fp8", Native, 733e12},
		{"A100", "fp8", Unpacked, 312e12},
		{"A10G", "fp8", Unpacked, 70e12},
		{"A100", "int8", Native, 624e12},
		{"H100", "nvfp4", Unpacked, 989.4e12},
		{"H100", "awq", Unpacked, 989.4e12},
		{"B200", "nvfp4", Native, 9000e12},
		{"B200", "mxfp4", Native, 9000e12},
		{"B200", "int8", Refused, 2250e12},
		{"MI300X", "mxfp4", Unpacked, 1307.4e12},
		{"T4", "fp8", Refused, 65e12},
		{"MI355X", "mxfp4", Native, 10066.3e12},
		{"L4", "gguf", Unpacked, 121e12},
		{"MI355X", "nvfp4", Refused, 2516.6e12},
		{"MI300X", "fp8", Native, 2614.9e12},
		{"T4", "bf16", Refused, 65e12},
		{"T4", "fp16", Native, 65e12},
		{"T4", "awq", Unpacked, 65e12},
		{"T4", "mxfp4", Refused, 65e12},
		{"V100", "bf16", Refused, 125e12},
		{"V100", "fp16", Refused, 125e12},
		{"Inferentia", "bf16", Refused, 64e12},
		{"Inferentia2", "fp8", Native, 190e12},
		{"Inferentia2", "gptq", Refused, 190e12},
		{"V520", "fp16", Refused, 0},
		{"H100", "fp3", Refused, 989.4e12},
	} {
		c, err := ChipNamed(test.chip)
		if err != nil {
			t.Fatal(err)
		}
		got, why := c.Runs(test.format)
		if got != test.want || (why == "") != (got == Native) {
			t.Errorf("%s runs %s: %v, %q; want %v", test.chip, test.format, got, why, test.want)
		}
		if rate := c.Rate(test.format); rate != test.rate {
			t.Errorf("%s multiplies %s at %g; want %g", test.chip, test.format, rate, test.rate)
		}
	}
}

func TestServed(t *testing.T) {
	for _, c := range Chips() {
		ok, why := c.Served()
		want := true
		switch c.Name {
		case "V100", "Inferentia", "Qualcomm-AI100", "Radeon-Pro-V520":
			want = false
		}
		if ok != want || (why == "") != ok {
			t.Errorf("%s: %v, %q", c.Name, ok, why)
		}
	}
}
