package serve_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/evals"
	"example.com/assay/cmd/agent/internal/serve"
	"example.com/assay/internal/browsertest"
	"example.com/assay/memory"
)

// get is a page as the one with a token sees it.
func (s *started) get(token, path string) (status int, page string) {
	s.t.Helper()
	return s.page(token, "GET", path, nil)
}

func (s *started) page(token, method, path string, form url.Values) (status int, page string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", token)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// sees fails unless a page is there and has some texts, and returns it.
func (s *started) sees(token, path string, texts ...string) string {
	s.t.Helper()
	status, page := s.get(token, path)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d\n%s", path, status, page)
	}
	for _, text := range texts {
		if !strings.Contains(page, html.EscapeString(text)) && !strings.Contains(page, text) {
			s.t.Errorf("%s does not have %q:\n%s", path, text, page)
		}
	}
	return page
}

// links are those of a page that match, without what stands behind #.
func links(page, match string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`href="(`+match+`)"`).FindAllStringSubmatch(page, -1) {
		path, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
		out = append(out, path)
	}
	return out
}

// first is the first link of a page that matches.
func (s *started) first(page, match string) string {
	s.t.Helper()
	all := links(page, match)
	if len(all) == 0 {
		s.t.Fatalf("no link %s in\n%s", match, page)
	}
	return all[0]
}

var marked = regexp.MustCompile(`(?s)<mark id="passage">(.*?)</mark>`)

