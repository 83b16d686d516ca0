package source

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse holds that any bytes are read without a crash, that chunks are the whole
// text, and that every place lies in the file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"k: a\n---\nk: b\n", "{\"a\":1}{\"b\":2}", bomb, "a: &a {k: a}\n<<: [*a, *a]\nk: b\n", "kind: X\nkind: Y\n",
		"%YAML 1.1\n---\na: \u0085\u2028\n...\n", "a:\n\tb: 1", "\xff\xfea\x00:\x00", "{\"a\":\"\\ud83d", "? a\n: - b\n", "a: !!binary x\nb: !<x> y\n", "\r\r\n", "&a [*a]", "<<: {<<: *x}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		file := &File{Name: "x.yaml", Body: body, Named: true}
		if p := file.decode(); p != nil {
			inside(t, file, p.Place)
			return
		}
		var whole []byte
		for _, c := range file.Chunks() {
			whole = append(whole, c.Text...)
			doc, problems := c.Parse()
			for _, p := range problems {
				inside(t, file, p.Place)
			}
			budget := 10_000
			visit(doc.Root, &budget, func(v Value) { inside(t, file, Place{"x.yaml", v.Line(), v.Column()}) })
		}
		if !bytes.Equal(whole, file.Body) {
			t.Errorf("chunks are %q of %q", whole, file.Body)
		}
	})
}

func inside(t *testing.T, f *File, p Place) {
	t.Helper()
	if p.Line < 1 || p.Line > f.Lines()+1 || p.Column < 1 {
		t.Errorf("%v lies outside of %d lines", p, f.Lines())
	}
}

// visit walks a value as rules do.
func visit(v Value, budget *int, do func(Value)) {
	if *budget--; *budget < 0 || !v.Exists() {
		return
	}
	do(v)
	for k, item := range v.Pairs() {
		do(k)
		visit(item, budget, do)
	}
	for _, item := range v.Items() {
		visit(item, budget, do)
	}
	v.Int()
	v.Bool()
	v.Open()
}

// FuzzNames holds that a name is of one sort at most, and that a Dockerfile is read.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"Dockerfile", "a/b.yaml", "Dockerfile.yaml", "x.Dockerfile", "Containerfile.gpu", "kustomization.yaml", "a.tgz", ".", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		yaml := strings.HasSuffix(strings.ToLower(name), ".yaml")
		if isDockerfile(name) && (!isRead(filepath.Base(name)) || yaml) || yaml && !isRead(name) {
			t.Errorf("%q: read %v, a Dockerfile %v", name, isRead(name), isDockerfile(name))
		}
	})
}

// FuzzMarks holds that marks can be taken out again, and that they stand at line ends.
func FuzzMarks(f *testing.F) {
	for _, s := range []string{"a: 1\n{{ if x }}\nb: {{ y }}\n{{- end }}\n", "{{/* */}}\n", "{{ `\n` }}", "a: {{ \"}}\" }}\r\nb", "{{", "}}\na"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.ContainsAny(body, "\ue000\ue001") {
			return
		}
		got := withMarks(body, 7)
		if back := mark.ReplaceAll(got, nil); !bytes.Equal(back, body) {
			t.Errorf("%q came back as %q", body, back)
		}
		if bytes.Count(got, []byte{'\n'}) != bytes.Count(body, []byte{'\n'}) {
			t.Errorf("%q has other lines than %q", got, body)
		}
	})
}

// FuzzOrigin holds that what comes out of a build as it stands leads to where it stands,
// or nowhere, whatever stands there.
func FuzzOrigin(f *testing.F) {
	f.Add([]byte(deployment))
	f.Add([]byte("kind: X\nmetadata: {name: x}\nk: [a, a, {b: c}, [d]]\n"))
	f.Add([]byte("kind: X\nmetadata: {name: x}\na: &a {k: a}\n<<: *a\nb: [*a, *a]\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		file := &File{Name: "x.yaml", Body: body}
		if file.decode() != nil || len(file.Chunks()) != 1 {
			return
		}
		l := &lead{of: file, disk: map[string][]byte{"x.yaml": body}, name: func(path string) string { return path }}
		l.once.Do(l.make)
		for here, there := range l.places {
			if there.File != "x.yaml" || there.Line != here.line || there.Column != here.column {
				// Keys of a merged mapping stand in two paths at one place.
				if !bytes.Contains(body, []byte("<<")) && !bytes.Contains(body, []byte("*")) {
					t.Errorf("%v leads to %v", here, there)
				}
			}
		}
	})
}
