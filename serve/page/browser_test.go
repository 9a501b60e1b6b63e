package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/internal/browsertest"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// enter opens a browser in which ann has entered.
func (s *site) enter() *browsertest.Page {
	s.Helper()
	p := browsertest.Open(s.T)
	p.Goto(s.url + s.server.SignInLink(tokenOfAnn))
	p.Wait(`location.pathname === '/ui/'`)
	return p
}

// long is a run of 5,000 supersteps.
func (s *site) long() runs.Run {
	s.Helper()
	r := s.wait(s.begin(runs.Spec{Graph: "steps", Limit: 5000}, `{"text":"How long is it?","until":5000}`).ID)
	if r.Status != runs.Success {
		s.Fatalf("the long run is %s: %s", r.Status, r.Error)
	}
	return r
}

// Every page is sound in a browser, with runs that ended, wait, failed and go on.
func TestBrowserPages(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens many pages, each in five views")
	}
	s := served(t, nil)
	p := s.enter()
	p.Inspect(t, "empty", s.url+"/ui/runs", nil)
	plain := s.run("plain", `{"text":"What must a visitor wear?"}`)
	again := s.run("plain", `{"text":"What must a visitor carry?"}`)
	asks := s.run("asks", `{"text":"May it be published?"}`)
	fails := s.run("fails", `{"text":"Does the model answer?"}`)
	outer := s.run("outer", `{"text":"What is inside?"}`)
	long := s.long()
	held := s.begin(runs.Spec{Graph: "held"}, `{"text":"What goes on?"}`)
	<-s.gate.reached
	for _, page := range []struct{ name, path string }{
		{"begin", ""}, {"list", "runs"}, {"search", "runs?q=model"}, {"search-none", "runs?q=nothing+has+this"}, {"keys", "keys"},
		{"run-plain", "runs/" + plain.ID}, {"run-asks", "runs/" + asks.ID}, {"run-fails", "runs/" + fails.ID}, {"run-outer", "runs/" + outer.ID}, {"run-long", "runs/" + long.ID},
		{"thread-plain", "threads/" + plain.Thread}, {"thread-asks", "threads/" + asks.Thread}, {"thread-fails", "threads/" + fails.Thread}, {"thread-long", "threads/" + long.Thread},
		{"graph-outer", "runs/" + outer.ID + "/graph"}, {"graph-long", "runs/" + long.ID + "/graph"}, {"steps-outer", "runs/" + outer.ID + "/steps"}, {"steps-fails", "runs/" + fails.ID + "/steps"}, {"steps-long", "runs/" + long.ID + "/steps"},
		{"timeline-outer", "runs/" + outer.ID + "/timeline"}, {"timeline-long", "runs/" + long.ID + "/timeline"}, {"timeline-last", "runs/" + long.ID + "/timeline?from=4900"},
		{"compare", "compare?a=" + plain.ID + "&b=" + again.ID}, {"asks-further", "ask/" + asks.Thread}, {"compare-other", "compare?a=" + plain.ID + "&b=" + fails.ID}, {"ask", "ask"},
	} {
		p.Inspect(t, page.name, s.url+"/ui/"+page.path, nil)
	}
	p.Inspect(t, "run-live", s.url+"/ui/runs/"+held.ID, &browsertest.InspectOptions{
		Differs: true, // without scripts it has a link that loads it again
		Prepare: func(p *browsertest.Page) { p.Sees("gate begins") },
	})
	stranger := p.Tab(t)
	stranger.Inspect(t, "enter", s.url+"/ui/enter", nil)
}

