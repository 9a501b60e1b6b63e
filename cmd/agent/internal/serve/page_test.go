package serve_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/clitest"
)

// A browser is a client that has entered a server's page.
type browser struct {
	*started
	client *http.Client
}

func (s *started) enters(token string) *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &browser{s, &http.Client{Jar: jar}}
	b.load("POST", "/ui/enter", url.Values{"token": {token}})
	return b
}

// load sends a request, with the ticket of the pages if it has a form.
func (b *browser) load(method, path string, form url.Values) (int, string, string) {
	b.t.Helper()
	if form != nil && path != "/ui/enter" {
		_, body, _ := b.load("GET", "/ui/keys", nil)
		form.Set("ticket", regexp.MustCompile(`name="ticket" value="([^"]+)"`).FindStringSubmatch(body)[1])
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer.StatusCode, string(data), answer.Request.URL.Path
}

// ended waits until the page of a run stops changing.
func (b *browser) ended(path string) string {
	b.t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		status, body, _ := b.load("GET", path, nil)
		if status == http.StatusOK && !strings.Contains(body, "data-live=") {
			return body
		}
		if time.Now().After(until) {
			b.t.Fatalf("%s: %d\n%s", path, status, body)
		}
	}
}

var (
	runLink     = regexp.MustCompile(`<a href="(/ui/runs/[^"/]+)"`)
	promptField = regexp.MustCompile(`(?s)<textarea id="text"[^>]*>\n(.*?)</textarea>`)
)

// The page shows the question of a client of the wire, goes back in its run, and runs on with
// another prompt. It shows an error in a prompt next to the prompt.
func TestPage(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--allow-write")
	key := token(t, home)
	if out := s.stdout.String(); !strings.Contains(out, "page "+s.url+"/ui/\n") || strings.Contains(out, key) {
		t.Errorf("what is said into a file has no token:\n%s", out)
	}
	_, made := s.post(key, "/threads", "{}")
	s.ask(turn{token: key, thread: made["thread_id"].(string), graph: "research", text: clitest.PermitQuestion})
	b := s.enters(key)
	_, list, _ := b.load("GET", "/ui/runs?q=lantern", nil)
	link := runLink.FindStringSubmatch(list)
	if link == nil || !strings.Contains(list, html.EscapeString(clitest.PermitQuestion)) {
		t.Fatalf("the list:\n%s", list)
	}
	run := b.ended(link[1])
	if !regexp.MustCompile(`<mark[^>]*>[^<]*payment of the lantern fee`).MatchString(run) || strings.Contains(run, "cannot be") {
		t.Errorf("the evidence:\n%s", run)
	}
	if _, steps, _ := b.load("GET", link[1]+"/steps", nil); !strings.Contains(steps, "research/execute/retrieve") {
		t.Errorf("the steps have no graphs inside nodes:\n%.3000s", steps)
	}
	thread := regexp.MustCompile(`/ui/threads/[^"?]+`).FindString(list)
	_, places, _ := b.load("GET", thread, nil)
	before := regexp.MustCompile(`(?s)at=([^"#]+)#place"[^>]*>[^<]+</a>\s*</th>\s*<td[^>]*>[^<]*</td>\s*<td[^>]*>research`).FindStringSubmatch(places)
	if before == nil {
		t.Fatalf("no checkpoint before the pipeline:\n%s", places)
	}
	_, form, _ := b.load("GET", thread+"?at="+before[1]+"&skill=synthesize_and_cite", nil)
	text := promptField.FindStringSubmatch(form)
	if text == nil {
		t.Fatalf("no prompt in\n%s", form)
	}
	prompt := html.UnescapeString(text[1])
	for change, want := range map[string]string{strings.Replace(prompt, "name: synthesize_and_cite", "name: query_rewrite", 1): "its inputs are", "hello": "front matter"} {
		status, body, _ := b.load("POST", thread+"/go-on", url.Values{"checkpoint": {before[1]}, "skill": {"synthesize_and_cite"}, "text": {change}})
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, `id="text-fault"`) || !strings.Contains(body, want) || !strings.Contains(body, html.EscapeString(change)) {
			t.Errorf("%.60q: %d\n%s", change, status, body)
		}
	}
	status, _, again := b.load("POST", thread+"/go-on", url.Values{"checkpoint": {before[1]}, "skill": {"synthesize_and_cite"}, "text": {strings.ReplaceAll(prompt, "\n", "\r\n") + "\r\nBe brief.\r\n"}})
	if status != http.StatusOK || again == link[1] || !strings.HasPrefix(again, "/ui/runs/") {
		t.Fatalf("running on: %d at %s", status, again)
	}
	body := b.ended(again)
	compare := html.UnescapeString(regexp.MustCompile(`/ui/compare\?[^"]+`).FindString(body))
	if !strings.Contains(body, "payment of the lantern fee") || compare == "" {
		t.Errorf("the new run:\n%s", body)
	}
	if status, found, _ := b.load("GET", compare, nil); status != http.StatusOK {
		t.Errorf("comparing: %d\n%s", status, found)
	}
	if _, steps, _ := b.load("GET", again+"/steps", nil); !strings.Contains(steps, "Be brief.") {
		t.Errorf("the new prompt is nowhere:\n%.3000s", steps)
	}
}

