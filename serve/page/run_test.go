package page_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// The list has each run with what it was asked and where it stands; a search finds it by any
// of its words; another tenant sees none of it.
func TestList(t *testing.T) {
	s := served(t, func(o *serve.Options) {
		for i, g := range o.Graphs {
			if g.Name == "plain" {
				o.Graphs[i].Title = "Plain words"
			}
		}
	})
	if body := s.get("/ui/runs"); !strings.Contains(body, "Nothing has run yet") {
		t.Errorf("without runs:\n%s", body)
	}
	done := s.run("plain", `{"text":"What is <b>negligence</b>?"}`)
	s.run("fails", `{"text":"break"}`)
	waits := s.run("asks", `{"text":"publish"}`)
	for query, want := range map[string][]string{
		"":                    {"text: What is &lt;b&gt;negligence&lt;/b&gt;?", "done", "failed", "asked a person"},
		"negligence":          {"negligence", "1 run"},
		"NEGLIGENCE plain":    {"negligence", "1 run", `dir="auto">Plain words</td>`},
		"words negligence":    {"negligence", "1 run"},
		"failed":              {"text: break", "1 run"},
		waits.ID:              {"text: publish", "1 run"},
		done.Thread + " done": {"negligence", "1 run"},
		"negligence fails":    {"No run has"},
		`"><script>alert(1)`:  {"No run has"},
	} {
		body := s.get("/ui/runs?q=" + url.QueryEscape(query))
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("searching %q: no %q in\n%s", query, w, body)
			}
		}
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "<b>neg") {
			t.Errorf("searching %q: a text is markup", query)
		}
	}
	if _, body, _ := s.do(s.enters(tokenOfBob), "GET", "/ui/runs", nil); strings.Contains(body, done.ID) {
		t.Error("bob sees ann's runs")
	}
	if body := s.get("/ui/runs?from=5000"); !strings.Contains(body, "text: break") {
		t.Errorf("behind the end:\n%s", body)
	}
	for _, wrong := range []string{"-1", "x", "99999999999999999999"} {
		if status, _, _ := s.do(s.ann, "GET", "/ui/runs?from="+wrong, nil); status != http.StatusBadRequest {
			t.Errorf("from %s: %d", wrong, status)
		}
	}
}

// A long list comes in pages that lead to each other.
func TestPages(t *testing.T) {
	s := served(t, nil)
	for range 120 {
		s.run("plain", `{"text":"x"}`)
	}
	seen := 0
	for path := "/ui/runs?q=plain"; path != ""; {
		body := s.get(path)
		seen += strings.Count(body, `<th scope="row"`)
		_, rest, found := strings.Cut(body, `" rel="next">`)
		if path = ""; found {
			before := body[:len(body)-len(rest)-len(`" rel="next">`)]
			path = strings.ReplaceAll(before[strings.LastIndex(before, `"`)+1:], "&amp;", "&")
		}
	}
	if seen != 120 {
		t.Errorf("the pages have %d runs", seen)
	}
}

// The page of a run has its end, its state, its graph with what ran, and its error.
func TestRun(t *testing.T) {
	s := served(t, nil)
	plain, outer, fails := s.run("plain", `{"text":"x"}`), s.run("outer", `{"text":"x"}`), s.run("fails", `{}`)
	for id, want := range map[string][]string{
		plain.ID: {`class="badge good">done`, `class="node done" data-node="second"`, "first", "The state at its end"},
		outer.ID: {`class="node graph done" data-node="mind"`, `data-node="mind/think"`},
		fails.ID: {"<details><summary>The state at its end", `class="badge bad">failed`, `class="node error" data-node="try"`, "the model does not answer"},
	} {
		body := s.get("/ui/runs/" + id)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("no %q in\n%s", w, body)
			}
		}
		if strings.Contains(body, "live.js") {
			t.Error("a run that has ended is live")
		}
	}
}

// Of a run whose thread was removed the log has what was written.
func TestTemporary(t *testing.T) {
	s := served(t, nil)
	r := s.wait(s.begin(runs.Spec{Graph: "plain", Temporary: true}, `{"text":"x"}`).ID)
	if body := s.get("/ui/runs/" + r.ID); !strings.Contains(body, "was removed") || !strings.Contains(body, "third") || strings.Contains(body, "/ui/threads/") {
		t.Errorf("%s", body)
	}
	if body := s.get("/ui/runs"); !strings.Contains(body, "removed") || strings.Contains(body, "/ui/threads/") {
		t.Errorf("the list:\n%s", body)
	}
	if body := s.get("/ui/runs/" + r.ID + "/steps"); !strings.Contains(body, "third") {
		t.Errorf("the steps:\n%s", body)
	}
}

