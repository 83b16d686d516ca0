package browser

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// root is that of the repository.
const root = "../.."

// reportFile is the report to look at: the one that ASSAY_REPORT names, or that of
// a short run against the simulated engine.
func reportFile(t *testing.T) string {
	t.Helper()
	if file := os.Getenv("ASSAY_REPORT"); file != "" {
		return file
	}
	dir := t.TempDir()
	assay := filepath.Join(dir, "assay")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", assay, "./cmd/assay")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	run := filepath.Join(dir, "run")
	bench := exec.CommandContext(t.Context(), assay, "bench", "saturation",
		"--concurrency", "1,8,32,64", "--num-requests", "60", "--refine", "0", "--out", run)
	out, err := bench.CombinedOutput()
	if code := bench.ProcessState.ExitCode(); code != 0 && code != 1 && code != 4 { // an answer was written
		t.Fatalf("assay bench: %v\n%s", err, out)
	}
	return filepath.Join(run, "report.html")
}

// screenshots is where the pictures go, to be looked at by people.
func screenshots(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ASSAY_SCREENSHOTS")
	if dir == "" {
		dir = filepath.Join(root, ".cache", "screenshots")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReport(t *testing.T) {
	browser := start(t)
	file, err := filepath.Abs(reportFile(t))
	if err != nil {
		t.Fatal(err)
	}
	page := (&url.URL{Scheme: "file", Path: file}).String()
	pictures := screenshots(t)
	for _, v := range views() {
		t.Run(v.String(), func(t *testing.T) {
			tab := open(t, browser, v)
			tab.visit(t, page)
			checkWidth(t, tab)
			checkVerdict(t, tab)
			checkTheme(t, tab)
			tab.screenshot(t, filepath.Join(pictures, v.String()+".png"))
			if got := tab.complaints(); len(got) > 0 {
				t.Errorf("the page complains:\n%s", strings.Join(got, "\n"))
			}
			if got := tab.requests(); !slices.Equal(got, []string{page}) {
				t.Errorf("the page asks for %q, and should ask for nothing but itself", got)
			}
		})
	}
}

// checkWidth: nothing reaches beyond the viewport. A phone's innerWidth grows
// with what overflows, so the asked width is the measure.
func checkWidth(t *testing.T, tab *tab) {
	t.Helper()
	if got := eval[int64](t, tab, `document.documentElement.scrollWidth`); got > tab.view.width {
		wide := eval[[]string](t, tab, fmt.Sprintf(`[...document.querySelectorAll('body *')]
			.filter(e => e.getBoundingClientRect().right > %d).slice(0, 5)
			.map(e => e.tagName + '.' + (e.getAttribute('class') ?? ''))`, tab.view.width))
		t.Errorf("the page is %d px wide in a viewport of %d: %v", got, tab.view.width, wide)
	}
}

// checkVerdict: the sentence and the tiles are on the first screen, or begin
// there on a phone.
func checkVerdict(t *testing.T, tab *tab) {
	t.Helper()
	type box struct {
		Text   string  `json:"text"`
		Top    float64 `json:"top"`
		Height float64 `json:"height"`
	}
	got := eval[box](t, tab, `(() => {
		const h1 = document.querySelector('.verdict h1'), r = h1.getBoundingClientRect();
		return {text: h1.checkVisibility({opacityProperty: true, visibilityProperty: true}) ? h1.innerText : '', top: r.top, height: r.height};
	})()`)
	if len(got.Text) < 10 || got.Height <= 0 || got.Top < 0 || got.Top+got.Height > float64(tab.view.height) {
		t.Errorf("the verdict is not on the first screen: %+v", got)
	}
	if n := eval[int](t, tab, `[...document.querySelectorAll('.verdict .tile')].filter(e => e.checkVisibility() && e.innerText.trim() !== '').length`); n < 4 {
		t.Errorf("%d tiles with the verdict, want four", n)
	}
	if n := eval[int](t, tab, `[...document.querySelectorAll('main svg')].filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 100).length`); n == 0 {
		t.Error("no chart is shown")
	}
}

// checkTheme: the background follows the reader's preference.
func checkTheme(t *testing.T, tab *tab) {
	t.Helper()
	luminance := eval[float64](t, tab, `(() => {
		const canvas = document.createElement('canvas').getContext('2d');
		for (const e of [document.body, document.documentElement]) {
			const color = getComputedStyle(e).backgroundColor;
			if (color === 'rgba(0, 0, 0, 0)') continue;
			canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
			const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
			return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
		}
		return matchMedia('(prefers-color-scheme: dark)').matches ? 0 : 1;
	})()`)
	if dark := luminance < 0.5; dark != (tab.view.theme == "dark") {
		t.Errorf("a background of luminance %.2f in the %s theme", luminance, tab.view.theme)
	}
}

func eval[T any](t *testing.T, tab *tab, script string) T {
	t.Helper()
	v, err := chromedp.Run(tab.ctx, chromedp.Evaluate[T](script)) // works where the page's own scripts are off
	if err != nil {
		t.Fatal(err)
	}
	return v
}
