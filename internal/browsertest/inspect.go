package browsertest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var screenshots = flag.String("screenshots", "", "write pictures of the pages that the browser shows to `DIR`")

// InspectOptions configure [Page.Inspect]. Nil and the zero value work.
type InspectOptions struct {
	// Prepare brings the page into the state to inspect. By default that is the state after
	// loading. It does not move the focus.
	Prepare func(p *Page)
	// Differs says that the page shows other words without its scripts. By default that is a
	// fault.
	Differs bool
}

// Inspect opens an address, or a file, in a narrow dark window, in a wide light one, enlarged and
// without scripts, with every part open, in forced colours, and reports faults as test errors: console messages,
// requests to other hosts, overflow, low contrast, a focus that is out of order or invisible, texts
// that are interpreted, and the findings of axe-core if it is installed. name names the pictures.
// With -short only the narrow window is inspected.
func (p *Page) Inspect(t *testing.T, name, address string, opts *InspectOptions) {
	t.Helper()
	if opts == nil {
		opts = &InspectOptions{}
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
	// Colours do not depend on the width. Pictures are of all four. WCAG asks for 320 pixels.
	views := []View{{Width: 320, Dark: true}, {Width: 1440}, {Width: 320}, {Width: 1440, Dark: true}}
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
		report(p.Barriers(t)...)
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
	for _, v := range []View{{Width: 1280, Zoom: 200}, {Forced: true}} {
		report := look(v)
		p.Unfold()
		report(p.Wide()...)
		report(p.Covered()...)
		report(p.Moving()...)
	}
	p.inspectWords(look, opts.Differs)
	p.Look(View{})
}

// inspectWords compares the page's text with scripts and without.
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

// Shoot writes a picture of the page where the flag -screenshots asks for pictures. Its name
// gets the width and the colours of the view.
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

// Picture writes a picture of the window, for documents, if the flag -screenshots is set, and returns
// it. Without a name it is only returned.
func (p *Page) Picture(name string) []byte {
	p.t.Helper()
	if *screenshots == "" {
		return nil
	}
	var shot struct{ Data []byte }
	p.call("Page.captureScreenshot", map[string]any{"format": "webp", "quality": 75}, &shot)
	if name != "" {
		if err := os.WriteFile(filepath.Join(*screenshots, name+".webp"), shot.Data, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	return shot.Data
}

// Sheet writes one picture of several, side by side, each at a share of its size, if the flag
// -screenshots is set.
func (p *Page) Sheet(name string, share float64, pictures ...[]byte) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	p.Loads(func() { p.navigate("about:blank") })
	addresses, err := json.Marshal(pictures) // in base 64
	if err != nil {
		p.t.Fatal(err)
	}
	var size struct{ Width, Height int }
	p.Eval(fmt.Sprintf(`(async () => {
  document.body.style = 'margin: 0; position: absolute; display: flex; align-items: start; gap: 8px; width: max-content; background: #777';
  for (const data of %s) {
    const img = new Image();
    img.src = 'data:image/webp;base64,' + data;
    await img.decode();
    img.width = img.naturalWidth * %g;
    document.body.append(img);
  }
  const r = document.body.getBoundingClientRect();
  return {Width: Math.ceil(r.width), Height: Math.ceil(r.height)};
})()`, addresses, share), &size)
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": size.Width, "height": size.Height, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.Picture(name)
	p.Look(p.view)
}
