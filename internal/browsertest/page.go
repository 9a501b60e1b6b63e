package browsertest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A Page is a tab of a browser. Each method fails the test if the browser does not comply. Pages of
// one browser are for use by one goroutine.
type Page struct {
	t       testing.TB
	browser *browser
	session string
	view    View
	url     string
	events  []event
}

// A View says how a page is looked at.
type View struct {
	Width    int    // of the window, in pixels; 1440 if it is 0
	Dark     bool   // the colours that the reader prefers
	Zoom     int    // in percent; 100 if it is 0. At 200 the page has half of the width.
	NoScript bool   // scripts of the page do not run
	Media    string // such as "print"; the screen if it is empty
	Forced   bool   // the reader's few colours replace those of the page, and nothing may move
}

// page opens an empty page that shares no cookie with another one.
func (b *browser) page(t testing.TB) *Page {
	t.Helper()
	p := &Page{t: t, browser: b}
	var own struct{ BrowserContextID string }
	p.call("Target.createBrowserContext", nil, &own)
	p.call("Browser.setDownloadBehavior", map[string]any{"behavior": "deny", "browserContextId": own.BrowserContextID}, nil)
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": own.BrowserContextID}, &target)
	var attached struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	b.pages[p.session] = p
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		p.call(domain+".enable", nil, nil)
	}
	p.call("Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil)
	p.call("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
	p.Look(View{})
	return p
}

// Tab opens a further page for a part of the test, in the same browser. It shares no cookie
// with the first.
func (p *Page) Tab(t testing.TB) *Page {
	t.Helper()
	return p.browser.page(t)
}

// call sends a command about the page and reads its result.
func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	answer := p.browser.ask(p.t, p.session, method, params)
	if answer.Error != nil {
		p.t.Fatalf("%s: %s", method, answer.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result, result); err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
	}
}

// Look changes how the page is looked at, now and after each Goto.
func (p *Page) Look(v View) {
	p.t.Helper()
	if v.Width == 0 {
		v.Width = 1440
	}
	if v.Zoom == 0 {
		v.Zoom = 100
	}
	p.view = v
	scheme, colours, motion := "light", "none", "no-preference"
	if v.Dark {
		scheme = "dark"
	}
	if v.Forced {
		colours, motion = "active", "reduce"
	}
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": v.Width * 100 / v.Zoom, "height": 900 * 100 / v.Zoom, "deviceScaleFactor": float64(v.Zoom) / 100, "mobile": false,
	}, nil)
	p.call("Emulation.setEmulatedMedia", map[string]any{"media": v.Media, "features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}, {"name": "forced-colors", "value": colours}, {"name": "prefers-reduced-motion", "value": motion},
	}}, nil)
	p.call("Emulation.setScrollbarsHidden", map[string]any{"hidden": *screenshots != ""}, nil)
	p.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": v.NoScript}, nil)
}

