package model

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// apart are models whose class in transformers does not build what the checkpoint
// holds, by how many parameters, and why.
var apart = map[string]int64{
	// Its SigLIP tower gets a pooling head that no checkpoint has.
	"gemma-3-4b": -15238352, "gemma-3-12b": -15238352, "gemma-3-27b": -15238352,
	// It ties the output projection, which the checkpoint stores apart.
	"mistral-small-3.1-24b": 131072 * 5120,
}

func TestParametersAreThoseThatTransformersBuilds(t *testing.T) {
	f, err := os.Open("testdata/transformers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checked := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var name string
		var total, towers, buffers int64
		if _, err := fmt.Sscan(s.Text(), &name, &total, &towers, &buffers); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		a, err := Named(name)
		if err != nil {
			t.Error(err)
			continue
		}
		// Biases that balance experts are buffers there, and weights to us.
		if got, want := a.Parameters(), total+apart[name]; got != want && got != want+buffers {
			t.Errorf("%s: %d parameters, transformers builds %d", name, got, want)
		}
		checked++
	}
	if checked < 120 {
		t.Errorf("%d models checked, want most", checked)
	}
}
