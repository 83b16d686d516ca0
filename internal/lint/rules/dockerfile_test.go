package rules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

func dockerfile(text string) lint.Result {
	return lint.Files([]*source.File{{Name: "Dockerfile", Body: []byte(text), Dockerfile: true}}, lint.Options{Rules: All()})
}

func placesOf(r lint.Result) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.ID))
	}
	return all
}

// A finding points at the word, also where lines are continued, comments stand between
// them, and texts follow them.
func TestPlacesInDockerfiles(t *testing.T) {
	r := dockerfile(`# syntax=docker/dockerfile:1
FROM --platform=linux/amd64 \
    vllm/vllm-openai:latest
ENV A=ü \
    # the hub's
    HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH
RUN pip install -U huggingface_hub && \

    hf download meta-llama/Llama-3.3-70B-Instruct
COPY app.py \
     .netrc /root/
RUN <<EOF
set -e
	wget https://example.com/model.safetensors
EOF
ENTRYPOINT . /env &&	vllm serve /models/llama
`)
	want := []string{
		"3:5 dockerfile-base-moves", "6:14 dockerfile-secret", "9:5 dockerfile-weights", "11:6 dockerfile-secret-copied",
		"14:2 dockerfile-weights", "16:22 dockerfile-shell-command",
	}
	if d := cmp.Diff(want, placesOf(r)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// A comment before an instruction speaks of all its lines, one within it of the next.
func TestSuppressionInDockerfiles(t *testing.T) {
	const fetch = "hf download meta-llama/Llama-3.3-70B-Instruct\n"
	const reason = "# assay:ignore dockerfile-weights an image for a site without a network\n"
	for text, want := range map[string][]string{
		reason + "RUN set -e && \\\n    " + fetch:          nil,
		"RUN set -e && \\\n    " + reason + "    " + fetch: nil,
		reason + "RUN true\nRUN " + fetch:                  {"2:3 suppression-unused", "4:5 dockerfile-weights"},
		"# assay:ignore dockerfile-weights\nRUN " + fetch:  {"2:3 suppression-without-reason", "3:5 dockerfile-weights"},
	} {
		if d := cmp.Diff(want, placesOf(dockerfile("FROM vllm/vllm-openai:v0.32.0\n"+text))); d != "" {
			t.Errorf("%s\n-want +got:\n%s", text, d)
		}
	}
}

// What no build begins with is said at its line, and all that a build takes is not.
func TestSyntaxOfDockerfiles(t *testing.T) {
	for text, want := range map[string][]string{
		"FORM python:3.12.8-slim\n":           {"1:1 FORM is no instruction: FROM?"},
		"RUN true\nFROM a:1\n":                {"1:1 RUN before the first FROM: there is no image yet"},
		"ARG A=1\n":                           {"1:1 no FROM: there is nothing to start from"},
		"":                                    {"1:1 no FROM: there is nothing to start from"},
		"FROM a:1\n  COPY <<-E /x\n\ta\n E\n": {"2:3 the text that begins with <<-E has no end: no line holds E alone"},
		"FROM a:1\nRUN a \\\\\nb\nc\n":        {"3:1 b is no instruction"},
		"FROM a:1\nRUN " + strings.Repeat("a", 70_000) + "\n":            {"2:1 a line of 70004 bytes: a build takes 65535"},
		"FROM a:1\nONBUILD RUN <<E\nE\nRUN python -c 'print(1 <<E)'\n":   nil,
		"FROM a:1\nRUN echo $((1<<N)) \"a <<E b\" <<<E\nRUN [\"<<E\"]\n": nil,
		"FROM a:1\nRUN 3<<'E-1' <<\"F\" cat\nE-1\nx\nF\nrun true\n":      nil,
		"# syntax=example.com/dockerfile-x:1\nINCLUDE a\nFROM a:1\n":     nil,
		"# escape=`\nFROM a:1\nRUN a `\n  b\n":                           nil,
		"FROM a:1\nRUN a \\\n":                                           nil,
	} {
		var got []string
		for _, f := range dockerfile(text).Findings {
			if f.ID != "dockerfile-syntax" {
				t.Errorf("%q: %s %s", text, f.ID, f.Message)
			}
			got = append(got, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%.80q (-want +got):\n%s", text, d)
		}
	}
}

// Dockerfiles made to hurt are read, or refused, in seconds where nothing else runs.
func TestHostileDockerfiles(t *testing.T) {
	const size = 1<<20 - 1<<10
	dir := t.TempDir()
	for name, text := range map[string]string{
		"continued.Dockerfile":    "FROM a:1\n" + strings.Repeat("RUN \\\n", size/6),
		"heredoc.Dockerfile":      "FROM a:1\nRUN <<E\n" + strings.Repeat("apt-get hf download pip make << \n", size/33),
		"heredocs.Dockerfile":     "FROM a:1\nRUN " + strings.Repeat("<<E ", size/4),
		"stages.Dockerfile":       "FROM a:1 AS a\n" + strings.Repeat("FROM a AS a\n", size/12),
		"instructions.Dockerfile": "FROM a:1\n" + strings.Repeat("ENV a b\n", size/8),
		"names.Dockerfile":        strings.Repeat("x", size),
		"ignored.Dockerfile":      "FROM a:1\n" + strings.Repeat("#assay:ignore a b\n", size/18) + "RUN a\n",
		"quotes.Dockerfile":       "FROM a:1\nENV " + strings.Repeat("A=\"", size/3),
		"large.Dockerfile":        strings.Repeat("RUN a\n", 50<<20/6),
		"nul.Dockerfile":          "FROM a:1\nRUN \x00\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	res, err := lint.Run(ctx, source.Read(ctx, []string{dir}, source.Options{}), lint.Options{Rules: All()})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range res.Findings {
		if f.ID == "rule-failed" {
			t.Errorf("%s: %s", f.File, f.Message)
		}
		found[filepath.Base(f.File)+" "+f.ID] = f.Message
	}
	for _, want := range []string{"heredoc.Dockerfile dockerfile-syntax", "heredocs.Dockerfile dockerfile-syntax", "names.Dockerfile dockerfile-syntax", "large.Dockerfile dockerfile-too-large", "nul.Dockerfile binary-file"} {
		if found[want] == "" {
			t.Errorf("no %s", want)
		}
	}
}

// FuzzDockerfiles holds that rules take any text, and point into it.
func FuzzDockerfiles(f *testing.F) {
	paths, err := filepath.Glob("cases/*.Dockerfile")
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range paths {
		body, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body))
	}
	f.Add("FROM a\nCOPY --from=b [\"\n")
	f.Add("ENV \nENV A\nARG =\nADD\nRUN apt-get install gcc \\\n && make\nCMD \\")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		for _, f := range dockerfile(text).Findings {
			switch {
			case f.ID == "rule-failed":
				t.Errorf("%s", f.Message)
			case f.Line < 1 || f.Line > len(lines) || f.Column < 1 || f.Column > len(lines[f.Line-1])+1:
				t.Errorf("%s points at %d:%d of %q", f.ID, f.Line, f.Column, text)
			}
		}
	})
}
