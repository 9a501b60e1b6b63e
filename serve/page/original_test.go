package page_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/assay/serve"
	"example.com/assay/serve/page"
	"example.com/assay/serve/page/pdfjs"
)

// A PDF is served to those who may read its text, whole or in parts, as what is stored and not run.
func TestOriginal(t *testing.T) {
	data := []byte("%PDF-1.4 <script>alert(1)</script>")
	c := &shelfCorpus{name: "law", words: plainWords, texts: map[string]string{"a/\"x.pdf": "text"}, originals: map[string][]byte{"a/\"x.pdf": data}}
	s := served(t, func(o *serve.Options) { o.Page.Corpora = shelves{"law": c} })
	path := page.OriginalPath("law", "a/\"x.pdf")
	status, body, answer := s.do(s.ann, "GET", path, nil)
	h := answer.Header
	if status != http.StatusOK || body != string(data) || h.Get("Content-Type") != "application/pdf" || h.Get("Content-Disposition") != `attachment; filename="\"x.pdf"` ||
		h.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'; sandbox" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" || h.Get("Accept-Ranges") != "bytes" {
		t.Errorf("%d %q %v", status, body, h)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Range", "bytes=5-7")
	part, err := s.ann.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Body.Close()
	if got, err := io.ReadAll(part.Body); err != nil || part.StatusCode != http.StatusPartialContent || string(got) != "1.4" {
		t.Errorf("a part: %d %q, %v", part.StatusCode, got, err)
	}
	if status, body, _ := s.do(s.enters(tokenOfBob), "GET", path, nil); status != http.StatusNotFound || strings.Contains(body, "%PDF") {
		t.Errorf("to a stranger: %d", status)
	}
	if status, _, _ := s.do(s.ann, "GET", page.OriginalPath("law", "other"), nil); status != http.StatusNotFound {
		t.Errorf("another: %d", status)
	}
}

// PDF.js is the same compressed and not. Only its worker may compile WebAssembly, and nothing may make
// code of text.
func TestPDFJS(t *testing.T) {
	s := served(t, nil)
	for _, name := range []string{"pdf.min.mjs", "pdf.worker.min.mjs", "openjpeg.wasm", "jbig2.wasm", "qcms_bg.wasm"} {
		want, err := pdfjs.File(name, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, encoding := range []string{"", "br, gzip"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/ui/static/"+name, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", encoding)
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			var body io.Reader = answer.Body
			if encoding != "" {
				if body, err = gzip.NewReader(answer.Body); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(body)
			if err != nil || !bytes.Equal(got, want) || (answer.Header.Get("Content-Encoding") == "gzip") != (encoding != "") {
				t.Errorf("%s, %q: %d bytes of %d, %v, %v", name, encoding, len(got), len(want), err, answer.Header)
			}
			if policy := answer.Header.Get("Content-Security-Policy"); policy != "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'" {
				t.Errorf("%s: %s", name, policy)
			}
		}
	}
	_, _, answer := s.do(s.ann, "GET", "/ui/keys", nil)
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "eval") || strings.Contains(policy, "worker") || strings.Contains(policy, "blob") {
		t.Errorf("pages: %s", policy)
	}
}
