package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kustomizationNames are the names by which kubectl finds a kustomization
// (kustomize/api/konfig, RecognizedKustomizationFileNames, v0.21.2, 2026-11-30).
var kustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// kustomization is a folder that kustomize builds.
type kustomization struct {
	dir  string
	file *File // the kustomization itself
	root Value
}

// openKustomization reads that of a folder; nil: the file is no kustomization that can
// be read, and what is wrong with it, if anything is.
func openKustomization(path string) (*kustomization, []Problem) {
	body, err := readFile(path)
	if err != nil {
		return nil, []Problem{unreadable(path, err)}
	}
	f := &File{Name: path, Body: body, Named: true}
	if p := f.decode(); p != nil {
		return nil, []Problem{*p}
	}
	k := &kustomization{dir: filepath.Dir(path), file: f}
	for _, c := range f.Chunks() {
		doc, problems := c.Parse()
		if len(problems) > 0 {
			return nil, problems
		}
		if doc.Root.Exists() {
			k.root = doc.Root
		}
	}
	return k, nil
}

// isOne says that the file is a kustomization of kustomize, not the Flux object of
// that kind.
func (k *kustomization) isOne() bool {
	api := k.root.Get("apiVersion").Text()
	return api == "" || strings.HasPrefix(api, "kustomize.config.k8s.io/")
}

// ref is something that a kustomization takes from elsewhere.
type ref struct {
	at   Value
	text string // as it is written, without what stands before = in a generator
	// object says that objects are read there, not data or patches.
	object bool
	// folder says that kustomize would fetch what is no path.
	folder bool
}

// lists are the fields that name files or folders, as scalars of a list.
var lists = []struct {
	field          string
	object, folder bool
}{
	{"resources", true, true}, {"bases", true, true}, {"components", true, true},
	{"generators", false, true}, {"transformers", false, true}, {"validators", false, true},
	{"crds", false, false}, {"configurations", false, false}, {"patchesStrategicMerge", false, false},
}

// refs are all that a kustomization takes from elsewhere, in no order.
func (k *kustomization) refs() []ref {
	var all []ref
	add := func(at Value, object, folder bool) {
		text := at.Text()
		if text == "" || strings.Contains(text, "\n") {
			return // written out in its place
		}
		all = append(all, ref{at, text, object, folder})
	}
	for _, l := range lists {
		for _, item := range k.root.Get(l.field).Items() {
			add(item, l.object, l.folder)
		}
	}
	for _, field := range []string{"patches", "patchesJson6902", "replacements"} {
		for _, item := range k.root.Get(field).Items() {
			add(item.Get("path"), false, false)
		}
	}
	add(k.root.Get("openapi", "path"), false, false)
	for _, field := range []string{"configMapGenerator", "secretGenerator"} {
		for _, item := range k.root.Get(field).Items() {
			add(item.Get("env"), false, false)
			for _, v := range slices.Concat(item.Get("files").Items(), item.Get("envs").Items()) {
				add(v, false, false)
				if _, path, ok := strings.Cut(v.Text(), "="); ok && len(all) > 0 {
					all[len(all)-1].text = path
				}
			}
		}
	}
	return all
}

// path is where a reference leads on disk.
func (k *kustomization) path(r ref) string {
	if filepath.IsAbs(r.text) {
		return filepath.Clean(r.text)
	}
	return filepath.Join(k.dir, r.text)
}

// plain says that a build changes nothing of what the kustomization lists, so that the
// files themselves can be read in its place.
func (k *kustomization) plain() bool {
	for key, value := range k.root.Pairs() {
		switch key.Text() {
		case "apiVersion", "kind", "metadata", "resources", "bases":
		default:
			if value.IsScalar() && value.Text() == "" || len(value.Node().Content) == 0 && !value.IsScalar() {
				continue
			}
			return false
		}
	}
	return !k.isComponent()
}

// isComponent says that the kustomization is a part of others, and nothing by itself.
func (k *kustomization) isComponent() bool { return k.root.Get("kind").Text() == "Component" }

// remote are what a build would have to fetch or run, which is never done.
func (k *kustomization) remote() []Problem {
	var all []Problem
	for _, field := range []string{"helmCharts", "helmChartInflationGenerator"} {
		if v := k.root.Get(field); v.Exists() && len(v.Items()) > 0 {
			all = append(all, k.problem("kustomize-remote", k.root.Key(field), "%s would run helm and fetch a chart: what comes out is not seen", field))
		}
	}
	for _, r := range k.refs() {
		switch {
		case isURL(r.text):
			all = append(all, k.problem("kustomize-remote", r.at, "%s would be fetched: what it holds is not seen", withoutSecrets(r.text)))
		case r.folder && !exists(k.path(r)) && strings.ContainsAny(r.text, ":?@"):
			all = append(all, k.problem("kustomize-remote", r.at, "%s would be fetched: what it holds is not seen", withoutSecrets(r.text)))
		case r.folder && !r.object && hasURL(k.path(r)):
			all = append(all, k.problem("kustomize-remote", r.at, "%s is a plugin or takes something from elsewhere, and is not run", r.text))
		}
	}
	for i := range all {
		all[i].Unknown = true
	}
	return all
}

// missing are what the kustomization names and what is not there. Kustomize would try
// to fetch it.
func (k *kustomization) missing() []Problem {
	var all []Problem
	for _, r := range k.refs() {
		if !isURL(r.text) && !exists(k.path(r)) {
			all = append(all, k.problem("kustomize-build", r.at, "%s is not there, so that kubectl apply -k fails", r.text))
		}
	}
	return all
}

func (k *kustomization) problem(id string, at Value, format string, args ...any) Problem {
	p := Problem{ID: id, Place: Place{k.file.Name, max(1, at.Line()), max(1, at.Column())}, Message: fmt.Sprintf(format, args...)}
	if text := k.file.Line(p.Place.Line); len(text) < 400 {
		p.Text = string(text)
	}
	return p
}

func isURL(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "://") || strings.HasPrefix(text, "git@") || strings.HasPrefix(text, "git::") || strings.HasPrefix(text, "github.com/") || strings.HasPrefix(text, "github.com:")
}

// withoutSecrets leaves out of a URL what may be a key: user info, and a query but for
// the reference.
func withoutSecrets(text string) string {
	text, query, _ := strings.Cut(text, "?")
	if before, rest, ok := strings.Cut(text, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		text = before + "://" + host + "/" + path
	}
	for _, q := range strings.Split(query, "&") {
		if strings.HasPrefix(q, "ref=") {
			text += "?" + q
		}
	}
	return clip(text)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// hasURL says that a file may lead kustomize out of the folder, or is no file.
func hasURL(path string) bool {
	body, err := readFile(path)
	return err != nil || isURL(string(body)) || strings.Contains(string(body), "git@")
}
