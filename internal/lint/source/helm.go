package source

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Charts are rendered by the helm that a user has. As a library helm.sh/helm/v4 v4.3.2
// would add 23 MB to a program of 35 and 81 CPU-seconds to a first build of 130
// (measured 2026-11-30): it brings every type of the Kubernetes API.

// chartFile is what makes a folder a chart.
const chartFile = "Chart.yaml"

// helmTime is the longest that helm may take for one chart.
const helmTime = 60 * time.Second

// helmMemory is the most memory that helm may take, in bytes.
const helmMemory = 2 << 30

// chart is a folder or an archive that helm renders.
type chart struct {
	path string // the folder or the archive
	name string // as helm calls it in "# Source: NAME/templates/…"
	file *File  // Chart.yaml; nil: of an archive
	root Value
}

// openChart reads what a chart says of itself.
func openChart(path string) (*chart, []Problem) {
	c := &chart{path: path}
	if isArchive(path) {
		return c, nil
	}
	name := filepath.Join(path, chartFile)
	body, err := readFile(name)
	if err != nil {
		return nil, []Problem{unreadable(name, err)}
	}
	c.file = &File{Name: name, Body: body, Named: true}
	if p := c.file.decode(); p != nil {
		return nil, []Problem{*p}
	}
	doc, problems := Chunk{File: c.file, Text: c.file.Body, Line: 1}.Parse()
	c.root, c.name = doc.Root, doc.Root.Get("name").Text()
	return c, problems
}

func isArchive(path string) bool {
	return strings.HasSuffix(path, ".tgz") || strings.HasSuffix(path, ".tar.gz")
}

// chart yields what the templates of a chart give.
func (r *reader) chart(path string) bool {
	c, problems := openChart(path)
	if c == nil || len(problems) > 0 {
		return r.problems(problems)
	}
	if c.root.Get("type").Text() == "library" {
		return true // it gives nothing by itself
	}
	if away := c.away(); len(away) > 0 {
		return r.problems(away)
	}
	if _, err := exec.LookPath("helm"); err != nil {
		return r.problem(c.problem("helm-missing", "the chart is rendered by helm, which is not in PATH"))
	}
	text, errs, err := c.template(r.ctx, c.path, r.opt.Values)
	if err != nil && len(bytes.TrimSpace(text)) == 0 {
		return r.problem(c.failed(errs, err))
	}
	for _, f := range c.files(r.ctx, text, r.opt.Values) {
		if !r.file(f) {
			return false
		}
	}
	return true
}

func (r *reader) problems(all []Problem) bool {
	for _, p := range all {
		if !r.problem(p) {
			return false
		}
	}
	return true
}

// away are charts that this one takes in and that do not lie in it: helm would have to
// fetch them.
func (c *chart) away() []Problem {
	var all []Problem
	for _, d := range c.root.Get("dependencies").Items() {
		name := d.Get("name").Text()
		at, _ := filepath.Glob(filepath.Join(c.path, "charts", escapeGlob(name)+"*"))
		if name != "" && !slices.ContainsFunc(at, func(path string) bool { return isOf(filepath.Base(path), name) }) {
			p := c.problem("helm-dependency", fmt.Sprintf("the chart takes in %s, which does not lie in charts/: nothing is rendered", clip(name)))
			p.Place = Place{c.file.Name, d.Get("name").Line(), d.Get("name").Column()}
			p.Text = string(c.file.Line(p.Place.Line))
			all = append(all, p)
		}
	}
	return all
}

// isOf says that a file or folder of charts/ is the chart of a name: redis, redis-1.2.tgz.
func isOf(base, name string) bool {
	rest, ok := strings.CutPrefix(base, name)
	return ok && (rest == "" || strings.HasPrefix(rest, "-") && isArchive(rest))
}

func escapeGlob(name string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(name)
}

// problem is one of the chart that leaves it unread.
func (c *chart) problem(id, message string) Problem {
	place := Place{c.path, 1, 1}
	if c.file != nil {
		place.File = c.file.Name
	}
	return Problem{ID: id, Place: place, Message: message, Unknown: true}
}

