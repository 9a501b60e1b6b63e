package injection

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// An act is what a sentence does: inform, instruct or ask.
type act uint8

const (
	tells act = iota
	orders
	asks
)

// A speech is the act of a sentence, with its form.
type speech struct {
	act     act
	verb    class // classes of an imperative's verb; 0 if the verb is not listed
	request bool  // the order is phrased as a request or a duty: "can you", "you must"
	greets  bool  // it opens with a greeting
	words   int
}

// heard reads the form of a sentence. An imperative is a clause that opens with a bare verb, after
// words such as "please", clauses up to a comma, a label and requests. The verb need not be listed:
// a word that opens a sentence before "the", "your" or another beginning of an object is a verb,
// unless it belongs to a closed class.
func heard(s string) speech {
	r := reading{s, text.Tokens(s)}
	out := speech{words: len(r.tokens)}
	at := 0
	if comma := r.comma(0, 6); comma > 0 && lexicon[r.word(0)]&greet != 0 {
		at, out.greets = comma, true
	}
	if label := r.label(); at == 0 && label > 0 && !r.ordered(0, false) {
		at = label
	}
	for range 6 {
		skipped := r.lead(at, &out)
		if skipped == 0 {
			break
		}
		at += skipped
	}
	if r.ordered(at, out.request) {
		out.act, out.verb = orders, lexicon[r.word(at)]&verbs
		return out
	}
	trimmed := strings.TrimRight(s, " \t\n\"'”’)*_")
	if strings.HasSuffix(trimmed, "?") && !strings.Contains(s, "|") { // a cell of a table asks nothing
		out.act = asks
	}
	return out
}

// A reading holds the words of a sentence and the text between them.
type reading struct {
	s      string
	tokens []text.Token
}

func (r reading) word(i int) string {
	if i >= 0 && i < len(r.tokens) {
		return r.tokens[i].Text
	}
	return ""
}

// gap returns the text between token i and the previous one.
func (r reading) gap(i int) string {
	if i <= 0 || i >= len(r.tokens) {
		return ""
	}
	return strings.TrimSpace(text.Between(r.s, r.tokens[i-1], r.tokens[i]))
}

// comma returns the token after the first comma after token at, within a number of tokens; 0 for
// none.
func (r reading) comma(at, within int) int {
	for i := at + 1; i < len(r.tokens) && i < at+within; i++ {
		if strings.HasPrefix(r.gap(i), ",") {
			return i
		}
	}
	return 0
}

// label returns the token after a colon among the first words; 0 for none.
func (r reading) label() int {
	for i := 1; i < min(len(r.tokens), 7); i++ {
		if r.gap(i) == ":" {
			return i
		}
	}
	return 0
}

// lead returns how many tokens from at on only introduce an imperative.
func (r reading) lead(at int, out *speech) int {
	w, next, third := r.word(at), r.word(at+1), r.word(at+2)
	requested := 0
	switch {
	case (w == "can" || w == "could" || w == "would" || w == "will") && next == "you":
		requested = 2
	case w == "i" && (next == "want" || next == "need" || next == "like") && third == "you" && r.word(at+3) == "to":
		requested = 4
	case w == "you" && third == "to" && lexicon[next]&duty != 0:
		requested = 3
	case w == "you" && next == "are" && lexicon[third]&duty != 0 && r.word(at+3) == "to":
		requested = 4
	case w == "you" && (next == "must" || next == "should" || next == "will" || next == "shall"):
		requested = 2
	case w == "your" && (next == "task" || next == "job" || next == "goal" || next == "role") && third == "is" && r.word(at+3) == "to":
		requested = 4
	case w == "let's":
		requested = 1
	case w == "let" && next == "us":
		requested = 2
	case lexicon[w]&leads != 0:
		return 1
	case lexicon[w]&clause != 0:
		return max(r.comma(at, 16)-at, 0)
	}
	out.request = out.request || requested > 0
	return requested
}

// ordered reports whether the word at is the verb of an imperative.
func (r reading) ordered(at int, request bool) bool {
	w, next := r.word(at), r.word(at+1)
	c := lexicon[w]
	if w == "i" && (next == "need" || next == "want") && (r.word(at+2) == "a" || r.word(at+2) == "an" || r.word(at+2) == "some") {
		return true
	}
	switch gap := r.gap(at + 1); {
	case w == "", gap != "" && strings.Contains(":,-–", gap[:1]), r.heading(at), r.title():
		return false
	case next == "of" && w != "think" && w != "speak", next == "v", next == "vs": // "Report of", "State v."
		return false
	}
	if c&verbs != 0 {
		return !r.subject(at)
	}
	if c&closed != 0 || !plain(w) {
		return false
	}
	return request || r.gap(at+1) == "" && lexicon[next]&object != 0 && next != "that"
}

