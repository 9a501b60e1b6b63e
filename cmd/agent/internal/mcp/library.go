package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"example.com/assay/memory"
	"example.com/assay/serve/mcp"
	"example.com/assay/serve/runs"
)

// NewLibrary makes the resources that assistants read: corpora, their documents and stretches of
// them, and a tenant's answers with their traces.
func NewLibrary(o Options) mcp.Library { return &tools{o} }

// Templates implements mcp.Library.
func (t *tools) Templates() []mcp.Template {
	return []mcp.Template{
		{URI: corpusTemplate, Name: "corpus", Title: "Corpus", Description: "The documents of a corpus.", MIMEType: jsonType},
		{URI: docTemplate, Name: "document", Title: "Document", Description: "The text of a document, up to 1 MiB.", MIMEType: textType},
		{URI: rangeTemplate, Name: "passage", Title: "Passage", Description: "The bytes start to end of a document: a passage or a quote.", MIMEType: textType},
		{URI: answerTemplate, Name: "answer", Title: "Answer", Description: "An answer with everything that it stands on.", MIMEType: jsonType},
		{URI: traceTemplate, Name: "trace", Title: "Trace", Description: "How an answer was found, an event on each line.", MIMEType: linesType},
	}
}

// List implements mcp.Library.
func (t *tools) List(_ context.Context, tenant string) ([]mcp.Link, error) {
	list, err := t.Host.Corpora(tenant)
	var out []mcp.Link
	for _, i := range list {
		out = append(out, mcp.Link{URI: corpusURI(i.Name), Name: i.Name, Description: fmt.Sprintf("A corpus of %d files.", i.Files), MIMEType: jsonType})
	}
	return out, err
}

// Read implements mcp.Library.
func (t *tools) Read(ctx context.Context, tenant, uri string) (mcp.Content, error) {
	p, err := parse(uri)
	if err != nil {
		return mcp.Content{}, err
	}
	switch {
	case p.kind == "corpus" && p.doc == "":
		return t.contents(ctx, tenant, p.name)
	case p.kind == "corpus":
		text, _, err := t.document(ctx, tenant, uri)
		return mcp.Content{MIMEType: textType, Text: text}, err
	case p.kind == "answer" && p.doc == "":
		return t.answer(ctx, tenant, p.name)
	case p.kind == "trace" && p.doc == "":
		return t.trace(ctx, tenant, p.name)
	}
	return mcp.Content{}, fmt.Errorf("%.200q names nothing here", uri)
}

// mostListed is how many documents a corpus lists.
const mostListed = 1000

// contents lists the documents of a corpus.
func (t *tools) contents(ctx context.Context, tenant, name string) (mcp.Content, error) {
	var out struct {
		Corpus    string   `json:"corpus"`
		Count     int      `json:"documents_count"`
		Documents []string `json:"documents"` // addresses
	}
	err := t.with(ctx, tenant, name, func(c *memory.Corpus) error {
		all := c.Sources()
		out.Corpus, out.Count = c.Name(), len(all)
		for _, doc := range all[:min(len(all), mostListed)] {
			out.Documents = append(out.Documents, uriOf(c.Name(), doc, 0, 0))
		}
		return nil
	})
	return asJSON(out, err)
}

func asJSON(v any, err error) (mcp.Content, error) {
	if err != nil {
		return mcp.Content{}, err
	}
	data, err := json.Marshal(v)
	return mcp.Content{MIMEType: jsonType, Text: string(data)}, err
}

// ended finds a run of a tenant, and the space that holds it.
func (t *tools) ended(ctx context.Context, tenant, id string) (*runs.Space, runs.Run, error) {
	space, err := t.Space(tenant)
	if err != nil {
		return nil, runs.Run{}, err
	}
	r, err := space.Run(ctx, id)
	if errors.As(err, new(*runs.NotFoundError)) {
		err = fmt.Errorf("there is no answer %.100q: answers are kept for a while only. Ask again", id)
	}
	return space, r, err
}

func (t *tools) answer(ctx context.Context, tenant, id string) (mcp.Content, error) {
	space, r, err := t.ended(ctx, tenant, id)
	if err != nil {
		return mcp.Content{}, err
	}
	at, _, err := space.State(ctx, r.Thread, "")
	if err != nil || at == nil {
		return mcp.Content{}, errors.Join(errors.New("the run has no state: ask again"), err)
	}
	data, err := answerIn(at.State)
	return mcp.Content{MIMEType: jsonType, Text: string(data)}, err
}

const linesType = "application/jsonl"

// trace returns the events of a run, without states.
func (t *tools) trace(ctx context.Context, tenant, id string) (mcp.Content, error) {
	space, r, err := t.ended(ctx, tenant, id)
	if err != nil {
		return mcp.Content{}, err
	}
	var out strings.Builder
	for ev, err := range space.Recorded(ctx, r.ID) {
		if err != nil {
			return mcp.Content{}, err
		}
		ev.State = nil
		data, err := json.Marshal(ev.EventRecord)
		if err != nil {
			return mcp.Content{}, err
		}
		if out.Len()+len(data) > maxRead {
			out.WriteString(`{"kind":"cut"}` + "\n")
			break
		}
		out.Write(data)
		out.WriteByte('\n')
	}
	return mcp.Content{MIMEType: linesType, Text: out.String()}, nil
}

// Complete implements mcp.Library.
func (t *tools) Complete(ctx context.Context, tenant, argument, text string, earlier map[string]string) (out []string, err error) {
	var all []string
	switch argument {
	case "corpus":
		list, err := t.Host.Corpora(tenant)
		if err != nil {
			return nil, err
		}
		for _, i := range list {
			all = append(all, i.Name)
		}
	case "document":
		err := t.with(ctx, tenant, earlier["corpus"], func(c *memory.Corpus) error {
			all = c.Sources()
			return nil
		})
		if err != nil {
			return nil, err
		}
	case "run":
		space, err := t.Space(tenant)
		if err != nil {
			return nil, err
		}
		list, err := space.AllRuns(ctx, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			all = append(all, r.ID)
		}
	}
	for _, name := range all {
		if strings.HasPrefix(name, text) {
			out = append(out, name)
		}
	}
	return out, nil
}

// Addresses of resources. The address of a document has its corpus and its name in the corpus:
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

// uriOf is the address of a stretch of a document, empty without a corpus.
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

// A place is a parsed address.
type place struct {
	kind       string // "corpus", "answer" or "trace"
	name       string // of the corpus or the run
	doc        string // empty for the corpus itself
	start, end int    // end is 0 for the rest
}

// parse reads an address. The error is written for its author.
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
