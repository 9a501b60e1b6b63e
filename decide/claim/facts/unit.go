package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
)

// A Unit is the smallest piece of evidence that makes a statement alone: a row with the headers of
// its cells, an answer with its question, a clause, a sentence.
type Unit struct {
	Text    string // its text; semicolons separate the cells of a row
	Context string // its context: its label and the headings above it
	Title   string // titles of its section and its document
	Before  string // the sentence before it, for what "it" is
	Row     bool   // a row of a table: "Header: value; Header: value"
	Table   int    // for a row: the number of its table
	Version string // its date or first day of validity, in ISO form; empty if unknown
	Earlier bool   // a later message repeats it
	Block   bool   // a typed part of its document, not running text
}

// A unitRead is a parsed unit.
type unitRead struct {
	Unit
	body, context, title, before *sentence
	turned, aside                []bool // by token of the body: denied; denied beside what is said, "at gate 4, not at gate 2"
	parts                        []piece
	cells                        []int  // cell number, by token of the body
	head                         []bool // whether it belongs to a header, by token of a row
}

// A piece is a part of a unit with its own amounts.
type piece struct{ first, end int }

func (r *Reader) unit(u Unit, l text.Language) *unitRead {
	s := func(t string) *sentence { return r.reading(t, l).sentence }
	out := &unitRead{Unit: u, body: s(u.Text), context: s(u.Context), title: s(u.Title), before: s(u.Before)}
	out.turned, out.aside = polarity(out.body)
	toks := out.body.toks
	out.cells, out.head = make([]int, len(toks)), make([]bool, len(toks))
	cell, first := 0, 0
	for i, t := range toks {
		switch t.text {
		case ";":
			cell, first = cell+1, i+1
		case ":", "=":
			for j := first; u.Row && j <= i; j++ {
				out.head[j] = true
			}
			first = i + 1
		}
		out.cells[i] = cell
	}
	if u.Row {
		out.parts = []piece{{0, len(toks)}}
		return out
	}
	out.parts = partsOf(out.body)
	return out
}

// partsOf splits a sentence at semicolons, and at commas and joining words between amounts or dates
// of the same sort: "backups for 90 days; payroll backups for seven years".
func partsOf(s *sentence) []piece {
	var out []piece
	first := 0
	for i, t := range s.toks {
		if t.text == ";" || t.text == "；" || (t.text == "," || t.text == "，" || t.text == "、" || (t.text == "-" || t.text == "–") && !t.joined || t.text == "and" || t.text == "but" || t.text == "while" || t.text == "or") && s.rivals(first, i, i+1) {
			out, first = append(out, piece{first, i}), i+1
		}
	}
	return append(out, piece{first, len(s.toks)})
}

// rivals reports whether tokens first..end and the clause that begins at from each have an amount
// of the same sort, with words of their own.
func (s *sentence) rivals(first, end, from int) bool {
	next := len(s.toks)
	for i := from; i < len(s.toks); i++ {
		if t := s.toks[i]; strings.Contains(",;，；、", t.text) || (t.text == "-" || t.text == "–") && !t.joined {
			next = i
			break
		}
	}
	own := func(first, end int) bool {
		return slices.ContainsFunc(s.toks[first:end], func(t token) bool { return t.kind == word && t.content })
	}
	return rival(s.clocks, func(c clock) (int, int) { return c.first, c.end }, first, end, from, next, func(c, d clock) bool { return own(from, next) }) ||
		rival(s.dates, func(d date) (int, int) { return d.first, d.end }, first, end, from, next, func(c, d date) bool { return c.shares(d) && own(from, d.first) }) ||
		rival(s.quantities, func(q quantity) (int, int) { return q.first, q.end }, first, end, from, next, func(q, r quantity) bool {
			return (q.sameFamily(r) || len(q.units)+len(r.units) == 0 && !q.ordinal && !r.ordinal) && s.toks[max(r.first-1, 0)].text != "to" && (own(from, r.first) || own(r.end, next))
		})
}

// rival reports whether a value in one stretch and a value in another are of the same sort.
func rival[V any](list []V, place func(V) (first, end int), first, end, from, next int, alike func(a, b V) bool) bool {
	within := func(from, to int) (out []V) {
		for _, v := range list {
			if a, b := place(v); from <= a && b <= to {
				out = append(out, v)
			}
		}
		return out
	}
	right := within(from, next)
	if len(right) == 0 {
		return false
	}
	for _, a := range within(first, end) {
		if slices.ContainsFunc(right, func(b V) bool { return alike(a, b) }) {
			return true
		}
	}
	return false
}

