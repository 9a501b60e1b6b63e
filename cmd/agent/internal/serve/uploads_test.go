package serve_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
)

// A sent is a file of a form: its name as a browser has it, and its bytes.
type sent struct{ name, data string }

var ticketOf = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

// ticket returns the ticket of the browser's forms.
func (b *browser) ticket() string {
	b.t.Helper()
	_, body, _ := b.load("GET", "/ui/keys", nil)
	return ticketOf.FindStringSubmatch(body)[1]
}

// send sends files as the form does without scripts, and returns the page to which that leads.
func (b *browser) send(ticket, corpus string, files ...sent) (int, string, string) {
	b.t.Helper()
	return b.post("/ui/corpora", [][2]string{{"ticket", ticket}, {"corpus", corpus}}, files...)
}

// post sends a form with fields and files.
func (b *browser) post(path string, fields [][2]string, files ...sent) (int, string, string) {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, f := range files {
		part, err := form.CreateFormFile("file", "NAME")
		if err == nil {
			_, err = io.WriteString(part, f.data)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		b.t.Fatal(err)
	}
	data := body.String()
	for _, f := range files { // the writer would escape it
		data = strings.Replace(data, `filename="NAME"`, `filename="`+f.name+`"`, 1)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), "POST", b.url+path, strings.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Request.URL.Path
}

// read waits until a corpus has read its files, and returns its page.
func (b *browser) read(corpus string) string {
	b.t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, state, _ := b.load("GET", "/ui/corpora/"+corpus+"/reading", nil)
		if strings.Contains(state, `"busy":false`) {
			_, body, _ := b.load("GET", "/ui/corpora/"+corpus, nil)
			return body
		}
		if time.Now().After(until) {
			b.t.Fatalf("corpus %s is read for long: %s", corpus, state)
		}
	}
}

// kept are the names of the files that are kept for a corpus.
func kept(t *testing.T, home, corpus string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(home, "uploads", corpus))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s has mode %s", e.Name(), info.Mode())
		}
		names = append(names, e.Name())
	}
	return names
}

// A form without scripts makes a corpus of files, says which cannot be read, replaces one, answers from
// them, and removes them until the corpus is gone.
func TestUpload(t *testing.T) {
	home := t.TempDir()
	s := start(t, home, "--allow-upload")
	b := s.enters(token(t, home))
	_, list, _ := b.load("GET", "/ui/corpora", nil)
	if !strings.Contains(list, `enctype="multipart/form-data"`) || !strings.Contains(list, `name="corpus"`) {
		t.Fatalf("the documents:\n%s", list)
	}
	if _, fresh, at := b.load("GET", "/ui/corpora?name=harbour", nil); at != "/ui/corpora/harbour" || !strings.Contains(fresh, "no documents of this name yet") {
		t.Errorf("a new name leads to %s:\n%s", at, fresh)
	}
	status, _, at := b.send(b.ticket(), "harbour", sent{"permits.md", clitest.Permits}, sent{"broken.pdf", "no PDF"}, sent{"empty.txt", ""})
	if status != http.StatusOK || at != "/ui/corpora/harbour" {
		t.Fatalf("sending leads to %d %s", status, at)
	}
	if status, body, _ := b.load("GET", "/ui/corpora/harbour", nil); status != http.StatusOK {
		t.Errorf("while it is read for the first time, the corpus is %d\n%s", status, body)
	}
	page := b.read("harbour")
	for _, want := range []string{"1 file added", "does not begin with %PDF-", "it is empty", "source=permits.md", "/ui/ask?question=In+permits.md", "remove?file=broken.pdf"} {
		if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
			t.Errorf("the page does not have %q:\n%s", want, page)
		}
	}
	if names := strings.Join(kept(t, home, "harbour"), " "); names != "broken.pdf permits.md" {
		t.Errorf("kept are %s", names)
	}
	_, answer := s.post(token(t, home), "/runs/wait", `{"assistant_id":"research","context":{"corpus":"harbour"},"input":{"messages":[{"role":"user","content":"`+clitest.PermitQuestion+`"}]}}`)
	if text, _ := answer["messages"].([]any); len(text) < 2 || !strings.Contains(strings.ToLower(toText(text[len(text)-1])), "lantern fee") {
		t.Errorf("the answer is %v", answer)
	}
	b.send(b.ticket(), "harbour", sent{"permits.md", strings.ReplaceAll(clitest.Permits, "lantern fee", "lamp fee")})
	if page := b.read("harbour"); !strings.Contains(page, "1 file changed") {
		t.Errorf("a file that replaces another:\n%s", page)
	}
	for i, name := range []string{"broken.pdf", "permits.md"} {
		_, sure, _ := b.load("GET", "/ui/corpora/harbour/remove?file="+name, nil)
		if !strings.Contains(sure, "Remove it") || strings.Contains(sure, "the last file") != (i == 1) {
			t.Errorf("before %s is removed:\n%s", name, sure)
		}
		b.load("POST", "/ui/corpora/harbour/remove", url.Values{"file": {name}})
		page = b.read("harbour")
		if strings.Contains(page, "remove?file="+name) {
			t.Errorf("%s is still there:\n%s", name, page)
		}
	}
	if !strings.Contains(page, "no documents of this name yet") || len(kept(t, home, "harbour")) != 0 {
		t.Errorf("without a file the corpus is\n%s", page)
	}
	if _, err := os.Stat(filepath.Join(home, "corpora", "harbour")); err == nil {
		t.Error("the corpus of no file is still there")
	}
}

