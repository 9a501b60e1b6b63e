package fields

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"example.com/assay/memory/text"
)

// A concept is a possible meaning of words in a label, or a word that the table lacks.
type concept struct {
	name  string
	class byte // the table's class; 0 for a word that it lacks
}

// general reports whether the concept only says the type of a value, or the kind of paper.
func (c concept) general() bool { return c.class == '-' || c.class == '#' || c.class == '+' }

func (c concept) weight() float64 {
	switch c.class {
	case '-':
		return 0
	case '#':
		return .3
	case '+':
		return .5
	}
	return 1
}

// A term is a word or a phrase, as its possible meanings.
type term []concept

func (t term) weight() float64 {
	w := 0.0
	for _, c := range t {
		w = max(w, c.weight())
	}
	return w
}

func (t term) general() bool {
	return !slices.ContainsFunc(t, func(c concept) bool { return !c.general() })
}

//go:embed labels.txt
var labelFile string

type vocabulary struct {
	terms   map[string]term   // by phrase, the words joined by spaces
	place   map[string]string // by concept
	longest int               // words in the longest phrase
}

// labels is the table of labels. A phrase may have several concepts.
var labels = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{terms: map[string]term{}, place: map[string]string{}}
	for line := range strings.Lines(labelFile) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || line[0] == '#' && line[1] == ' ' {
			continue
		}
		class := head[0]
		name, place, _ := strings.Cut(head[1:], " >")
		v.place[name] = place
		phrases := strings.Split(list, ",")
		if class == '-' {
			name, phrases = "", strings.Fields(list)
		}
		for _, p := range phrases {
			words, _ := wordsOf(p)
			key := strings.Join(words, " ")
			v.longest = max(v.longest, len(words))
			v.terms[key] = append(v.terms[key], concept{name, class})
		}
	}
	return v
})

var foldings = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ë", "e", "à", "a", "â", "a", "á", "a", "ã", "a", "å", "a",
	"í", "i", "î", "i", "ï", "i", "ì", "i", "ó", "o", "ô", "o", "ò", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ç", "c", "ñ", "n", "º", "o", "°", "o", "ª", "a", "æ", "ae", "ø", "o", "œ", "oe")

// wordsOf returns the words of a text in lower case without accents, and the bytes where they end.
func wordsOf(s string) (words []string, ends []int) {
	start := -1
	add := func(end int) {
		if start >= 0 {
			words, ends = append(words, foldings.Replace(strings.ToLower(s[start:end]))), append(ends, end)
		}
		start = -1
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		case r == '#':
			add(i)
			words, ends = append(words, "no"), append(ends, i+1)
		default:
			add(i)
		}
	}
	add(len(s))
	return words, ends
}

// apartAtCase puts a space between the words of a property's name: "invoiceNo".
func apartAtCase(s string) string {
	var b strings.Builder
	was := ' '
	for _, r := range s {
		if unicode.IsUpper(r) && unicode.IsLower(was) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		was = r
	}
	return b.String()
}

func termsOf(s string) []term {
	terms, _ := termSpans(s)
	return terms
}

// termSpans returns the terms of a text in order, preferring the longest phrases, and where they
// end. A word that the table lacks is split if the table has its parts.
func termSpans(s string) (terms []term, at []int) {
	v := labels()
	words, ends := wordsOf(s)
	for i := 0; i < len(words); {
		n := min(v.longest, len(words)-i)
		for ; n > 0; n-- {
			if t := v.terms[strings.Join(words[i:i+n], " ")]; t != nil {
				terms, at = append(terms, t), append(at, ends[i+n-1])
				break
			}
		}
		if n == 0 {
			n = 1
			for _, t := range v.unknown(words[i]) {
				terms, at = append(terms, t), append(at, ends[i])
			}
		}
		i += n
	}
	return terms, at
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

func (v *vocabulary) unknown(w string) []term {
	plain := umlauts.Replace(w)
	for _, form := range []string{plain, strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "n"), strings.TrimSuffix(w, "en"), strings.TrimSuffix(w, "e"), strings.TrimSuffix(w, "er"), strings.TrimSuffix(w, "es")} {
		if t := v.terms[form]; t != nil && len(form) > 2 {
			return []term{t}
		}
	}
	for _, form := range []string{w, plain} {
		if parts := v.apart(form); parts != nil {
			return parts
		}
	}
	return []term{{{name: "~" + text.Stem(w)}}}
}

const longestCompound = 40 // bytes

