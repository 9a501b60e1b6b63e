package injection

import (
	"fmt"
	"strings"

	"example.com/assay/memory/text"
)

// threshold is the score from which a text is called adversarial.
const threshold = .7

// A Verdict says whether a question is an attack on the assistant that reads it.
type Verdict struct {
	Adversarial bool
	Category    string // override, prompt_leak, role_switch, output_forcing, exfiltration, delimiter_spoof; "none" for a safe question
	Reason      string
}

// Question judges what a person asks, by the rules alone.
func Question(asked string) Verdict {
	best := worst(asked)
	if best.score < threshold {
		return Verdict{Category: "none", Reason: "No order to change, reveal or force the assistant's behaviour was found."}
	}
	fired := text.OneLine(strings.ToValidUTF8(best.words, "�"))
	return Verdict{true, best.category, fmt.Sprintf("%s: “%s”.", best.why, text.Clip(fired, 120))}
}

// An Instruction is a sentence of a document that speaks to its reader as an
// assistant instead of informing: an order smuggled into evidence.
type Instruction struct {
	Start, End int     // bytes in the text
	Category   string  // as in a Verdict
	Score      float64 // .7 … 1
}

// Instructions finds the sentences of a document that give orders to an
// assistant. Such a sentence is to be marked and not to be believed; the
// document stays usable. A document without a finding is not thereby safe:
// orders phrased as statements on the document's own topic are not seen.
func Instructions(document string) []Instruction {
	w, err := Shipped()
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return InstructionsBy(w, document)
}

// InstructionsBy is Instructions with weights that the program does not ship.
func InstructionsBy(w *Weights, document string) []Instruction {
	var found []Instruction
	d := Read(document)
	for n := range d.Spans {
		if o, ok := d.instruction(w, n); ok {
			found = append(found, o)
		}
	}
	return found
}

// instruction is what a sentence orders, if it does.
func (d *Document) instruction(w *Weights, n int) (Instruction, bool) {
	span := d.Spans[n]
	best := worst(d.text[span.Start:span.End])
	if score := w.Score(d, n); score > best.score {
		best = hit{category: "output_forcing", score: score}
	}
	return Instruction{span.Start, span.End, best.category, min(best.score, 1)}, best.score >= threshold
}

// Ordering returns a function that reports whether a stretch of a document holds an
// instruction. Each sentence is read when it is first asked about. It is not safe for
// concurrent use.
func Ordering(document string) func(start, end int) bool {
	var d *Document
	seen := map[int]bool{} // by sentence
	return func(start, end int) bool {
		if d == nil {
			d = Read(document)
		}
		for n, span := range d.Spans {
			if span.Start >= end || start >= span.End {
				continue
			}
			orders, ok := seen[n]
			if !ok {
				w, err := Shipped()
				if err != nil {
					panic(err) // the file is part of the program, and a test reads it
				}
				_, orders = d.instruction(w, n)
				seen[n] = orders
			}
			if orders {
				return true
			}
		}
		return false
	}
}

// A hit is a rule that fired.
type hit struct {
	category string
	score    float64
	why      string
	words    string // what it fired on, normalised
}

// worst returns the highest-scoring hit over all readings of a text; the
// first of equals.
func worst(s string) hit {
	var best hit
	for _, v := range readings(s) {
		for _, h := range scan(v.text) {
			if v.name != "" {
				h.why += " (" + v.name + ")"
			}
			if h.score > best.score {
				best = h
			}
		}
	}
	return best
}

// scan applies all rules to one reading.
func scan(s string) []hit {
	t := newTalk(s)
	var hits []hit
	for _, r := range rawRules {
		if h, ok := r(s); ok && !t.quotedWord(h.words) {
			hits = append(hits, h)
		}
	}
	if t.classes&trigger == 0 {
		return hits
	}
	for i := range t.tokens {
		for _, rule := range tokenRules {
			if h, to, ok := rule(t, i); ok {
				h.words = t.span(i, to)
				if t.mentioned(i) {
					h.score *= .4
				}
				hits = append(hits, h)
			}
		}
	}
	return hits
}