func toText(v any) string {
	m, _ := v.(map[string]any)
	switch c := m["content"].(type) {
	case string:
		return c
	case []any:
		var b strings.Builder
		for _, part := range c {
			p, _ := part.(map[string]any)
			text, _ := p["text"].(string)
			b.WriteString(text)
		}
		return b.String()
	}
	return ""
}

// A name with control characters is kept without them, and what is in the file stays as it is, also where
// it looks like the head of a part.
func TestUploadOfControlCharacters(t *testing.T) {
	home := t.TempDir()
	b := start(t, home, "--allow-upload").enters(token(t, home))
	text := clitest.Permits + "\r\n--no boundary\r\nX: a\x01b\x7f\r\n\r\n" + strings.Repeat("\x00long ", 3000)
	if status, body, _ := b.send(b.ticket(), "harbour", sent{"a\x01b\x1b[2J.md", text}, sent{"plain.md", clitest.Permits}); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, body)
	}
	b.read("harbour")
	data, err := os.ReadFile(filepath.Join(home, "uploads", "harbour", "a_b_[2J.md"))
	if names := kept(t, home, "harbour"); err != nil || len(names) != 2 || string(data) != text {
		t.Errorf("kept are %q, %v, and %q", names, err, data)
	}
}

// The first file of the usual corpus takes the place of the embedded sample at once.
func TestUploadFirst(t *testing.T) {
	home := t.TempDir()
	s := start(t, home, "--allow-upload")
	b := s.enters(token(t, home))
	if page := b.read(config.DefaultCorpus); !strings.Contains(page, "embedded") {
		t.Fatalf("without a file the usual corpus is\n%s", page)
	}
	b.send(b.ticket(), config.DefaultCorpus, sent{"permits.md", clitest.Permits})
	if page := b.read(config.DefaultCorpus); strings.Contains(page, "embedded corpus") || !strings.Contains(page, "source=permits.md") {
		t.Errorf("with a file it is\n%s", page)
	}
}

