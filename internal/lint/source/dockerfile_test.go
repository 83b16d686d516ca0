package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dockerfile = `# syntax=docker/dockerfile:1
ARG CUDA=12.8.1

# the builder
FROM --platform=linux/amd64 nvidia/cuda:${CUDA}-devel-ubuntu24.04 AS build
RUN apt-get update && \
    # a comment within

    apt-get install -y gcc \
    cmake
RUN <<EOF
set -e
make -j
EOF
COPY <<-"A" <<B /etc/
	one
	A
two
B

from build as base
  env  PATH=/opt/bin:$PATH
FROM base
CMD ["serve", "--x"]`

func TestInstructions(t *testing.T) {
	f := &File{Name: "Dockerfile", Body: []byte(dockerfile)}
	d := f.Instructions()
	var got []string
	for _, s := range d.Stages {
		got = append(got, fmt.Sprintf("stage %q from %q", s.Name, s.Base))
		for _, i := range s.Body {
			got = append(got, fmt.Sprintf("%s %q at %d:%d", i.Name, i.Text, i.Place(f, 0).Line, i.Place(f, 0).Column))
		}
	}
	want := []string{
		`stage "build" from "nvidia/cuda:${CUDA}-devel-ubuntu24.04"`,
		`RUN "apt-get update &&     apt-get install -y gcc     cmake" at 6:5`,
		`RUN "<<EOF\nset -e\nmake -j" at 11:5`,
		`COPY "<<-\"A\" <<B /etc/\n\tone\ntwo" at 15:6`,
		`stage "base" from "build"`,
		`ENV "PATH=/opt/bin:$PATH" at 22:8`,
		`stage "" from "base"`,
		`CMD "[\"serve\", \"--x\"]" at 24:5`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(d.Before) != 1 || d.Before[0].Name != "ARG" {
		t.Errorf("before the first stage: %v", d.Before)
	}
	run := d.Stages[0].Body[0]
	for word, place := range map[string]string{"update": "Dockerfile:6:13", "gcc": "Dockerfile:9:24", "cmake": "Dockerfile:10:5"} {
		if p := run.Place(f, strings.Index(run.Text, word)); p.String() != place {
			t.Errorf("%s stands at %s, want %s", word, p, place)
		}
	}
	heredoc := d.Stages[0].Body[1]
	if p := heredoc.Place(f, strings.Index(heredoc.Text, "make")); p.Line != 13 || p.Column != 1 {
		t.Errorf("make stands at %s, want 13:1", p)
	}
	var chain []string
	for _, s := range d.Last() {
		chain = append(chain, s.Name)
	}
	if diff := cmp.Diff([]string{"build", "base", ""}, chain); diff != "" {
		t.Errorf("stages of the image (-want +got):\n%s", diff)
	}
}

func TestInstructionsWithBackquotes(t *testing.T) {
	f := &File{Body: []byte("# escape=`\r\nFROM a:1\r\nRUN dir `\r\n  c:\\\r\n")}
	if got := f.Instructions().Stages[0].Body[0].Text; got != "dir   c:\\" {
		t.Errorf("got %q", got)
	}
}

// FuzzInstructions holds that every place lies in the file.
func FuzzInstructions(f *testing.F) {
	f.Add(dockerfile)
	f.Add("FROM a AS a\nFROM a AS b\nFROM b AS a\nRUN <<A <<-B\n\tB\nA\n\\")
	f.Add("RUN \\\n#\n\\\n\n x\nONBUILD COPY <<E\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Name: "d", Body: []byte(text)}
		d := file.Instructions()
		d.Last()
		lines := strings.Count(text, "\n") + 1
		all := d.Before
		for _, s := range d.Stages {
			all = append(append(all, s.From), s.Body...)
		}
		for _, i := range all {
			for _, offset := range []int{-1, 0, len(i.Text) / 2, len(i.Text), len(i.Text) + 9} {
				if p := i.Place(file, offset); p.Line < 1 || p.Line > lines || p.Column < 1 {
					t.Fatalf("%q: offset %d at %s of %d lines", i.Text, offset, p, lines)
				}
			}
		}
	})
}
