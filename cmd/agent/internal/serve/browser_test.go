package serve_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/internal/browsertest"
	"example.com/assay/llm/llmtest"
)

// browser is a browser whose user has entered with the token of a home's server.
func (s *started) browser(home string) *browsertest.Page {
	s.t.Helper()
	p := browsertest.Open(s.t)
	p.Goto(s.url + "/ui/enter")
	p.Focus("#token")
	p.Type(token(s.t, home))
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.pathname === '/ui/'`)
	return p
}

// sound fails if the page has written complaints since it was opened.
func sound(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, fault := range slices.Concat(p.Complaints(), p.Strangers(), p.Ran(), p.Armed()) {
		t.Error(fault)
	}
}

// A person asks by keyboard, sees the steps, and then the answer with its evidence. The person
// looks at corpora, searches one, and finds the remembered answer, with the cited bytes marked
// in its document. The mouse makes the server forget the answer.
func TestPageInBrowser(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--allow-write")
	p := s.browser(home)
	p.Loads(func() { p.Press("Escape", "g", "r") })
	p.Loads(func() { p.Press("g", "a") })
	p.Wait(`document.activeElement.id === 'question'`)
	p.Type(clitest.PermitQuestion)
	p.Loads(func() { p.Press("Enter") })
	p.Sees("payment of the lantern fee in full")
	p.Wait(`!document.querySelector('[data-live]')`)
	p.Loads(func() { p.Click(".how a") })
	p.Wait(`document.querySelector('header .badge').textContent === 'answered'`)
	sound(t, p)
	var run string
	p.Eval(`location.href`, &run)
	evidence(t, p)
	if err := os.WriteFile(file, []byte(strings.Replace(clitest.Permits, "lantern fee", "lamp fee", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Goto(run)
	p.Sees("has changed")
	if err := os.WriteFile(file, []byte(clitest.Permits), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Goto(run + "/steps")
	p.Unfold()
	p.Sees("Hits with their scores")
	p.Loads(func() { p.Press("g", "c") })
	p.Press("j")
	p.Loads(func() { p.Press("Enter") })
	p.Press("/")
	p.Type("expiry of a permit")
	p.Loads(func() { p.Press("Enter") })
	p.Sees("expires after two winters")
	p.Loads(func() { p.Click(".cards h3 a") })
	p.Wait(`document.querySelector('mark').textContent.includes('two winters')`)
	sound(t, p)
	p.Loads(func() { p.Press("g", "m") })
	p.Loads(func() { p.Click("[data-list] a") })
	p.Loads(func() { p.Click("[aria-labelledby=chosen] a") })
	p.Sees("would be served now")
	p.Loads(func() { p.Click("button.danger") })
	p.Sees("Nothing is remembered")
	sound(t, p)
}

// evidence goes from a sentence of the answer to its bytes in the document: by keyboard from
// the sentence, by mouse from the claim.
func evidence(t *testing.T, p *browsertest.Page) {
	t.Helper()
	p.Focus(".answer a")
	p.Press("Enter")
	p.Wait(`document.querySelector(':target')`)
	p.Click(".checked summary")
	p.Click(".findings .quotes a")
	p.Wait(`document.querySelector('.documents :target')`)
	var mark string
	p.Eval(`(at => (at.closest('mark') || at.querySelector('mark') || at).textContent)(document.querySelector('.documents :target'))`, &mark)
	if !strings.Contains(clitest.Permits, strings.TrimSpace(mark)) || mark == "" {
		t.Errorf("the quote leads to %q", mark)
	}
	p.Wait(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector('.documents :target').getBoundingClientRect())`)
}

// Every page of a server with runs of all pipelines is sound in a browser.
func TestPagesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens many pages, each in five views")
	}
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--allow-write")
	key := token(t, home)
	schema := `,"context":{"schema":{"type":"object","properties":{"invoice_number":{"type":"string"},"total":{"type":"number"}}}}`
	p := s.browser(home)
	for _, u := range []turn{
		{graph: "research", text: clitest.PermitQuestion},
		{graph: "comply", text: "What must be paid for a permit?"},
		{graph: "verify", text: "A lantern permit expires after two winters. A permit expires after nine winters."},
		{graph: "edges", text: "inspection => expiry"},
		{graph: "extract", text: "Invoice number: 77\nTotal: 12.50", more: schema},
	} {
		_, made := s.post(key, "/threads", "{}")
		u.token, u.thread = key, made["thread_id"].(string)
		s.ask(u)
		p.Inspect(t, "talk-"+u.graph, s.url+"/ui/ask/"+u.thread, nil)
		p.Goto(s.url + "/ui/runs")
		var run string
		p.Eval(`document.querySelector('[data-list] tbody a').getAttribute('href')`, &run)
		parts := []string{""}
		if u.graph == "research" {
			parts = []string{"", "/graph", "/steps", "/timeline"}
		}
		for _, part := range parts {
			p.Inspect(t, u.graph+strings.ReplaceAll(part, "/", "-"), s.url+run+part, nil)
		}
	}
	for name, path := range map[string]string{
		"asking": "ask", "corpora": "corpora", "corpus": "corpora/default", "search": "corpora/default?q=permit+fee", "memory": "memory?corpus=default", "evals": "evals", "keys": "keys",
	} {
		p.Inspect(t, "serve-"+name, s.url+"/ui/"+path, nil)
	}
}

// When a model fails, the page of the run says at which node, and why.
func TestFailingModelInBrowser(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	model := llmtest.NewServer(t, llmtest.OpenAI, &llmtest.Script{}) // it refuses every call
	s := startWith(t, []string{cli.EnvHome + "=" + home, config.EnvOpenAIKey + "=none", config.EnvOpenAIURL + "=" + model.URL}, "--model", "openai:m")
	p := s.browser(home)
	p.Goto(s.url + "/ui/")
	p.Click("#question")
	p.Type(clitest.PermitQuestion)
	p.Loads(func() { p.Click("main form button") })
	p.Wait(`!document.querySelector('[data-live]')`)
	p.Sees("It failed")
	p.Loads(func() { p.Click(".how a") })
	p.Sees("failed")
	p.Sees("openai answered 400")
	p.Wait(`document.querySelector('.drawing .error')`)
	sound(t, p)
	var run string
	p.Eval(`location.href`, &run)
	for name, part := range map[string]string{"answer": "", "steps": "/steps"} {
		p.Inspect(t, "failed-"+name, run+part, nil)
	}
}
