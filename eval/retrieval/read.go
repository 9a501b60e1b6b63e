package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// Files name a collection. Each may be compressed with gzip, by its bytes and
// whatever its name.
type Files struct {
	Format  string // one of Formats
	Corpus  string // JSON Lines
	Queries string // JSON Lines
	Qrels   string // for beir, and for no other: tab-separated, or TREC's four columns
}

// Ways to ask a question with choices.
const (
	ChoicesJoined = "joined" // one query: facts, question, all choices
	ChoicesPooled = "pooled" // that query and each choice as one of its own, pooled
)

// ReadOptions say how to read. Nil and the zero value work.
type ReadOptions struct {
	Choices  string                              // for barexam, and for no other: ChoicesJoined, the default, or ChoicesPooled
	Progress func(phase string, done, total int) // called now and then, with the bytes of the file at hand
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

// PhaseRead is what Read reports.
const PhaseRead = "reading"

// Read reads a collection, line by line. A fault of a file is a
// *document.InputError in the error's chain: it names the file, the line and
// the field. Other errors are files that cannot be opened, cancellation, and
// options that do not fit the format.
func Read(ctx context.Context, f Files, opts *ReadOptions) (*Dataset, error) {
	r := &reader{files: f, set: &Dataset{Format: f.Format, at: map[string]int{}}, queryLine: map[string]int{}, passageLine: map[string]int{}}
	if opts != nil {
		r.opts = *opts
	}
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
	case r.opts.Choices != "" && r.opts.Choices != ChoicesJoined && r.opts.Choices != ChoicesPooled:
		return nil, fmt.Errorf("reading a collection: choices are asked %q or %q, not %q", ChoicesJoined, ChoicesPooled, r.opts.Choices)
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

	passageLine map[string]int // where an id was seen first
	queryLine   map[string]int
}

func (r *reader) report(done, total int) {
	if r.opts.Progress != nil {
		r.opts.Progress(PhaseRead, done, total)
	}
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
	p.Source, p.Start, p.End = p.ID, 0, len(p.Text) // a record is a text of its own: spans of the same file would collide
	r.set.at[p.ID] = len(r.set.Passages)
	r.set.Passages = append(r.set.Passages, p)
	return nil
}

// query adds a query.
func (r *reader) query(at jsonl.Place, q Query) error {
	if err := at.Unique(r.queryLine, q.ID); err != nil {
		return err
	}
	r.set.Queries = append(r.set.Queries, q)
	return nil
}

// maxGrade is the largest grade that is read: its gain is 2^30 − 1.
const maxGrade = 30

func checkGrade(at jsonl.Place, field, id string, grade int) error {
	if grade > maxGrade {
		return at.Fault(field, fmt.Sprintf("the grade of %q is %d", id, grade), fmt.Sprintf("grades go up to %d", maxGrade))
	}
	return nil
}

// relevant makes judgments of a list of ids.
func relevant(ids []jsonl.Ident) metrics.Judgments {
	out := make(metrics.Judgments, len(ids))
	for _, id := range ids {
		out[string(id)] = 1
	}
	return out
}
