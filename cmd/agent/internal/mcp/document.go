package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/mcp"
	"example.com/assay/state/proof"
)

// maxRead bounds the part of a document that is read at once, in bytes.
const maxRead = 1 << 20

// document reads a document, or a stretch of it, as it was ingested. It returns an error for a
// file that has changed since.
func (t *tools) document(ctx context.Context, tenant, uri string) (text string, p place, err error) {
	if p, err = parse(uri); err != nil {
		return "", p, err
	}
	if p.kind != "corpus" || p.doc == "" {
		return "", p, fmt.Errorf("%.200q does not name a document; a document is named like %s", uri, rangeTemplate)
	}
	err = t.with(ctx, tenant, p.name, func(c *memory.Corpus) error {
		if !slices.Contains(c.Sources(), p.doc) {
			return fmt.Errorf("corpus %q has no document %.200q: search_passages finds those that it has", p.name, p.doc)
		}
		if err := c.Check(p.doc); err != nil {
			return errors.New("the document has changed since it was ingested: its bytes are others now. Ingest it again")
		}
		path, _, err := c.TextPath(p.doc)
		if err != nil {
			return t.Host.Fault("reading", err)
		}
		text, err = stretch(path, p)
		return err
	})
	return text, p, err
}

// stretch reads a stretch of a file of text.
func stretch(path string, p place) (text string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", errors.New("the document cannot be opened any more: ingest it again")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	end := p.end
	if end == 0 {
		end = int(info.Size())
	}
	if p.start > end || int64(end) > info.Size() {
		return "", fmt.Errorf("the document has %d bytes: start and end must be within, and start not behind end", info.Size())
	}
	end = min(end, p.start+maxRead)
	data := make([]byte, end-p.start)
	if _, err := f.ReadAt(data, int64(p.start)); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if end < p.end || p.end == 0 {
		return whole(string(data)), nil
	}
	if !utf8.Valid(data) {
		return "", errors.New("start or end is within a character: move it by a byte or two")
	}
	return string(data), nil
}

// whole cuts an incomplete character off the end of a text.
func whole(s string) string {
	for i := 1; i <= min(utf8.UTFMax, len(s)); i++ {
		if c := s[len(s)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}

// Files are the files below one folder. No name and no link leads out of it.
type Files struct {
	dir  string
	root *os.Root
}

// OpenFiles opens a folder. The caller closes it.
func OpenFiles(dir string) (*Files, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Files{dir, root}, nil
}

// Close closes the folder.
func (f *Files) Close() error { return f.root.Close() }

// maxFile bounds a file that is read for one call, in bytes.
const maxFile = 32 << 20

var errNoRoot = errors.New("this server reads no files: give the text itself, or start the server with --root DIR")

// read reads the text of a document. It reads a copy, so that nobody can exchange the file for a
// link in between.
func (f *Files) read(ctx context.Context, name string) (text string, err error) {
	if f == nil {
		return "", errNoRoot
	}
	info, err := f.root.Stat(filepath.FromSlash(name)) // before it is opened: a pipe would wait
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		return "", fmt.Errorf("%q is not a file of at most %d bytes", name, maxFile)
	}
	if err != nil {
		return "", f.fault(name, err)
	}
	in, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", f.fault(name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	dir, err := os.MkdirTemp("", "assay-mcp-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at := filepath.Join(dir, "document"+filepath.Ext(name))
	out, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxFile+1))
	if err = errors.Join(err, out.Close()); err != nil {
		return "", fmt.Errorf("reading %q: %w", name, err)
	}
	d, err := document.Load(ctx, at, filepath.Base(name), nil)
	if err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), at, name))
	}
	return d.Text, nil
}