// The corpora are there with what is known of them; a search explains itself; a hit leads to
// its bytes in the document, unless that has changed.
func TestPageOfCorpora(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	folder := t.TempDir()
	for name, text := range map[string]string{"a.jsonl": `{"id":"r1","colour":"blue","text":"The blue lantern hangs on the pier."}` + "\n{", "b.png": "x", "c.md": "# Ropes\n\nÄ rope of thirty fathoms.\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "harbour", Paths: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--no-auth")
	s.sees("", "/ui/corpora", "default", "harbour", "sample", "sample-county", "not legal advice", "4 corpora")
	s.sees("", "/ui/corpora/harbour", "Fingerprint", "gen-000001", "lsa-", "learnt from 2 questions", "1 file or link was", "b.png", "1 record not read", "as it was read", "2 texts", "filter=colour%3Dblue", "What could not be read")
	s.sees("", "/ui/corpora/sample", "474", "teaching sample", "learnt from")

	page := s.sees("", "/ui/corpora/default?q="+url.QueryEscape(clitest.PermitQuestion), "the passages are about this", "Why it is here", "bm25", "words of the query", "learnt", "bytes ")
	hit := s.first(page, `/ui/corpora/default/document[^"]*`)
	page = s.sees("", hit, "The whole text; marked", file)
	got := marked.FindStringSubmatch(page)
	if got == nil || !strings.Contains(clitest.Permits, html.UnescapeString(got[1])) || !strings.Contains(got[1], "three elements") {
		t.Fatalf("marked: %q", got)
	}
	s.sees("", "/ui/corpora/harbour?q=lantern&filter=colour%3Dblue", "The blue lantern", "1 passage looked at")
	s.sees("", "/ui/corpora/harbour?filter=colour%3Dblue", "among passages with")
	s.sees("", "/ui/corpora/harbour?q=thirty+fathoms&filter=colour%3Dgreen", "No passage was found", "nothing was found")
	if _, page := s.get("", s.first(s.sees("", "/ui/corpora/harbour?q=fathoms"), `/ui/corpora/harbour/document[^"]*c.md[^"]*`)); !strings.Contains(page, "Ä rope") {
		t.Errorf("the document: %s", page)
	}
	for path, want := range map[string]string{
		"/ui/corpora/none":                                    "404 there is no corpus",
		"/ui/corpora/%2E%2E%2Fx":                              "404 there is no corpus",
		"/ui/corpora/HARBOUR":                                 "404 there is no corpus",
		"/ui/corpora/harbour?q=x&filter=nokey%3Dx":            `400 no passage has metadata of the key "nokey"`,
		"/ui/corpora/harbour?q=x&filter=nothing":              "400 want key=value",
		"/ui/corpora/harbour?q=x&from=-1":                     "400 it must be a number from 0",
		"/ui/corpora/harbour?q=x&from=500":                    "400 ask for something narrower",
		"/ui/corpora/harbour?from=x":                          "400 it must be a number from 0",
		"/ui/corpora/harbour/document":                        "404 there is no document",
		"/ui/corpora/harbour/document?source=/etc/passwd":     "404 there is no document",
		"/ui/corpora/harbour/document?source=c.md&at=99999":   "404 the document ends before byte 99999",
		"/ui/corpora/harbour/document?source=c.md&passage=x":  "404 there is no passage",
		"/ui/corpora/harbour/document?source=c.md&passage=r1": "404 there is no passage",
	} {
		status, page := s.get("", path)
		if code, text, _ := strings.Cut(want, " "); fmt.Sprint(status) != code || !strings.Contains(html.UnescapeString(page), text) {
			t.Errorf("%s: %d, want %s\n%s", path, status, want, page)
		}
	}

	if err := os.WriteFile(file, []byte(clitest.Permits+"\nMore.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if page = s.sees("", hit, "This is not what was ingested", "still those of the passage", "More."); !marked.MatchString(page) {
		t.Error("the same bytes of a changed document are not marked")
	}
	if err := os.WriteFile(file, []byte("Changed.\n"+clitest.Permits), 0o644); err != nil {
		t.Fatal(err)
	}
	page = s.sees("", hit, "This is not what was ingested", "marked nowhere", "three elements", "Changed.")
	if marked.MatchString(page) {
		t.Error("a changed document is marked")
	}
	s.sees("", "/ui/corpora/default", "stale", "1 text of those below changed")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s.sees("", hit, "The text cannot be shown", "marked nowhere", "three elements")
}

// Hostile names and texts are shown as texts, and every link of the pages leads somewhere.
func TestPageOfHostileCorpus(t *testing.T) {
	home, folder := t.TempDir(), t.TempDir()
	for i, h := range browsertest.HostileTexts() {
		name := strings.TrimLeft(h.File(), ".")
		if name == "" || i%3 > 0 { // a third of them is enough here; the browser sees all
			continue
		}
		text := fmt.Sprintf("---\ntopic: %q\n---\n# %s\n\nThe lantern number %d says: %s\n", h.Text, h.Text, i, h.Text)
		if err := os.WriteFile(filepath.Join(folder, name+".md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "hostile", Paths: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--no-auth")
	pages := map[string]string{}
	var look func(path string, depth int)
	look = func(path string, depth int) {
		if _, known := pages[path]; known || depth < 0 || len(pages) > 120 {
			return
		}
		status, page := s.get("", path)
		if status != http.StatusOK {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
		pages[path] = page
		for _, next := range links(page, `/ui/corpora/hostile[^"]*`) {
			look(next, depth-1)
		}
	}
	look("/ui/corpora/hostile", 2)
	look("/ui/corpora/hostile?q=lantern+number", 1)
	if len(pages) < 60 {
		t.Errorf("only %d pages were seen", len(pages))
	}
	for path, page := range pages {
		for _, h := range browsertest.HostileTexts() {
			if strings.ContainsAny(h.Text, "<") && strings.Contains(page, h.Text) && len(h.Text) > 8 {
				t.Errorf("%s has %q", path, h.Text)
			}
		}
	}
}

// A tenant sees what the file of tenants lets it read and what its own runs remember, and
// never where files are.
func TestPageOfTenants(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	other := filepath.Join(t.TempDir(), "ferries.md")
	for path, text := range map[string]string{other: "# Ferries\n\nA ferry ticket expires after one day.\n", filepath.Join(filepath.Dir(other), "x.png"): "x"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "ferries", Paths: []string{filepath.Dir(other)}}); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "tenants.yaml")
	const harbour, quay = "the token of the harbour", "the token of the quay"
	if err := os.WriteFile(list, []byte("- {name: harbour, token: "+harbour+"}\n- {name: quay, token: "+quay+", corpora: [ferries]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--tenants", list, "--allow-write")
	if text, _ := s.ask(turn{token: harbour, graph: "research", text: clitest.PermitQuestion}); !strings.Contains(text, "lantern fee") {
		t.Fatal(text)
	}
	if page := s.sees(quay, "/ui/corpora", "ferries", "1 corpus"); strings.Contains(page, "default") || strings.Contains(page, "/ui/evals") {
		t.Errorf("what the quay sees: %s", page)
	}
	if page := s.sees(quay, "/ui/ask", "ferries"); strings.Contains(page, `<option dir="auto">default`) {
		t.Errorf("what the quay may choose: %s", page)
	}
	answer := s.first(s.sees(harbour, "/ui/memory", "default", clitest.PermitQuestion), `/ui/memory/default/[^"]*`)
	s.sees(quay, "/ui/memory", "Nothing is remembered yet")
	for _, path := range []string{"/ui/corpora/default", "/ui/corpora/default?q=permit", "/ui/corpora/default/document?source=permits.md", "/ui/corpora/sample", answer, "/ui/memory?corpus=default", "/ui/evals", "/ui/evals/x.json"} {
		if status, page := s.get(quay, path); status != http.StatusNotFound {
			t.Errorf("the quay gets %s: %d\n%s", path, status, page)
		}
	}
	if status, page := s.page(quay, "POST", answer+"/forget", url.Values{}); status != http.StatusNotFound {
		t.Errorf("the quay forgets an answer of the harbour: %d\n%s", status, page)
	}
	for _, at := range []string{home, filepath.Dir(file), filepath.Dir(other)} {
		for _, path := range []string{"/ui/corpora", "/ui/corpora/ferries", "/ui/corpora/ferries?q=ticket", "/ui/corpora/ferries/document?source=ferries.md", "/ui/corpora/default/document?source=permits.md", answer} {
			if page := s.sees(harbour, path); strings.Contains(page, at) {
				t.Errorf("%s says where files are: %s", path, page)
			}
		}
	}
	s.sees(harbour, "/ui/corpora/ferries", "1 file or link was", "Whoever runs the server sees which")
	// What was not ingested is not shown, though it stands in the place of what was.
	if err := os.WriteFile(file, []byte("another secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if page := s.sees(harbour, "/ui/corpora/default/document?source=permits.md", "The text cannot be shown"); strings.Contains(page, "secret") || strings.Contains(page, filepath.Dir(file)) {
		t.Errorf("a changed file: %s", page)
	}
}

// What is remembered is there with what it depends on and whether it would be served; it is
// forgotten only where that is allowed.
func TestPageOfMemory(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	s.sees("", "/ui/memory", "Nothing is remembered yet", "/ui/ask")
	s.sees("", "/ui/memory?corpus=default", "Nothing is remembered of this corpus")
	for range 2 {
		if text, _ := s.ask(turn{graph: "research", text: clitest.PermitQuestion}); !strings.Contains(text, "lantern fee") {
			t.Fatal(text)
		}
	}
	answer := s.first(s.sees("", "/ui/memory", clitest.PermitQuestion, "1 answer", "conditions hold"), `/ui/memory/default/[^"]*`)
	page := s.sees("", answer, "would be served now", "served 1 time", "lantern fee", "permits.md", "model", "the same", "--allow-write")
	if !regexp.MustCompile(`<mark [^>]*>payment of the lantern fee in full`).MatchString(page) {
		t.Errorf("what it quotes is not marked in the document:\n%s", page)
	}
	leaveless := url.Values{"ticket": {ticket(t, s.sees("", "/ui/keys"))}}
	if status, page := s.page("", "POST", answer+"/forget", leaveless); status != http.StatusForbidden || !strings.Contains(page, "--allow-write") {
		t.Errorf("forgetting without leave: %d\n%s", status, page)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(clitest.Permits, "fee in full", "fee in part", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "default", Paths: []string{file}}); err != nil {
		t.Fatal(err)
	}
	s.sees("", "/ui/memory", "not served now", "none is served")
	s.sees("", answer, "would not be served now", "the corpus has changed", "changed")
	s.sees("", "/ui/memory?from=50", "Remembered of")
	for path, want := range map[string]int{"/ui/memory?corpus=none": 404, "/ui/memory/default/ffff": 404, "/ui/memory/none/ffff": 404, "/ui/memory?from=x": 400} {
		if status, page := s.get("", path); status != want {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
	}
	s.stop()
	s = start(t, home, "--no-auth", "--allow-write")
	form := url.Values{"ticket": {ticket(t, s.sees("", answer, "Forget this answer"))}}
	if status, page := s.page("", "POST", answer+"/forget", form); status != http.StatusOK || !strings.Contains(page, "Nothing is remembered") {
		t.Errorf("forgetting: %d\n%s", status, page)
	}
	if status, _ := s.page("", "POST", answer+"/forget", form); status != http.StatusNotFound {
		t.Errorf("forgetting again: %d", status)
	}
}

func ticket(t *testing.T, page string) string {
	t.Helper()
	m := regexp.MustCompile(`name="ticket" value="([^"]+)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no ticket in\n%s", page)
	}
	return m[1]
}

// Results that agent eval cases keeps are there over time, each with its report.
func TestPageOfEvals(t *testing.T) {
	home, cases := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	s.sees("", "/ui/evals", "There are no results of cases", "agent eval cases DIR --keep")
	write(filepath.Join(cases, "permits", "docs", "permits.md"), clitest.Permits)
	write(filepath.Join(cases, "permits", "case.yaml"), "pipeline: research\ncorpus: docs\nquestion: "+clitest.PermitQuestion+"\nwant: {status: answered}\n")
	for range 2 {
		a, stdout, stderr := clitest.App(home)
		if code := clitest.Run(t.Context(), a, []string{"eval", "cases", cases, "--keep"}, evals.Command(a)); code != cli.ExitDone {
			t.Fatalf("code %d\n%s%s", code, stdout, stderr)
		}
	}
	write(filepath.Join(home, "evals", "broken.json"), `{"task":"cases"`)
	write(filepath.Join(home, "evals", "later.json"), `{"task":"cases","schema":99}`)
	write(filepath.Join(home, "evals", "other.json"), `{"task":"claims"}`)
	page := s.sees("", "/ui/evals", "2 reports", "pass rate, 1 case", "1 of 1", "offline", "<svg", "broken.json", "later.json", "format 99")
	if strings.Contains(page, "other.json") {
		t.Error("what is no result of cases is shown")
	}
	reports := links(page, `/ui/evals/[^"?]*`)
	if len(reports) != 2 || reports[0] == reports[1] {
		t.Fatalf("reports: %q", reports)
	}
	s.sees("", reports[0], "1 of 1 case passed", "<style>")
	s.sees("", "/ui/evals?metric=calls", "calls, 1 case")
	for path, want := range map[string]int{"/ui/evals?metric=x": 404, "/ui/evals/none.json": 404, "/ui/evals/%2E%2E%2Fserve.db": 404, "/ui/evals/broken.json": 404} {
		if status, page := s.get("", path); status != want {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
	}
	s.stop()
	out := filepath.Join(t.TempDir(), "out")
	a, stdout, stderr := clitest.App(home)
	if code := clitest.Run(t.Context(), a, []string{"eval", "cases", cases, "--out", filepath.Join(out, "nightly")}, evals.Command(a)); code != cli.ExitDone {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	s = start(t, home, "--no-auth", "--evals", out)
	s.sees("", s.first(s.sees("", "/ui/evals", "1 report", "nightly/results.json"), `/ui/evals/nightly[^"]*`), "1 of 1 case passed")
	a, stdout, stderr = clitest.App(home)
	if code := clitest.Run(t.Context(), a, []string{"serve", "--evals", filepath.Join(out, "none")}, serve.Command(a, "test")); code == cli.ExitDone || !strings.Contains(stderr.String(), "--evals") {
		t.Errorf("a folder that is not there: code %d\n%s%s", code, stdout, stderr)
	}
}

// A question that is asked on the page runs, and a further one knows of it.
func TestPageOfAsking(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	page := s.sees("", "/ui/ask", "research", "Answers questions", `<option dir="auto">sample`, "as the server has it")
	form := url.Values{"ticket": {ticket(t, page)}, "graph": {"research"}, "question": {clitest.PermitQuestion}, "set.corpus": {"default"}}
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	asked := func(form url.Values) (run, thread string) {
		t.Helper()
		res, err := stay.PostForm(s.url+"/ui/ask", form)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(res.Body)
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || res.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, %v\n%s", res.Status, err, data)
		}
		run = strings.TrimPrefix(res.Header.Get("Location"), "/ui/runs/")
		for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			_, list := s.get("", "/ui/?q="+run)
			if strings.Contains(list, ">done<") {
				return run, strings.TrimPrefix(s.first(list, `/ui/threads/[^"]*`), "/ui/threads/")
			}
			if time.Now().After(until) {
				t.Fatalf("the run does not end: %s", list)
			}
		}
	}
	_, thread := asked(form)
	s.sees("", "/ui/ask?thread="+thread, "Ask further", `<option dir="auto" selected>default`)
	form = url.Values{"ticket": form["ticket"], "thread": {thread}, "question": {"And when does it expire?"}, "set.corpus": {""}}
	_, second := asked(form)
	if second != thread {
		t.Errorf("the further question is on thread %s", second)
	}
	if strings.Contains(s.sees("", "/ui/ask?thread="+thread), "selected>default") {
		t.Error("a choice that was taken back is kept")
	}
	_, state := s.get("", "/threads/"+thread+"/state")
	if !strings.Contains(state, "expires after two winters") {
		t.Errorf("the further question does not know of the first: %s", state)
	}
	for want, wrong := range map[string]url.Values{
		"422 nothing was asked":     {"graph": {"research"}, "question": {" "}},
		"422 there is no corpus":    {"graph": {"research"}, "question": {"Why?"}, "set.corpus": {"none"}},
		"422 the input is not JSON": {"graph": {"verify"}, "question": {"Why?"}, "input": {"{"}},
		"422 reading the schema":    {"graph": {"extract"}, "question": {"Total: 7"}, "set.schema": {`{"type":"nonsense"}`}},
		"422 schema is not JSON":    {"graph": {"extract"}, "question": {"Total: 7"}, "set.schema": {"{"}},
		"404 there is no graph":     {"graph": {"none"}, "question": {"Why?"}},
		"404 there is no thread":    {"thread": {"none"}, "question": {"Why?"}},
	} {
		wrong.Set("ticket", form.Get("ticket"))
		status, page := s.page("", "POST", "/ui/ask", wrong)
		if code, text, _ := strings.Cut(want, " "); fmt.Sprint(status) != code || !strings.Contains(page, text) {
			t.Errorf("%v: %d\n%s", wrong, status, page)
		}
		if q := wrong.Get("question"); strings.HasPrefix(want, "422") && q != " " && !strings.Contains(page, "\n"+q+"</textarea>") {
			t.Errorf("%v: what was written is lost\n%s", wrong, page)
		}
	}
	if status, _ := s.page("", "POST", "/ui/ask", url.Values{"graph": {"research"}, "question": {"Why?"}, "ticket": {"x"}}); status != http.StatusForbidden {
		t.Errorf("a form of nobody: %d", status)
	}
}

// A corpus of 20,000 passages in 2,000 texts is read in pages.
func TestPageOfManyPassages(t *testing.T) {
	if testing.Short() {
		t.Skip("ingests 20,000 passages")
	}
	home, folder := t.TempDir(), t.TempDir()
	for i := range 2000 {
		var b strings.Builder
		for j := range 10 {
			fmt.Fprintf(&b, "# Berth %d of quay %d\n\nThe berth %d at quay %d takes %d barges, and its bollard number %d was painted by warden %d.\n\n", j, i, j, i, i%7, i*10+j, i%50)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("quay%04d.md", i)), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "quays", Paths: []string{folder}}); err != nil || r.Passages != 20_000 {
		t.Fatal(r, err)
	}
	s := start(t, home, "--no-auth")
	began := time.Now()
	page := s.sees("", "/ui/corpora/quays", "20000", "2000 texts", "1 to 50 of 2000", "quay0049.md")
	t.Logf("opening it and its first page: %v", time.Since(began))
	if len(page) > 100_000 || strings.Contains(page, "quay0050.md") {
		t.Errorf("the page has %d bytes", len(page))
	}
	seen := map[string]bool{}
	next, pages := "/ui/corpora/quays", 0
	for ; next != ""; pages++ {
		page = s.sees("", next)
		for _, d := range links(page, `/ui/corpora/quays/document[^"]*`) {
			seen[d] = true
		}
		next = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(page); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 2000 || pages != 40 {
		t.Errorf("%d pages with %d texts", pages, len(seen))
	}
	began = time.Now()
	hits := map[string]bool{}
	page = s.sees("", "/ui/corpora/quays?q=Which+warden+painted+the+bollard", "1 to 10")
	t.Logf("a search: %v", time.Since(began))
	for range 3 {
		for _, d := range links(page, `/ui/corpora/quays/document[^"]*`) {
			hits[d] = true
		}
		page = s.sees("", html.UnescapeString(regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(page)[1]))
	}
	if len(hits) != 30 {
		t.Errorf("three pages of a search have %d passages", len(hits))
	}
}
