package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// A Question is asked of one corpus.
type Question struct {
	ID         string   `json:"id"`
	Corpus     string   `json:"corpus,omitempty"` // empty for the measured corpus
	Type       string   `json:"type,omitempty"`   // such as "definition"; rows are counted by it
	Question   string   `json:"question"`
	Answerable bool     `json:"answerable"`
	Gold       []string `json:"gold,omitempty"`  // a right quote contains one of them; none for a question without an answer
	Gold2      []string `json:"gold2,omitempty"` // for a question with two parts: one of these as well
	File       string   `json:"file,omitempty"`  // the file with the answer
	Where      string   `json:"where,omitempty"` // the passage that a draft was made from
	Half       string   `json:"half,omitempty"`  // such as "seen" and "held"
	Draft      bool     `json:"draft,omitempty"` // nobody has checked it yet
}

// A Dataset holds questions in the order of their file. It does not change after reading.
type Dataset struct {
	Questions []Question
	Hash      string // SHA-256 of the data read, in hexadecimal
}

// Select returns the dataset with the questions for which keep returns true.
func (d *Dataset) Select(keep func(Question) bool) *Dataset {
	out := &Dataset{Hash: d.Hash}
	for _, q := range d.Questions {
		if keep(q) {
			out.Questions = append(out.Questions, q)
		}
	}
	return out
}

// Halves returns the names of the halves, sorted.
func (d *Dataset) Halves() []string {
	var out []string
	for _, q := range d.Questions {
		if q.Half != "" {
			out = append(out, q.Half)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Read reads questions as JSON Lines, plain or compressed with gzip. The error for a fault
// in the file wraps a *document.InputError with the file, the line and the field. Other
// errors are a file that cannot be opened, and cancellation.
func Read(ctx context.Context, path string, progress task.Progress) (*Dataset, error) {
	type record struct {
		Question
		ID         jsonl.Ident `json:"id"`
		Answerable *bool       `json:"answerable"` // without it, a question with gold is
	}
	d, seen := &Dataset{}, map[string]int{}
	var digest jsonl.Digest
	err := jsonl.Each(ctx, path, "id", progress.Of(task.Reading), func(at jsonl.Place, r record) error {
		if err := at.Unique(seen, string(r.ID)); err != nil {
			return err
		}
		q := r.Question
		q.ID, q.Question, q.Answerable = string(r.ID), strings.TrimSpace(q.Question), len(q.Gold) > 0
		if err := at.Want("question", q.Question != ""); err != nil {
			return err
		}
		switch {
		case r.Answerable != nil && *r.Answerable && len(q.Gold) == 0:
			return at.Fault("gold", "it is missing or empty", "give the words that a right quote holds, or \"answerable\": false")
		case r.Answerable != nil && !*r.Answerable && len(q.Gold) > 0:
			return at.Fault("gold", "the question is not answerable, and has one", "leave gold out, or write \"answerable\": true")
		case !q.Answerable && len(q.Gold2) > 0:
			return at.Fault("gold2", "there is no gold", "put the first part's words into gold")
		}
		for _, list := range []struct {
			field string
			gold  []string
		}{{"gold", q.Gold}, {"gold2", q.Gold2}} {
			for _, g := range list.gold {
				if metrics.Plain(g) == "" {
					return at.Fault(list.field, fmt.Sprintf("%q has nothing to compare", g), "give the words that a right quote holds")
				}
			}
		}
		digest.Add(q.ID, q.Corpus, q.Type, q.Question, q.Half)
		digest.Add(q.Gold...)
		digest.Add(q.Gold2...)
		d.Questions = append(d.Questions, q)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading questions: %w", err)
	}
	d.Hash = digest.Sum()
	return d, nil
}
