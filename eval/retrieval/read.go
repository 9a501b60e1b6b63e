package retrieval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Files name a collection. Each may be compressed with gzip, whatever its name.
type Files struct {
	Format  string // one of Formats
	Corpus  string // JSON Lines
	Queries string // JSON Lines
	Qrels   string // for beir, and for no other: tab-separated, or TREC's four columns
}

// Ways to ask a question with choices.
const (
	choicesJoined = "joined" // one query: facts, question, all choices
	choicesPooled = "pooled" // that query and each choice as a separate one, pooled
)

// ReadOptions say how to read. Nil and the zero value work.
type ReadOptions struct {
	Choices  string        // for barexam, and for no other: choicesJoined, the default, or choicesPooled
	Progress task.Progress // called now and then, with the bytes of the file at hand

	// Held are the IDs of the passages of an ingested corpus; Files.Corpus is empty then, and the
	// dataset's passages have no text. A judgment of a record that was split applies to each of its
	// parts, ID~1, ID~2 and so on. Nil: read Files.Corpus.
	Held []string
}

// Formats lists the formats that Read knows.
func Formats() []string {
	out := make([]string, 0, len(formats))
	for name := range formats {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

var formats = map[string]func(*reader, context.Context) error{
	"beir": (*reader).beir, "obliqa": (*reader).obliqa, "scifact": (*reader).scifact,
	"barexam": (*reader).barexam, "legalbench": (*reader).legalbench, "morehopqa": (*reader).morehopqa,
}

// Read reads a collection, line by line. The error for a fault in a file wraps a
// *document.InputError with the file, the line and the field. Other errors are files that
// cannot be opened, cancellation, and options that do not fit the format.
func Read(ctx context.Context, f Files, opts *ReadOptions) (*Dataset, error) {
	r := &reader{files: f, set: &Dataset{Format: f.Format, at: map[string]int{}}, queryLine: map[string]int{}, passageLine: map[string]int{}}
	if opts != nil {
		r.opts = *opts
	}
	r.progress = r.opts.Progress.Of(task.Reading)
	read, ok := formats[f.Format]
	switch {
	case !ok:
		return nil, fmt.Errorf("reading a collection: there is no format %q; known: %s", f.Format, strings.Join(Formats(), ", "))
	case f.Format == "beir" && f.Qrels == "":
		return nil, fmt.Errorf("reading a collection: the format beir keeps its judgments in a file of their own; name it")
	case f.Format != "beir" && f.Qrels != "":
		return nil, fmt.Errorf("reading a collection: the format %s has its judgments in the file of the queries; leave %q out", f.Format, f.Qrels)
	case f.Format != "barexam" && r.opts.Choices != "":
		return nil, fmt.Errorf("reading a collection: the format %s has no choices; they are for barexam", f.Format)
	case r.opts.Held != nil && f.Corpus != "":
		return nil, fmt.Errorf("reading a collection: its passages are there already; leave %q out", f.Corpus)
	case r.opts.Held != nil && f.Format == "legalbench":
		return nil, fmt.Errorf("reading a collection: the format legalbench judges spans of documents, not passages that are there already; use another")
	case r.opts.Choices != "" && r.opts.Choices != choicesJoined && r.opts.Choices != choicesPooled:
		return nil, fmt.Errorf("reading a collection: choices are asked %q or %q, not %q", choicesJoined, choicesPooled, r.opts.Choices)
	}
	if err := read(r, ctx); err != nil {
		return nil, fmt.Errorf("reading a collection: %w", err)
	}
	if err := r.set.finish(f); err != nil {
		return nil, fmt.Errorf("reading a collection: %w", err)
	}
	return r.set, nil
}

// A reader puts a dataset together.
type reader struct {
	files Files
	opts  ReadOptions
	set   *Dataset

	progress    func(done, total int)
	passageLine map[string]int // where an id was seen first
	queryLine   map[string]int
	parts       map[string][]string // of a record that was split
}

// passage adds a passage, or counts it when it has no text.
func (r *reader) passage(at jsonl.Place, p state.Passage) error {
	if err := at.Unique(r.passageLine, p.ID); err != nil {
		return err
	}
	if strings.TrimSpace(p.Text) == "" {
		r.set.Empty++
		return nil
	}
	p.Source, p.Start, p.End = p.ID, 0, len(p.Text) // each record is a separate text: spans of the same file would collide
	r.set.at[p.ID] = len(r.set.Passages)
	r.set.Passages = append(r.set.Passages, p)
	return nil
}

// query adds a query.
func (r *reader) query(at jsonl.Place, q Query) error {
	if err := at.Unique(r.queryLine, q.ID); err != nil {
		return err
	}
	r.judgeParts(q.Judged)
	r.set.Queries = append(r.set.Queries, q)
	return nil
}

// hold adds the passages of an ingested corpus.
func (r *reader) hold() {
	r.parts = map[string][]string{}
	for _, id := range r.opts.Held {
		r.set.at[id] = len(r.set.Passages)
		r.set.Passages = append(r.set.Passages, state.Passage{ID: id, Doc: id})
		if whole, n, ok := text.CutLast(id, "~"); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			r.parts[whole] = append(r.parts[whole], id)
		}
	}
}

// judgeParts gives the parts of a record the record's grade.
func (r *reader) judgeParts(judged metrics.Judgments) {
	for _, id := range slices.Sorted(maps.Keys(judged)) {
		if _, whole := r.set.at[id]; whole || len(r.parts[id]) == 0 {
			continue
		}
		for _, part := range r.parts[id] {
			judged[part] = judged[id]
		}
		delete(judged, id)
	}
}

// maxGrade is the largest grade that is read: its gain is 2^30 − 1.
const maxGrade = 30

func checkGrade(at jsonl.Place, field, id string, grade int) error {
	if grade > maxGrade {
		return at.Fault(field, fmt.Sprintf("the grade of %q is %d", id, grade), fmt.Sprintf("grades go up to %d", maxGrade))
	}
	return nil
}

// relevant returns judgments for a list of IDs.
func relevant(ids []jsonl.Ident) metrics.Judgments {
	out := make(metrics.Judgments, len(ids))
	for _, id := range ids {
		out[string(id)] = 1
	}
	return out
}
