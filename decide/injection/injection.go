package injection

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// threshold is the score from which a text is adversarial.
const threshold = .7

// A Verdict says whether a question is an attack on the assistant.
type Verdict struct {
	Adversarial bool
	Category    string // override, prompt_leak, role_switch, output_forcing, exfiltration, delimiter_spoof; "none" for a safe question
	Reason      string
}

// Question judges a person's question, only by the rules.
func Question(asked string) Verdict {
	best := worst(asked)
	if best.score < threshold {
		return Verdict{Category: "none", Reason: "No order to change, reveal or force the assistant's behaviour was found."}
	}
	fired := text.OneLine(strings.ToValidUTF8(best.words, "�"))
	return Verdict{true, best.category, fmt.Sprintf("%s: “%s”.", best.why, text.Clip(fired, 120))}
}

// An Instruction is a sentence of a document that instructs its reader as an assistant: prompt
// injection.
type Instruction struct {
	Start, End int     // bytes in the text
	Category   string  // as in a Verdict
	Score      float64 // .7 … 1
}

// Instructions finds the prompt injection in a document, by sentence. Such a sentence should be
// marked and not believed; the document stays usable. A document without a finding is not
// necessarily safe: instructions phrased as statements on the document's topic are missed.
func Instructions(document string) []Instruction {
	w, err := Shipped()
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	if found, ok := read.get(document); ok {
		return slices.Clone(found)
	}
	found := InstructionsBy(w, document)
	read.put(document, found)
	return slices.Clone(found)
}

// Orders returns the Instructions of a document in the form for passages.
func Orders(document string) []state.Order {
	var out []state.Order
	for _, i := range Instructions(document) {
		out = append(out, state.Order{Kind: i.Category, Start: i.Start, End: i.End})
	}
	return out
}

// read caches the results for recent documents: a passage is read when it is found, and again by
// each skill that quotes it.
var read recent

const mostRecent = 4096

// recent holds the instructions in the documents that were read last.
type recent struct {
	mu    sync.Mutex
	found map[string][]Instruction
	order []string // the oldest first
}

func (r *recent) get(document string) ([]Instruction, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.found[document]
	return found, ok
}

func (r *recent) put(document string, found []Instruction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.found[document]; ok || len(document) > 1<<14 {
		return
	}
	if r.found == nil {
		r.found = map[string][]Instruction{}
	}
	if len(r.order) == mostRecent {
		delete(r.found, r.order[0])
		r.order = r.order[1:]
	}
	document = strings.Clone(document) // do not keep the whole file in memory
	r.found[document], r.order = found, append(r.order, document)
}

// InstructionsBy is Instructions with the caller's weights.
func InstructionsBy(w *Weights, document string) []Instruction {
	var found []Instruction
	d := Read(document)
	for n, span := range d.Spans {
		best := spoken(document[span.Start:span.End])
		if score := w.Score(d, n); score > best.score {
			best = hit{category: "output_forcing", score: score}
		}
		if best.score >= threshold {
			found = append(found, Instruction{span.Start, span.End, best.category, min(best.score, 1)})
		}
	}
	return found
}

// A hit is a rule that matched.
type hit struct {
	category string
	score    float64
	why      string
	words    string // the matched text, normalised
}

// worst returns the hit with the highest score over all readings of a text, the first of equals.
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
