package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// view is one way to look at a page.
type view struct {
	device        string
	width, height int64
	theme         string
	scripts       bool
}

func (v view) String() string {
	scripts := "scripts"
	if !v.scripts {
		scripts = "no-scripts"
	}
	return fmt.Sprintf("%s-%s-%s", v.device, v.theme, scripts)
}

func views() []view {
	var all []view
	for _, device := range []view{{device: "phone", width: 390, height: 844}, {device: "desktop", width: 1280, height: 800}} {
		for _, theme := range []string{"light", "dark"} {
			for _, scripts := range []bool{true, false} {
				v := device
				v.theme, v.scripts = theme, scripts
				all = append(all, v)
			}
		}
	}
	return all
}

// executables are the names of browsers without a screen, the quickest first.
var executables = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// start runs the browser that CHROMIUM names, or the first that is installed,
// for as long as the test. It talks over a pipe: no port is opened.
func start(t *testing.T) context.Context {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	for _, name := range executables {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		missing(t, "install chromium-headless-shell, or name a browser in CHROMIUM")
	}
	ctx, stop := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.NoSandbox, // root needs this
		chromedp.ExecPath(path),
	))
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil { // starts the browser; a timeout on this context would end it
		missing(t, err.Error())
	}
	return ctx
}

// missing skips, or fails where ASSAY_REQUIRE names chromium. It is
// assay/test/require in short: this module stands alone.
func missing(t *testing.T, reason string) {
	t.Helper()
	if asked := strings.Split(os.Getenv("ASSAY_REQUIRE"), ","); slices.Contains(asked, "chromium") {
		t.Fatalf("chromium is required and not to be had: %s", reason)
	}
	t.Skipf("no chromium: %s", reason)
}

// tab is one page in one view, and what it said and asked for.
type tab struct {
	view view
	ctx  context.Context

	mu    sync.Mutex
	said  []string
	asked []string
}

func open(t *testing.T, browser context.Context, v view) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	page := &tab{view: v, ctx: ctx}
	if err := chromedp.Listen(ctx, page.hear); err != nil {
		t.Fatal(err)
	}
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.device == "phone",
	})
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.theme}},
		})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !v.scripts})
	}
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// hear must neither block nor send commands.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			p.said = append(p.said, fmt.Sprintf("console.%s: %s", e.Type, arguments(e.Args)))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.said = append(p.said, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			p.asked = append(p.asked, e.Request.URL)
		}
	}
}

func arguments(args []*runtime.RemoteObject) string {
	var b strings.Builder
	for _, a := range args {
		fmt.Fprintf(&b, "%s ", a.Value)
	}
	return b.String()
}

func (p *tab) complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.said)
}

func (p *tab) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p *tab) visit(t *testing.T, url string) {
	t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
}

// screenshot is of the whole page, as PNG.
func (p *tab) screenshot(t *testing.T, file string) {
	t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		t.Fatal(err)
	}
}
