package browsertest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var screenshots = flag.String("screenshots", "", "write pictures of the pages that the browser shows to `DIR`")

// InspectOptions adjust Inspect to a page. Nil and the zero value work.
type InspectOptions struct {
	// Prepare brings the loaded page into the state to inspect. It must not move the focus.
	Prepare func(p *Page)
	// Differs says that the page shows other words without its scripts. Default: that is a fault.
	Differs bool
}

// Inspect opens an address, or a file, in a narrow dark window and in a wide light one, enlarged and
// without scripts, with every part open. It reports as errors of the test: messages in the console,
// requests to other hosts, overflow, faint text, a wrong or invisible focus, texts that are more than
// text, and the violations that axe-core finds, if it is installed. Pictures get the name. With
// -short it inspects only the narrow window.
func (p *Page) Inspect(t *testing.T, name, address string, opts *InspectOptions) {
	t.Helper()
	if opts == nil {
		opts = &InspectOptions{}
	}
	source := axe(t)
	if source == "" {
		t.Run("axe", func(t *testing.T) {
			t.Skip("axe-core is not installed: ASSAY_TEST_PAGE=1 makes the test install it by npm")
		})
	}
	look := func(v View) (report func(...string)) {
		p.Look(v)
		p.Goto(address)
		if opts.Prepare != nil {
			opts.Prepare(p)
		}
		return func(faults ...string) {
			t.Helper()
			if len(faults) > 0 {
				t.Errorf("%s as %+v: %s", name, v, strings.Join(faults, "\n  "))
			}
		}
	}
	// Two views are enough for the checks, since colours do not depend on the width. Pictures are
	// made of all four.
	views := []View{{Width: 360, Dark: true}, {Width: 1440}, {Width: 360}, {Width: 1440, Dark: true}}
	for i, v := range views {
		if i > 1 && *screenshots == "" || i > 0 && testing.Short() {
			break
		}
		report := look(v)
		report(p.Wide()...)
		p.Shoot(name)
		if i > 1 {
			continue
		}
		p.Unfold()
		report(p.Wide()...)
		report(p.Faint()...)
		report(p.Walk()...)
		report(p.Nameless()...)
		if source != "" {
			report(p.barriers(source)...)
		}
		report(p.Complaints()...)
		report(p.Strangers()...)
		report(p.Ran()...)
		report(p.Armed()...)
		report(p.Turning()...)
	}
	if testing.Short() {
		p.Look(View{})
		return
	}
	report := look(View{Zoom: 200})
	p.Unfold()
	report(p.Wide()...)
	p.inspectWords(look, opts.Differs)
	p.Look(View{})
}

// inspectWords compares the words of the page with and without scripts.
func (p *Page) inspectWords(look func(View) func(...string), differs bool) {
	p.t.Helper()
	var with, without string
	look(View{})
	p.Unfold()
	p.check("words()", &with)
	report := look(View{NoScript: true})
	p.Unfold()
	p.check("words()", &without)
	report(p.Wide()...)
	report(p.Complaints()...)
	if with != without && !differs {
		n := 0
		for n < min(len(with), len(without)) && with[n] == without[n] {
			n++
		}
		report(fmt.Sprintf("with scripts the page says %.200q, and without %.200q", with[max(0, n-40):], without[max(0, n-40):]))
	}
}

// Shoot writes a picture of the page if the flag -screenshots is set. The width and the colours of
// the view are added to its name.
func (p *Page) Shoot(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	scheme := "light"
	if p.view.Dark {
		scheme = "dark"
	}
	var height int
	p.Eval(`document.documentElement.scrollHeight`, &height)
	p.screenshot(filepath.Join(*screenshots, fmt.Sprintf("%s-%d-%s.png", name, p.view.Width, scheme)), p.view.Width, min(height, 12000))
}

// Picture writes a picture of the window, for documents, if the flag -screenshots is set.
func (p *Page) Picture(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	p.call("Emulation.setScrollbarsHidden", map[string]any{"hidden": true}, nil)
	var shot struct{ Data []byte }
	p.call("Page.captureScreenshot", map[string]any{"format": "webp", "quality": 75}, &shot)
	if err := os.WriteFile(filepath.Join(*screenshots, name+".webp"), shot.Data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
