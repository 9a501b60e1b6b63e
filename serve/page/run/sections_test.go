package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
)

func written(t testing.TB) func(template.HTML, error) string {
	return func(html template.HTML, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return string(html)
	}
}

var boxOf = regexp.MustCompile(`<g class="([^"]*)" data-node="([^"]*)">(?:<a href="([^"]*)">)?<rect[^>]*/>(?:<a href="([^"]*)">)?<text[^>]*>([^<]*)`)

// marks are the boxes of a drawing: class, text and link by path.
func marks(page string) map[string]string {
	out := map[string]string{}
	for _, m := range boxOf.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "border") {
			out[m[2]] = m[1] + " | " + m[5] + " | " + m[3] + m[4]
		}
	}
	return out
}

// Each node of the drawing says what it did, whichever graphs are open.
func TestGraphMarks(t *testing.T) {
	c := testGraph(t)
	name := template.HTMLEscapeString(hostile)
	loop := "node done | " + name + " · ✓ ran 3 times | #step-1"
	r := runOf(t, c, play(t, c))
	open := map[string]string{
		name: loop, "check": "node graph done | check · ✓ ran | #step-4", "check/split": "node done | split · ✓ ran | #step-4",
		"check/judge": "node done | judge · ✓ ran ×4 | #step-4", "ask": "node asked | ask · ? asks | #step-5", "last": "node never | last | ", "never": "node never | never | ",
	}
	page := written(t)(r.Graph([]string{"check"}))
	sound(t, strings.ReplaceAll(page, `href="#step`, `href="/step`))
	if diff := cmp.Diff(open, marks(page)); diff != "" {
		t.Error(diff)
	}
	if legend := `<li class="done"><span aria-hidden="true">✓</span> 3 ran</li>`; !strings.Contains(page, legend) {
		t.Errorf("no %s", legend)
	}
	r.Links.Graph = "/ui/runs/1/graph"
	r.Links.Steps = "/ui/runs/1/steps"
	closed := map[string]string{
		name: strings.Replace(loop, "#step", "/ui/runs/1/steps#step", 1), "check": "node done closed | check · ✓ ran, a graph inside | /ui/runs/1/graph?open=check#graph",
		"ask": "node asked | ask · ? asks | /ui/runs/1/steps#step-5", "last": "node never | last | ", "never": "node never | never | ",
	}
	page = written(t)(r.Graph([]string{}))
	if diff := cmp.Diff(closed, marks(page)); diff != "" {
		t.Error(diff)
	}
	if page = written(t)(r.Graph([]string{"check", "elsewhere"})); !strings.Contains(page, `<a href="/ui/runs/1/graph?open=#graph">Close them</a>`) || strings.Contains(page, "elsewhere") {
		t.Error("the open graph cannot be closed")
	}
	failed := marks(written(t)(runOf(t, c, play(t, c, "no")).Graph(nil)))
	if got := failed["last"]; got != "node error | last · ✕ failed | #step-6" || failed["ask"] != "node done | ask · ✓ ran | #step-5" {
		t.Errorf("%q", failed)
	}
	events := play(t, testGraph(t))
	begun := slices.IndexFunc(events, func(ev graph.EventRecord) bool { return ev.Kind == "node_start" })
	live := runOf(t, c, nil)
	live.View = viewOf(t, events[:begun+1], &view.Options{Live: true})
	if got := marks(written(t)(live.Graph(nil)))[name]; got != "node running | "+name+" · ▶ running | #step-1" {
		t.Errorf("a node that works is %q", got)
	}
	if got := marks(written(t)(runOf(t, c, events[:begun+1]).Graph(nil)))[name]; got != "node stopped | "+name+" · ■ not finished | #step-1" {
		t.Errorf("a node that was killed is %q", got)
	}
}