// Each part of a run has its page: the graphs inside nodes, the states behind supersteps,
// what differs from another run; and all of them are one file.
func TestParts(t *testing.T) {
	s := served(t, nil)
	r, other := s.run("outer", `{"text":"x"}`), s.run("outer", `{"text":"y"}`)
	plain := s.run("plain", `{"text":"x"}`)
	for path, want := range map[string][]string{
		"runs/" + r.ID + "/graph?open=mind":                  {`class="node done" data-node="mind/think"`},
		"runs/" + r.ID + "/steps":                            {"thought", `href="/ui/threads/` + r.Thread + `?at=`, "mind/think"},
		"runs/" + plain.ID + "/steps":                        {"1 added to 1"},
		"runs/" + plain.ID + "/timeline":                     {"third"},
		"compare?a=" + r.ID + "&b=" + other.ID:               {"/ui/runs/" + other.ID, "What they were given", "what was asked", `<code dir="auto">text: x</code></td><td><code dir="auto">text: y</code>`},
		"compare":                                            {"<option value=\"" + r.ID + "\">text: x · outer"},
		"compare?a=" + r.ID + "&b=" + r.ID:                   {"/ui/runs/" + r.ID},
		"runs/" + plain.ID + "/steps?from=99999":             {"third"},
		"runs/" + plain.ID + "/timeline?from=99999":          {"third"},
		"runs/" + plain.ID + "/graph?open=none&open=%3Cb%3E": {"third"},
	} {
		body := s.get("/ui/" + path)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s: no %q in\n%s", path, w, body)
			}
		}
	}
	_, body, answer := s.do(s.ann, "GET", "/ui/runs/"+plain.ID+"/file", nil)
	if got := answer.Header.Get("Content-Disposition"); got != "attachment; filename=run-"+plain.ID+".html" || !strings.Contains(body, "Written by Assay test") || strings.Contains(body, "<script") || strings.Contains(body, "/ui/") {
		t.Errorf("%s\n%s", got, body)
	}
	for path, want := range map[string]int{"compare?a=" + r.ID + "&b=none": http.StatusNotFound, "runs/" + r.ID + "/steps?from=-1": http.StatusBadRequest, "runs/" + r.ID + "/nothing": http.StatusNotFound} {
		if status, body, _ := s.do(s.ann, "GET", "/ui/"+path, nil); status != want {
			t.Errorf("%s: %d\n%s", path, status, body)
		}
	}
}

// Runs and threads of another tenant are not found, whatever is done to them.
func TestForeign(t *testing.T) {
	s := served(t, nil)
	r := s.run("asks", `{"text":"secret"}`)
	bob := s.enters(tokenOfBob)
	ticket := s.ticket(bob)
	for _, p := range paths(r.ID, r.Thread) {
		if !strings.Contains(p[1], r.ID) && !strings.Contains(p[1], r.Thread) {
			continue
		}
		form := url.Values(nil)
		if p[0] == "POST" {
			form = url.Values{"ticket": {ticket}, "checkpoint": {"1"}, "value": {"1"}, "channel": {"text"}}
		}
		if status, body, _ := s.do(bob, p[0], p[1], form); status != http.StatusNotFound || strings.Contains(body, "secret") {
			t.Errorf("%v: %d\n%s", p, status, body)
		}
	}
}

// Names that no run, thread or checkpoint has are not found, and are no markup.
func TestHostileNames(t *testing.T) {
	s := served(t, nil)
	r := s.run("plain", `{}`)
	for _, name := range []string{"none", "..%2f..%2fetc", "%00", "%ff", "a%2eb", "%3Cscript%3Ealert(1)%3C%2Fscript%3E", strings.Repeat("x", 3000), "%22%20onload%3D%22x", "-1", "%E2%80%AE"} {
		for _, path := range []string{"/ui/runs/" + name, "/ui/runs/" + name + "/events", "/ui/threads/" + name, "/ui/threads/" + r.Thread + "?at=" + name, "/ui/threads/" + r.Thread + "?before=" + name} {
			status, body, _ := s.do(s.ann, "GET", path, nil)
			if status != http.StatusNotFound && status != http.StatusUnprocessableEntity && !(status == http.StatusOK && strings.Contains(path, "before=")) {
				t.Errorf("%.100s: %d\n%.2000s", path, status, body)
			}
			if strings.Contains(body, "<script>alert") || strings.Contains(body, `" onload`) {
				t.Errorf("%s is markup", path)
			}
		}
	}
}

// A stream is the events of a run's page.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (s *site) streams(id, query string, header ...string) *stream {
	s.Helper()
	ctx, stop := context.WithCancel(s.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/ui/runs/"+id+"/events"+query, nil)
	if err != nil {
		s.Fatal(err)
	}
	if len(header) > 0 {
		r.Header.Set("Last-Event-ID", header[0])
	}
	answer, err := s.ann.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		s.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	out := &stream{s.T, bufio.NewScanner(answer.Body), func() { stop(); _ = answer.Body.Close() }}
	s.Cleanup(out.close)
	return out
}

