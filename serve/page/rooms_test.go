package page_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/serve"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// Every page of a room is sound in a browser, whatever the texts on it are.
func TestBrowserRooms(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens each page in seven views")
	}
	s := furnished(t, plainWords)
	p := s.enter()
	for name, path := range rooms(plainWords) {
		if name != "search-filter" { // what is refused stands in the console
			p.Inspect(t, "room-"+name, s.url+path, nil)
		}
	}
}

// All of it is reached by keyboard.
func TestBrowserRoomsByKeyboard(t *testing.T) {
	s := furnished(t, plainWords)
	p := s.enter()
	for key, path := range map[string]string{"a": "/ui/", "r": "/ui/runs", "c": "/ui/corpora", "m": "/ui/memory", "e": "/ui/evals"} {
		p.Loads(func() { p.Press("g", key) })
		p.Wait(fmt.Sprintf(`location.pathname === %q`, path))
		p.Goto(s.url + "/ui/keys")
	}
	p.Goto(s.url + "/ui/corpora")
	p.Press("j", "j")
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.pathname === '/ui/corpora/law'`)
	p.Press("/")
	p.Type("one")
	p.Loads(func() { p.Press("Enter") })
	p.Press("j")
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.pathname === '/ui/corpora/law/document' && document.querySelector('mark#passage') !== null`)
	p.Goto(s.url + "/ui/ask?graph=plain")
	p.Press("/")
	p.Wait(`document.activeElement.id === 'input'`)
	p.Press("Control+a")
	p.Type(`{"text":"by keyboard"}`)
	p.Press("Tab")
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.pathname.startsWith('/ui/runs/')`)
}

// A question begins a run of the graph's own input; what is wrong with it is said, and what
// was written stays.
func TestAskObject(t *testing.T) {
	s := furnished(t, plainWords)
	if body := s.get("/ui/ask"); !strings.Contains(body, `name="graph" value="plain"`) || !strings.Contains(body, "<code dir=\"auto\">lines (append)</code>") {
		t.Errorf("the form:\n%s", body)
	}
	status, body, answer := s.post("/ui/ask", url.Values{"graph": {"plain"}, "input": {`{"text":"hello"}`}})
	if status != http.StatusOK || !strings.HasPrefix(answer.Request.URL.Path, "/ui/runs/") {
		t.Fatalf("%d, at %s\n%s", status, answer.Request.URL, body)
	}
	run := s.wait(strings.TrimPrefix(answer.Request.URL.Path, "/ui/runs/"))
	if run.Graph != "plain" || run.Status != runs.Success {
		t.Errorf("%+v", run)
	}
	if body := s.get("/ui/ask/" + run.Thread); !strings.Contains(body, `name="thread" value="`+run.Thread+`"`) {
		t.Errorf("the form does not send its thread:\n%s", body)
	}
	_, _, answer = s.post("/ui/ask", url.Values{"thread": {run.Thread}, "input": {`{"text":"again"}`}})
	if further := s.wait(strings.TrimPrefix(answer.Request.URL.Path, "/ui/runs/")); further.Thread != run.Thread || further.Number != 2 {
		t.Errorf("%+v", further)
	}
	for input, want := range map[string]string{"": "nothing was given", "{": "not JSON", `{"texts":1}`: "texts", `[]`: "object"} {
		status, body, _ := s.post("/ui/ask", url.Values{"graph": {"plain"}, "input": {input}})
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, want) || !strings.Contains(body, "\n"+html.EscapeString(input)+"</textarea>") {
			t.Errorf("%q: %d\n%s", input, status, body)
		}
	}
	s.begin(runs.Spec{Graph: "held", Thread: "busy", Create: true}, `{"text":"x"}`)
	<-s.gate.reached
	if status, body, _ := s.post("/ui/ask", url.Values{"thread": {"busy"}, "input": {`{"text":"y"}`}}); status != http.StatusConflict || !strings.Contains(body, "A run of this thread goes on") {
		t.Errorf("a busy thread: %d\n%s", status, body)
	}
	if body := s.get("/ui/ask/busy"); strings.Contains(body, "graph=plain") {
		t.Errorf("another graph can be chosen for the thread:\n%s", body)
	}
}

var partOf = regexp.MustCompile(`(?s)<div class="text" dir="auto">(.*?)</div></article>`)

// A long document is read in parts, which together are its bytes; a passage is marked where it
// stands, also on the border of characters.
func TestLongDocument(t *testing.T) {
	text := strings.Repeat("αβγ δεζ ηθι\n", 60_000)
	at := strings.LastIndex(text, "δεζ")
	c := &shelfCorpus{name: "law", words: plainWords, texts: map[string]string{"long": text, "empty": "", "odd": "\xff\xfe <b>"}}
	s := served(t, func(o *serve.Options) { o.Page.Corpora = shelves{"law": c} })
	var whole strings.Builder
	next, parts := "/ui/corpora/law/document?source=long", 0
	for ; next != ""; parts++ {
		body := s.get(next)
		m := partOf.FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("%s:\n%.2000s", next, body)
		}
		whole.WriteString(html.UnescapeString(m[1]))
		next = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(body); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	if whole.String() != text || parts != 5 {
		t.Errorf("%d parts with %d bytes, of %d", parts, whole.Len(), len(text))
	}
	body := s.get("/ui/corpora/law/document?" + url.Values{"source": {"long"}, "passage": {fmt.Sprintf("long:%d:%d", at, at+6)}}.Encode())
	if m := regexp.MustCompile(`(.{12})<mark id="passage">(.*?)</mark>`).FindStringSubmatch(strings.ReplaceAll(body, "\n", "|")); m == nil || m[2] != "δεζ" || !strings.HasSuffix(m[1], "|αβγ ") {
		t.Errorf("marked: %q", m)
	}
	if body := s.get("/ui/corpora/law/document?" + url.Values{"source": {"long"}, "at": {"1"}, "passage": {"long:0:4"}}.Encode()); !strings.Contains(body, "on another page") || strings.Contains(body, "<mark") {
		t.Errorf("a passage of another part:\n%.3000s", body)
	}
	if body := s.get("/ui/corpora/law/document?source=empty"); !strings.Contains(body, "The text is empty") {
		t.Error(body)
	}
	if body := s.get("/ui/corpora/law/document?source=odd"); !strings.Contains(body, "\ufffd &lt;b&gt;") {
		t.Error(body)
	}
	c.stale = "it has changed"
	stale := "/ui/corpora/law/document?" + url.Values{"source": {"long"}, "passage": {"long:0:4"}}.Encode()
	if body := s.get(stale); !strings.Contains(body, "still those of the passage") || !strings.Contains(body, "<mark") {
		t.Errorf("a stale document with the passage:\n%.3000s", body)
	}
	c.now = map[string]string{"long": "x" + text}
	if body := s.get(stale); !strings.Contains(body, "marked nowhere") || strings.Contains(body, "<mark") {
		t.Errorf("a stale document without the passage:\n%.3000s", body)
	}
}

// A report has a policy that lets in its own style and nothing else.
func TestReportPolicy(t *testing.T) {
	s := furnished(t, plainWords)
	_, body, answer := s.do(s.ann, "GET", "/ui/evals/one0", nil)
	const hash = "sha256-xMBRauLlUZfg5HT50b54R52OYO/kbWLrd++6EQgikYw="
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(body, "<h1 dir=auto>one</h1>") || !strings.Contains(policy, hash) || strings.Contains(policy, "script-src") {
		t.Errorf("%s\n%s", policy, body)
	}
	p := s.enter()
	p.Goto(s.url + "/ui/evals/one0")
	p.Wait(`getComputedStyle(document.querySelector('h1')).color === 'rgb(18, 52, 86)'`)
}

// What a server has not is no page of it, and what ann has is none of bob's.
func TestUnfurnished(t *testing.T) {
	s := served(t, nil)
	if body := s.get("/ui/"); strings.Contains(body, "/ui/corpora") || strings.Contains(body, "/ui/evals") || !strings.Contains(body, "/ui/ask") {
		t.Errorf("the navigation:\n%s", body)
	}
	for name, path := range rooms(plainWords) {
		if status, body, _ := s.do(s.ann, "GET", path, nil); !strings.HasPrefix(name, "ask") && status != http.StatusNotFound {
			t.Errorf("%s: %d\n%s", path, status, body)
		}
	}
	s = furnished(t, plainWords)
	bob := s.enters(tokenOfBob)
	for name, path := range rooms(plainWords) {
		status, body, _ := s.do(bob, "GET", path, nil)
		if strings.HasPrefix(name, "corpus") || name == "search" || name == "document" || name == "remembered" {
			if status != http.StatusNotFound {
				t.Errorf("bob sees %s: %d\n%s", path, status, body)
			}
		} else if strings.Contains(body, "gen-1") {
			t.Errorf("bob sees %s:\n%s", path, body)
		}
	}
}

// many are reports of a thousand runs of two sets of cases, and one of each of 15 others.
type many struct{ reports }

func (many) List(context.Context, string) (out []page.Report, unread []page.Fact, err error) {
	for i := range 1015 {
		set := fmt.Sprintf("set%d", i%2)
		if i >= 1000 {
			set = fmt.Sprintf("once%d", i)
		}
		out = append(out, page.Report{ID: fmt.Sprintf("r%04d", i), Date: fmt.Sprintf("2026-01-01 %04d", i), Set: set, Cases: 3, Figures: []page.Figure{{Name: "pass_rate", Value: .5, Lo: .4, Hi: .6, IsShare: true}}})
	}
	return out, nil, nil
}

// Of many reports a page has the newest ones, and leads to the others.
func TestManyReports(t *testing.T) {
	s := served(t, func(o *serve.Options) { o.Page.Evals = many{} })
	links := func(body string) (out []string) {
		for _, m := range regexp.MustCompile(`href="/ui/evals/(r[0-9]+)"`).FindAllStringSubmatch(body, -1) {
			out = append(out, m[1])
		}
		return out
	}
	body := s.get("/ui/evals")
	if got := links(body); len(got) != 10 || got[0] != "r1014" {
		t.Errorf("the first page has %q", got)
	}
	if n := strings.Count(body, "set=once"); n != 5 || !strings.Contains(body, "3 cases, 500 reports") {
		t.Errorf("the first page leads to %d single sets\n%s", n, body)
	}
	next, seen := "/ui/evals?set=set1", map[string]bool{}
	for pages := 0; next != ""; pages++ {
		body := s.get(next)
		got := links(body)
		if len(got) != 100 || pages == 0 && got[0] != "r0999" {
			t.Fatalf("%s: %d reports, from %s", next, len(got), got[0])
		}
		for _, id := range got {
			seen[id] = true
		}
		next = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(body); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 500 || !seen["r0001"] {
		t.Errorf("%d reports are seen", len(seen))
	}
	if body := s.get("/ui/evals?set=set1&from=500"); len(links(body)) != 0 || !strings.Contains(body, "rel=\"prev\"") {
		t.Errorf("behind the last:\n%s", body)
	}
	for path, want := range map[string]int{"/ui/evals?set=none": 404, "/ui/evals?set=set1&from=x": 400} {
		if status, body, _ := s.do(s.ann, "GET", path, nil); status != want {
			t.Errorf("%s: %d\n%s", path, status, body)
		}
	}
}