// Graphs are open by themselves where something asks, fails or has not ended, and where there
// is no other.
func TestOpenByThemselves(t *testing.T) {
	inner := []string{"a", "a/b", "a/c", "d", "never"}
	ran := map[string]view.Ran{"a": {Class: view.Done}, "a/b": {Class: view.Done}, "a/c": {Class: view.Asked}, "d": {Class: view.Stopped}}
	r := &Run{Links: Links{Graph: "/graph"}}
	if got := r.openByThemselves(inner, ran); !slices.Equal(got, []string{"a/c", "d"}) {
		t.Errorf("%v", got)
	}
	if got := r.openByThemselves([]string{"a", "a/b"}, ran); !slices.Equal(got, []string{"a", "a/b"}) {
		t.Errorf("%v", got)
	}
	ran["d"] = view.Ran{Class: view.Failed}
	if got := r.openByThemselves(inner, ran); !slices.Equal(got, []string{"a/c", "d"}) {
		t.Errorf("%v", got)
	}
	if got := (&Run{}).openByThemselves(inner, ran); !slices.Equal(got, inner[:4]) {
		t.Errorf("in a file: %v", got)
	}
	if r.View.Live = true; !slices.Equal(r.openByThemselves(inner, ran), inner) {
		t.Error("while the run goes on, a node that may run is not drawn")
	}
}

