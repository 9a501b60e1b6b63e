package page

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/page/pdfjs"
)

//go:embed static
var staticFiles embed.FS

var staticTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".wasm": "application/wasm"}

// drawing is the policy of the worker that reads a PDF: it may compile the decoders of pictures, which
// are WebAssembly, and no text is code to it. Pages have the policy of all, under which neither may be.
const drawing = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

// static serves scripts and the style sheet to everybody. A browser revalidates them each time.
func (h *handler) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	data, err := fs.ReadFile(staticFiles, "static/"+name)
	if name == "style.css" {
		data, err = []byte(look.Style), nil
	}
	if err != nil {
		zipped := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
		if data, err = pdfjs.File(name, zipped); err != nil {
			http.NotFound(w, r)
			return
		}
		if w.Header().Set("Vary", "Accept-Encoding"); zipped {
			w.Header().Set("Content-Encoding", "gzip")
		}
		w.Header().Set("Content-Security-Policy", drawing)
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(data))
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", staticTypes[path.Ext(name)])
	_, _ = w.Write(data) // the browser has left
}