// Names that lead elsewhere stay in the folder, what unpacks to too much is left out, and what is too
// long is not kept. Forms of other pages and of nobody are refused.
func TestUploadHostile(t *testing.T) {
	home := t.TempDir()
	old := filepath.Join(home, "uploads", ".part-OLD") // of a server that was killed
	if err := os.Mkdir(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--allow-upload", "--upload-mib", "1")
	b := s.enters(token(t, home))
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 300 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	text := "Ferries run on Monday. "
	b.send(b.ticket(), "x", sent{"../../../up.md", text + "1"}, sent{`..\\..\\back.md`, text + "2"}, sent{"/etc/passwd.md", text + "3"}, sent{".hidden.md", text + "4"},
		sent{"..", text}, sent{"CON.md", text + "5"}, sent{"a\u202egnp.md", text + "6"}, sent{strings.Repeat("ä", 400) + ".md", text + "7"}, sent{"<img src=x onerror=alert(1)>.md", text + "8"},
		sent{"bomb.txt.gz", bomb.String()})
	page := b.read("x")
	want := []string{"_CON.md", "agnp.md", "back.md", "bomb.txt.gz", "hidden.md", "img src=x onerror=alert(1).md", "passwd.md", "up.md", strings.Repeat("ä", 73) + ".md"}
	if names := kept(t, home, "x"); strings.Join(names, "\n") != strings.Join(want, "\n") {
		t.Errorf("kept are %q", names)
	}
	if !strings.Contains(page, "<strong dir=\"auto\">.</strong>: ") && !strings.Contains(page, "no letter or digit") || strings.Contains(page, "<img src=x") {
		t.Errorf("the page:\n%s", page)
	}
	if !regexp.MustCompile(`(?s)bomb\.txt\.gz</strong>.{0,200}left out`).MatchString(page) {
		t.Errorf("what unpacks to 300 MiB is not left out:\n%s", page)
	}
	for _, at := range []string{filepath.Join(home, "up.md"), filepath.Join(home, "uploads", "up.md"), filepath.Join(filepath.Dir(home), "up.md")} {
		if _, err := os.Stat(at); err == nil {
			t.Errorf("%s was written", at)
		}
	}
	b.send(b.ticket(), "x", sent{"long.md", strings.Repeat("a ", 400<<10)})
	if page := b.read("x"); !strings.Contains(page, "too long") || !strings.Contains(page, "long.md") {
		t.Errorf("more than there is room for:\n%s", page)
	}
	if status, body, _ := b.send(b.ticket(), "x", sent{"far.md", strings.Repeat("a", 8<<20)}); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a form of 8 MiB: %d\n%s", status, body)
	}
	for what, corpus := range map[string]string{"outside": "../x", "embedded": "sample", "none": "", "hidden": ".x"} {
		if status, _, _ := b.send(b.ticket(), corpus, sent{"a.md", text}); status != http.StatusForbidden {
			t.Errorf("a corpus that is %s: %d", what, status)
		}
	}
	if status, _, _ := b.send("forged", "x", sent{"a.md", text}); status != http.StatusForbidden {
		t.Errorf("a form of another page: %d", status)
	}
	stranger := &browser{s, &http.Client{}}
	if status, _, _ := stranger.send("forged", "x", sent{"a.md", text}); status != http.StatusUnauthorized {
		t.Errorf("a form of nobody: %d", status)
	}
	for _, name := range []string{"../../serve.token", "../x/up.md", ".", ""} {
		if status, _, _ := b.load("POST", "/ui/corpora/x/remove", url.Values{"file": {name}}); status != http.StatusNotFound {
			t.Errorf("removing %q: %d", name, status)
		}
	}
	entries, err := os.ReadDir(filepath.Join(home, "uploads"))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the corpus there is %v, %v", entries, err)
	}
}

// Without the flag the page says how files are added, and takes none. With tenants one adds files only
// where no other reads them.
func TestUploadAllowed(t *testing.T) {
	home := t.TempDir()
	s := start(t, home)
	b := s.enters(token(t, home))
	if _, page, _ := b.load("GET", "/ui/corpora", nil); !strings.Contains(page, "--allow-upload") || strings.Contains(page, "multipart") {
		t.Errorf("the documents:\n%s", page)
	}
	if status, _, _ := b.send(b.ticket(), "x", sent{"a.md", "text"}); status != http.StatusForbidden {
		t.Errorf("a file is taken: %d", status)
	}
	s.stop()

	list := filepath.Join(home, "tenants.yaml")
	write := "- name: ann\n  token: " + strings.Repeat("a", 40) + "\n  corpora: [sample, hers, both]\n- name: bob\n  token: " + strings.Repeat("b", 40) + "\n  corpora: [both, his]\n"
	if err := os.WriteFile(list, []byte(write), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start(t, home, "--allow-upload", "--tenants", list)
	ann, bob := s.enters(strings.Repeat("a", 40)), s.enters(strings.Repeat("b", 40))
	for corpus, want := range map[string]int{"hers": http.StatusOK, "both": http.StatusForbidden, "his": http.StatusNotFound, "other": http.StatusNotFound} {
		if status, body, _ := ann.send(ann.ticket(), corpus, sent{"a.md", clitest.Permits}); status != want {
			t.Errorf("ann adds to %s: %d\n%s", corpus, status, body)
		}
	}
	if page := ann.read("hers"); !strings.Contains(page, "source=a.md") || strings.Contains(page, home) {
		t.Errorf("ann's page:\n%s", page)
	}
	for _, path := range []string{"", "/reading", "/remove?file=a.md"} {
		if status, _, _ := bob.load("GET", "/ui/corpora/hers"+path, nil); status != http.StatusNotFound {
			t.Errorf("bob sees %s of ann's corpus: %d", path, status)
		}
	}
	if status, _, _ := bob.load("POST", "/ui/corpora/hers/remove", url.Values{"file": {"a.md"}}); status != http.StatusNotFound {
		t.Errorf("bob removes ann's file: %d", status)
	}
}
