package serve_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/memory"
)

// Beside an answer a document looks like what it is, as long as its file is what was ingested.
func TestPapersOnPage(t *testing.T) {
	folder, home := t.TempDir(), t.TempDir()
	for name, data := range map[string]string{
		"permits.pdf": string(hostilePDF("The fee for a lantern permit is forty crowns.", "A permit expires after two winters.")),
		"ropes.csv":   "Rope,Length,Price\nHemp,30 fathoms,12.40\nFlax,20 fathoms,31.00\n",
		"pallets.eml": "From: ann@example.org\r\nTo: bob@example.org\r\nDate: Mon, 02 Mar 2026 10:00:00 +0100\r\nSubject: Pallets\r\n\r\nThe pallets arrive on Thursday at gate 4.\r\n\r\nOn 27 Feb Bob wrote:\r\n> Do the pallets arrive on Tuesday?\r\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: config.DefaultCorpus, Paths: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--no-auth")
	asked := map[string]string{}
	for question, want := range map[string]string{
		"When does a permit expire?":      `data-paper="/ui/corpora/default/original?source=permits.pdf" data-page="1"`,
		"What is the price of flax rope?": `<th scope="col"><span class="sep">`,
		"When do the pallets arrive?":     `<table class="cells mail">`,
	} {
		_, made := s.post("", "/threads", "{}")
		thread := made["thread_id"].(string)
		s.ask(turn{graph: "research", thread: thread, text: question})
		asked[question] = "/ui/ask/" + thread
		if _, page := s.get("", asked[question]); !strings.Contains(page, want) {
			t.Errorf("%s: no %s in\n%s", question, want, page)
		}
	}
	original := "/ui/corpora/default/original?source=permits.pdf"
	if status, data := s.get("", original); status != http.StatusOK || !strings.HasPrefix(data, "%PDF-") {
		t.Errorf("the file: %d %.100q", status, data)
	}
	for _, other := range []string{"ropes.csv", "..%2fpermits.pdf", ""} {
		if status, _ := s.get("", "/ui/corpora/default/original?source="+other); status != http.StatusNotFound {
			t.Errorf("%q: %d", other, status)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "permits.pdf"), hostilePDF("A permit expires after nine winters."), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, data := s.get("", original); status != http.StatusNotFound || strings.Contains(data, "%PDF-") {
		t.Errorf("the changed file: %d %.100q", status, data)
	}
	s.sees("", asked["When does a permit expire?"], "its file is no longer the one that was read", "A permit expires after two winters.")
}