// subject reports whether token i begins the subject of a verb, so it is a noun or an adjective:
// "Present testimony does not".
func (r reading) subject(i int) bool {
	for k := i + 1; k < min(i+4, len(r.tokens)); k++ {
		switch c := lexicon[r.word(k)]; {
		case c&finite != 0:
			return true
		case c&(object|closed) != 0, r.gap(k) != "":
			return false
		}
	}
	return false
}

// title reports whether the sentence opens with a quotation that a verb follows: “Write a poem” is
// a song.
func (r reading) title() bool {
	if !strings.ContainsAny(r.s[:min(len(r.s), 3)], "\"“") {
		return false
	}
	for i := 1; i < len(r.tokens); i++ {
		if strings.ContainsAny(r.gap(i), "\"”") {
			return lexicon[r.word(i)]&finite != 0
		}
	}
	return false
}

// heading reports whether token i is a heading before a sentence: "METHODS We asked".
func (r reading) heading(i int) bool {
	if i+1 >= len(r.tokens) {
		return false
	}
	own, next := r.s[r.tokens[i].Start:r.tokens[i].End], r.s[r.tokens[i+1].Start:r.tokens[i+1].End]
	second, _ := utf8.DecodeRuneInString(next)
	return len(own) > 1 && strings.ToUpper(own) == own && unicode.IsUpper(second) && (len(next) == 1 || strings.ToUpper(next) != next)
}

