package page_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

var (
	questionID   = regexp.MustCompile(`name="id" value="([0-9a-f]{32})"`)
	checkpointAt = regexp.MustCompile(`(?s)<td class="n">(-?\d+)</td>\s*<th scope="row"[^>]*><a href="([^"#]+)#place"[^>]*>([^<]+)</a>`)
)

// checkpoints are those in a thread's list, by their step.
func (s *site) checkpoints(thread string) map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, m := range checkpointAt.FindAllStringSubmatch(s.get("/ui/threads/"+thread), -1) {
		out[m[1]] = html.UnescapeString(m[3])
	}
	return out
}

// arrived is the run to whose page a form has led.
func (s *site) arrived(answer *http.Response) runs.Run {
	s.Helper()
	id, ok := strings.CutPrefix(answer.Request.URL.Path, "/ui/runs/")
	if !ok {
		s.Fatalf("the form leads to %s", answer.Request.URL)
	}
	return s.wait(id)
}

// A thread shows all its checkpoints, and the state, what is due and where from at each.
func TestThread(t *testing.T) {
	s := served(t, nil)
	r := s.run("plain", `{"text":"x"}`)
	body := s.get("/ui/threads/" + r.Thread)
	for _, want := range []string{"second", "it has ended", "superstep", "input", "At step 3, the newest", "Nothing is due here", `name="channel"`, "<option>third</option>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	at := s.checkpoints(r.Thread)
	if len(at) < 4 {
		t.Fatalf("checkpoints %v", at)
	}
	body = s.get("/ui/threads/" + r.Thread + "?at=" + url.QueryEscape(at["1"]))
	for _, want := range []string{"At step 1", "<h3>What is due here, and what became of it</h3><ul><li><span dir=\"auto\">second</span>", "first", "Run on from step 1", "the checkpoint before"} {
		if !strings.Contains(body, want) {
			t.Errorf("at step 1: no %q in\n%s", want, body)
		}
	}
	if strings.Contains(body, "third&#34;") {
		t.Error("the state at step 1 has what came behind it")
	}
	long := s.begin(runs.Spec{Graph: "steps", Limit: 200}, `{"until":120}`)
	s.wait(long.ID)
	seen := 0
	for path := "/ui/threads/" + long.Thread; path != ""; {
		body := s.get(path)
		seen += len(checkpointAt.FindAllString(body, -1))
		next := regexp.MustCompile(`<a href="([^"]+)" rel="next">Older`).FindStringSubmatch(body)
		if path = ""; next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	if seen < 121 {
		t.Errorf("%d checkpoints in all pages", seen)
	}
}

// A question is answered by what its payload offers, by JSON or by text; an answer of the
// wrong type is told; a question that was answered is not answered twice.
func TestAnswer(t *testing.T) {
	s := served(t, nil)
	for name, c := range map[string]struct {
		form url.Values
		want string
	}{
		"approve": {url.Values{"choice": {"true"}}, "published true"}, "reject": {url.Values{"choice": {"false"}}, "published false"}, "json": {url.Values{"answer": {" true "}}, "published true"},
	} {
		r := s.run("asks", `{"text":"x"}`)
		body := s.get("/ui/runs/" + r.ID)
		for _, want := range []string{"Publish it?", `<button name="choice" value="true"`, `<button name="choice" value="false"`, `class="node asked" data-node="review"`} {
			if !strings.Contains(body, want) {
				t.Fatalf("no %q in\n%s", want, body)
			}
		}
		c.form.Set("id", questionID.FindStringSubmatch(body)[1])
		_, _, answer := s.post("/ui/threads/"+r.Thread+"/answer", c.form)
		next := s.arrived(answer)
		if body := s.get("/ui/runs/" + next.ID); !strings.Contains(body, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, body)
		}
		if status, body, _ := s.post("/ui/threads/"+r.Thread+"/answer", c.form); status != http.StatusConflict || !strings.Contains(body, "answered already") {
			t.Errorf("%s, again: %d\n%s", name, status, body)
		}
	}
	r := s.run("asks", `{}`)
	id := questionID.FindStringSubmatch(s.get("/ui/threads/" + r.Thread))[1]
	_, _, answer := s.post("/ui/threads/"+r.Thread+"/answer", url.Values{"id": {id}, "answer": {"perhaps"}})
	if next := s.arrived(answer); !next.Asks || !strings.Contains(s.get("/ui/runs/"+next.ID), "The answer before was not taken") {
		t.Errorf("an answer of the wrong type: %+v", next)
	}
}

// A run goes on from any checkpoint, as a run of its own beside the first, whose checkpoints
// stay.
func TestGoOn(t *testing.T) {
	s := served(t, nil)
	r := s.run("plain", `{"text":"x"}`)
	at := s.checkpoints(r.Thread)
	_, _, answer := s.post("/ui/threads/"+r.Thread+"/go-on", url.Values{"checkpoint": {at["1"]}})
	next := s.arrived(answer)
	if next.Forked != r.ID || next.Status != runs.Success {
		t.Errorf("%+v", next)
	}
	if body := s.get("/ui/runs/" + next.ID); !strings.Contains(body, `href="/ui/runs/`+r.ID+`">another run</a>`) || !strings.Contains(body, "third") || strings.Contains(body, `class="node done" data-node="first"`) {
		t.Errorf("its page:\n%s", body)
	}
	if body := s.get("/ui/compare?a=" + r.ID + "&b=" + next.ID); !strings.Contains(body, "The runs did the same") || !strings.Contains(body, "behind superstep 1.") {
		t.Errorf("a run that went on as the first did differs from it:\n%s", body)
	}
	if body := s.get("/ui/threads/" + r.Thread); !strings.Contains(body, at["3"]) || !strings.Contains(body, next.ID) {
		t.Errorf("the thread:\n%s", body)
	}
	for checkpoint, want := range map[string]int{"": http.StatusBadRequest, "none": http.StatusNotFound, at["3"]: http.StatusConflict} {
		if status, body, _ := s.post("/ui/threads/"+r.Thread+"/go-on", url.Values{"checkpoint": {checkpoint}}); status != want {
			t.Errorf("from %q: %d\n%s", checkpoint, status, body)
		}
	}
}

// A thread that has had no run has no checkpoint to go on from or to edit.
func TestGoOnWithoutRun(t *testing.T) {
	s := served(t, nil)
	empty, err := s.space().CreateThread(t.Context(), runs.ThreadSpec{})
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"/go-on", "/edit"} {
		form := url.Values{"checkpoint": {"none"}, "as": {"first"}, "channel": {"text"}, "value": {`"y"`}}
		if status, body, _ := s.post("/ui/threads/"+empty.ID+way, form); status != http.StatusNotFound {
			t.Errorf("%s: %d\n%s", way, status, body)
		}
	}
}

