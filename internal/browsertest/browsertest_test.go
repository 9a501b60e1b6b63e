package browsertest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/internal/browsertest"
)

// serve serves pages by their paths.
func serve(t *testing.T, pages map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, found := pages[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const frame = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>A page</title><body><main><h1>A page</h1><p>one</p><p>two</p><p>three</p><p>four</p>`

// Each check finds its own fault, and nothing on a page without faults.
func TestChecks(t *testing.T) {
	p := browsertest.Open(t)
	for name, c := range map[string]struct {
		body string
		look func() []string
		want string
	}{
		"wide":            {`<div style="width: 3000px; height: 1px"></div>`, p.Wide, "3000px"},
		"grey":            {`<p style="color: #888">pale</p>`, p.Faint, "pale"},
		"thin":            {`<p style="opacity: .4">pale</p>`, p.Faint, "pale"},
		"glass":           {`<div style="background: rgba(0, 0, 0, .6)"><p>dusky</p></div>`, p.Faint, "dusky"},
		"drawing":         {`<svg width="90" height="30"><rect width="90" height="30" fill="#333"/><text x="9" y="20">dim</text></svg>`, p.Faint, "dim"},
		"console":         {`<script>console.log("hello")</script>`, p.Complaints, "hello"},
		"exception":       {`<script>throw Error("no")</script>`, p.Complaints, "exceptionThrown"},
		"dialog":          {`<script>alert("hello")</script>`, p.Complaints, "hello"},
		"missing":         {`<script src="/none.js"></script>`, p.Complaints, "404"},
		"two names":       {`<p id="a">one</p><p id="a">two</p>`, p.Armed, "a second element"},
		"forged":          {`<mark>forged</mark>`, p.Armed, "a mark"},
		"under":           {`<div style="position: absolute; top: 0; left: 0; background: #fff; width: 900px; height: 300px"></div>`, p.Covered, "covers A page"},
		"moving":          {`<style>@keyframes k { to { left: 9px } } p { animation: k 9s infinite; position: relative }</style>`, p.Moving, "it moves"},
		"turning":         {`<p>a name: עברית</p>`, p.Turning, "not isolated"},
		"stranger":        {`<img alt="" src="http://assay.invalid/x.png">`, p.Strangers, "assay.invalid"},
		"nameless":        {`<button></button>`, p.Nameless, "button"},
		"nameless region": {`<div role="region" tabindex="0">text</div>`, p.Nameless, "without a name"},
		"order":           {`<a href="#1" tabindex="2">first</a>`, p.Walk, "not where it is read"},
		"unreached":       {`<button onfocus="this.nextElementSibling.focus()">a</button><button>b</button><button>c</button>`, p.Walk, "Tab 1 reaches <button>b"},
		"unseen":          {`<button style="outline: none; border: 0; background: #ddd">a</button>`, p.Walk, "nothing shows the focus"},
		"covered":         {`<button>a</button><div style="position: fixed; inset: 0; background: #fff"></div>`, p.Walk, "lies over"},
		"outside":         {`<button style="position: absolute; left: -999px">a</button>`, p.Walk, "outside of the window"},
	} {
		url := serve(t, map[string]string{"/": frame + c.body, "/good": frame + `<style>:focus-visible { outline: 3px solid #123 }</style><button>a</button><a href="#">b</a><input type="radio" name="r" aria-label="c" checked><input type="radio" name="r" aria-label="d"><input type="radio" name="s" aria-label="g"><input type="radio" name="s" aria-label="h"><details><summary>e</summary><button>f</button></details>`})
		for path, found := range map[string]bool{"/": true, "/good": false} {
			p.Goto(url + path)
			faults := c.look()
			if found != slices.ContainsFunc(faults, func(fault string) bool { return strings.Contains(fault, c.want) }) || !found && len(faults) > 0 {
				t.Errorf("%s: %q at %s", name, faults, path)
			}
		}
	}
}

// A page is used by keyboard and by mouse, has its own cookies, and is shown without scripts and
// without a network.
func TestUse(t *testing.T) {
	url := serve(t, map[string]string{
		"/": frame + `<form action="/sent"><input name="q" aria-label="q"><button>Send</button></form><a href="/other" style="margin-top: 3000px; display: block">other</a>
<script>document.querySelector('h1').textContent = 'With script'; addEventListener('keydown', e => { if (e.target === document.body) document.title += e.key + (e.ctrlKey ? '^' : '') })</script>`,
		"/sent": frame + "sent", "/other": frame + "another",
	})
	p := browsertest.Open(t)
	p.Goto(url)
	p.Press("j", "Control+j", "Escape", "?")
	p.Wait(`document.title === 'A pagejj^Escape?'`)
	p.Focus("input")
	p.Type("a question")
	p.Press("x", "Backspace", "!")
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.search === '?q=a+question%21'`)
	p.Goto(url)
	p.Loads(func() { p.Click("a") })
	if text := p.Text(); !strings.HasSuffix(text, "another") {
		t.Errorf("a click leads to %q", text)
	}
	p.Look(browsertest.View{NoScript: true, Width: 800, Zoom: 200, Dark: true})
	p.Goto(url)
	var seen struct {
		Title string
		Width int
		Dark  bool
	}
	p.Eval(`({Title: document.querySelector('h1').textContent, Width: innerWidth, Dark: matchMedia('(prefers-color-scheme: dark)').matches})`, &seen)
	if seen.Title != "A page" || seen.Width != 400 || !seen.Dark {
		t.Errorf("%+v", seen)
	}
	p.Look(browsertest.View{})
	p.Cookie(url, "a", "b")
	q := p.Tab(t)
	q.Cookie(url, "a", "c")
	p.Goto(url)
	p.Offline(true)
	var offline bool
	p.Eval(`fetch('/').then(() => false, () => true)`, &offline)
	if !offline {
		t.Error("the network is there")
	}
}

// A crawl comes to each kind of page and sends each kind of form once, and looks at what comes.
func TestCrawl(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		for _, id := range []string{"1", "2", "3"} {
			_, _ = io.WriteString(w, frame+`<a href="/things/`+id+`">x</a><a href="/things/`+id+`/part?at=`+id+`#place">x</a>`)
		}
		_, _ = io.WriteString(w, `<a href="/file">x</a><a href="/left-out">x</a><a href="https://assay.invalid/">x</a>`)
	})
	mux.HandleFunc("/things/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, frame+`<form method="post" action="/save/`+r.PathValue("id")+`"><textarea name="a"></textarea><input name="b" value="had"><input type="file" name="f"><button name="c" value="d">x</button></form>`)
	})
	mux.HandleFunc("/things/{id}/part", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, frame) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Disposition", "attachment") })
	mux.HandleFunc("/save/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = fmt.Fprintf(w, "%s%s %s %s", frame, r.FormValue("a"), r.FormValue("b"), r.FormValue("c"))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	p := browsertest.Open(t)
	var looked []string
	asked := p.Crawl(s.URL, "/", browsertest.CrawlOptions{Most: 2, Text: "hello", Skip: func(to string) bool { return to == "/left-out" }}, func(path string) {
		looked = append(looked, path)
		if text := p.Text(); strings.HasPrefix(path, "/save") && !strings.HasSuffix(text, "hello had d") {
			t.Errorf("the form sends %q", text)
		}
	})
	if got := strings.Join(asked, " "); got != "/ /things/1 /things/1/part?at=1 /things/2 /things/2/part?at=2 /file" {
		t.Errorf("asked for %s", got)
	}
	if got := strings.Join(looked, " "); got != "/ /things/1 /things/1/part?at=1 /things/2 /things/2/part?at=2 /save/1" {
		t.Errorf("looked at %s", got)
	}
}

// The time until an input is painted is that of the page's work on it.
func TestReacts(t *testing.T) {
	p := browsertest.Open(t)
	p.Goto(serve(t, map[string]string{"/": frame + `<button>a</button><script>document.querySelector('button').onclick = e => { for (const end = performance.now() + 300; performance.now() < end;); e.target.textContent = 'b' }</script>`}))
	if slow, fast := p.Reacts(func() { p.Click("button") }), p.Reacts(func() { p.Press("j") }); slow < 300*time.Millisecond || fast > slow/2 {
		t.Errorf("a click takes %s, a key %s", slow, fast)
	}
}
