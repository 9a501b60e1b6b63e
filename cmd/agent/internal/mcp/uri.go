package mcp

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Addresses of resources. That of a document has its corpus and its name there:
// assay://corpus/NAME/folder/file.md?start=10&end=20.
const (
	scheme         = "assay"
	corpusTemplate = scheme + "://corpus/{corpus}"
	docTemplate    = scheme + "://corpus/{corpus}/{+document}"
	rangeTemplate  = scheme + "://corpus/{corpus}/{+document}{?start,end}"
	answerTemplate = scheme + "://answer/{run}"
	traceTemplate  = scheme + "://trace/{run}"
)

func answerURI(run string) string { return scheme + "://answer/" + url.PathEscape(run) }
func traceURI(run string) string  { return scheme + "://trace/" + url.PathEscape(run) }

func corpusURI(name string) string { return scheme + "://corpus/" + url.PathEscape(name) }

// uriOf is the address of a stretch of a document; empty where there is no corpus.
func uriOf(corpus, doc string, start, end int) string {
	if corpus == "" || doc == "" {
		return ""
	}
	parts := strings.Split(doc, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	out := corpusURI(corpus) + "/" + strings.Join(parts, "/")
	if end > 0 {
		out += fmt.Sprintf("?start=%d&end=%d", start, end)
	}
	return out
}

// A place is what an address names.
type place struct {
	kind       string // "corpus", "answer" or "trace"
	name       string // of the corpus or the run
	doc        string // empty for the corpus itself
	start, end int    // end is 0 for the rest
}

// parse reads an address. The error is for who wrote it.
func parse(uri string) (place, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != scheme || u.User != nil || u.Fragment != "" {
		return place{}, fmt.Errorf("%.200q is not an address of this server; an address looks like %s", uri, rangeTemplate)
	}
	name, doc, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	p := place{kind: u.Host}
	if p.name, err = url.PathUnescape(name); err == nil {
		p.doc, err = url.PathUnescape(doc)
	}
	for key, values := range u.Query() {
		n, failed := strconv.Atoi(values[0])
		if failed != nil || n < 0 || key != "start" && key != "end" {
			return place{}, fmt.Errorf("%.200q: start and end must be numbers of bytes", uri)
		}
		if key == "start" {
			p.start = n
		} else {
			p.end = n
		}
	}
	if err != nil || p.name == "" {
		return place{}, fmt.Errorf("%.200q names nothing", uri)
	}
	return p, nil
}