// A heard is an event of a stream.
type heard struct {
	Name, ID          string
	Node, Class, Text string
	Draft             *string
	At                int64
	raw               string
}

// next is the next event; false at the end of the stream.
func (s *stream) next() (heard, bool) {
	s.t.Helper()
	var out heard
	for s.lines.Scan() {
		line := s.lines.Text()
		name, rest, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && out.raw != "":
			return out, true
		case name == "event":
			out.Name = rest
		case name == "id":
			out.ID = rest
		case name == "data":
			out.raw = rest
			if err := json.Unmarshal([]byte(rest), &out); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	return out, false
}

func (s *stream) all() (out []heard) {
	s.t.Helper()
	for {
		ev, ok := s.next()
		if !ok {
			return out
		}
		out = append(out, ev)
	}
}

// What a model writes is on the page while it writes, and is no step.
func TestDraft(t *testing.T) {
	s := served(t, nil)
	r := s.begin(runs.Spec{Graph: "writes", Modes: graph.Tokens}, `{"text":"x"}`)
	<-s.gate.reached
	stream, drafts := s.streams(r.ID, ""), []string{}
	for len(drafts) < 4 {
		ev, ok := stream.next()
		if !ok {
			t.Fatal("the stream ends before the run")
		}
		if ev.Draft != nil {
			drafts = append(drafts, *ev.Draft)
		}
	}
	if got := strings.Join(drafts, "|"); got != "thrown away||Wear |<b>boots</b>" {
		t.Errorf("%q", got)
	}
	if body := s.get("/ui/runs/" + r.ID); !strings.Contains(body, "data-live-draft>Wear &lt;b&gt;boots&lt;/b&gt;</p>") || strings.Contains(body, "thrown away") {
		t.Errorf("%s", body)
	}
	s.gate.open <- struct{}{}
	s.wait(r.ID)
}

// What a run does is streamed while it goes on; who comes back gets what is behind the last
// event that it has seen, and nothing twice; the page shows what had happened before it.
func TestLive(t *testing.T) {
	s := served(t, nil)
	r := s.begin(runs.Spec{Graph: "held"}, `{"text":"x"}`)
	<-s.gate.reached
	first := s.streams(r.ID, "")
	var before []heard
	for len(before) == 0 || before[len(before)-1].Node != "gate" {
		ev, ok := first.next()
		if !ok {
			t.Fatal("the stream ends before the run")
		}
		before = append(before, ev)
	}
	first.close()
	body := s.get("/ui/runs/" + r.ID)
	for _, want := range []string{`data-live="/ui/runs/` + r.ID + `/events"`, `class="node running" data-node="gate"`, `class="node done" data-node="before"`, `<strong dir="auto">before</strong>`, "Stop the run", "live.js", "Look again"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	last := before[len(before)-1].ID
	again := s.streams(r.ID, "?after=0", last)
	s.gate.open <- struct{}{}
	rest := again.all()
	if len(rest) < 3 || rest[0].Class != "done" || rest[0].Node != "gate" || rest[len(rest)-1].Name != "end" || rest[len(rest)-1].Text != "done" {
		t.Errorf("behind %s: %+v", last, rest)
	}
	whole := s.streams(r.ID, "").all()
	if got := append(before, rest...); len(got) != len(whole) {
		t.Errorf("in two parts there are %d events, at once %d", len(got), len(whole))
	} else {
		for i := range got {
			if got[i].raw != whole[i].raw || got[i].ID != whole[i].ID {
				t.Errorf("event %d: %+v, at once %+v", i, got[i], whole[i])
			}
		}
	}
	if status, _, _ := s.do(s.ann, "GET", "/ui/runs/"+r.ID+"/events?after=-1", nil); status != http.StatusBadRequest {
		t.Errorf("behind -1: %d", status)
	}
}

// A run is stopped by a form.
func TestStop(t *testing.T) {
	s := served(t, nil)
	r := s.begin(runs.Spec{Graph: "held"}, `{}`)
	<-s.gate.reached
	if status, _, answer := s.post("/ui/runs/"+r.ID+"/stop", nil); status != http.StatusOK || answer.Request.URL.Path != "/ui/runs/"+r.ID {
		t.Errorf("%d at %s", status, answer.Request.URL)
	}
	if r = s.wait(r.ID); r.Status != runs.Cancelled {
		t.Errorf("the run is %s", r.Status)
	}
	if body := s.get("/ui/runs/" + r.ID); !strings.Contains(body, "stopped") {
		t.Errorf("its page:\n%s", body)
	}
	r = s.begin(runs.Spec{Graph: "held"}, `{}`)
	<-s.gate.reached
	if _, _, answer := s.post("/ui/runs/"+r.ID+"/stop", url.Values{"in": {"ask"}}); answer.Request.URL.Path != "/ui/ask/"+r.Thread {
		t.Errorf("in a conversation it leads to %s", answer.Request.URL)
	}
	s.wait(r.ID)
}

// An event is sent soon after it has happened.
func TestSoon(t *testing.T) {
	s := served(t, nil)
	var took []time.Duration
	for range 20 {
		r := s.begin(runs.Spec{Graph: "held"}, `{}`)
		<-s.gate.reached
		events := s.streams(r.ID, "")
		for ev, ok := events.next(); ok && ev.Node != "gate"; ev, ok = events.next() {
		}
		s.gate.open <- struct{}{}
		ev, _ := events.next()
		took = append(took, time.Since(time.UnixMilli(ev.At)))
		events.close()
		s.wait(r.ID)
	}
	slow := 0
	for _, d := range took {
		if d > time.Second {
			slow++
		}
	}
	if slow > 2 { // a busy machine
		t.Errorf("events take %v", took)
	}
	t.Logf("%v", took)
}

// A run of 5,000 supersteps has a page of a bounded size, and all its events.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	s := served(t, nil)
	r := s.begin(runs.Spec{Graph: "steps", Limit: 6000, Durability: graph.DurabilityExit}, `{"until":5000}`)
	r = s.wait(r.ID)
	if r.Status != runs.Success {
		t.Fatalf("%+v", r)
	}
	began := time.Now()
	body := s.get("/ui/runs/" + r.ID)
	t.Logf("the page of %d bytes takes %s", len(body), time.Since(began))
	if len(body) > 400_000 || !strings.Contains(body, "5000 times") {
		t.Errorf("the page has %d bytes", len(body))
	}
	if n := len(s.streams(r.ID, "").all()); n < 10_000 {
		t.Errorf("%d events", n)
	}
}

// A server that stops ends its streams, and another on its files goes on with the run: a page
// that comes back with its last event misses nothing.
func TestServerGoesOn(t *testing.T) {
	folder := t.TempDir()
	var id, last string
	t.Run("first", func(t *testing.T) {
		s := opened(t, folder, nil)
		s.ann = s.enters(tokenOfAnn)
		r := s.begin(runs.Spec{Graph: "held"}, `{"text":"x"}`)
		<-s.gate.reached
		events := s.streams(r.ID, "")
		for ev, ok := events.next(); ok; ev, ok = events.next() {
			if id, last = r.ID, ev.ID; ev.Node == "gate" {
				break
			}
		}
		now, stop := context.WithCancel(t.Context())
		stop()
		s.server.Close(now)
		if rest := events.all(); len(rest) > 0 && rest[len(rest)-1].Name == "end" {
			t.Errorf("a run that is to go on is told as ended: %+v", rest)
		}
	})
	s := opened(t, folder, func(o *serve.Options) {})
	s.ann = s.enters(tokenOfAnn)
	<-s.gate.reached
	events := s.streams(id, "", last)
	s.gate.open <- struct{}{}
	rest := events.all()
	var texts []string
	for _, ev := range rest {
		texts = append(texts, strings.TrimSpace(ev.Node+" "+ev.Text))
	}
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "The run goes on") || !strings.Contains(all, "after done") || rest[len(rest)-1].Name != "end" {
		t.Errorf("behind %s:\n%s", last, all)
	}
}

