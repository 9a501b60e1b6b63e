package look

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"
	"sync"
)

// A Frame surrounds a page. The page's data has it in the field Frame.
type Frame struct {
	Title   string // title of the window
	Eyebrow string // a line above the heading; empty for none
	Heading string
	Site    []Link // links to pages of the same server; none in a file
	Parts   []Link // links to parts of this page
	Skip    string // the words that lead past the navigation; default: "Skip to the content"
	Foot    string // the last line; empty for none
	Full    bool   // use the full width of the window
	// Style is the address of the style sheet. Without it the page is a self-contained file.
	Style string
	// Scripts are addresses of modules. A file must have none.
	Scripts []string
}

// A Link links to a page or to an element.
type Link struct {
	Text, Href string
	Here       bool // it links to the current page
}

//go:embed frame.tmpl
var frame string

//go:embed style/*.css
var styles embed.FS

// Style is the style sheet.
var Style = joined("base", "site", "evidence", "ask", "extract", "drawing", "results")

func joined(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		data, err := styles.ReadFile("style/" + name + ".css")
		if err != nil {
			panic(err) // it is embedded
		}
		b.Write(data)
	}
	return b.String()
}

// policy is the Content-Security-Policy of a file: its own style, and pictures inside it.
var policy = func() string {
	sum := sha256.Sum256([]byte(Style))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// A Page is the template of a page, or of parts of pages. It is parsed on first use, so a program
// with many pages starts fast.
type Page func() *template.Template

// Parse returns a page from texts that define its parts. Templates may use funcs and the package's
// functions: number, share, percent, duration, count, plain, tone. An invalid text panics on first
// use, as with [template.Must].
func Parse(funcs template.FuncMap, texts ...string) Page {
	return sync.OnceValue(func() *template.Template {
		t := framed(funcs)
		for _, text := range texts {
			template.Must(t.Parse(text))
		}
		return t
	})
}

// ParseFS is Parse with the texts of files.
func ParseFS(funcs template.FuncMap, files fs.FS, names ...string) Page {
	return sync.OnceValue(func() *template.Template { return template.Must(framed(funcs).ParseFS(files, names...)) })
}

func framed(funcs template.FuncMap) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"number": Number, "share": Share, "percent": Percent, "duration": Duration, "count": Count, "plain": Plain, "tone": Tone,
		"policy": func() string { return policy }, "style": func() template.CSS { return template.CSS(Style) },
	}).Funcs(funcs).Parse(frame))
}

// Write writes a page. If its template fails, it writes nothing.
func Write(w io.Writer, page Page, data any) error {
	var b bytes.Buffer
	if err := page().ExecuteTemplate(&b, "page", data); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// Section returns one part of a page, for pages that are composed of parts.
func Section(page Page, name string, data any) (template.HTML, error) {
	var b strings.Builder
	if err := page().ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return template.HTML(b.String()), nil // escaped by its own template
}
