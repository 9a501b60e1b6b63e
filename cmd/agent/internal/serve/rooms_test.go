package serve_test

import (
	"fmt"
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
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/serve"
	"example.com/assay/memory"
)

// A tenant sees the corpora that the file of tenants names and the remembered answers of its own
// runs, and never where files are.
func TestPageOfTenants(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	other := filepath.Join(t.TempDir(), "ferries.md")
	for path, text := range map[string]string{other: "# Ferries\n\nA ferry ticket expires after one day.\n", filepath.Join(filepath.Dir(other), "x.png"): "\x89PNG\r\n\x1a\n\x00\x00"} {
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
	// A wrong search is explained to its caller; a fault is shown only in the log.
	if status, page := s.get(harbour, "/ui/corpora/ferries?q=x&filter=nokey%3Dx"); status != http.StatusBadRequest || !strings.Contains(page, "nokey") {
		t.Errorf("%d\n%s", status, page)
	}
	damaged := open.AnswersFile(home, "quay", "ferries")
	broken, noise := filepath.Join(home, "corpora", "broken"), strings.Repeat("no database ", 1000)
	for path, text := range map[string]string{damaged: noise, filepath.Join(broken, "CURRENT"): "gen-000001\n", filepath.Join(broken, "gen-000001", "manifest.json"): noise} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if page := s.sees(quay, "/ui/memory", "none is served", "this failed"); strings.Contains(page, home) {
		t.Errorf("a damaged memory: %s", page)
	}
	if status, page := s.get(quay, "/ui/memory?corpus=ferries"); status != http.StatusInternalServerError || strings.Contains(page, home) {
		t.Errorf("a damaged memory: %d\n%s", status, page)
	}
	for _, path := range []string{"/ui/corpora", "/ui/corpora/broken"} {
		if page := s.sees(harbour, path, "broken"); strings.Contains(page, home) || !strings.Contains(page, "has the reason") {
			t.Errorf("a damaged corpus: %s", page)
		}
	}
	if log := s.stderr.String(); !strings.Contains(log, damaged) || !strings.Contains(log, "broken") {
		t.Errorf("the log: %s", log)
	}
	// Text that was not ingested is not shown, even if it replaced ingested text.
	if err := os.WriteFile(file, []byte("another secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if page := s.sees(harbour, "/ui/corpora/default/document?source=permits.md", "The text cannot be shown"); strings.Contains(page, "secret") || strings.Contains(page, filepath.Dir(file)) {
		t.Errorf("a changed file: %s", page)
	}
}

// The page shows remembered answers with their conditions and whether they would be served. They
// are forgotten only if that is allowed.
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
	s.sees("", "/ui/memory?from=50", "Remembered answers for")
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

// The page shows the results that agent eval cases keeps, over time and each with its report.
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

// A question that is asked on the page runs, and the next one knows about it.
func TestPageOfAsking(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	page := s.sees("", "/ui/ask", "Your question", "Check a text against my documents", "Find the rules", "Read fields from papers", "Check causes and effects", `<option value="">default</option>`, `<option dir="auto">sample`)
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
		at, turn, _ := strings.Cut(res.Header.Get("Location"), "#")
		for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			_, page := s.get("", at)
			if _, page, found := strings.Cut(page, `id="`+turn+`"`); found && strings.Contains(page, "How this came about") {
				return strings.TrimPrefix(s.first(page, `/ui/runs/[^"]*`), "/ui/runs/"), strings.TrimPrefix(at, "/ui/ask/")
			}
			if time.Now().After(until) {
				t.Fatalf("the run does not end: %s", page)
			}
		}
	}
	run, thread := asked(form)
	for _, from := range []string{"/ui/runs/" + run, "/ui/threads/" + thread} {
		if further := s.first(s.sees("", from, "Ask further"), `/ui/ask/[^"]*`); further != "/ui/ask/"+thread {
			t.Errorf("%s leads to %s", from, further)
		}
	}
	refused, _ := asked(url.Values{"ticket": form["ticket"], "graph": {"research"}, "question": {"Who inspects the harbour ferries of Quay Street?"}})
	if page := s.sees("", "/ui/runs/"+refused, "not found", "Passages that were read: ", "A lantern permit expires after two winters."); strings.Count(page, "<li><span dir=\"auto\">") < 2 {
		t.Errorf("what was read for a refusal:\n%s", page)
	}
	s.sees("", "/ui/ask/"+thread, "Ask further", "payment of the lantern fee in full", `aria-current="page" dir="auto">`+clitest.PermitQuestion)
	form = url.Values{"ticket": form["ticket"], "thread": {thread}, "question": {"And when does it expire?"}, "set.corpus": {""}}
	_, second := asked(form)
	if second != thread {
		t.Errorf("the further question is on thread %s", second)
	}
	_, state := s.get("", "/threads/"+thread+"/state")
	if !strings.Contains(state, "expires after two winters") {
		t.Errorf("the further question does not know of the first: %s", state)
	}
	form.Set("question", "What is negligence?")
	form.Set("set.corpus", "sample")
	asked(form)
	s.sees("", "/ui/ask/"+thread, "What is negligence?", `<option dir="auto" selected>sample`)
	form.Set("set.corpus", "")
	asked(form)
	if strings.Contains(s.sees("", "/ui/ask/"+thread), " selected>") {
		t.Error("a choice that was taken back is kept")
	}
	s.sees("", "/ui/ask?set.corpus=gone", `<option dir="auto" value="gone" selected>gone (not there)`)
	if strings.Contains(s.sees("", "/ui/ask?set.corpus=default"), " selected>") {
		t.Error("the usual corpus is chosen twice")
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
