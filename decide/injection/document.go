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

// A Document is a text split into sentences.
type Document struct {
	text  string
	Spans []text.Span // byte ranges of its sentences
	acts  []act       // acts of its sentences; nil until needed
	did   int         // how many of them instruct or ask
}

// Read splits a document into sentences, also at line ends before a capital or a quotation mark:
// injected text is on separate lines, and the sentence before it may have no end.
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

// Data identifies the training data.
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
	Threshold float64   `json:"threshold"` // from which a sentence counts as prompt injection
	Bias      float64   `json:"bias"`
	Features  []Feature `json:"features"`
}

// P is the probability that the n-th sentence instructs a model that answers from the document. Use
// it to rank sentences: as a share it means little, since the rate of poisoned documents is
// unknown.
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

// Score is P if it reaches the threshold, else 0.
func (w *Weights) Score(d *Document, n int) float64 {
	if p := w.P(d, n); p >= w.Threshold {
		return p
	}
	return 0
}

//go:embed weights.json
var shipped []byte

// Shipped returns the program's weights. Do not change them.
var Shipped = sync.OnceValues(func() (*Weights, error) { return Parse(shipped) })

// Parse parses weights. It returns an error if they do not fit the features.
func Parse(raw []byte) (*Weights, error) {
	var w Weights
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("reading the weights of prompt injection: %w", err)
	}
	if len(w.Features) != len(names) {
		return nil, fmt.Errorf("reading the weights of prompt injection: they have %d features, not %d; run: go run ./eval/train injection", len(w.Features), len(names))
	}
	for i, f := range w.Features {
		if f.Name != names[i] {
			return nil, fmt.Errorf("reading the weights of prompt injection: feature %d is %q, not %q; run: go run ./eval/train injection", i+1, f.Name, names[i])
		}
	}
	return &w, nil
}
