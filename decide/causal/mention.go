package causal

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// A Variable is the name of something that varies, prepared for searching sentences.
type Variable struct {
	stems []string // stems of its content words, each once
	head  string   // stem of its head noun
	also  []Variable
}

// kinship is the number of common first letters that make two head nouns forms of one word, such as
// macropinocytosis and macropinosome.
const kinship = 5

// secondName is the weight of a mention by another name; the variable's own name has 1.
const secondName = .9

// Or returns the variable with further names, which are searched for where its own is not found.
// They come from counting words, which places one drug near another. So a name counts only if its
// head noun is the variable's, or has the same beginning.
func (v Variable) Or(names ...string) Variable {
	for _, name := range names {
		if w := NewVariable(name); w.head != "" && (akin(w.head, v.head) || kin(w.head, v.head)) {
			v.also = append(v.also, w)
		}
	}
	return v
}

func kin(a, b string) bool {
	return len(a) >= kinship && len(b) >= kinship && a[:kinship] == b[:kinship]
}

// mentionReach is the maximum distance in tokens from the head noun to the other words.
const mentionReach = 6

// enough is the share of a variable's words that a mention must have.
const enough = .6

// mostStems bounds the words of a variable's name, and mostMentions the places of one phrase in a
// sentence: no real name or sentence has more.
const (
	mostStems    = 24
	mostMentions = 40
)

// NewVariable parses a variable's name. Its head is the last content word before "of", "in",
// "among" or "from", or else the last content word.
func NewVariable(name string) Variable {
	var v Variable
	open := true
	for _, t := range tokens(name) {
		switch t.Low {
		case "of", "in", "among", "from", "with", "during":
			open = open && v.head == ""
			continue
		}
		if text.DocStops.Has(t.Low) || !t.Word && t.Low != "0" {
			continue
		}
		for _, part := range strings.Split(t.Low, "-") {
			stem := text.Stem(strings.TrimSuffix(part, "'s"))
			if stem != "" && !slices.Contains(v.stems, stem) {
				if len(v.stems) == mostStems {
					return v
				}
				v.stems = append(v.stems, stem)
			}
			if open {
				v.head = stem
			}
		}
	}
	return v
}

// akin reports whether two stems belong to one family: they are equal, or one is the beginning of
// the other and at most two letters shorter, as with smoke and smoker.
func akin(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= 4 && len(b)-len(a) <= 2 && strings.HasPrefix(b, a)
}

// A Found is a mention of a variable, with its share of the name.
type Found struct {
	Mention
	Share float64 // share of the variable's words
}

// Mentions returns the mentions of a variable in a sentence: its head noun with enough of its other
// words nearby, including the words in between. If there is none, it looks for the variable's
// further names.
func (s *Sentence) Mentions(v Variable) []Found {
	out := s.named(v)
	for i := 0; i < len(v.also) && len(out) == 0; i++ {
		for _, f := range s.named(v.also[i]) {
			out = append(out, Found{f.Mention, f.Share * secondName})
		}
	}
	return out
}

func (s *Sentence) named(v Variable) []Found {
	var out []Found
	for i, t := range s.Tokens {
		if v.head == "" || !s.holds(t, v.head) {
			continue
		}
		m, n := Mention{i, i + 1}, 1
		for _, stem := range v.stems {
			if stem == v.head {
				continue
			}
			if at, ok := s.near(i, stem); ok {
				n++
				if at >= i-3 && at <= i+3 {
					m.From, m.To = min(m.From, at), max(m.To, at+1)
				}
			}
		}
		if share := float64(n) / float64(len(v.stems)); share >= enough {
			if out = append(out, Found{m, share}); len(out) == mostMentions {
				break
			}
		}
	}
	return out
}

// holds reports whether a token, or a part of it between hyphens, belongs to a stem's family.
func (s *Sentence) holds(t Token, stem string) bool {
	if akin(t.Stem, stem) {
		return true
	}
	if !strings.Contains(t.Low, "-") {
		return false
	}
	for _, part := range strings.Split(t.Low, "-") {
		if akin(text.Stem(part), stem) {
			return true
		}
	}
	return false
}

// near finds a stem around a token, the nearest place first.
func (s *Sentence) near(i int, stem string) (at int, ok bool) {
	for d := range mentionReach + 1 {
		for _, at := range []int{i - d, i + d} {
			if at >= 0 && at < len(s.Tokens) && s.holds(s.Tokens[at], stem) {
				return at, true
			}
		}
	}
	return 0, false
}