// How a run ended is said in a person's words, in a tone that follows it: only what says nothing of
// itself is green. A failed run says why without its nodes, and shows its state on demand.
func TestTones(t *testing.T) {
	word := ""
	s := served(t, func(o *serve.Options) {
		for i := range o.Graphs {
			o.Graphs[i].Outcome, o.Graphs[i].Title = func(json.RawMessage) string { return word }, "Some & title"
		}
	})
	for of, badge := range map[string]string{
		"answered": `plain">answered`, "ungrounded": `warn">in doubt`, "no_evidence": `warn">not found`, "unavailable": `bad">could not look`, "rejected": `bad">refused`,
		"interrupted": `warn">waits for a person`, "failed": `bad">failed`, "<b>": `plain">&lt;b&gt;`, "": `good">done`,
	} {
		word = of
		r := s.run("plain", `{"text":"x"}`)
		if list, page := s.get("/ui/runs"), s.get("/ui/runs/"+r.ID); !strings.Contains(list, badge) || strings.Count(page, badge) != 2 || !strings.Contains(page, "Run of Some &amp; title") {
			t.Errorf("%s: no %s in\n%s\n%s", of, badge, list, page)
		}
	}
	page := s.get("/ui/runs/" + s.run("fails", `{"text":"secret"}`).ID)
	if strings.Contains(page, "running node") || !strings.Contains(page, "</strong> the model does not answer</p>") {
		t.Errorf("a failed run:\n%s", page)
	}
}
