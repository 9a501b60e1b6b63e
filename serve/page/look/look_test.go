package look

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
)

const hostileText = `"></title></style></script><script>alert(1)</script><a href=javascript:alert(2)>`

var testPage = Parse(nil, `{{define "lead"}}<p>{{count .N "run"}}</p>{{end}}{{define "body"}}<p>{{.Text}}</p>{{end}}`)

type testData struct {
	Frame Frame
	N     int
	Text  string
}

func written(t *testing.T, f Frame) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, testPage, testData{f, 3, hostileText}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A file holds its style, whose bytes are the ones that its policy lets in, and links nothing.
func TestFile(t *testing.T) {
	page := written(t, Frame{Title: hostileText, Heading: hostileText, Eyebrow: hostileText, Foot: hostileText})
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, found := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	if hash := base64.StdEncoding.EncodeToString(sum[:]); !found || !strings.Contains(page, "&#39;sha256-"+strings.ReplaceAll(hash, "+", "&#43;")+"&#39;") {
		t.Errorf("the policy does not name the style %s:\n%.600s", hash, page)
	}
	for _, not := range []string{"<link", "<script", "<a href=javascript", `class="site"`} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
	if !strings.Contains(page, "<p>3 runs</p>") {
		t.Error("the lead of the page is missing")
	}
}

// A page of a server links its style and its scripts, and its navigation says where one is.
func TestServed(t *testing.T) {
	page := written(t, Frame{
		Title: "Runs", Heading: "Runs", Style: "/ui/static/style.css?v=1", Scripts: []string{"/ui/static/live.js"}, Full: true,
		Site: []Link{{Text: "Runs", Href: "/ui/", Here: true}, {Text: hostileText, Href: "javascript:alert(3)"}},
	})
	for _, want := range []string{`<link rel="stylesheet" href="/ui/static/style.css?v=1">`, `<script type="module" src="/ui/static/live.js"></script>`, `<a href="/ui/" aria-current="page">Runs</a>`, `<body class="full">`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	for _, not := range []string{"<style", `="javascript`, "Content-Security-Policy"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
}

// Nothing is written of a page whose template fails.
func TestFails(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, Parse(nil, `{{define "body"}}{{.Missing}}{{end}}`), testData{}); err == nil || b.Len() > 0 {
		t.Errorf("error %v, %d bytes", err, b.Len())
	}
}