// apart splits a compound: "rechnungsdatum" is an invoice's date.
func (v *vocabulary) apart(w string) []term {
	if len(w) > longestCompound {
		return nil
	}
	for at := len(w) - 2; at >= 4; at-- {
		head, tail := v.terms[w[:at]], v.terms[w[at:]]
		if head == nil {
			head = v.terms[strings.TrimSuffix(w[:at], "s")]
		}
		if head == nil || head.weight() == 0 {
			continue
		}
		if tail != nil && tail.weight() > 0 {
			return []term{head, tail}
		}
		if rest := v.apart(w[at:]); rest != nil {
			return append([]term{head}, rest...)
		}
	}
	return nil
}

// A meaning is the subject of a field: the terms of its name, and optional terms from the rest of
// the schema.
type meaning struct {
	terms   []term
	weights []float64      // of the terms
	at      map[string]int // index of a concept's term
	total   float64        // weight of the name's terms
	special bool           // the name has a specific term
	paper   bool           // the name is a kind of paper
	own     int            // number of the name's terms
}

func meaningOf(name, more string) meaning {
	m := meaning{at: map[string]int{}}
	add := func(t term, w float64) bool {
		if w == 0 || slices.ContainsFunc(t, func(c concept) bool { _, ok := m.at[c.name]; return ok }) {
			return false
		}
		for _, c := range t {
			m.at[c.name] = len(m.terms)
		}
		m.terms, m.weights = append(m.terms, t), append(m.weights, w)
		return true
	}
	for _, t := range termsOf(apartAtCase(name)) {
		w := t.weight()
		if len(t) > 1 { // the term is ambiguous
			w *= .9
		}
		if add(t, w) {
			m.total += w
			m.paper = m.paper || t[0].class == '+'
			m.special = m.special || !t.general()
		}
	}
	if i, ok := m.at["total"]; ok && m.has("net", "vat", "gross", "deduction") && len(m.terms) > 1 && len(m.terms[i]) == 1 { // their total is one of them
		m.total -= .6 * m.weights[i]
		m.weights[i] *= .4
	}
	m.own = len(m.terms)
	for _, t := range termsOf(more) {
		add(t, .7*t.weight())
	}
	return m
}

// has reports whether the name or the description has one of some concepts.
func (m meaning) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := m.at[n]; return ok })
}

// hit returns the index of a label's term in the meaning, −1 for none.
func (m meaning) hit(t term) int {
	for _, c := range t {
		if i, ok := m.at[c.name]; ok && c.name != "" {
			return i
		}
	}
	return -1
}

// likeness returns how well a label fits, from 0 to 1. In running text, the terms nearest to the
// value count most; terms around it count if the label lacks them.
func (m meaning) likeness(label []term, running bool, around []term) float64 {
	if m.total == 0 {
		return 0
	}
	seen := map[int]bool{}
	covered, matched, all, near, place, special := 0.0, 0.0, 0.0, 0.0, 1.0, false
	others, another := false, false // the label has another meaning, or names another paper
	cover := func(t term, share float64) (any bool) {
		for _, c := range t {
			i, ok := m.at[c.name]
			if any = any || ok && c.name != ""; ok && c.name != "" && !seen[i] {
				seen[i] = true
				if len(t) != len(m.terms[i]) { // the term is ambiguous
					share *= .97
				}
				covered += share * m.weights[i]
				special = special || !m.terms[i].general()
			}
		}
		return any
	}
	for i := len(label) - 1; i >= 0; i-- {
		w := label[i].weight()
		if w == 0 {
			continue
		}
		all += w
		if cover(label[i], 1) {
			matched += w
			near = max(near, place)
		} else {
			others = others || !label[i].general() && !(running && matched > 0 && special)
			another = another || m.paper && label[i][0].class == '+'
		}
		if !label[i].general() {
			place = max(.2, place-.15)
		}
	}
	own := matched > 0
	if others && !special {
		near /= 2
	}
	typed := 0.0
	for _, t := range around {
		if t.weight() > 0 {
			cover(t, .8)
		}
		if i := m.hit(t); t.general() && t[0].class == '#' && i >= 0 {
			typed = m.weights[i]
		}
	}
	if covered <= .8*typed && !own {
		return 0 // a value's own type is not a label
	}
	fits := .3
	if running {
		fits = .45
	}
	switch {
	case running && own:
		fits = near
	case own:
		fits = matched / all
	}
	p := math.Sqrt(min(1, covered/m.total) * fits)
	if m.special && !special {
		p *= .4
	}
	if another {
		p *= .6
	}
	return p
}
