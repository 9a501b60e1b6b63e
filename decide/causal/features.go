package causal

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A Sentence is a parsed sentence.
type Sentence struct {
	Text   string
	Tokens []Token
	cues   []found
}

// Read parses a sentence.
func Read(s string) *Sentence {
	ts := tokens(s)
	return &Sentence{Text: s, Tokens: ts, cues: cues().in(ts)}
}

// has returns the classes of cues in tokens from..to.
func (s *Sentence) has(from, to int) [classes]bool {
	var out [classes]bool
	for _, f := range s.cues {
		if f.from >= from && f.to <= to {
			out[f.class] = true
		}
	}
	return out
}

// SentenceFeatures are the features of a whole sentence: words, stems, their
// sequences, pieces of words, and classes of cues with their pairs.
func SentenceFeatures(s *Sentence, dimensions uint32) Vector {
	var c collector
	ts := s.Tokens
	for i, t := range ts {
		c.add(.5, "w", t.Low)
		c.add(1, "s", t.Stem)
		if i > 0 {
			c.add(.5, "b", ts[i-1].Low, t.Low)
		}
		if i > 1 {
			c.add(1, "k", ts[i-2].Stem, t.Stem)
		}
		if t.Word && len(t.Low) >= 5 {
			padded := "<" + t.Low + ">"
			for j := 0; j+4 <= len(padded); j++ {
				c.add(1, "c", padded[j:j+4])
			}
		}
	}
	if n := len(ts); n > 0 {
		c.add(1, "^", ts[0].Low)
		c.add(1, "$", ts[n-1].Low)
		if n > 1 {
			c.add(1, "^^", ts[0].Low, ts[1].Low)
		}
	}
	c.add(1, "L", strconv.Itoa(bits.Len(uint(len(ts)+1))-1))
	for _, f := range s.cues {
		if f.to < len(ts) {
			c.add(1, "R>", classNames[f.class], ts[f.to].Stem)
		}
		if f.from > 0 {
			c.add(1, "<R", classNames[f.class], ts[f.from-1].Stem)
		}
		c.add(1, "R@", classNames[f.class], strconv.Itoa(4*f.from/len(ts)))
	}
	has := s.has(0, len(ts))
	for a := range classes {
		if !has[a] {
			continue
		}
		c.add(2, "R", classNames[a])
		for b := a + 1; b < classes; b++ {
			if has[b] {
				c.add(2, "RR", classNames[a], classNames[b])
			}
		}
	}
	return c.vector(dimensions)
}

// A Mention is the place of a phrase in a sentence: tokens From..To.
type Mention struct{ From, To int }

// Phrase returns every place where a sentence contains a phrase, word for word.
func Phrase(s *Sentence, phrase string) []Mention {
	want := tokens(phrase)
	if len(want) == 0 {
		return nil
	}
	var out []Mention
	for i := 0; i+len(want) <= len(s.Tokens); i++ {
		if slices.EqualFunc(want, s.Tokens[i:i+len(want)], func(a, b Token) bool { return a.Low == b.Low }) {
			if out = append(out, Mention{i, i + len(want)}); len(out) == mostMentions {
				break
			}
		}
	}
	return out
}

// nearest returns the pair of mentions that are nearest to each other without overlap, the first of
// equals.
func nearest(cause, effect []Mention) (c, e Mention, ok bool) {
	best := 0
	for _, a := range cause {
		for _, b := range effect {
			gap := max(b.From-a.To, a.From-b.To)
			if gap >= 0 && (!ok || gap < best) {
				c, e, best, ok = a, b, gap, true
			}
		}
	}
	return c, e, ok
}

