package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/evals"
	"example.com/assay/internal/browsertest"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
)

// A spiteful model writes hostile texts where it may write freely: answers, and what it asks of tools.
type spiteful struct {
	llm.Model
	text string
}

func (m spiteful) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if n := len(req.Messages); len(req.Tools) > 0 {
		if len(req.Messages[n-1].Results) > 0 {
			return llm.Response{Text: m.text, Model: "spiteful " + m.text[:200]}, nil
		}
		call := llm.ToolCall{ID: "call", Name: req.Tools[0].Name}
		call.Arguments, _ = json.Marshal(map[string]string{"question": "What does a lantern permit need? " + m.text, m.text[:200]: m.text}) // texts can always be encoded
		return llm.Response{Text: m.text, Calls: []llm.ToolCall{call}, Model: "spiteful"}, nil
	}
	out, err := m.Model.Generate(ctx, req)
	if req.Schema == nil && strings.Contains(string(req.Vars), "by rule") {
		out.Text += "\n\n" + m.text
	}
	return out, err
}

var (
	getRoute = regexp.MustCompile(`"GET ([^"]+)":`)
	notShown = regexp.MustCompile(`^{rest|/(events|reading|original)$`) // what scripts read
)

// Whatever documents, names, questions, models, tools, results of cases and forms say is text on every
// page: all that links lead to are looked at, and what all forms answer. A page that no link leads to
// fails the test.
func TestHostileInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens many pages")
	}
	home, folder, cases := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	var files []sent
	for i, h := range browsertest.HostileTexts() {
		text := strings.Join(strings.Fields(strings.ReplaceAll(h.Text, "\x00", "")), " ")
		all = append(all, fmt.Sprintf("A lantern permit needs %s, by rule %d.", text, i))
		body := "# " + text + "\n\n" + all[i] + "\n"
		if name := h.File(); name != "" && !strings.HasPrefix(name, ".") && i%4 == 0 {
			write(filepath.Join(folder, name+".md"), body)
		}
		if i%3 == 0 {
			name := strings.Map(func(r rune) rune { // as a form has it
				if r < ' ' || r == '"' || r == 0x7f {
					return -1
				}
				return r
			}, strings.ToValidUTF8(text[:min(len(text), 300)], ""))
			files = append(files, sent{name + ".md", body}, sent{name + ".pdf", text})
		}
	}
	write(filepath.Join(folder, "long.md"), "# Long\n\nA lantern permit needs a "+strings.Repeat("W", 1<<20)+" and a lamp.\n")
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: config.DefaultCorpus, Paths: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(cases, browsertest.Hostile{Text: all[1]}.File(), "docs", "permits.md"), clitest.Permits)
	write(filepath.Join(cases, browsertest.Hostile{Text: all[1]}.File(), "case.yaml"), fmt.Sprintf("pipeline: research\ncorpus: docs\nquestion: %q\nwant: {status: answered}\n", clitest.PermitQuestion+all[2]))
	a, stdout, stderr := clitest.App(home)
	if code := clitest.Run(t.Context(), a, []string{"eval", "cases", cases, "--keep"}, evals.Command(a)); code != cli.ExitDone && code != cli.ExitFailed {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	write(filepath.Join(home, "evals", browsertest.Hostile{Text: all[3]}.File()+".json"), `{"task":"cases"`)

	s := startAs(t, func(a *cli.App) {
		a.Models["spiteful"] = func() llm.Model {
			return spiteful{offline.New(nil), strings.ToValidUTF8(strings.Join(all, "\n\n"), "")}
		}
	}, []string{cli.EnvHome + "=" + home}, "--allow-write", "--allow-upload", "--model", "spiteful")
	key := token(t, home)
	b := s.enters(key)
	if status, body, _ := b.send(b.ticket(), "hostile", files...); status != http.StatusOK {
		t.Fatalf("sending: %d\n%s", status, body)
	}
	b.read("hostile")
	b.send(b.ticket(), "permits", sent{"permits.md", clitest.Permits})
	b.read("permits")
	_, _, check := b.load("POST", "/ui/check", url.Values{"text": {strings.Join(all[:40], " ")}, "corpus": {"hostile"}})
	b.ended(check)
	schema := `,"context":{"schema":{"type":"object","properties":{"permit":{"type":"string"},"rule":{"type":"string"}}}}`
	for i, u := range []turn{
		{graph: "glossary", text: all[5]},
		{graph: "research", text: clitest.PermitQuestion, more: `,"context":{"corpus":"permits"}`}, // is remembered
		{graph: "research", text: "What does a lantern permit need by rule 4? " + all[0]},
		{graph: "comply", text: "What does a lantern permit need? " + all[8]},
		{graph: "verify", text: strings.Join(all[:60], " ")},
		{graph: "verify", text: strings.Join(all[60:], " ")},
		{graph: "edges", text: "<img src=data:, onerror=ran=1> => <script>ran=1</script>"},
		{graph: "extract", text: "Permit: " + strings.Join(all, "\nPermit: "), more: schema},
		{graph: "chat", text: "What does a lantern permit need? " + all[3]},
	} {
		made, _ := json.Marshal(map[string]string{"thread_id": strings.NewReplacer(".", "", "/", "").Replace(fmt.Sprintf("%d %s", i, all[i]))}) // texts can always be encoded
		status, thread := s.post(key, "/threads", string(made))
		if status != http.StatusOK {
			t.Logf("no thread of the name %s: %v", made, thread)
			_, thread = s.post(key, "/threads", "{}")
		}
		message, _ := json.Marshal(u.text)
		s.post(key, "/threads/"+url.PathEscape(thread["thread_id"].(string))+"/runs/wait", fmt.Sprintf(`{"assistant_id":%q,"input":{"messages":[{"role":"user","content":%s}]}%s}`, u.graph, message, u.more))
	}

	p := s.browser(home)
	p.Look(browsertest.View{Width: 320})
	skip := func(to string) bool { return strings.Contains(to, "/ui/leave") }
	routes := http.NewServeMux()
	source, err := os.ReadFile("../../../../serve/page/page.go")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, m := range getRoute.FindAllStringSubmatch(string(source), -1) {
		routes.HandleFunc("GET /ui/"+m[1], func(http.ResponseWriter, *http.Request) {})
		missing["GET /ui/"+m[1]] = !notShown.MatchString(m[1])
	}
	came := func(path string) {
		r, err := http.NewRequest("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, pattern := routes.Handler(r)
		delete(missing, pattern)
	}
	asked := p.Crawl(s.url, "/ui/", browsertest.CrawlOptions{Most: 6, Text: strings.Join(all, " "), Skip: skip}, func(path string) {
		came(path)
		p.Wait(`document.readyState == 'complete' && !document.querySelector('[data-live], [data-reading]')`)
		p.Unfold()
		refused := func(fault string) bool { return strings.Contains(fault, "with a status of 4") }
		for _, fault := range slices.Concat(slices.DeleteFunc(p.Complaints(), refused), p.Strangers(), p.Ran(), p.Armed(), p.Turning(), p.Wide()) {
			t.Errorf("%s: %s", path, fault)
		}
	})
	t.Logf("%d pages", len(asked))
	for _, path := range asked {
		came(path)
	}
	for pattern, is := range missing {
		if is {
			t.Errorf("no link leads to %s", pattern)
		}
	}
}