// forbidding words deny their clause.
var forbidding = rootSet(`forbid forbidden prohibit ban exclude exempt`)

var exceptives = text.Set(`except excluding excepting save`)

// polarity says for each token whether the sentence denies it. A denied verb denies its clause,
// another denied word the words after it, and an exception reverses that. aside marks words after a
// "not" that denies no verb.
func polarity(s *sentence) (out, aside []bool) {
	toks := s.toks
	out, aside = make([]bool, len(toks)), make([]bool, len(toks))
	turn := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = !out[i]
		}
	}
	for _, n := range s.negations {
		if !n.odd {
			continue
		}
		first, end := clauseAround(toks, n.tok)
		if !verbal(toks, n.tok, first) {
			first = n.tok
			if w := toks[n.tok].text; w == "no" || w == "without" {
				for j, seen := n.tok+1, 0; j < end; j++ {
					if seen > 0 && (!toks[j].content || beginsPredicate(toks, j)) || seen > 1 {
						end = j
					} else if toks[j].content {
						seen++
					}
				}
			}
		}
		turn(first, end)
		for i := first; i < end; i++ {
			aside[i] = first == n.tok && toks[n.tok].text == "not"
		}
	}
	for i, t := range toks { // "in stock: 0"
		if t.text == "0" && i > 1 && (toks[i-1].text == ":" || toks[i-1].text == "=") && (i+1 == len(toks) || toks[i+1].text == ";") {
			first, _ := clauseAround(toks, i-2)
			turn(first, i)
		}
	}
	for i, t := range toks {
		if t.kind == word && forbidding[t.root] {
			first, end := clauseAround(toks, i)
			turn(first, end)
			out[i] = !out[i]
		}
	}
	for i, t := range toks {
		apart := t.text == "apart" && textAt(toks, i+1) == "from" || t.text == "other" && textAt(toks, i+1) == "than"
		if (exceptives[t.text] || apart) && !(t.text == "save" && textAt(toks, i+1) != "for") {
			_, end := clauseAround(toks, i)
			turn(i+1, end)
		}
	}
	return out, aside
}

// clauseAround returns the tokens around token i up to a sign or a word that begins another
// statement. "Or" continues a denial.
func clauseAround(toks []token, i int) (first, end int) {
	cuts := func(j int) bool {
		t := toks[j]
		switch {
		case t.kind == sign:
			return strings.Contains(",;:().!?—–", t.text) && !(t.text == "." && t.joined && j+1 < len(toks) && toks[j+1].joined)
		case t.text == "and":
			return j+1 < len(toks) && j > 0 && !(toks[j+1].content && toks[j-1].content && (j+2 >= len(toks) || toks[j+2].kind == sign))
		}
		return t.roles&asOpener != 0 && t.text != "or" && t.text != "nor" && t.text != "before" && t.text != "after" || exceptives[t.text]
	}
	first, end = i, i+1
	for first > 0 && !cuts(first-1) {
		first--
	}
	for end < len(toks) && !cuts(end) {
		end++
	}
	return first, end
}

// verbal reports whether a negator denies the verb of its clause: "n't", "never" and verbs of
// failing do, "no" and "nobody" at the clause's beginning, and "not" or "hardly" after an auxiliary.
func verbal(toks []token, i, first int) bool {
	t := toks[i].text
	if strings.HasSuffix(t, "n't") || t == "cannot" || t == "never" || failing[t] || t == "unable" || i == first && (t == "no" || t == "nobody" || t == "none" || t == "nothing" || t == "neither") {
		return true
	}
	for j := i - 1; j >= first && j > i-4; j-- {
		if b := toks[j]; auxiliaries[b.text] || modalWords[b.text] > 0 || being[b.text] {
			return t == "not" || t == "hardly" || t == "barely" || t == "scarcely" || t == "rarely"
		}
	}
	return false
}

