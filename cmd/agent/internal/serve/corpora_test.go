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

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/internal/browsertest"
	"example.com/assay/memory"
)

// get returns a page as the holder of the token sees it.
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

// sees fails unless a page exists and has some texts, and returns the page.
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

// links returns the links of a page that match, without the part after #.
func links(page, match string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`href="(`+match+`)"`).FindAllStringSubmatch(page, -1) {
		path, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
		out = append(out, path)
	}
	return out
}

// first returns the first link of a page that matches.
func (s *started) first(page, match string) string {
	s.t.Helper()
	all := links(page, match)
	if len(all) == 0 {
		s.t.Fatalf("no link %s in\n%s", match, page)
	}
	return all[0]
}

var marked = regexp.MustCompile(`(?s)<mark id="passage">(.*?)</mark>`)

// The page shows the corpora with their facts. A search explains itself, and a hit leads to its
// bytes in the document unless that has changed.
func TestPageOfCorpora(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	folder := t.TempDir()
	for name, text := range map[string]string{"a.jsonl": `{"id":"r1","colour":"blue","text":"The blue lantern hangs on the pier."}` + "\n{", "b.png": "\x89PNG\r\n\x1a\n\x00\x00", "c.md": "# Ropes\n\nÄ rope of thirty fathoms.\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "harbour", Paths: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--no-auth")
	s.sees("", "/ui/corpora", "default", "harbour", "sample", "sample-county", "not legal advice", "4 corpora")
	s.sees("", "/ui/corpora/harbour", "Fingerprint", "gen-000001", "lsa-", "trained on", "1 file or link was", "b.png", "1 record not read", "as it was read", "2 texts", "filter=colour%3Dblue", "What could not be read")
	s.sees("", "/ui/corpora/sample", "474", "teaching sample", "trained on")

	page := s.sees("", "/ui/corpora/default?q="+url.QueryEscape(clitest.PermitQuestion), "the passages are about this", "Why it is here", "bm25", "words of the query", "bytes ")
	hit := s.first(page, `/ui/corpora/default/document[^"]*`)
	page = s.sees("", hit, "the whole text; marked", file)
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

// Hostile names and texts are shown as text, and every link of the pages works.
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
		found := links(page, `/ui/corpora/quays/document[^"]*`)
		if len(found) != 10 {
			t.Errorf("a page of a search has %d passages", len(found))
		}
		for _, d := range found {
			hits[d] = true
		}
		page = s.sees("", html.UnescapeString(regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(page)[1]))
	}
	if len(hits) != 30 {
		t.Errorf("three pages of a search have %d passages", len(hits))
	}
}
