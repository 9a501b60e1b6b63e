package serve_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
)

const draft = "A lantern permit expires after nine winters.\r\n\r\n- Payment of the lantern fee in full is one of the elements.\r\n- The harbour was built by <b>giants</b>.\r\n"

// A text is checked sentence by sentence; corrections are accepted one by one, and the text is sent with
// them. Who is not its owner sees nothing of it.
func TestCheckText(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home)
	b := s.enters(token(t, home))
	status, _, at := b.load("POST", "/ui/check", url.Values{"text": {draft}, "corpus": {"default"}})
	if status != http.StatusOK || !strings.HasPrefix(at, "/ui/check/") {
		t.Fatalf("checking leads to %d %s", status, at)
	}
	page := b.ended(at)
	for _, want := range []string{`class="about bad"`, "contradicted", "not in the documents", "<del>A lantern permit expires after nine winters.</del>", "two winters.</ins>", `name="accept" value="claim-1"`, "0 of ", "<mark", "&lt;b&gt;giants"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
	get := func(path string) string {
		t.Helper()
		status, body, _ := b.load("GET", path, nil)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		return body
	}
	if past := get("/ui/"); !strings.Contains(past, `href="`+at+`"`) {
		t.Errorf("the past conversations do not lead to the check:\n%s", past)
	}
	given := strings.ReplaceAll(draft, "\r\n", "\n")
	if got := get(at + "/text"); got != given {
		t.Errorf("without a correction the text is %q", got)
	}
	one := get(at + "?accept=claim-1&accept=nothing")
	if !strings.Contains(one, "Take back") || !strings.Contains(one, "data-corrected") || !strings.Contains(one, `type="hidden" name="accept" value="claim-1"`) || strings.Contains(one, "nothing\"") {
		t.Errorf("with one correction:\n%s", one)
	}
	if got := get(at + "/text?accept=claim-1"); !strings.Contains(got, "two winters") || strings.Contains(got, "nine") || !strings.Contains(got, "giants") {
		t.Errorf("with one correction the text is %q", got)
	}
	if got := get(at + "/text?accept=claim-1&accept=claim-3&as=md"); strings.Contains(got[:strings.Index(got, "---")], "giants") || !strings.Contains(got, "**contradicted**, corrected") {
		t.Errorf("with the evidence it is\n%s", got)
	}
	for _, c := range []struct {
		text string
		want string
	}{{" ", "there is no text"}, {strings.Repeat("A ferry runs. ", 20_000), "check it in parts"}} {
		status, body, _ := b.load("POST", "/ui/check", url.Values{"text": {c.text}})
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, c.want) {
			t.Errorf("%.20q: %d\n%.2000s", c.text, status, body)
		}
	}
	status, body, _ := b.load("POST", "/ui/check", url.Values{"text": {draft}, "corpus": {"nowhere"}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "nine winters") {
		t.Errorf("an unknown corpus: %d\n%s", status, body)
	}
	s.ask(turn{token: token(t, home), graph: "research", text: clitest.PermitQuestion})
	_, list, _ := b.load("GET", "/ui/runs?q=elements", nil)
	for _, link := range runLink.FindAllStringSubmatch(list, -1) {
		other := strings.Replace(link[1], "/runs/", "/check/", 1)
		if status, _, _ := b.load("GET", other, nil); other != at && status != http.StatusNotFound {
			t.Errorf("a run of another graph: %d", status)
		}
	}
	stranger := &browser{s, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if status, _, _ := stranger.load("GET", at+"/text", nil); status != http.StatusSeeOther {
		t.Errorf("nobody reads the text: %d", status)
	}
}
