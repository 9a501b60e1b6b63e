package offline

import (
	"fmt"
	"strings"

	"example.com/assay/llm/offline/orders"
	"example.com/assay/skills"
)

// Detection is by scored rules, not by a trained classifier: on questions
// that only sound like attacks, small classifiers raise many false alarms
// (NotInject, Li and Liu, 2024), rules few. Each rule is a construction — a
// verb in the imperative with an object that belongs to the assistant — so
// "ignore all previous instructions" is an attack and "may a jury ignore the
// judge's instructions?" is not. What is only mentioned (in quotes, after
// "phrases such as") does not count.

// threshold is the score from which a text is called adversarial.
const threshold = .7

// An Instruction is a sentence of a document that speaks to its reader as an
// assistant instead of informing: an order smuggled into evidence.
type Instruction struct {
	Start, End int     // bytes in the text
	Category   string  // as in detect_prompt_injection's output
	Score      float64 // .7 … 1
}

// Instructions finds the sentences of a document that give orders to an
// assistant. Such a sentence is to be marked and not to be believed; the
// document stays usable. A document without a finding is not thereby safe:
// orders phrased as statements on the document's own topic are not seen.
func Instructions(document string) []Instruction {
	w, err := orders.Shipped()
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return InstructionsBy(w, document)
}

// InstructionsBy is Instructions with weights of orders that the program does not
// ship.
func InstructionsBy(w *orders.Weights, document string) []Instruction {
	var found []Instruction
	d := orders.Read(document)
	for n, span := range d.Spans {
		best := worst(document[span.Start:span.End])
		if score := w.Score(d, n); score > best.score {
			best = hit{category: "output_forcing", score: score}
		}
		if best.score >= threshold {
			found = append(found, Instruction{span.Start, span.End, best.category, min(best.score, 1)})
		}
	}
	return found
}

func detect(in skills.DetectInput) (skills.DetectOutput, error) {
	best := worst(in.Question)
	if best.score < threshold {
		return skills.DetectOutput{Verdict: "safe", Category: "none", Reason: "No order to change, reveal or force the assistant's behaviour was found."}, nil
	}
	reason := fmt.Sprintf("%s: “%s”.", best.why, clip(oneLine(strings.ToValidUTF8(best.words, "�")), 120))
	return skills.DetectOutput{Verdict: "adversarial", Category: best.category, Reason: reason}, nil
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
