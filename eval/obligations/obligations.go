// Package obligations measures how well sentences that state an obligation are separated
// from others, and how often sentences without a word of duty are taken for one.
//
//	set, err := obligations.Read(ctx, "sentences.jsonl", nil)
//	got, err := obligations.Evaluate(ctx, set, nil)
//	plain, err := obligations.Plain(ctx, "corpus.jsonl.gz", &obligations.PlainOptions{N: 200})
//
// It does not train (eval/train does), print or ship data.
package obligations

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"example.com/assay/decide/obligation"
	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// An Item is a sentence with the judgement of people whether it is an obligation.
type Item struct {
	ID   string
	Text string
	Gold bool
}

// An Evaluation holds the results of the model on a collection. F1, precision and recall are
// those of obligations.
type Evaluation struct {
	task.Score
	Readings []obligation.Reading // in the order of the items
}

// Read reads lines of {id, text, obligation}, plain or compressed with gzip. Errors name the
// file, the line and the field. Progress may be nil.
func Read(ctx context.Context, path string, progress func(done, total int)) ([]Item, error) {
	type record struct {
		ID         string `json:"id"`
		Text       string `json:"text"`
		Obligation *bool  `json:"obligation"`
	}
	var out []Item
	err := jsonl.Each(ctx, path, "id", progress, func(at jsonl.Place, r record) error {
		if err := errors.Join(at.Want("text", strings.TrimSpace(r.Text) != ""), at.Want("obligation", r.Obligation != nil)); err != nil {
			return err
		}
		out = append(out, Item{r.ID, r.Text, *r.Obligation})
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading obligations: %w", err)
	case len(out) == 0:
		return nil, fmt.Errorf("reading obligations: %s holds no sentence", path)
	}
	return out, nil
}

// Evaluate reads every item with the shipped model. The errors are cancellation and
// an empty list.
func Evaluate(ctx context.Context, items []Item, progress task.Progress) (Evaluation, error) {
	m, err := obligation.Default()
	if err != nil {
		return Evaluation{}, err
	}
	n := len(items)
	out := Evaluation{Readings: make([]obligation.Reading, n)}
	gold, pred, p := make([]bool, n), make([]bool, n), make([]float64, n)
	out.Score, err = progress.Timed(ctx, "judging", n, func(i int) string { return fmt.Sprintf("sentence %q", items[i].ID) }, func(i int) error {
		r := m.Read(items[i].Text)
		out.Readings[i], gold[i], pred[i], p[i] = r, items[i].Gold, r.Obligation, r.P
		return nil
	})
	if err != nil {
		return Evaluation{}, err
	}
	return out, out.Measure(n, metrics.Binary(gold, pred, p)...)
}

// PlainOptions say which sentences without a word of duty are drawn. Nil and the
// zero value work.
type PlainOptions struct {
	N        int    // default 200
	Seed     uint64 // default metrics.Seed
	Progress func(done, total int)
}

// A PlainResult is the result for sentences without a word of duty.
type PlainResult struct {
	N       int      // drawn sentences
	Of      int      // such sentences in the corpus
	Seed    uint64   // of the draw
	Flagged []string // sentences judged as obligations, in the order drawn
}

// Share is the share of the sentences judged as obligations.
func (p PlainResult) Share() float64 {
	return metrics.Rate(len(p.Flagged), p.N)
}

// duty matches the words of duty. The list is wider than the model's, so that a sentence
// without a match is ordinary text.
var duty = pattern.New(`(?i)\b(?:must|shall|should|will|may|can|cannot|requir\w*|oblig\w*|responsib\w*|prohibit\w*|ensur\w*|expect\w*|mandat\w*|needs?|needed|has\s+to|have\s+to|is\s+to|are\s+to|dut(?:y|ies)|subject\s+to|only|not|no|agrees?|undertakes?|covenants?|entitled|necessary|forbidden|limited|bound|liable|compl(?:y|ies))\b`)

// Plain draws sentences without a word of duty from a corpus of {text} records and
// reads them with the shipped model. Sentences have at least six words.
func Plain(ctx context.Context, path string, opts *PlainOptions) (PlainResult, error) {
	o := PlainOptions{N: 200, Seed: metrics.Seed}
	if opts != nil {
		o.N, o.Seed, o.Progress = cmp.Or(opts.N, o.N), cmp.Or(opts.Seed, o.Seed), opts.Progress
	}
	m, err := obligation.Default()
	if err != nil {
		return PlainResult{}, err
	}
	type record struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	type drawn struct {
		key  uint64
		text string
	}
	var all []drawn
	seen := map[string]bool{}
	err = jsonl.Each(ctx, path, "id", o.Progress, func(_ jsonl.Place, r record) error {
		for _, s := range text.Sentences(r.Text) {
			sentence := strings.Join(strings.Fields(r.Text[s.Start:s.End]), " ")
			if obligation.Words(sentence) < 6 || duty.MatchString(sentence) || seen[sentence] {
				continue
			}
			seen[sentence] = true
			h := fnv.New64a()
			var seed [8]byte
			binary.LittleEndian.PutUint64(seed[:], o.Seed)
			h.Write(seed[:])          // a hash's Write returns no error
			h.Write([]byte(sentence)) // the same
			all = append(all, drawn{h.Sum64(), sentence})
		}
		return nil
	})
	if err != nil {
		return PlainResult{}, fmt.Errorf("drawing plain sentences: %w", err)
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.key, b.key), strings.Compare(a.text, b.text)) })
	out := PlainResult{N: min(o.N, len(all)), Of: len(all), Seed: o.Seed}
	for _, d := range all[:out.N] {
		if m.Read(d.text).Obligation {
			out.Flagged = append(out.Flagged, d.text)
		}
	}
	return out, nil
}
