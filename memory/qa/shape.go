package qa

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Two questions that differ in one word are usually two questions ("the duty of the agent", "the
// duty to the agent"), and vectors do not show it: at a cosine of .92 every second hit is wrong. So
// instead of looking for differences known to matter, the comparison allows those known not to:
// wrapping ("can you tell me …"), articles, plurals, contractions, "do", the position of a modal,
// ways to ask for a definition, "elements of battery" for "battery elements", a short list of
// synonyms, and other wordings of a whole question (rephrase.go). Everything else has to be the
// same, in the same order.

// A shape is a question without these differences.
type shape struct {
	asks  string   // the question word; empty for yes or no
	lead  string   // the modal of the main clause
	be    string   // "present" or "past" when the question holds a form of "be"
	past  bool     // it holds "did"
	words []string // everything else that bears meaning, in order
}

// subject returns the content words of a question as typed, for an embedder. Function words and
// polite phrases would only distort the similarity.
func subject(q string) string {
	if words := subjectWords(q); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return q
}

func subjectWords(q string) []string {
	words, _ := unwrap(questionWords(q))
	var out []string
	for _, w := range words {
		if !closed.has(w) && !askWords.has(w) && !ignored.has(w) && !modals.has(w) && w != "definition" && w != "meaning" {
			out = append(out, w)
		}
	}
	return out
}

// same reports whether two questions ask the same. A question without words is never the same.
func (s shape) same(t shape) bool {
	return len(s.words) > 0 && s.asks == t.asks && s.lead == t.lead && s.be == t.be && s.past == t.past &&
		slices.Equal(s.words, t.words)
}

// questionKey folds differences that never matter: case (except for words that mean something else
// in capitals), spaces, typographic signs, contractions and punctuation.
func questionKey(q string) string { return strings.Join(questionWords(q), " ") }

// shapeOf reads a question.
func shapeOf(q string) shape {
	words, imperative := unwrap(questionWords(unfront(q)))
	if imperative == "" {
		if words = rephrase(words); len(words) > 1 && words[0] == "define" {
			words, imperative = words[1:], "define"
		}
	}
	if s, ok := definition(words, imperative); ok {
		return s
	}
	var s shape
	if len(words) > 0 && askWords.has(words[0]) {
		s.asks, words = ask(words[0]), words[1:]
	}
	if imperative != "" && s.asks == "" { // "list the elements of …"
		if !slices.ContainsFunc(words, func(w string) bool { return headNouns.has(canonical(w)) }) {
			return shape{}
		}
		s.asks, s.be = "which", "present"
	}
	s.lead, words = leadModal(words, s.asks != "")
	for i, w := range words {
		switch {
		case w == "is" || w == "are" || w == "am":
			s.be = mix(s.be, "present")
		case w == "was" || w == "were":
			s.be = mix(s.be, "past")
		case w == "did":
			s.past = true
		case w == "do" || w == "does" || ignored.has(w):
		case w == "'s" && i+1 < len(words) && headNouns.has(canonical(words[i+1])):
		default:
			s.words = append(s.words, canonical(w))
		}
	}
	s.words = headsLast(s.words)
	return s
}

// mix distinguishes questions that contain both tenses of "be".
func mix(was, is string) string {
	if was != "" && was != is {
		return "both"
	}
	return is
}

// ask returns the class of a question word.
func ask(w string) string {
	if w == "what" {
		return "which" // "what court" and "which court"
	}
	return w
}

// unwrap removes the polite phrases around a question. The second result is the imperative ("list",
// "explain") if the rest begins with one.
func unwrap(words []string) ([]string, string) {
	all := words
	skip := func(prefix ...string) bool {
		if len(words) >= len(prefix) && slices.Equal(words[:len(prefix)], prefix) {
			words = words[len(prefix):]
			return true
		}
		return false
	}
	_ = skip("hi") || skip("hello")
	skip("please")
	polite := skip("can", "you") || skip("could", "you") || skip("would", "you") || skip("will", "you")
	skip("please")
	verb := ""
	switch {
	case skip("i", "want", "to", "know"), skip("i", "would", "like", "to", "know"), skip("i", "need", "to", "know"),
		skip("do", "you", "know"), skip("i", "wonder"), skip("i", "am", "wondering"):
		verb = "tell"
	case len(words) > 0 && imperatives.has(words[0]):
		verb, words = words[0], words[1:]
		_ = skip("to", "me") || skip("me") || skip("us")
	case polite:
		return all, ""
	}
	for len(words) > 0 && (words[len(words)-1] == "please" || words[len(words)-1] == "thanks") {
		words = words[:len(words)-1]
	}
	if verb == "" {
		return words, ""
	}
	switch {
	case len(words) > 0 && (askWords.has(words[0]) || verb == "tell" && begins.has(words[0])):
		return words, ""
	case skip("whether"), skip("if"):
		return words, ""
	case verb == "tell": // "tell me about …" asks for something else
		return all, ""
	}
	return words, verb
}

// definition recognises the ways to ask for a definition: "what is battery", "what does battery
// mean", "define battery", "what is the meaning of battery".
func definition(words []string, imperative string) (shape, bool) {
	is := func(i int, any ...string) bool { return i < len(words) && slices.Contains(any, words[i]) }
	var thing []string
	n := len(words)
	switch {
	case imperative == "define":
		thing = words
	case imperative != "" && is(0, "the") && is(1, "meaning", "definition") && is(2, "of"):
		thing = words[3:]
	case is(0, "how") && is(1, "is", "are") && n > 3 && words[n-1] == "defined":
		thing = words[2 : n-1]
	case is(0, "what") && is(1, "does", "do") && n > 3 && words[n-1] == "mean":
		thing = words[2 : n-1]
	case is(0, "what") && is(1, "is") && is(2, "the") && is(3, "meaning", "definition") && is(4, "of"):
		thing = words[5:]
	case is(0, "what") && is(1, "is", "are") && !is(2, "the"):
		thing = words[2:]
	case is(0, "what") && n > 2 && is(n-1, "is", "are") && is(1, "a", "an"):
		thing = words[1 : n-1]
	}
	s := shape{asks: "definition"}
	for _, w := range thing {
		// Only a plain name is defined: "what is owed by a tenant" is another question, and so is
		// "what are the elements".
		if closed.has(w) || askWords.has(w) || modals.has(w) || headNouns.has(canonical(w)) || strings.HasSuffix(w, "ed") {
			return shape{}, false
		}
		if !ignored.has(w) {
			s.words = append(s.words, canonical(w))
		}
	}
	return s, len(s.words) > 0
}

// leadModal removes the modal of the main clause from its place: first ("must a landlord …"), after
// the subject of a clause ("what a landlord must …"), or as "have to" after "does".
func leadModal(words []string, asked bool) (string, []string) {
	if len(words) == 0 {
		return "", words
	}
	if modals.has(words[0]) {
		return words[0], words[1:]
	}
	does := words[0] == "do" || words[0] == "does"
	clause := asked && (ignored.has(words[0]) || pronouns[words[0]] != "")
	for i, w := range words {
		switch {
		case askWords.has(w) || w == "that" || w == "if": // another clause begins
			return "", words
		case clause && modals.has(w):
			return w, slices.Concat(words[:i], words[i+1:])
		case does && (w == "have" || w == "need") && i+1 < len(words) && words[i+1] == "to" && !slices.ContainsFunc(words, negations.has):
			return "must", slices.Concat(words[:i], words[i+2:])
		}
	}
	return "", words
}

// headsLast turns "elements of battery" into "battery elements": a general noun with "of" or "for"
// moves after the words up to the next function word.
func headsLast(words []string) []string {
	out := make([]string, 0, len(words))
	for i := 0; i < len(words); i++ {
		if !headNouns.has(words[i]) || i+2 >= len(words) || words[i+1] != "of" && words[i+1] != "for" {
			out = append(out, words[i])
			continue
		}
		j := i + 2
		for j < len(words) && !closed.has(words[j]) && !modals.has(words[j]) && !askWords.has(words[j]) {
			j++
		}
		if j == i+2 {
			out = append(out, words[i])
			continue
		}
		out = append(append(out, words[i+2:j]...), words[i])
		i = j - 1
	}
	return out
}

// wordsIn returns the hashes of a question's content words, each once, in order.
func wordsIn(question string) []int64 {
	var out []int64
	for _, w := range subjectWords(question) {
		if h := hashOf(canonical(w)); !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out[:min(len(out), wordsAtMost)]
}

// hash is a number by which equal shapes are found.
func (s shape) hash() int64 {
	return hashOf(fmt.Sprintf("%q %q %q %t %q", s.asks, s.lead, s.be, s.past, s.words))
}

func hashOf(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:]))
}