// template runs helm over a chart. Nothing is fetched and no cluster is asked: the
// chart is a path, and helm sees neither a kubeconfig nor settings, plugins and caches
// of its user.
func (c *chart) template(ctx context.Context, path string, values []string) (text, errs []byte, err error) {
	home, err := os.MkdirTemp("", "assay-helm-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(home)
	ctx, cancel := context.WithTimeout(ctx, helmTime)
	defer cancel()
	args := []string{"template", "release-name", absolute(path), "--debug", "--skip-tests"}
	for _, v := range values {
		args = append(args, "--values="+absolute(v))
	}
	cmd := exec.CommandContext(ctx, "helm", args...)
	cmd.WaitDelay = time.Second
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + filepath.Join(home, "none"),
		"HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home, "HELM_PLUGINS=" + home}
	out, said := &bounded{most: mostBytes}, &bounded{most: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	if err = cmd.Start(); err == nil {
		// A helm that has ended by now needs no bounds.
		_ = bindMemory(cmd.Process)
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, fmt.Errorf("helm took longer than %v", helmTime)
	case out.over:
		return nil, nil, errTooLarge
	}
	return out.Bytes(), said.Bytes(), err
}

// bounded keeps what is written up to a size, and takes the rest without a word.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if keep := min(len(p), b.most-b.Len()); keep < len(p) {
		b.over = true
		b.Buffer.Write(p[:keep])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// templatePlace is how helm and text/template name a place in an error.
var templatePlace = regexp.MustCompile(`\(?([^\s:()]+\.(?:yaml|yml|tpl|txt|json)):(\d+)(?::(\d+))?`)

// failed is the problem that helm ended with, at the place in a template that it
// names last: what calls is named before what is called.
func (c *chart) failed(errs []byte, err error) Problem {
	message := helmError(errs)
	if message == "" {
		message = err.Error()
	}
	p := c.problem("helm-template", "")
	// required and fail are how a chart asks for values.
	asks := strings.Contains(message, "execution error at")
	p.Unknown = asks
	at := templatePlace.FindAllStringSubmatch(message, -1)
	if len(at) > 0 && c.file != nil {
		last := at[len(at)-1]
		p.Place = Place{File: c.shown(last[1])}
		p.Place.Line, _ = strconv.Atoi(last[2])
		column, _ := strconv.Atoi(last[3])
		p.Place.Column = column + 1
		if body, err := readFile(p.Place.File); err == nil {
			p.Text = string((&File{Body: body}).Line(p.Place.Line))
		}
	}
	if asks {
		p.Way = "give the values that it asks for: --values FILE"
	}
	if r := []rune(message); len(r) > 500 {
		message = "…" + string(r[len(r)-500:])
	}
	p.Message = "helm renders nothing: " + strings.ReplaceAll(message, absolute(c.path)+"/", "")
	return p
}

// helmError is the error in what helm wrote, on one line.
func helmError(errs []byte) string {
	text := string(errs)
	if _, fatal, ok := strings.Cut("\n"+text, "\nfatal error: "); ok {
		first, _, _ := strings.Cut(fatal, "\n")
		return "helm broke down: " + first
	}
	if _, after, ok := strings.Cut("\n"+text, "\nError: "); ok {
		text = after
	}
	if before, _, ok := strings.Cut(text, "\nhelm.go:"); ok {
		text = before
	}
	return strings.Join(strings.Fields(text), " ")
}

// shown is the path of a template as a user knows it.
func (c *chart) shown(source string) string {
	_, rest, ok := strings.Cut(source, "/")
	if !ok {
		return filepath.Join(c.path, filepath.Base(source))
	}
	if !filepath.IsLocal(filepath.FromSlash(rest)) {
		return c.path // templates print such names too: none leads out of the chart
	}
	return filepath.Join(c.path, filepath.FromSlash(rest))
}

// header is the line by which helm says whose text follows.
var header = regexp.MustCompile(`(?m)^# Source: (\S+)$`)

// cut parts what helm printed by template, in the order of their first text.
func cut(text []byte) (sources []string, bodies map[string][]byte) {
	bodies = map[string][]byte{}
	all := header.FindAllSubmatchIndex(text, -1)
	for i, at := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		source := string(text[at[2]:at[3]])
		if _, ok := bodies[source]; !ok {
			sources = append(sources, source)
		}
		body := bytes.TrimSuffix(text[at[0]:end], []byte("---\n"))
		bodies[source] = append(append(bodies[source], "---\n"...), body...)
	}
	return sources, bodies
}

// files are what a chart gives, one for each template.
func (c *chart) files(ctx context.Context, text []byte, values []string) []*File {
	sources, bodies := cut(text)
	var marks *marked
	if c.file != nil {
		marks = &marked{chart: c, ctx: ctx, values: values}
	}
	var all []*File
	for _, source := range sources {
		f := &File{Name: c.shown(source), Body: bodies[source], Rendered: true}
		if marks != nil {
			f.Origin = func(line, column int) (Place, bool) { return marks.origin(f, source, line, column) }
			f.Edited = marks.edited
		}
		all = append(all, f)
	}
	return all
}

// isTemplate says that helm renders a file of a chart.
func isTemplate(rel string) bool {
	dir := filepath.ToSlash(filepath.Dir(rel))
	return (dir == "templates" || strings.HasPrefix(dir, "templates/") || strings.Contains(dir, "/templates")) && slices.Contains([]string{".yaml", ".yml", ".tpl", ".txt", ".json"}, filepath.Ext(rel))
}

// copyChart writes a chart to another folder, its templates changed on the way.
func copyChart(from, to string, change func(rel string, body []byte) []byte) error {
	total, count := 0, 0
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if rel != "." && isAside(e.Name()) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		body, err := readFile(path)
		if err != nil {
			return err
		}
		if total, count = total+len(body), count+1; total > mostBytes || count > 10_000 {
			return errTooLarge
		}
		if isTemplate(rel) {
			body = change(rel, body)
		}
		return os.WriteFile(filepath.Join(to, rel), body, 0o600)
	})
}
