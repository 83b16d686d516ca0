package practice

import "testing"

func TestSOCIOf(t *testing.T) {
	for _, test := range []struct {
		os, version string
		want        SOCI
	}{
		{"bottlerocket", "1.43.0", SOCI{}},
		{"bottlerocket", "v1.44.0", SOCI{Pulls: true}},
		{"bottlerocket", "1.45.1", SOCI{Pulls: true}},
		{"bottlerocket", "1.46.0", SOCI{true, true}},
		{"bottlerocket", "1.55.0", SOCI{true, true}},
		{"bottlerocket", "2.0.0", SOCI{true, true}},
		{"bottlerocket", "unset-ami", SOCI{true, true}},
		{"bottlerocket", "latest", SOCI{true, true}},
		{"al2023", "v20250715", SOCI{}},
		{"al2023", "v20250821", SOCI{Pulls: true}},
		{"al2023", "v20251209", SOCI{Pulls: true}},
		{"al2023", "v20260105", SOCI{true, true}},
		{"al2023", "v20261120", SOCI{true, true}},
		{"al2023", "unset-ami", SOCI{true, true}},
	} {
		if got := SOCIOf(test.os, test.version); got != test.want {
			t.Errorf("%s@%s: %+v, want %+v", test.os, test.version, got, test.want)
		}
	}
}