// paths returns the paths of the files and folders that an ingest reads.
func (f *Files) paths(names []string) ([]string, error) {
	if f == nil {
		return nil, errNoRoot
	}
	var out []string
	for _, name := range names {
		if _, err := f.root.Stat(filepath.FromSlash(name)); err != nil {
			return nil, f.fault(name, err)
		}
		out = append(out, filepath.Join(f.dir, filepath.FromSlash(name)))
	}
	if len(out) == 0 {
		return nil, errors.New("no path is named: name files or folders below the server's root")
	}
	return out, nil
}

// below is a path as callers write it: relative to the folder.
func (f *Files) below(path string) string {
	if name, err := filepath.Rel(f.dir, path); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.Base(path)
}

// fault says why a name leads to no file. It does not say where the folder is.
func (f *Files) fault(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %q below the server's root", name)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("%q cannot be read: %w; name a path below the server's root", name, err)
}

// An Answer is a pipeline's answer, short enough for a model: it has quotes in full, and the
// addresses of passages.
type Answer struct {
	Status   string    `json:"status" jsonschema:"answered; ungrounded: a part is not supported; no_evidence: the documents do not hold it; others: see words"`
	Words    string    `json:"words,omitempty" jsonschema:"what must be said about the answer"`
	Answer   string    `json:"answer,omitempty" jsonschema:"Markdown"`
	Findings []Finding `json:"findings,omitempty" jsonschema:"what was found about each claim, requirement, edge, field or quote"`
	Fields   object    `json:"fields,omitempty" jsonschema:"of extract: the values, as the schema describes them"`
	Sources  []Source  `json:"sources,omitempty" jsonschema:"passages that were read"`
	Nearest  *Quote    `json:"nearest,omitempty" jsonschema:"of no_evidence: what comes nearest, and does not answer"`
	Notes    []string  `json:"notes,omitempty"`
	Measures []string  `json:"measures,omitempty"`
	Corpus   string    `json:"corpus,omitempty"`
	Model    string    `json:"model,omitempty"`
	URI      string    `json:"uri" jsonschema:"the whole answer, as a resource"`
	Trace    string    `json:"trace" jsonschema:"how it was found, as a resource"`
	LeftOut  int       `json:"left_out,omitempty" jsonschema:"sources, notes and findings and halves of the answer that max_tokens left out"`
}

// An object is a JSON object.
type object = map[string]any

