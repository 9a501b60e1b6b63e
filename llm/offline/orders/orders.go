package orders

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// foreign is the share of a sentence's content that the rest of the document
// must speak about for it to be on the document's topic.
const foreign = .34

// fewest is how many sentences a document must have to show a topic.
const fewest = 4

// A Document is a text whose sentences are looked at one by one.
type Document struct {
	text      string
	Spans     []text.Span    // of its sentences
	sentences map[string]int // stem → in how many sentences; nil until it is needed
}

// Read splits a document into sentences, and a sentence at the ends of lines
// behind which a capital or a quotation mark stands: what is put into a document
// stands on lines of its own, though the sentence before it may have no end.
func Read(document string) *Document {
	d := &Document{text: document}
	for _, span := range text.Sentences(document) {
		from := span.Start
		for at := from; at < span.End; at++ {
			if document[at] != '\n' {
				continue
			}
			rest := strings.TrimLeftFunc(document[at:span.End], unicode.IsSpace)
			r, _ := utf8.DecodeRuneInString(rest)
			next := span.End - len(rest)
			if next > from && (unicode.IsUpper(r) || strings.ContainsRune("\"'“‘", r)) && strings.TrimSpace(document[from:at]) != "" {
				d.Spans = append(d.Spans, text.Span{Start: from, End: from + len(strings.TrimRightFunc(document[from:at], unicode.IsSpace))})
				from = next
			}
			at = max(at, next-1)
		}
		d.Spans = append(d.Spans, text.Span{Start: from, End: span.End})
	}
	return d
}

// overlap is the share of a sentence's stems that other sentences hold, too; ½
// of a document too short to tell.
func (d *Document) overlap(sentence string) float64 {
	own := text.Terms(sentence, text.QueryStops)
	if len(d.Spans) < fewest || len(own) == 0 {
		return .5
	}
	if d.sentences == nil {
		d.sentences = map[string]int{}
		for _, span := range d.Spans {
			for t := range distinct(text.Terms(d.text[span.Start:span.End], text.QueryStops)) {
				d.sentences[t]++
			}
		}
	}
	shared, stems := 0, distinct(own)
	for t := range stems {
		if d.sentences[t] > 1 {
			shared++
		}
	}
	return float64(shared) / float64(len(stems))
}

func distinct(terms []string) map[string]bool {
	out := make(map[string]bool, len(terms))
	for _, t := range terms {
		out[t] = true
	}
	return out
}

// names are those of the features, in order.
var names = []string{
	"override", "assistant", "edit", "task", "question", "general", "transform", "output", "your_output", "edit_your_output",
	"ordered_transform", "to_an_audience", "edit_link", "ordered_quote", "interface", "first_person", "task_product", "short", "long",
	"opens", "closes", "overlap", "ordered", "in_reply", "foreign_task", "foreign_general", "question_first_person",
}

// FeatureNames lists the features, in order.
func FeatureNames() []string { return append([]string{}, names...) }

// Features looks at the n-th sentence. It is false for a sentence that neither
// orders, asks in general nor speaks of an answer or of instructions: such a
// sentence is no order, whatever its other features.
func (d *Document) Features(n int) ([]float64, bool) {
	s := d.text[d.Spans[n].Start:d.Spans[n].End]
	s = strings.TrimSpace(s[len(bullet.FindString(s)):])
	edits, tasks, asksGeneral, yours := edit.MatchString(s), task.MatchString(s), general.MatchString(s), yourOutput.MatchString(s)
	overrides, assists := override.MatchString(s), assistant.MatchString(s)
	if !edits && !tasks && !asksGeneral && !yours && !overrides && !assists {
		return nil, false
	}
	ordered, transforms, asks := edits || tasks, transform.MatchString(s), question.MatchString(s)
	self, overlap, words := first.MatchString(s), d.overlap(s), len(strings.Fields(s))
	one := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	return []float64{
		one(overrides), one(assists), one(edits), one(tasks), one(asks), one(asksGeneral), one(transforms), one(output.MatchString(s)), one(yours), one(edits && yours),
		one(ordered && transforms), one(audience.MatchString(s) && (edits || yours)), one(edits && link.MatchString(s)), one(ordered && quoted.MatchString(s)),
		one(ui.MatchString(s)), one(self), one(tasks && product.MatchString(s)), one(words < 5), one(words > 25),
		one(n == 0), one(n == len(d.Spans)-1), overlap, one(ordered), one(inReply.MatchString(s)), one(tasks && overlap < foreign), one(asksGeneral && overlap < foreign), one(asks && self),
	}, true
}

// Data is what weights were trained on.
type Data struct {
	Name   string `json:"name"`
	Items  int    `json:"items"`
	SHA256 string `json:"sha256"`
}

// A Feature is a named weight.
type Feature struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// Weights are a logistic regression over the features.
type Weights struct {
	Trained   []Data    `json:"trained"`
	Threshold float64   `json:"threshold"` // from which a sentence is called an order
	Bias      float64   `json:"bias"`
	Features  []Feature `json:"features"`
}

// P is the probability that the n-th sentence gives an order to whoever answers
// by the document. It orders sentences; as a share it means little, since how
// many documents are poisoned is anybody's guess.
func (w *Weights) P(d *Document, n int) float64 {
	x, ok := d.Features(n)
	if !ok {
		return 0
	}
	return w.p(x)
}

func (w *Weights) p(x []float64) float64 {
	z := w.Bias
	for i, f := range w.Features {
		z += f.Weight * x[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// Score is how surely the n-th sentence is an order, from .7 on: P where that
// reaches the threshold, else by a rule that needs no weights; 0 for none.
func (w *Weights) Score(d *Document, n int) float64 {
	x, ok := d.Features(n)
	if !ok {
		return 0
	}
	score := d.ruled(n, x)
	if p := w.p(x); p >= w.Threshold {
		score = max(score, p)
	}
	return score
}

// Strength is how much the n-th sentence looks like an order, whatever the threshold:
// P, or 1 where a rule that needs no weights says so.
func (w *Weights) Strength(d *Document, n int) float64 {
	x, ok := d.Features(n)
	if !ok {
		return 0
	}
	if d.ruled(n, x) > 0 {
		return 1
	}
	return w.p(x)
}

// ruled scores constructions that are orders whatever was learned: to change an
// answer or its letters, or to make a text.
func (d *Document) ruled(n int, x []float64) float64 {
	s := d.text[d.Spans[n].Start:d.Spans[n].End]
	is := func(name string) bool { return x[slices.Index(names, name)] > 0 }
	switch {
	case is("edit_your_output"), is("ordered") && alphabet.MatchString(s):
		return .9
	case is("task_product") && !is("first_person"):
		return .7
	}
	return 0
}

//go:embed weights.json
var shipped []byte

// Shipped returns the weights that the program ships. They are not to be changed.
var Shipped = sync.OnceValues(func() (*Weights, error) { return Parse(shipped) })

// Parse reads weights. The error is that they are not of these features.
func Parse(raw []byte) (*Weights, error) {
	var w Weights
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("reading the weights of orders: %w", err)
	}
	if len(w.Features) != len(names) {
		return nil, fmt.Errorf("reading the weights of orders: they are of %d features, not %d; run: go run ./eval/train injection", len(w.Features), len(names))
	}
	for i, f := range w.Features {
		if f.Name != names[i] {
			return nil, fmt.Errorf("reading the weights of orders: feature %d is %q, not %q; run: go run ./eval/train injection", i+1, f.Name, names[i])
		}
	}
	return &w, nil
}