// A person enters with a token, searches, and goes through the list of runs by keyboard.
func TestBrowserList(t *testing.T) {
	s := served(t, nil)
	for _, about := range []string{"gulls", "ferries", "lanterns"} {
		s.run("plain", fmt.Sprintf(`{"text":"question about %s"}`, about))
	}
	p := browsertest.Open(t)
	p.Goto(s.url + "/ui/runs?q=question")
	p.Wait(`location.pathname === '/ui/enter'`)
	p.Focus("input[name=token]")
	p.Type(tokenOfAnn)
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.pathname + location.search === '/ui/runs?q=question'`)
	p.Press("/")
	p.Wait(`document.activeElement.id === 'q'`)
	p.Press("Control+a")
	p.Type("question ferries")
	p.Loads(func() { p.Press("Enter") })
	if text := p.Text(); !strings.Contains(text, "1 run with") || !strings.Contains(text, "about ferries") || strings.Contains(text, "gulls") {
		t.Errorf("a search shows %s", text)
	}
	p.Goto(s.url + "/ui/runs")
	at := func(want string) { p.Wait(fmt.Sprintf(`document.activeElement.textContent.endsWith(%q)`, want)) }
	p.Press("j")
	at("lanterns")
	p.Press("ArrowDown", "j", "j")
	at("gulls")
	p.Press("k")
	at("ferries")
	p.Loads(func() { p.Press("?") })
	p.Wait(`location.pathname === '/ui/keys'`)
	p.Loads(func() { p.Press("g", "r") })
	p.Wait(`location.pathname === '/ui/runs'`)
}

// sound reports what a page complained of since it was opened.
func sound(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, fault := range slices.Concat(p.Complaints(), p.Strangers(), p.Ran()) {
		t.Error(fault)
	}
}

// What a run does is on its page as it happens, its graph among it, and at its end the page
// becomes that of a run that has ended, without being loaded again.
func TestBrowserLive(t *testing.T) {
	s := served(t, nil)
	p := s.enter()
	r := s.begin(runs.Spec{Graph: "held"}, `{"text":"What goes on?"}`)
	<-s.gate.reached
	p.Goto(s.url + "/ui/runs/" + r.ID)
	p.Sees("before done in")
	p.Sees("gate begins")
	p.Wait(`document.querySelector('.drawing [data-node=gate]').classList.contains('running')`)
	p.Eval(`window.here = true`, nil)
	s.gate.open <- struct{}{}
	p.Wait(`!document.querySelector('[data-live]') && document.querySelector('header .badge').textContent === 'done'`)
	p.Wait(`window.here && document.querySelector('.drawing [data-node=gate]').classList.contains('done')`)
	sound(t, p)
}

// A run is stopped by keyboard and by mouse, also without scripts.
func TestBrowserStop(t *testing.T) {
	s := served(t, nil)
	p := s.enter()
	for name, stop := range map[string]func(){
		"keyboard": func() { p.Focus("button.danger"); p.Press("Enter") }, "mouse": func() { p.Click("button.danger") },
	} {
		for _, noScript := range []bool{false, true} {
			p.Look(browsertest.View{NoScript: noScript})
			r := s.begin(runs.Spec{Graph: "held"}, `{"text":"What goes on?"}`)
			<-s.gate.reached
			p.Goto(s.url + "/ui/runs/" + r.ID)
			p.Loads(stop)
			if r := s.wait(r.ID); r.Status != runs.Cancelled {
				t.Errorf("by %s the run is %s", name, r.Status)
			}
			sound(t, p)
		}
	}
}

// A form that is sent twice is sent once, and again when the page is shown again.
func TestBrowserSendsOnce(t *testing.T) {
	s := served(t, nil)
	p := s.enter()
	p.Goto(s.url + "/ui/ask?graph=plain&input=%7B%7D")
	var sent []int
	p.Eval(`(() => {
  let n = 0;
  addEventListener('submit', (ev) => { n += ev.defaultPrevented ? 0 : 1; ev.preventDefault(); });
  return [1, 2, 3].map((i) => {
    if (i === 3) dispatchEvent(new Event('pageshow'));
    document.querySelector('.composer').requestSubmit();
    return n;
  });
})()`, &sent)
	if !slices.Equal(sent, []int{1, 1, 2}) {
		t.Errorf("sent after each click: %v", sent)
	}
	sound(t, p)
}

// A question is answered by mouse with a choice and by keyboard with a text; the run that goes
// on is shown.
func TestBrowserAnswer(t *testing.T) {
	s := served(t, nil)
	p := s.enter()
	ask := func() {
		r := s.run("asks", `{"text":"May it be published?"}`)
		p.Goto(s.url + "/ui/runs/" + r.ID)
		p.Sees("Node review asks")
		p.Sees("Publish it?")
	}
	ask()
	p.Loads(func() { p.Click(`button[name=choice][value="true"]`) })
	p.Sees("published true")
	ask()
	p.Focus("textarea[name=answer]")
	p.Type("false")
	p.Focus("button.plain")
	p.Loads(func() { p.Press("Enter") })
	p.Sees("published false")
	sound(t, p)
}

// Time travel by keyboard: to a checkpoint, its state edited as a node, and on from there. By
// mouse: what the engine refuses is said beside the field.
func TestBrowserTravel(t *testing.T) {
	s := served(t, nil)
	p := s.enter()
	r := s.run("plain", `{"text":"x"}`)
	p.Goto(s.url + "/ui/threads/" + r.Thread)
	p.Press("j", "j", "j")
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`document.querySelector('#place h2').textContent.startsWith('At step 1')`)
	p.Focus("#edit select[name=channel]")
	p.Press("l")
	p.Focus("textarea[name=value]")
	p.Type(`["edited"]`)
	p.Focus("#edit button.plain")
	p.Loads(func() { p.Press("Enter") })
	p.Sees("edited by hand")
	p.Focus("#go-on button")
	p.Loads(func() { p.Press("Enter") })
	p.Sees(`"edited"`)
	p.Loads(func() { p.Click(`a[href*="/ui/compare"]`) })
	p.Sees("Where they part")
	sound(t, p)
	p.Goto(s.url + "/ui/threads/" + r.Thread)
	p.Click("textarea[name=value]")
	p.Type("no JSON")
	p.Loads(func() { p.Click("#edit button.plain") })
	p.Sees("the value is not JSON")
	p.Wait(`document.querySelector('textarea[name=value]').value === 'no JSON'`)
}

// Without permission to write the page says so in the place of the controls.
func TestBrowserReadOnly(t *testing.T) {
	s := served(t, func(o *serve.Options) { o.Page.Write, o.Page.HowToWrite = false, "Ask whoever runs it." })
	p := s.enter()
	r := s.run("plain", `{"text":"x"}`)
	p.Goto(s.url + "/ui/threads/" + r.Thread)
	p.Sees("Edit the state Ask whoever runs it.")
	p.Wait(`!document.querySelector('#edit form, #go-on form')`)
	sound(t, p)
}

// The parts of a run: a graph inside a node opens and closes, by keyboard and by mouse; a
// task opens to what it wrote; the steps and the timeline of 5,000 supersteps come in pages.
func TestBrowserParts(t *testing.T) {
	s := served(t, nil)
	p := s.enter()
	outer := s.run("outer", `{"text":"What is inside?"}`)
	p.Goto(s.url + "/ui/runs/" + outer.ID)
	p.Loads(func() { p.Click(`header a[href$="/graph"]`) })
	p.Wait(`document.querySelector('.drawing [data-node="mind/think"]')`)
	p.Loads(func() { p.Click(`#graph a[href$="open=#graph"]`) })
	p.Wait(`!document.querySelector('.drawing [data-node="mind/think"]')`)
	p.Focus(`.drawing a[href*="open=mind"]`)
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`document.querySelector('.drawing [data-node="mind/think"]')`)
	p.Loads(func() { p.Click(`header a[href$="/steps"]`) })
	p.Focus("main summary")
	p.Press("Enter")
	p.Wait(`document.activeElement.parentElement.open`)
	sound(t, p)

	if testing.Short() {
		return // the pages of 5,000 supersteps take long
	}
	long := s.long()
	for _, part := range []string{"steps", "timeline"} {
		p.Goto(s.url + "/ui/runs/" + long.ID + "/" + part)
		p.Focus("a[rel=next]")
		p.Loads(func() { p.Press("Enter") })
		p.Wait(`document.querySelector('a[rel=prev]')`)
		p.Loads(func() { p.Click(".pages li:nth-last-child(2) a") })
		p.Sees("5000 of 5000")
		p.Wait(`!document.querySelector('a[rel=next]')`)
		sound(t, p)
	}
}

// A run is saved as one file, which a browser opens from disk without a network.
func TestBrowserFile(t *testing.T) {
	if testing.Short() {
		t.Skip("one of the files has 1,000 supersteps")
	}
	s := served(t, nil)
	p := browsertest.Open(t)
	for name, r := range map[string]runs.Run{
		"outer": s.run("outer", `{"text":"What is inside?"}`), "asks": s.run("asks", `{"text":"May it?"}`), "fails": s.run("fails", `{}`), "long": s.long(),
	} {
		file := filepath.Join(t.TempDir(), "run.html")
		if err := os.WriteFile(file, []byte(s.get("/ui/runs/"+r.ID+"/file")), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Offline(true)
		p.Goto(file)
		p.Shoot("file-" + name)
		p.Sees("Written by Assay test")
		sound(t, p)
		for _, fault := range slices.Concat(p.Wide(), p.Faint()) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}
