package look

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"strings"
	"sync"
)

// A Frame is what stands around a page. A page's data has one as its field Frame.
type Frame struct {
	Title   string // of the window
	Eyebrow string // a line above the heading; empty for none
	Heading string
	Site    []Link // pages of the same server; none in a file
	Parts   []Link // of this page
	// PartsName says what the parts are. Default: "Parts of this page".
	PartsName string
	Skip      string // the words that lead past the navigation; default: "Skip to the content"
	Foot      string // the last line; empty for none
	Full      bool   // as wide as the window, for what stands side by side
	// Style is the address of the style sheet. Without it the page is a file: it holds the
	// style, and its browser loads nothing.
	Style string
	// Scripts are addresses of modules. A file has none.
	Scripts []string
}

// A Link leads to a page or to an element.
type Link struct {
	Text, Href string
	Here       bool // it leads to where the reader is
}

//go:embed frame.tmpl
var frame string

//go:embed style/*.css
var styles embed.FS

// Style is the style sheet.
var Style = joined("base", "site", "evidence", "drawing", "results")

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

// policy is what a page that is a file may load: its own style, and pictures that it holds.
var policy = func() string {
	sum := sha256.Sum256([]byte(Style))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// A Page is the template of a page, or of parts of pages. It is parsed when it is first used, so
// that a program with many pages starts at once.
type Page func() *template.Template

// Parse returns a page of texts that define its parts, with functions of its own beside those
// of the package: number, share, percent, duration, count, plain, tone. The first use panics
// if a text is not a template, as [template.Must] does.
func Parse(funcs template.FuncMap, texts ...string) Page {
	return sync.OnceValue(func() *template.Template {
		all := template.FuncMap{
			"number": Number, "share": Share, "percent": Percent, "duration": Duration, "count": Count, "plain": Plain, "tone": Tone,
			"policy": func() string { return policy }, "style": func() template.CSS { return template.CSS(Style) },
		}
		maps.Copy(all, funcs)
		t := template.New("").Funcs(all)
		for _, text := range append([]string{frame}, texts...) {
			template.Must(t.Parse(text))
		}
		return t
	})
}

// Write writes a page. Nothing is written when its template fails.
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

// Section returns a part of a page by itself, for pages that are made of such parts.
func Section(page Page, name string, data any) (template.HTML, error) {
	var b strings.Builder
	if err := page().ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return template.HTML(b.String()), nil // escaped by its own template
}