// Without --allow-write there is no way to run with another prompt.
func TestPageReads(t *testing.T) {
	s := start(t, t.TempDir(), "--no-auth")
	b := &browser{s, http.DefaultClient}
	const given = `{"assistant_id":"research","input":{"messages":[{"role":"user","content":"What is negligence?"}]},"context":{"skill":{"name":"synthesize_and_cite","text":"not a prompt"}}}`
	if _, answer := s.post("", "/runs/wait", given); answer["answer"] == nil {
		t.Errorf("another prompt was used: %v", answer)
	}
	if _, answer := start(t, t.TempDir(), "--no-auth", "--strict").post("", "/runs/wait", given); !strings.Contains(fmt.Sprint(answer["detail"]), `no setting "skill"`) {
		t.Errorf("%v", answer)
	}
	_, made := s.post("", "/threads", "{}")
	s.ask(turn{thread: made["thread_id"].(string), graph: "research", text: "What is negligence?"})
	_, list, _ := b.load("GET", "/ui/runs", nil)
	thread := regexp.MustCompile(`/ui/threads/[^"?]+`).FindString(list)
	if _, body, _ := b.load("GET", thread, nil); strings.Count(body, "--allow-write") != 2 {
		t.Errorf("the thread:\n%s", body)
	}
}

// The list says of each run how it ended, for pipelines and for the agent.
func TestHowRunsEnded(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	b := &browser{s, http.DefaultClient}
	for _, c := range []struct{ graph, text, badge, title string }{
		{"research", clitest.PermitQuestion, `plain">answered`, "Ask"}, {"research", "How many moons has Jupiter?", `warn">not found`, "Ask"},
		{"chat", clitest.PermitQuestion, `plain">answered`, "Chat"}, {"chat", "How many moons has Jupiter?", `warn">not found`, "Chat"},
		{"verify", "A permit expires after nine winters.", `warn">in doubt`, "Verify"}, {"extract", "Total: 12.50", `bad">failed`, "Extract"},
	} {
		s.post("", "/runs/wait", fmt.Sprintf(`{"assistant_id":%q,"input":{"messages":[{"role":"user","content":%q}]}}`, c.graph, c.text))
		_, list, _ := b.load("GET", "/ui/runs", nil)
		_, row, _ := strings.Cut(list, "<tbody>")
		if row, _, _ = strings.Cut(row, "</tr>"); !strings.Contains(row, c.badge) {
			t.Errorf("%s %q: no %s in\n%s", c.graph, c.text, c.badge, row)
		}
		_, page, _ := b.load("GET", runLink.FindStringSubmatch(row)[1], nil)
		if !strings.Contains(page, "Run of "+c.title) || c.graph != "chat" && strings.Contains(page, "[Query") || strings.Contains(page, "running node") {
			t.Errorf("%s:\n%s", c.graph, page)
		}
	}
}