// strictBound reports whether a bound excludes the number itself.
func strictBound(toks []token, q quantity) bool {
	i := q.first
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		switch toks[j].text {
		case ".", ";", ":", ",", ")": // words before it belong to something else
			return false
		case "than":
			before := textAt(toks, j-2)
			if before == "be" {
				before = textAt(toks, j-3)
			}
			return before != "no" && before != "not" && before != "later"
		case "over", "above", "under", "below", "exceeding", "exceeds":
			return textAt(toks, j+1) == "-" || textAt(toks, j-1) != "no" && textAt(toks, j-1) != "not" // "no under-16s"
		}
	}
	return false
}

// A clock is a time of day in minutes. A time before 13:00 without am or pm may be either.
type clock struct {
	minutes    int
	half       bool // whether am or pm is known
	first, end int
}

// clocks finds the times of a sentence: "8:30", "8.30 pm", "7 am", "noon".
func clocks(toks []token) (out []clock) {
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		c := clock{first: i, end: i + 1}
		switch {
		case t.text == "noon" || t.text == "midday":
			c.minutes, c.half = 720, true
		case t.text == "midnight":
			c.half = true
		case t.kind != number:
			continue
		default:
			hour, minute, found := strings.Cut(t.text, ".")
			if !found && textAt(toks, i+1) == ":" && i+2 < len(toks) && toks[i+1].joined && toks[i+2].joined && len(toks[i+2].text) == 2 {
				minute, found, c.end = toks[i+2].text, true, i+3
			}
			h, m := small(hour), small(minute)
			after := textAt(toks, c.end)
			if after == "o'clock" {
				c.end++
				found, after = true, textAt(toks, c.end+1)
			} else if (after == "a" || after == "p") && textAt(toks, c.end+1) == "." && textAt(toks, c.end+2) == "m" {
				after, c.end = after+"m", c.end+2
			}
			if after != "am" && after != "pm" && (!found || strings.Contains(t.text, ".")) || h > 24 || m > 59 || len(hour) > 2 {
				continue
			}
			c.minutes = h*60 + m
			if after == "am" || after == "pm" {
				c.end, c.half = c.end+1, true
				c.minutes = h%12*60 + m
				if after == "pm" {
					c.minutes += 720
				}
			}
			c.half = c.half || h > 12 || len(hour) == 2 && hour[0] == '0'
		}
		c.end = min(c.end, len(toks))
		out = append(out, c)
		if len(out) == mostValues {
			break
		}
		i = c.end - 1
	}
	return out
}

func (c clock) equal(d clock) bool {
	return c.minutes == d.minutes || (!c.half || !d.half) && c.minutes%720 == d.minutes%720
}

// A span is a range of numbers: "5–9", "10+", "from 5 to 9", "up to 3".
type span struct {
	low, high  float64
	units      []values.Unit
	first, end int
}

// spans returns the ranges of numbers in a sentence.
func spans(s *sentence) (out []span) {
	const most = 1e15
	for i, q := range s.quantities {
		if !q.exact || q.ordinal {
			continue
		}
		r := span{low: q.value, high: q.value, units: q.units, first: q.first, end: q.end}
		switch after := textAt(s.toks, q.next); {
		case after == "+" && s.toks[q.next].joined && (q.next+1 >= len(s.toks) || s.toks[q.next+1].kind != number) || after == "and" && (textAt(s.toks, q.next+1) == "more" || textAt(s.toks, q.next+1) == "over"):
			r.high = most
		case i+1 < len(s.quantities) && s.quantities[i+1].exact && s.quantities[i+1].first-q.end <= 1 && s.quantities[i+1].first > q.end && joinsRange(s.toks[q.end:s.quantities[i+1].first]) &&
			(after != "and" || textAt(s.toks, q.first-1) == "between") && after != "or":
			next := s.quantities[i+1]
			r.high, r.end = next.value, next.end
			if len(r.units) == 0 {
				r.units = next.units
			}
		case q.bound == upper:
			r.low = 0
		case q.bound == lower:
			r.high = most
		default:
			continue
		}
		if r.low < r.high {
			out = append(out, r)
		}
	}
	return out
}

// holds reports whether an amount is in a range, as far as their units show.
func (r span) holds(q quantity) bool {
	if !q.exact {
		return false
	}
	if len(r.units) == 0 || len(q.units) == 0 {
		return r.low <= q.value && q.value <= r.high
	}
	for _, u := range q.units {
		for _, v := range r.units {
			if u.Dimension == v.Dimension && r.low*v.Factor <= q.value*u.Factor && q.value*u.Factor <= r.high*v.Factor {
				return true
			}
		}
	}
	return false
}