// Two runs of which one went on from the other are compared from there: what differs leads to
// the superstep of each, though a fork counts its supersteps otherwise.
func TestCompareFork(t *testing.T) {
	s := served(t, nil)
	r := s.run("varies", `{"text":"x"}`)
	_, _, answer := s.post("/ui/threads/"+r.Thread+"/go-on", url.Values{"checkpoint": {s.checkpoints(r.Thread)["1"]}})
	next := s.arrived(answer)
	body := s.get("/ui/compare?a=" + r.ID + "&b=" + next.ID)
	for _, want := range []string{"call 1", "call 2", `href="/ui/runs/` + r.ID + `/steps#step-2"`, `href="/ui/runs/` + next.ID + `/steps#step-3"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if strings.Contains(body, ">first<") {
		t.Errorf("what ran before the fork is compared:\n%s", body)
	}
	if steps := s.get("/ui/runs/" + next.ID + "/steps"); !strings.Contains(steps, `id="step-3"`) {
		t.Errorf("the fork's steps:\n%s", steps)
	}
}

// A state is edited as a node at any checkpoint, and the run goes on with it; what the engine
// refuses stands at the field, with what was typed.
func TestEdit(t *testing.T) {
	s := served(t, nil)
	r := s.run("plain", `{"text":"x"}`)
	at := s.checkpoints(r.Thread)
	path := "/ui/threads/" + r.Thread + "/edit"
	form := func(as, channel, value string, more ...string) url.Values {
		out := url.Values{"checkpoint": {at["1"]}, "as": {as}, "channel": {channel}, "value": {value}}
		for _, name := range more {
			out.Set(name, "1")
		}
		return out
	}
	for value, want := range map[string]string{`other`: "not JSON", `7`: "text", `{"a":<b>}`: "not JSON"} {
		status, body, _ := s.post(path, form("first", "text", value))
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, `id="fault" role="alert"`) || !strings.Contains(body, want) || !strings.Contains(body, html.EscapeString(value)+"</textarea>") || !strings.Contains(body, "<option selected>text</option>") {
			t.Errorf("%s: %d\n%s", value, status, body)
		}
	}
	if status, body, _ := s.post(path, form("none", "text", `"y"`)); status != http.StatusUnprocessableEntity || !strings.Contains(body, `id="fault"`) {
		t.Errorf("as a node that is not there: %d\n%s", status, body)
	}
	if status, _, _ := s.post(path, url.Values{"checkpoint": {"none"}, "channel": {"text"}, "value": {`"y"`}}); status != http.StatusNotFound {
		t.Errorf("at a checkpoint that is not there: %d", status)
	}
	status, body, answer := s.post(path, form("second", "lines", `["by hand"]`, "replace"))
	if status != http.StatusOK || !strings.Contains(body, "edited by hand") || !strings.Contains(body, "by hand") {
		t.Fatalf("%d\n%s", status, body)
	}
	checkpoint := answer.Request.URL.Query().Get("at")
	_, _, answer = s.post("/ui/threads/"+r.Thread+"/go-on", url.Values{"checkpoint": {checkpoint}})
	next := s.arrived(answer)
	if body := s.get("/ui/compare?a=" + r.ID + "&b=" + next.ID); strings.Contains(body, "The first event that differs") || !strings.Contains(body, "behind superstep 2.") || !strings.Contains(body, "by hand") {
		t.Errorf("what ran behind the edit:\n%s", body)
	}
	if body := s.get("/ui/runs/" + next.ID); !strings.Contains(body, "by hand") || !strings.Contains(body, "third") || strings.Contains(body, "first\n") || next.Forked != r.ID {
		t.Errorf("after the edit: %+v\n%s", next, body)
	}
}

// Without permission nothing that has happened is changed: the page says how it would be, and
// a form is refused. Answering and stopping need none.
func TestReadOnly(t *testing.T) {
	s := served(t, func(o *serve.Options) { o.Page.Write, o.Page.HowToWrite = false, "Ask the operator." })
	r := s.run("asks", `{}`)
	body := s.get("/ui/threads/" + r.Thread)
	if strings.Count(body, "Ask the operator.") != 2 || strings.Contains(body, "/edit") || strings.Contains(body, "/go-on") || !strings.Contains(body, "/answer") {
		t.Errorf("the page:\n%s", body)
	}
	for _, what := range []string{"edit", "go-on"} {
		status, body, _ := s.post("/ui/threads/"+r.Thread+"/"+what, url.Values{"checkpoint": {"1"}, "channel": {"text"}, "value": {`"y"`}})
		if status != http.StatusForbidden || !strings.Contains(body, "Ask the operator.") {
			t.Errorf("%s: %d\n%s", what, status, body)
		}
	}
	_, _, answer := s.post("/ui/threads/"+r.Thread+"/answer", url.Values{"id": {questionID.FindStringSubmatch(body)[1]}, "choice": {"true"}})
	if next := s.arrived(answer); next.Status != runs.Success || next.Asks {
		t.Errorf("answering: %+v", next)
	}
}