// To close a graph closes those inside it.
func TestToggled(t *testing.T) {
	open := []string{"a", "a/b", "ab", "c"}
	for path, want := range map[string][]string{"a": {"ab", "c"}, "a/b": {"a", "ab", "c"}, "d": {"a", "a/b", "ab", "c", "d"}} {
		if got := toggled(open, path); !slices.Equal(got, want) {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// Without the graph, or with another one, nothing is drawn.
func TestNoDrawing(t *testing.T) {
	c := testGraph(t)
	r := runOf(t, nil, play(t, c))
	for want, change := range map[string]func(){
		"This program has no graph": func() {},
		"It cannot be made again.":  func() { r.Why = "It cannot be made again." },
		"do not say which graph": func() {
			app := c.App()
			r.App, r.View.Fingerprint = &app, ""
		},
		"has changed since this run": func() {
			app := c.App()
			r.App, r.View.Fingerprint = &app, "another"
		},
	} {
		r.App, r.Why, r.View.Fingerprint = nil, "", c.Fingerprint()
		change()
		if page := written(t)(r.Graph(nil)); strings.Contains(page, "<svg") || !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
}

// The steps have states as what changed, calls with what was said, hits with their summands,
// and the question.
func TestSteps(t *testing.T) {
	c := testGraph(t)
	r := runOf(t, c, play(t, c))
	page := written(t)(r.Steps(0))
	sound(t, page)
	for _, want := range []string{
		`<h3 id="step-2-h">Superstep 2`, `1 added to 1`, `data-column="Before"><code dir="auto">1</code></td><td role="cell" data-column="After"><code dir="auto">2</code></td>`,
		`<b dir="auto"><span class="hidden">check/</span>judge</b> ×4`, `fused is the sum of the others`, `<td class="n">3.000</td><td class="n">2.000</td><td class="n">1.000</td>`,
		`<td class="n">2.000</td><td class="n">2.000</td><td class="n">–</td>`, `2 pictures, not kept`, `It waits for an answer`, `asks (<span`, `The run stopped for a person.`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	for i := range r.View.Steps[3].Nodes {
		for k := range r.View.Steps[3].Nodes[i].ModelCalls {
			r.View.Steps[3].Nodes[i].ModelCalls[k].Said = nil
		}
	}
	if page := written(t)(r.Steps(0)); strings.Count(page, "its answer, were not recorded") != 4 {
		t.Error("calls whose prompts were not recorded do not say so")
	}
	failed := written(t)(runOf(t, c, play(t, c, "no")).Steps(0))
	sound(t, failed)
	for _, want := range []string{"went on with its thread behind superstep 4", "The run failed: "} {
		if !strings.Contains(failed, want) {
			t.Errorf("no %q", want)
		}
	}
}

// A long run stands on pages: each superstep and each task on one, where links lead.
func TestPages(t *testing.T) {
	events := long(5000)
	r := &Run{View: viewOf(t, events, nil), Links: Links{Graph: "/g", Steps: "/s", Timeline: "/t"}}
	stands := map[string]string{}
	heading := regexp.MustCompile(`<section class="step done" id="(step-\d+)"`)
	for from := 0; from < 5000; from += StepsPerPage {
		address := at("/s", from)
		page := written(t)((&Run{View: viewOf(t, events, &view.Options{From: from, Steps: StepsPerPage}), Links: r.Links}).Steps(from))
		if len(page) > 200_000 {
			t.Fatalf("a page has %d bytes", len(page))
		}
		for _, m := range heading.FindAllStringSubmatch(page, -1) {
			stands[m[1]] = address + "#" + m[1]
		}
		if from > 550 {
			from += 1000 - StepsPerPage // some pages of many
		}
	}
	for i := range r.View.Steps {
		anchor := fmt.Sprintf("step-%d", i+1)
		if where, ok := stands[anchor]; ok && r.step(i) != where {
			t.Fatalf("%s stands at %s, and a link leads to %s", anchor, where, r.step(i))
		}
	}
	if len(stands) < 500 {
		t.Errorf("%d supersteps were seen", len(stands))
	}
	for _, from := range []int{-7, 4999, 1 << 40} {
		written(t)(r.Steps(from))
		written(t)(r.Timeline(from))
	}
	page := written(t)(r.Timeline(400))
	for _, want := range []string{"<p>401 to 600 of 5000 tasks</p>", `<a href="/t?from=200#tasks" rel="prev">`, `<a href="/t?from=600#tasks" rel="next">`, `<a href="/s?from=475#step-500">500</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

var bars = regexp.MustCompile(`<rect class="bar ([a-z]+)" x="([\d.]+)" width="([\d.]+)"`)

// Each task of a page has one bar, inside its track.
func TestBars(t *testing.T) {
	c := testGraph(t)
	page := written(t)(runOf(t, c, play(t, c)).Timeline(0))
	sound(t, strings.ReplaceAll(page, `href="#step`, `href="/step`))
	found := inTracks(t, page)
	if rows := strings.Count(page, `<td class="n"><a href="#step-`); found != 10 || rows != found {
		t.Errorf("%d bars, %d rows", found, rows)
	}
	if strings.Count(page, "<span class=\"hidden\">check/</span>judge</th>") != 4 || !strings.Contains(page, `class="bar asked"`) {
		t.Error("the fan-out or the question is not marked")
	}
	var none []trace.Record
	for _, ev := range play(t, testGraph(t)) {
		rec := trace.Of(ev)
		rec.Time = ""
		if rec.Kind != "values" {
			none = append(none, rec)
		}
	}
	v, err := view.New(none)
	if err != nil {
		t.Fatal(err)
	}
	if page := written(t)((&Run{View: v}).Timeline(0)); !strings.Contains(page, "is not recorded") || strings.Contains(page, `class="bar done`) {
		t.Error("a run without times has bars")
	}
}

// inTracks counts the bars of a page, and reports those that leave their tracks.
func inTracks(t *testing.T, page string) int {
	t.Helper()
	found := bars.FindAllStringSubmatch(page, -1)
	for _, m := range found {
		var x, w float64
		if _, err := fmt.Sscan(m[2]+" "+m[3], &x, &w); err != nil {
			t.Fatal(err)
		}
		if x < 0 || w <= 0 || x+w > 1000.1 {
			t.Errorf("a bar from %v, %v wide", x, w)
		}
	}
	return len(found)
}

// A task at the end that took no time stays in its track.
func TestNarrowBars(t *testing.T) {
	began := long(0)[0].Time
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	events := append(long(0)[:1], graph.EventRecord{Kind: "node_start", Node: "n", Step: 1, Places: []graph.Place{{Step: 1}}, Time: at(0)})
	for _, kind := range []string{"node_start", "node_update"} {
		events = append(events, graph.EventRecord{Kind: kind, Node: "m", Step: 2, Places: []graph.Place{{Step: 2}}, Time: at(100)})
	}
	page := written(t)((&Run{View: viewOf(t, events, nil)}).Timeline(0))
	if n := inTracks(t, page); n != 2 {
		t.Errorf("%d bars", n)
	}
}

// A file needs nothing, has the same bytes twice, says who made it, and its links lead somewhere,
// wherever the run breaks off.
func TestFile(t *testing.T) {
	c := testGraph(t)
	all := [][]graph.EventRecord{play(t, c), play(t, c, "no"), long(3 * mostSteps / 2)}
	for n := 1; n < len(all[0]); n += 3 {
		all = append(all, all[0][:n])
	}
	for i, events := range all {
		r := runOf(t, c, events)
		r.Links = Links{Graph: "/g", Steps: "/s", Timeline: "/t"}
		var a, b bytes.Buffer
		for _, w := range []*bytes.Buffer{&a, &b} {
			if err := File(w, r, &FileOptions{Version: "v9", Heading: hostile, Answer: "<p>Yes.</p>"}); err != nil {
				t.Fatal(err)
			}
		}
		page := a.String()
		sound(t, page)
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("run %d: another time it is written otherwise", i)
		}
		for _, want := range []string{"Written by Assay v9. Graph ", "<p>Yes.</p>", `<a href="#answer">`, "default-src &#39;none&#39;", `aria-labelledby="graph-h"`} {
			if !strings.Contains(page, want) {
				t.Errorf("run %d: no %q", i, want)
			}
		}
		for _, not := range []string{`href="/`, " src=", "<link"} {
			if strings.Contains(strings.ReplaceAll(page, "img src", ""), not) {
				t.Errorf("run %d: it has %q", i, not)
			}
		}
		if left := strings.Contains(page, "500 supersteps between these are left out"); left != (i == 2) {
			t.Errorf("run %d: supersteps are left out: %t", i, left)
		}
		if t.Failed() {
			return
		}
	}
}

// What differs between two runs is shown side by side, and equal runs are said to be equal.
func TestCompare(t *testing.T) {
	ended := func(reply string) (*Side, []trace.Record) {
		c := testGraph(t)
		play(t, c)
		events := play(t, c, reply)
		var records []trace.Record
		for _, ev := range events {
			if ev.Kind != "values" {
				records = append(records, trace.Of(ev))
			}
		}
		return &Side{Run: *runOf(t, c, events), Name: hostile + reply, Href: "/ui/runs/" + reply, Answer: reply}, records
	}
	page := func(a, b string) string {
		x, was := ended(a)
		y, is := ended(b)
		found, err := view.Compare(was, is)
		if err != nil {
			t.Fatal(err)
		}
		html := written(t)(Compare(x, y, found))
		sound(t, strings.ReplaceAll(html, `href="#step`, `href="/step`))
		return html
	}
	differ := page("yes", "no")
	for _, want := range []string{`node_update of node &#34;ask&#34; in step 5`, `<a href="#step-5">Its superstep</a>`, "✕ failed", "State at the end", `<tr class="differs"><th scope="row">End</th><td dir="auto">done</td><td dir="auto">failed</td></tr>`, "<h2 id=\"answers-h\">"} {
		if !strings.Contains(differ, want) {
			t.Errorf("no %s", want)
		}
	}
	same := page("yes", "yes")
	for _, not := range []string{"Where they part", "State at the end", `id="answers"`, `id="nodes"`} {
		if strings.Contains(same, not) {
			t.Errorf("equal runs have %q", not)
		}
	}
	if !strings.Contains(same, "The runs did the same") {
		t.Error("equal runs are not said to be equal")
	}
	x, was := ended("yes")
	y, is := ended("yes")
	y.View.First = json.RawMessage(`{"seen":null,"n":7}`)
	found, err := view.Compare(was, is)
	if err != nil {
		t.Fatal(err)
	}
	if html := written(t)(Compare(x, y, found)); strings.Contains(html, "The runs did the same") || !strings.Contains(html, `<th scope="row" dir="auto">state, n</th>`) {
		t.Error("runs that began with other states are said to be equal")
	}
	if found.Given = []view.Value{{Name: "input n", Was: "3", Is: "7"}}; strings.Contains(written(t)(Compare(x, y, found)), "state, n") {
		t.Error("what was given is told twice")
	}
}
