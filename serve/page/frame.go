package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/retrieval"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
)

//go:embed *.tmpl
var templateFiles embed.FS

// parsed returns the template of a page: its own files and the shared parts.tmpl.
func parsed(files ...string) look.Page {
	return look.ParseFS(template.FuncMap{
		"path": join, "query": query, "size": size, "size64": look.Size[int], "short": short, "tail": tail, "about": about,
		"moment": moment, "source": func(s graph.Source) string { return sources[s] }, "due": due,
		"passage": documentAt, "condition": condition, "injections": injections, "explain": retrieval.Explain, "meaning": retrieval.Meaning, "part": part, "excerpt": excerpt,
	}, templateFiles, append([]string{"parts.tmpl"}, files...)...)
}

// query adds parameters, alternating names and values, to an own path. It leaves out empty values.
func query(path string, nameValues ...string) string {
	path, had, _ := strings.Cut(path, "?")
	q, err := url.ParseQuery(had)
	if err != nil {
		panic(err) // own paths are valid
	}
	for i := 0; i+1 < len(nameValues); i += 2 {
		if nameValues[i+1] != "" {
			q.Add(nameValues[i], nameValues[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

var size = look.Size[int64]

// short returns the beginning of an identifier.
func short(text string) string {
	if cut := look.Cut(text, 12); cut != text {
		return cut + "…"
	}
	return text
}

// tail returns the end of an identifier: identifiers made at the same time begin alike.
func tail(text string) string {
	if len(text) <= 12 {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-12:], "")
}

// join returns an own path: /ui/ and parts, each with any text.
func join(parts ...string) string {
	for i, p := range parts {
		parts[i] = escape(p)
	}
	return root + strings.Join(parts, "/")
}

// A shown is the data for a page's template.
type shown struct {
	Frame  look.Frame
	Ticket string // of the forms; see the template "ticket"
	Write  bool   // Options.Write
	How    string // Options.HowToWrite
	Data   any    // the page's own
}

// about returns a page's data with another subject, for a part that several pages have.
func about(s shown, data any) shown {
	s.Data = data
	return s
}

// A room is a page in the navigation of all pages.
type room struct {
	name, path string
	off        func(*Options) bool // reports that the server lacks the page; nil if it always has it
}

// rooms are in display order.
var rooms = []room{
	{"Ask", "", nil}, {"Runs", "runs", nil},
	{"Check a text", "check", func(o *Options) bool { return o.Checker == "" }},
	{"Read fields", "extract", func(o *Options) bool { return o.Papers == nil }},
	{"Documents", "corpora", func(o *Options) bool { return o.Corpora == nil }},
	{"Memory", "memory", func(o *Options) bool { return o.Memory == nil }},
	{"Evals", "evals", func(o *Options) bool { return o.Evals == nil }},
	{"Keys", "keys", nil},
}

// closed returns an error for a path in a room that the server lacks.
func (o *Options) closed(path string) error {
	for _, r := range rooms {
		if r.off != nil && r.off(o) && strings.HasPrefix(path+"/", root+r.path+"/") {
			return refusal.New(http.StatusNotFound, "this server has no page %q", r.name)
		}
	}
	return nil
}

// show answers with a page. The frame holds what is specific to this page; in is its room.
func (v *visit) show(page look.Page, in string, frame look.Frame, data any) error {
	return v.answer(http.StatusOK, page, in, frame, data)
}

func (v *visit) answer(status int, page look.Page, in string, frame look.Frame, data any) error {
	frame.Style = root + "static/style.css"
	frame.Scripts = append([]string{root + "static/keys.js", root + "static/paper.js"}, frame.Scripts...)
	frame.Heading = cmp.Or(frame.Heading, frame.Title)
	frame.Title += " · Assay"
	if v.Version != "" {
		frame.Foot = "Assay " + v.Version
	}
	if v.tenant != "" {
		for _, r := range rooms {
			if r.off == nil || !r.off(&v.Options) {
				frame.Site = append(frame.Site, look.Link{Text: r.name, Href: root + r.path, Here: r.name == in})
			}
		}
	}
	var b bytes.Buffer
	if err := look.Write(&b, page, shown{frame, v.ticket, v.Write, v.HowToWrite, data}); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes()) // the browser has left
	return nil
}

var errorPage = parsed("error.tmpl")

// fail answers with the reason why a page cannot be shown.
func (v *visit) fail(err error) {
	status := refusal.Status(err)
	refusal.Later(v.w.Header(), err)
	text := look.Cut(err.Error(), maxReason) // it may quote the request
	title := map[int]string{http.StatusNotFound: "Not found", http.StatusForbidden: "Not allowed", http.StatusInternalServerError: "This failed"}[status]
	if failed := v.answer(status, errorPage, "", look.Frame{Title: cmp.Or(title, "This cannot be done")}, text); failed != nil {
		http.Error(v.w, fmt.Sprint(failed), http.StatusInternalServerError)
	}
}

// maxReason bounds the characters of an error's text.
const maxReason = 1000

var keysPage = parsed("keys.tmpl")

func (v *visit) keys() error { return v.show(keysPage, "Keys", look.Frame{Title: "Keys"}, nil) }
