package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/mcp"
	"example.com/assay/internal/browsertest"
)

// policy is the policy of a client for a page that asks for no permissions, by the extension's
// specification.
const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

// shownBy opens the evidence page under the policy, and gives it the output of a tool.
func shownBy(t *testing.T, p *browsertest.Page, output any) {
	t.Helper()
	html, err := mcp.Pages()[0].HTML()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	}))
	t.Cleanup(s.Close)
	p.Goto(s.URL)
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": map[string]any{"structuredContent": output}})
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(`(() => { window.postMessage({jsonrpc: "2.0", id: 1, result: {}}, "*"); window.postMessage(`+string(data)+`, "*"); return true })()`, new(bool))
	p.Wait(`!document.getElementById("evidence").textContent.startsWith("Waiting")`)
}

// armed lists elements that could run something, except the page's own script.
func armed(p *browsertest.Page) []string {
	return slices.DeleteFunc(p.Armed(), func(what string) bool {
		return strings.HasPrefix(what, "an element: <script> // The page of an answer inside an assistant.")
	})
}

// The page shows an answer with its verdicts and quotes, and is accessible.
func TestEvidence(t *testing.T) {
	p := browsertest.Open(t)
	sure := 0.9
	shownBy(t, p, mcp.Answer{
		Status: "ungrounded", Words: "One claim is not supported.", Answer: "A permit expires.", Corpus: "handbook", Model: "offline",
		Findings: []mcp.Finding{
			{About: "claim 1", Text: "A permit expires.", Verdict: "supported", Confidence: &sure, Quotes: []mcp.Quote{{Stand: "for", Doc: "permits.md", Start: 7, End: 30, Text: "It expires in winter."}}},
			{About: "claim 2", Text: "It is free.", Verdict: "unsupported", Why: []string{"number: nine"}, Quotes: []mcp.Quote{{Stand: "against", Doc: "fees.md", Start: 1, End: 2, Text: "nine crowns"}}},
		},
		Sources: []mcp.Source{{Mark: "[1]", Where: "Permits, Expiry"}}, Notes: []string{"Missing evidence: a date"}, Measures: []string{"claims: 1 of 2"}, LeftOut: 3,
	})
	text := p.Text()
	for _, want := range []string{"ungrounded One claim is not supported.", "A permit expires. supported", "It expires in winter.", "permits.md, bytes 7–30", "It is free. unsupported", "number: nine", "against", "[1] Permits, Expiry", "Missing evidence: a date", "3 parts are left out", "claims: 1 of 2 · corpus handbook · model offline"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for _, found := range [][]string{p.Complaints(), p.Wide(), p.Faint(), p.Ran(), armed(p)} {
		if len(found) > 0 {
			t.Errorf("the page has %v", found)
		}
	}
}

// Texts of documents and models are text on the page, whatever they hold.
func TestEvidenceHostile(t *testing.T) {
	p := browsertest.Open(t)
	var a mcp.Answer
	for _, h := range browsertest.HostileTexts() {
		text := strings.ToValidUTF8(h.Text, "�")
		a.Status, a.Words, a.Answer, a.Corpus = text, text, a.Answer+text, text
		a.Findings = append(a.Findings, mcp.Finding{About: text, Text: text, Verdict: text, Why: []string{text}, Quotes: []mcp.Quote{{Stand: text, Doc: text, Text: text, Why: text}}})
		a.Sources, a.Notes = append(a.Sources, mcp.Source{Mark: text, Where: text}), append(a.Notes, text)
		a.Nearest = &mcp.Quote{Doc: text, Text: text}
	}
	shownBy(t, p, a)
	if ran, made := slices.Concat(p.Ran(), p.Turning()), armed(p); len(ran)+len(made) > 0 {
		t.Errorf("texts did %v, and made %v", ran, made)
	}
}