// Offline takes the network from the page, or gives it back.
func (p *Page) Offline(off bool) {
	p.t.Helper()
	p.call("Network.emulateNetworkConditions", map[string]any{"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
}

// Cookie gives the page a cookie for the host of an address.
func (p *Page) Cookie(address, name, value string) {
	p.t.Helper()
	p.call("Network.setCookie", map[string]any{"url": address, "name": name, "value": value, "httpOnly": true, "sameSite": "Strict"}, nil)
}

// Goto opens an address, or a file by its absolute path, waits until it is loaded, and resets the
// recorded events.
func (p *Page) Goto(address string) {
	p.t.Helper()
	if filepath.IsAbs(address) {
		address = (&url.URL{Scheme: "file", Path: filepath.ToSlash(address)}).String()
	}
	if !p.shows(address) {
		p.t.Fatalf("%s is not shown", address)
	}
}

// shows opens an address, and reports whether it is a page; it may be a file to save.
func (p *Page) shows(address string) bool {
	p.t.Helper()
	// From a page to a part of the same page nothing would be loaded.
	p.Loads(func() { p.navigate("about:blank") })
	p.events, p.url = nil, address
	page := p.navigate(address)
	for page && p.loaded() == "" {
		p.browser.next(p.t, "a page that loads")
	}
	return page
}

func (p *Page) navigate(address string) bool {
	p.t.Helper()
	var to struct{ ErrorText string }
	p.call("Page.navigate", map[string]any{"url": address}, &to)
	if to.ErrorText != "" && to.ErrorText != "net::ERR_ABORTED" {
		p.t.Fatalf("%s: %s", address, to.ErrorText)
	}
	return to.ErrorText == ""
}

// Loads does something that makes the page load another one, and waits for that.
func (p *Page) Loads(do func()) {
	p.t.Helper()
	before := p.loaded()
	do()
	for p.loaded() == before {
		p.browser.next(p.t, "a page that loads")
	}
}

// loaded names the last load of the page that is complete.
func (p *Page) loaded() string {
	for _, ev := range slices.Backward(p.events) {
		if ev.Method == "Page.lifecycleEvent" {
			var at struct{ LoaderID, Name string }
			if json.Unmarshal(ev.Params, &at) == nil && at.Name == "load" {
				return at.LoaderID
			}
		}
	}
	return ""
}

// Eval evaluates an expression of JavaScript, also on a page whose scripts do not run, and
// waits for its promise if it is one.
func (p *Page) Eval(expression string, result any) {
	p.t.Helper()
	problem := p.eval(expression, result)
	for i := 0; i < 50 && strings.Contains(problem, "navigated"); i++ { // the next page can be asked
		time.Sleep(20 * time.Millisecond)
		problem = p.eval(expression, result)
	}
	if problem != "" {
		p.t.Fatalf("%s\n%.500s", problem, expression)
	}
}

func (p *Page) eval(expression string, result any) (problem string) {
	p.t.Helper()
	answer := p.browser.ask(p.t, p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true})
	if answer.Error != nil {
		return answer.Error.Message // for example because the page was left meanwhile
	}
	var out struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(answer.Result, &out); err != nil {
		return err.Error()
	}
	if out.ExceptionDetails != nil {
		return out.ExceptionDetails.Text + " " + out.ExceptionDetails.Exception.Description
	}
	if result == nil {
		return ""
	}
	if err := json.Unmarshal(out.Result.Value, result); err != nil {
		return err.Error() + ": " + string(out.Result.Value)
	}
	return ""
}

// Wait waits until an expression is true. The page may load another one meanwhile.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		var is bool
		problem := p.eval("Boolean("+expression+")", &is)
		if is {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("after 30 seconds this is not true: %s\n%s\n%s: %.2000s", expression, problem, p.url, p.Text())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Sees waits until the page shows a text, ignoring white space between words.
func (p *Page) Sees(text string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf(`document.body.innerText.replace(/\s+/g, ' ').includes(%q)`, text))
}

// Text returns the text that the page shows, with one space between words.
func (p *Page) Text() string {
	p.t.Helper()
	var text string
	p.Eval(`document.body.innerText`, &text)
	return strings.Join(strings.Fields(text), " ")
}

// Requests returns the addresses that the page has asked for since Goto, in order.
func (p *Page) Requests() []string {
	p.t.Helper()
	var out []string
	for _, ev := range p.events {
		if ev.Method == "Network.requestWillBeSent" {
			var sent struct{ Request struct{ URL string } }
			if err := json.Unmarshal(ev.Params, &sent); err != nil {
				p.t.Fatal(err)
			}
			out = append(out, sent.Request.URL)
		}
	}
	return out
}

// screenshot writes the page from its top down to a height.
func (p *Page) screenshot(file string, width, height int) {
	p.t.Helper()
	var shot struct{ Data []byte }
	p.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}, &shot)
	if err := os.WriteFile(file, shot.Data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