// plain reports whether a word has the form of a bare verb.
func plain(w string) bool {
	for _, ending := range []string{"ly", "ing", "tion", "ness", "ment", "ity", "ism", "ers"} {
		if strings.HasSuffix(w, ending) && len(w) > len(ending)+1 {
			return false
		}
	}
	switch {
	case len(w) < 3 && w != "do" && w != "go":
		return false
	case strings.HasSuffix(w, "ed"):
		return strings.HasSuffix(w, "eed") || len(w) < 5
	case strings.HasSuffix(w, "s"):
		return strings.HasSuffix(w, "ss") || w == "focus"
	}
	for _, r := range w {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return true
}

// sentence returns the n-th sentence without its bullet; "" for an item that continues the sentence
// before its list: "(b) keep the key".
func (d *Document) sentence(n int) string {
	s := d.text[d.Spans[n].Start:d.Spans[n].End]
	mark := bullet.FindString(s)
	s = strings.TrimSpace(s[len(mark):])
	if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune(mark, ')') && unicode.IsLower(r) {
		return ""
	}
	return s
}

// listen reads the acts of all sentences, once.
func (d *Document) listen() {
	if d.acts != nil {
		return
	}
	d.acts = make([]act, len(d.Spans))
	for i := range d.Spans {
		d.acts[i] = heard(d.sentence(i)).act
		if d.acts[i] != tells {
			d.did++
		}
	}
}

// shares reports whether sentence n, if it exists, contains one of the stems.
func (d *Document) shares(own map[string]bool, n int) bool {
	return n >= 0 && n < len(d.Spans) && slices.ContainsFunc(text.Terms(d.sentence(n), text.QueryStops), func(t string) bool { return own[t] })
}

// near reports whether one of the two sentences before and after n contains one of the stems.
func (d *Document) near(own map[string]bool, n int) bool {
	return d.shares(own, n-1) || d.shares(own, n+1) || d.shares(own, n-2) || d.shares(own, n+2)
}

// continued reports whether the sentence after n continues it: it contains one of its stems, or
// opens with a word that refers back.
func (d *Document) continued(own map[string]bool, n int) bool {
	if n+1 >= len(d.Spans) {
		return false
	}
	for i, t := range text.Tokens(d.sentence(n + 1)) {
		if i == 0 && lexicon[t.Text]&anaphor != 0 || i < 8 && lexicon[t.Text]&pronoun != 0 {
			return true
		}
	}
	return d.acts[n+1] != asks && d.shares(own, n+1)
}

// beside reports whether a neighbour of n has the same act. An answer may be between two questions.
func (d *Document) beside(n int, a act) bool {
	within := 1
	if a == asks {
		within = 2
	}
	for i := max(n-within, 0); i <= min(n+within, len(d.acts)-1); i++ {
		if i != n && d.acts[i] == a {
			return true
		}
	}
	return false
}

// addressed returns the share of sentences outside from..to−1 that instruct or ask.
func (d *Document) addressed(from, to int) float64 {
	inside := 0
	for _, a := range d.acts[from:to] {
		if a != tells {
			inside++
		}
	}
	return float64(d.did-inside) / float64(max(len(d.acts)-(to-from), 1))
}

// reach is how far a run of instructions and questions is followed on both sides.
const reach = 8

// run returns the sentences around n, from..to−1, that all instruct or ask: consecutive injected
// sentences are not compared with each other.
func (d *Document) run(n int) (from, to int) {
	from, to = n, n+1
	for from > max(n-reach, 0) && d.acts[from-1] != tells {
		from--
	}
	for to < min(n+reach+1, len(d.acts)) && d.acts[to] != tells {
		to++
	}
	return from, to
}

// names are the names of the features, in order.
var names = []string{
	// the form of the sentence
	"order", "alter", "request", "ask", "letters", "your_output", "order_output", "order_audience", "order_link", "order_quote",
	"make_product", "interface", "first_person", "reader", "greets", "short",
	// its relation to the document
	"continued_order", "answered", "near_order", "near_ask", "order_beside", "ask_beside", "address_rate", "outside_rate", "run_share",
}

// FeatureNames returns the names of the features, in order.
func FeatureNames() []string { return slices.Clone(names) }

// sectionNumber matches the beginning of a question that is a heading, after a page number.
var sectionNumber = pattern.New(`^(?:\d+\n)?\d+(?:\.\d+)+\.? `)

// answerable reports whether sentence n asks for something that an assistant's answer consists of:
// a property of the answer, or a text, a translation or a program that the rest of the document
// does not mention. People carry out other instructions: "Cars have to be in the queue".
func (d *Document) answerable(n int, s string, h speech) bool {
	if yours.MatchString(s) {
		return (h.act == orders || obliged.MatchString(s)) && !persons.MatchString(s)
	}
	if h.act == tells {
		return false
	}
	for _, of := range []*pattern.Pattern{artwork, signs, language, program} {
		if (h.act == orders && of != program || of == language || of == program && (h.request || lesson.MatchString(s))) && of.MatchString(s) {
			return !slices.ContainsFunc(d.Spans, func(o text.Span) bool { return o != d.Spans[n] && of.MatchString(d.text[o.Start:o.End]) })
		}
	}
	return false
}

// Features returns the features of the n-th sentence. It returns false if the sentence neither
// instructs, asks nor describes the answer: such a sentence is never flagged.
func (d *Document) Features(n int) ([]float64, bool) {
	s := d.sentence(n)
	h, yours := heard(s), yourOutput.MatchString(s)
	if h.act == tells && !owed.MatchString(s) || h.act == asks && sectionNumber.MatchString(s) || !d.answerable(n, s, h) {
		return nil, false
	}
	d.listen()
	own := map[string]bool{}
	for _, t := range text.Terms(s, text.QueryStops) {
		own[t] = true
	}
	order, asked := h.act == orders, h.act == asks
	reader := !yours && !h.request && slices.ContainsFunc(text.Tokens(s), func(t text.Token) bool { return t.Text == "you" || t.Text == "your" })
	near, continued, beside := d.near(own, n), d.continued(own, n), d.beside(n, h.act)
	from, to := d.run(n)
	one := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	return []float64{
		one(order), one(h.verb&alter != 0), one(h.request), one(asked), one(letters.MatchString(s)), one(yours), one(order && yours && h.verb != 0),
		one(order && audience.MatchString(s)), one(order && link.MatchString(s)), one(order && quoted.MatchString(s)),
		one(h.verb&(say|compose) != 0 && product.MatchString(s)), one(ui.MatchString(s)), one(first.MatchString(s)), one(reader), one(h.greets), one(h.words < 5),
		one(order && continued), one(asked && continued), one(order && near), one(asked && near), one(order && beside), one(asked && beside),
		d.addressed(n, n+1), d.addressed(from, to), float64(to-from) / float64(len(d.acts)),
	}, true
}
