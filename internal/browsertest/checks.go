package browsertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
)

//go:embed checks.js
var checks string

// check calls a function of checks.js.
func (p *Page) check(call string, result any) {
	p.t.Helper()
	p.Eval("("+checks+")."+call, result)
}

func (p *Page) list(call string) []string {
	p.t.Helper()
	var out []string
	p.check(call, &out)
	return out
}

// Unfold opens all parts of the page that can be opened.
func (p *Page) Unfold() {
	p.t.Helper()
	p.check("unfold()", nil)
}

// Wide returns the elements that extend beyond the right edge of the page.
func (p *Page) Wide() []string {
	p.t.Helper()
	return p.list("wide()")
}

// Faint names the texts whose contrast is below level AA of WCAG 2.2 for small text, as the
// browser draws them.
func (p *Page) Faint() []string {
	p.t.Helper()
	return p.list("faint()")
}

// Complaints returns the console messages of the page, or of the browser about it, since Goto, with
// dialogs and failed requests.
func (p *Page) Complaints() []string {
	p.t.Helper()
	var out []string
	for _, ev := range p.events {
		switch ev.Method {
		case "Network.loadingFailed":
			var failed struct{ Canceled bool }
			if json.Unmarshal(ev.Params, &failed) == nil && failed.Canceled { // a page that was left
				continue
			}
			fallthrough
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
			out = append(out, fmt.Sprintf("%s: %.400s", ev.Method, ev.Params))
		}
	}
	return out
}

// Strangers returns the requests to anything except the page's host, or the page's file.
func (p *Page) Strangers() []string {
	p.t.Helper()
	var out []string
	for _, address := range p.Requests() {
		if p.strange(address) {
			out = append(out, "a request to "+address)
		}
	}
	return out
}

// strange reports whether an address is neither on the page's host nor the page's file. Data URLs
// are not strange.
func (p *Page) strange(address string) bool {
	p.t.Helper()
	own, err := url.Parse(p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	to, err := url.Parse(address)
	return err != nil || to.Scheme != "data" && (to.Scheme != own.Scheme || to.Host != own.Host || own.Scheme == "file" && to.Path != own.Path)
}

// Walk presses Tab through the page, from its beginning, and reports where the focus is out of
// reading order, invisible or covered, and elements that it never reaches.
func (p *Page) Walk() []string {
	p.t.Helper()
	// A field may have the focus already: Tab goes on from where an element with the focus was removed.
	p.Eval(`(e => { e.tabIndex = -1; document.body.prepend(e); e.focus(); e.remove(); return 0; })(document.createElement('span'))`, new(int))
	out := p.list("usable()")
	var n int
	p.Eval("assayUsable.length", &n)
	for i := range n {
		p.Press("Tab")
		out = append(out, p.list(fmt.Sprintf("focused(%d)", i+1))...)
		if len(out) >= 8 {
			break
		}
	}
	return out
}

// Nameless returns the focusable elements without an accessible name.
func (p *Page) Nameless() []string {
	p.t.Helper()
	type value struct{ Value any }
	var tree struct {
		Nodes []struct {
			Ignored    bool
			ID         int `json:"backendDOMNodeId"`
			Role, Name value
			Properties []struct {
				Name  string
				Value value
			}
		}
	}
	p.call("Accessibility.getFullAXTree", nil, &tree)
	var out []string
	for _, n := range tree.Nodes {
		focusable := false
		for _, property := range n.Properties {
			focusable = focusable || property.Name == "focusable" && property.Value.Value == true
		}
		unnamed := n.Name.Value == nil || n.Name.Value == ""
		if focusable && unnamed && !n.Ignored && n.Role.Value != "RootWebArea" {
			if html := p.reached(n.ID); html != "" {
				out = append(out, fmt.Sprintf("without a name, a %v: %s", n.Role.Value, html))
			}
		}
	}
	return out
}

// reached returns the beginning of an element that Tab reaches; empty for one that only links lead
// to.
func (p *Page) reached(id int) string {
	p.t.Helper()
	var at struct{ Object struct{ ObjectID string } }
	p.call("DOM.resolveNode", map[string]any{"backendNodeId": id}, &at)
	var html struct{ Result struct{ Value string } }
	p.call("Runtime.callFunctionOn", map[string]any{"objectId": at.Object.ObjectID, "returnByValue": true, "functionDeclaration": `function() { return this.tabIndex < 0 ? '' : this.outerHTML.slice(0, 120) }`}, &html)
	return html.Result.Value
}

// Covered returns texts in the window that lie under something else.
func (p *Page) Covered() []string {
	p.t.Helper()
	return p.list("covered()")
}

// Moving returns what moves for a reader who wants nothing to move.
func (p *Page) Moving() []string {
	p.t.Helper()
	return p.list("moving()")
}
