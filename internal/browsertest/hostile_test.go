package browsertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	texts "text/template"
	"time"

	"example.com/assay/internal/browsertest"
)

// careless are pages that write a text unescaped.
var careless = map[browsertest.Place]string{
	browsertest.Body:     `<div>%s</div>`,
	browsertest.Quoted:   `<a href="#" title="%s">x</a>`,
	browsertest.Single:   `<a href="#" title='%s'>x</a>`,
	browsertest.Bare:     `<a href="#" title=%s>x</a>`,
	browsertest.URL:      `<a id="link" href="%s">x</a>`,
	browsertest.Name:     `<form name="%s" id="%[1]s"></form>`,
	browsertest.Handler:  `<svg onload="String('%s')"></svg>`,
	browsertest.Script:   `<script>const s = {"a": "%s"}</script>`,
	browsertest.Literal:  "<script>const s = `%s`</script>",
	browsertest.Style:    `<style>p::after { content: "%s"; }</style>`,
	browsertest.Colour:   `<p style="color: %s">x</p>`,
	browsertest.Comment:  `<!--%s-->`,
	browsertest.CDATA:    `<svg><![CDATA[%s]]></svg>`,
	browsertest.TextArea: `<textarea>%s</textarea>`,
	browsertest.Title:    `<title>%s</title>`,
	browsertest.Cleaned:  `<i id="here"></i><script>here.innerHTML = new DOMParser().parseFromString(%q, 'text/html').body.innerHTML</script>`,
	browsertest.Stream:   `<script>new EventSource('/stream' + location.pathname)</script>`,
	browsertest.Nowhere:  `<div>%s</div>`,
}

var (
	image = regexp.MustCompile(`!\[(.*)\]\((.*)\)`)
	link  = regexp.MustCompile(`\[(.*)\]\((.*)\)`)
)

// write writes a text at the place where it runs.
func write(h browsertest.Hostile) (string, error) {
	body := h.Text
	switch h.Place {
	case browsertest.Unescaped:
		if unquoted := ""; json.Unmarshal([]byte(`"`+body+`"`), &unquoted) == nil {
			body = unquoted
		}
		if decoded, err := url.PathUnescape(body); err == nil {
			body = decoded
		}
		body = html.UnescapeString(body)
	case browsertest.Template:
		parsed, err := texts.New("").Parse(body)
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, nil); err != nil {
			return "", err
		}
		body = out.String()
	case browsertest.Markdown:
		body = link.ReplaceAllString(image.ReplaceAllString(body, `<img alt="$1" src="$2">`), `<a id="link" href="$2">$1</a>`)
	default:
		body = fmt.Sprintf(careless[h.Place], body)
	}
	return `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><body>` + body, nil
}

// A page or a server that writes a hostile text unescaped lets it run, and Ran detects each text
// of the table. A page that escapes it does not let it run.
func TestHostileTextsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens a page for each text")
	}
	all := browsertest.HostileTexts()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, stream := strings.CutPrefix(r.URL.Path, "/stream")
		n, err := strconv.Atoi(path[1:])
		if err != nil {
			http.NotFound(w, r)
			return
		}
		switch h := all[n]; {
		case stream:
			w.Header().Set("Content-Type", "text/event-stream")
			_, err = fmt.Fprintf(w, "data: %s\n\n", h.Text)
		case h.Place == browsertest.Header:
			conn, out, hijacked := w.(http.Hijacker).Hijack()
			if err = hijacked; err == nil {
				defer conn.Close()
				fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Disposition: inline; filename=\"%s\"\r\nContent-Type: text/html\r\n\r\n<p>x", h.Text)
				err = out.Flush()
			}
		default:
			var page string
			if page, err = write(h); err == nil {
				_, err = w.Write([]byte(page))
			}
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	p := browsertest.Open(t)
	ran := 0
	for i, h := range all {
		p.Goto(s.URL + "/" + strconv.Itoa(i))
		if h.Place == browsertest.URL || h.Place == browsertest.Markdown && !strings.HasPrefix(h.Text, "!") {
			p.Eval(`link.click()`, nil)
		}
		found := p.Ran()
		for end := time.Now().Add(3 * time.Second); len(found) == 0 && h.Place != browsertest.Nowhere && time.Now().Before(end); found = p.Ran() {
			time.Sleep(20 * time.Millisecond)
		}
		if h.Place == browsertest.Nowhere {
			continue
		}
		if ran++; len(found) == 0 {
			t.Errorf("%q does nothing in %s", h.Text, h.Place)
		}
	}
	if ran < 60 {
		t.Errorf("only %d texts run somewhere", ran)
	}
}

// A page that escapes the texts shows them as text.
func TestHostileTextsEscaped(t *testing.T) {
	var body strings.Builder
	for _, h := range browsertest.HostileTexts() {
		fmt.Fprintf(&body, "<p dir=\"auto\" title=\"%s\">%[1]s</p><textarea aria-label=\"%[1]s\">%[1]s</textarea>\n", html.EscapeString(h.Text))
	}
	p := browsertest.Open(t)
	p.Goto(serve(t, map[string]string{"/": frame + `<style>body { overflow-wrap: anywhere } textarea { max-width: 100% }</style>` + body.String()}))
	if found := slices.Concat(p.Ran(), p.Armed(), p.Turning(), p.Wide()); len(found) > 0 {
		t.Errorf("%q", found)
	}
	p.Goto(serve(t, map[string]string{"/": frame + "<p>an invoice \u202egpj.exe"}))
	if len(p.Turning()) != 1 {
		t.Error("a text that turns its neighbours is not seen")
	}
}
