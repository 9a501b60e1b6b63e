package page

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"

	"example.com/assay/serve/page/look"
)

//go:embed static
var staticFiles embed.FS

var staticTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// static serves scripts and the style sheet to everybody. A browser revalidates them each time.
func (h *handler) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	data, err := fs.ReadFile(staticFiles, "static/"+name)
	if name == "style.css" {
		data, err = []byte(look.Style), nil
	}
	if err != nil {
		http.NotFound(w, r)
		return
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