// A Finding is a part of an answer with its verdict.
type Finding struct {
	About      string   `json:"about" jsonschema:"claim, requirement, edge, field, statement, reason or quote, and its number or name"`
	Text       string   `json:"text"`
	Verdict    string   `json:"verdict,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	Why        []string `json:"why,omitempty"`
	Quotes     []Quote  `json:"quotes,omitempty"`
}

// A Quote is a stretch of a document.
type Quote struct {
	Stand string `json:"stand,omitempty" jsonschema:"for, against, or weighed"`
	Doc   string `json:"doc"`
	URI   string `json:"uri,omitempty" jsonschema:"the quote as a resource; missing for a text that you gave"`
	Start int    `json:"start" jsonschema:"first byte in the document"`
	End   int    `json:"end" jsonschema:"byte behind the last one"`
	Text  string `json:"text"`
	Why   string `json:"why,omitempty"`
}

// A Source is a passage that was read.
type Source struct {
	Mark  string `json:"mark,omitempty" jsonschema:"how the answer cites it"`
	Where string `json:"where"`
	URI   string `json:"uri,omitempty" jsonschema:"the passage as a resource"`
}

// Cut implements mcp.Cutter. It drops the last source; without sources the last note, then the last
// finding, then half of the text.
func (a *Answer) Cut() (mcp.Link, bool) {
	switch {
	case len(a.Sources) > 0:
		a.Sources = a.Sources[:len(a.Sources)-1]
	case len(a.Notes) > 0:
		a.Notes = a.Notes[:len(a.Notes)-1]
	case len(a.Findings) > 0:
		a.Findings = a.Findings[:len(a.Findings)-1]
	case len(a.Answer) > 100:
		a.Answer = whole(strings.TrimSuffix(a.Answer, "…")[:len(a.Answer)/2]) + "…"
	default:
		return mcp.Link{}, false
	}
	a.LeftOut++
	return mcp.Link{URI: a.URI, Name: "the whole answer", MIMEType: jsonType}, true
}

const jsonType = "application/json"

// run runs a pipeline on one message, and returns its Answer.
func (t *tools) run(ctx context.Context, c *mcp.Call, p pipeline.Pipeline, message string, input, settings mcp.Arguments) (Answer, error) {
	job := mcp.Job{Graph: p.Name, Settings: settings, Durability: t.Durability}
	values := map[string]any{"messages": []map[string]string{{"id": "1", "type": "human", "content": message}}}
	if len(input) > 0 {
		values["input"] = input
	}
	var err error
	if job.Values, err = json.Marshal(values); err != nil {
		return Answer{}, err
	}
	end, err := c.Run(ctx, job)
	if err != nil {
		return Answer{}, err
	}
	answer, err := answerIn(end.Values)
	if err != nil {
		return Answer{}, err
	}
	return answerOf(p, end.Run.ID, answer)
}

// answerIn finds the answer in the state of a conversation.
func answerIn(values json.RawMessage) (json.RawMessage, error) {
	var state struct {
		Answer json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(values, &state); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(state.Answer) == 0 {
		return nil, errors.New("the run ended without an answer: ask again")
	}
	return state.Answer, nil
}

// answerOf makes an Answer from the JSON of a pipeline's answer.
func answerOf(of pipeline.Pipeline, run string, data json.RawMessage) (Answer, error) {
	p, err := of.Proof(data)
	if err != nil {
		return Answer{}, err
	}
	out := Answer{
		Status: string(p.Status), Words: p.Words, Answer: p.Answer, Corpus: p.Corpus, Model: p.Model,
		Notes: p.Warnings, URI: answerURI(run), Trace: traceURI(run),
	}
	if len(p.Result) > 0 {
		if err := json.Unmarshal(p.Result, &out.Fields); err != nil {
			return Answer{}, fmt.Errorf("reading the fields: %w", err)
		}
	}
	quote := func(q proof.Quote) Quote {
		doc := ""
		if q.Doc >= 0 && q.Doc < len(p.Documents) {
			doc = p.Documents[q.Doc].Name
		}
		return Quote{Stand: string(q.Stand), Doc: doc, URI: uriOf(p.Corpus, doc, q.Start, q.End), Start: q.Start, End: q.End, Text: q.Text}
	}
	for _, f := range p.Findings {
		one := Finding{About: f.Name(), Text: f.Text, Verdict: f.Verdict, Confidence: f.Confidence}
		for _, d := range f.Decided {
			one.Why = append(one.Why, decided(d))
		}
		for _, q := range f.Quotes {
			one.Quotes = append(one.Quotes, quote(q))
		}
		out.Findings = append(out.Findings, one)
	}
	for _, s := range p.Passages {
		one := Source{Where: cmp.Or(s.Where, s.Head), URI: uriOf(p.Corpus, p.Documents[s.Doc].Name, s.Start, s.End)}
		if len(s.Marks) > 0 {
			one.Mark = s.Marks[0]
		}
		out.Sources = append(out.Sources, one)
	}
	for _, n := range p.Notes {
		if !n.Aside {
			out.Notes = append(out.Notes, n.Group+": "+n.Text)
		}
	}
	for _, m := range p.Measures {
		out.Measures = append(out.Measures, m.Name+": "+m.Text)
	}
	if n := p.Nearest; n != nil {
		q := quote(n.Quote)
		q.Why, out.Nearest = n.Why, &q
	}
	return out, nil
}

func decided(d proof.Decision) string {
	if d.Label == "" {
		return d.Text
	}
	return d.Label + ": " + d.Text
}
