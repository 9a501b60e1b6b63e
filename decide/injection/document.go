package injection

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// A Document is a text whose sentences are looked at one by one.
type Document struct {
	text  string
	Spans []text.Span // of its sentences
	acts  []act       // of its sentences; nil until they are needed
	did   int         // how many of them order or ask
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
	z := w.Bias
	for i, f := range w.Features {
		z += f.Weight * x[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// Score is P where that reaches the threshold, else 0.
func (w *Weights) Score(d *Document, n int) float64 {
	if p := w.P(d, n); p >= w.Threshold {
		return p
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