// PairFeatures are the features of a cause and an effect in a sentence. Nearly all of them include
// which of the two comes first, so the reversed order has other features.
func PairFeatures(s *Sentence, cause, effect Mention, dimensions uint32) Vector {
	var c collector
	o, left, right := "c>", cause, effect
	if effect.From < cause.From {
		o, left, right = "e>", effect, cause
	}
	ts := s.Tokens
	between := ts[left.To:right.From]
	c.add(1, o, "order")
	d := len(between)
	if d > 6 {
		d = 6 + d/4
	}
	c.add(1, o, "d", strconv.Itoa(d))
	c.between(o, between)
	for i := range 3 {
		if at := left.From - 1 - i; at >= 0 {
			c.add(1, o, "l"+strconv.Itoa(i+1), ts[at].Low)
			c.add(1, o, "la", ts[at].Stem)
		}
		if at := right.To + i; at < len(ts) {
			c.add(1, o, "r"+strconv.Itoa(i+1), ts[at].Low)
			c.add(1, o, "ra", ts[at].Stem)
		}
	}
	if right.To+1 < len(ts) {
		c.add(1, o, "rr", ts[right.To].Low, ts[right.To+1].Low)
	}
	for _, end := range []struct {
		name string
		at   Mention
	}{{"hc", cause}, {"he", effect}} {
		head := ts[end.at.To-1]
		c.add(1, end.name, head.Stem)
		c.add(1, end.name+"x", head.Low[max(len(head.Low)-3, 0):])
	}
	s.pairFlags(&c, o, left, right)
	return c.vector(dimensions)
}

// between adds the words between the two.
func (c *collector) between(o string, ts []Token) {
	for i, t := range ts {
		c.add(1, o, "bw", t.Low)
		c.add(1, o, "bs", t.Stem)
		c.add(1, "bu", t.Stem)
		if i > 0 {
			c.add(1, o, "bb", ts[i-1].Stem, t.Stem)
		}
		if i > 1 {
			c.add(1, o, "bt", ts[i-2].Stem, ts[i-1].Stem, t.Stem)
			c.add(1, o, "bk", ts[i-2].Stem, t.Stem)
		}
	}
	n := len(ts)
	if n == 0 {
		return
	}
	c.add(1, o, "b1", ts[0].Stem)
	c.add(1, o, "bz", ts[n-1].Stem)
	c.add(1, o, "b1z", ts[0].Stem, ts[n-1].Stem)
	if n > 1 {
		c.add(1, o, "bzz", ts[n-2].Stem, ts[n-1].Stem)
	}
	if n <= 5 {
		var whole strings.Builder
		for _, t := range ts {
			whole.WriteString(t.Stem + " ")
		}
		c.add(1, o, "ball", whole.String())
	}
}

// pairFlags adds flags for the direction, from the words around and between the two.
func (s *Sentence) pairFlags(c *collector, o string, left, right Mention) {
	has := s.has(left.To, right.From)
	for cl := range classes {
		if has[cl] {
			c.add(2, o, "Rb", classNames[cl])
		}
	}
	passive := s.passive(left.To, right.From)
	verb := s.causalWord(left.To, right.From)
	switch {
	case passive && verb:
		c.add(3, o, "passcue")
	case verb:
		c.add(3, o, "actcue")
	}
	if passive {
		c.add(2, o, "pass")
	}
	if has[back] {
		c.add(2, o, "backcue")
	}
	if s.causalWord(max(left.From-4, 0), left.From) {
		c.add(2, o, "leftcue")
	}
	if s.causalWord(right.To, min(right.To+4, len(s.Tokens))) {
		c.add(2, o, "rightcue")
	}
}

// passive reports whether tokens from..to contain a participle with "by" at most two words after
// it.
func (s *Sentence) passive(from, to int) bool {
	for i := from; i < to; i++ {
		if !participle(s.Tokens[i].Low) {
			continue
		}
		for j := i + 1; j < to && j <= i+3; j++ {
			if s.Tokens[j].Low == "by" {
				return true
			}
		}
	}
	return false
}

func participle(word string) bool {
	for _, ending := range []string{"ed", "en", "wn", "ught"} {
		if strings.HasSuffix(word, ending) && len(word) > len(ending)+1 {
			return true
		}
	}
	return word == "led" || word == "made"
}

// causalStems are stems of verbs and nouns for bringing something about.
var causalStems = stemsOf("cause lead led result trigger induce produce generate provoke create spark prompt bring brought give gave contribute " +
	"responsible effect emit radiate inflict deliver")

func stemsOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, t := range tokens(words) {
		out[t.Stem] = true
	}
	return out
}

func (s *Sentence) causalWord(from, to int) bool {
	return slices.ContainsFunc(s.Tokens[from:to], func(t Token) bool { return causalStems[t.Stem] })
}

// Locate finds two phrases in a sentence, word for word: the nearest pair without overlap.
func Locate(s *Sentence, cause, effect string) (c, e Mention, ok bool) {
	return nearest(Phrase(s, cause), Phrase(s, effect))
}
