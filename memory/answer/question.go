package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/idf"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/wordnet"
)

// A question is the analysed question.
type question struct {
	lang    text.Language
	terms   []term
	total   float64 // of the terms' weights, without those that no source has
	mass    float64 // of all terms' weights
	forms   []*form // the kinds of answer that it asks for
	wants   wants
	focus   []string // stems of X in "what is X"
	plain   bool     // it asks only what X is
	focusx  string   // X in lower case
	address address
	numbers []counted
	list    bool   // it asks for all of several things
	year    string // that it names, "" for none
}

// A term is a stem of the question.
type term struct {
	stem    string
	weight  float64
	related []string // stems of words that mean nearly the same
	told    bool     // it occurs only in the text before the question
	named   bool     // it is a name, a number or a letter that names something
}

// The weights of a term from the text before the question, and of a term that only says which kind
// of answer is wanted.
const (
	toldShare = .35
	formShare = .5
	sameShare = .15 // of a word that belongs to a recognised form
)

// wordPattern finds words; identifiers and numbers stay whole.
var wordPattern = pattern.New(`[\p{L}\p{N}_]+(?:[.'’][\p{L}\p{N}_]+)*`)

// A reader splits text in the question's language into words.
type reader struct{ lang text.Language }

// stems returns the stems of a text's words in order, without stop words.
func (r reader) stems(s string) []string {
	var out []string
	for _, w := range r.words(s) {
		if !r.small(w) {
			out = append(out, r.stemOf(w))
		}
	}
	return out
}

// words returns the words of a text in lower case; identifiers and numbers stay whole.
func (r reader) words(s string) []string {
	var out []string
	for _, w := range wordPattern.FindAllString(strings.ToLower(s), -1) {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if !text.IsASCII(w) { // composed, and in pieces where a script has no spaces
			for _, t := range text.Tokens(w) {
				out = append(out, r.lang.Word(t.Text))
			}
			continue
		}
		out = append(out, w)
	}
	return out
}

func (r reader) stemOf(w string) string {
	if strings.ContainsAny(w, "_.") {
		return w
	}
	return r.lang.Stem(w)
}

func (r reader) small(w string) bool {
	if r.lang == "" || r.lang == text.English {
		return text.DocStops.Has(w) || asking[w]
	}
	return r.lang.Stops(w)
}

// asking are words in which questions are wrapped.
var asking = text.Set(`whats what's hows how's wheres where's whens whos who's whys does did done please tell know want wants
	need needs use using used i'm im i've ive i'd id don't dont doesn't doesnt can't cant isn't isnt won't wont get got gets
	want thing things way ways mean means meant much many kind sort really actually ever`)

// asked are words that say which kind of answer is wanted.
var asked = text.Set(`default defaults value values maximum max minimum min limit limits number size long large big small old
	most least difference differ between version release released year date place file located location stored called name
	command option example prove win claim plaintiff defendant element elements rule requirement requirements law legal`)

func parse(q string) *question {
	told, asks := split(q)
	r := reader{text.LanguageOf(q)}
	out := &question{lang: r.lang, forms: formsOf(asks), wants: wantsOf(asks), address: addressOf(asks), numbers: countedIn(r, asks), list: asksList.MatchString(asks), year: yearWord.FindString(asks)}
	seen := map[string]bool{}
	add := func(s string, share float64, before bool) {
		named, capitals := namesIn(s), r.capitals(s)
		for _, w := range r.words(s) {
			if r.small(w) && !named[w] || seen[r.stemOf(w)] {
				continue
			}
			stem := r.stemOf(w)
			seen[stem] = true
			weight := rarity(stem) * share
			if len(w) == 1 && named[w] {
				weight = rarest * share
			}
			if asked[w] {
				weight *= formShare
				if slices.ContainsFunc(out.forms, func(f *form) bool { return f.explains[w] }) {
					weight *= sameShare
				}
			}
			t := term{stem: stem, weight: weight, related: r.related(w), told: before}
			t.named = !before && (named[w] || t.exact() || capitals[w])
			out.terms = append(out.terms, t)
			out.total += weight
			out.mass += weight
		}
	}
	add(asks, 1, false)
	add(told, toldShare, true)
	out.focusx, out.focus = focusOf(r, asks)
	out.plain = len(out.focus) > 0 && asksPlainly.MatchString(asks) && !asksOfThe.MatchString(asks)
	return out
}

// Ready loads the data that the first question would otherwise wait for.
func Ready() { wordnet.Known("") }

// related returns the stems of English words that mean nearly the same.
func (r reader) related(w string) []string {
	if r.lang != "" && r.lang != text.English {
		return nil
	}
	var out []string
	for _, base := range wordnet.Bases(w) {
		for _, list := range [][]string{wordnet.Synonyms(base), wordnet.Derived(base), wordnet.Hypernyms(base)} {
			for _, o := range list {
				if !r.small(o) {
					out = append(out, r.stemOf(o))
				}
			}
		}
	}
	return text.Distinct(out)
}

// capitals returns, in lower case, the words within a text that begin with a capital letter; none
// for German, which capitalises all nouns.
func (r reader) capitals(s string) map[string]bool {
	out := map[string]bool{}
	if r.lang == "de" {
		return out
	}
	for i, w := range wordPattern.FindAllString(s, -1) {
		if c, _ := utf8.DecodeRuneInString(w); i > 0 && unicode.IsUpper(c) {
			w = strings.ToLower(w)
			out[strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")] = true
		}
	}
	return out
}

// namesIn are the single capital letters inside a text, in lower case: "grade A", "gate D".
func namesIn(s string) map[string]bool {
	out := map[string]bool{}
	for _, at := range singleLetter.FindAllStringSubmatchIndex(s, -1) {
		if w := s[at[2]:at[3]]; w != "I" || at[1] == len(s) {
			out[strings.ToLower(w)] = true
		}
	}
	return out
}

var singleLetter = pattern.New(`[\pL\pN,] (\p{Lu})(?:[ ?.,!;:)]|$)`)

// asksList finds questions for all of several things.
var asksList = pattern.New(`(?i)^(?:which|what)(?: \pL+){0,3} (?:are|were|have|do|can|may|should|must|belong|come)\b|\b(?:list|all|every|each of)\b|^what (?:do i|should i|must i|can i|to) (?:bring|pack|need)|^(?:welche|quels|quelles|cuáles|qué|quali|quais|welke)\b`)

// split separates the story from the sentence that asks: the last with a question
// mark, else the last.
func split(q string) (told, asks string) {
	spans := text.Sentences(q)
	if len(spans) == 0 {
		return "", q
	}
	at := len(spans) - 1
	for i, s := range spans {
		if strings.HasSuffix(q[s.Start:s.End], "?") {
			at = i
		}
	}
	for i, s := range spans {
		if i != at {
			told += q[s.Start:s.End] + " "
		}
	}
	return told, q[spans[at].Start:spans[at].End]
}

// rarity is the inverse document frequency of a stem in general text. Identifiers get the greatest
// value.
func rarity(stem string) float64 {
	if strings.ContainsAny(stem, "_.0123456789") {
		return rarest
	}
	return min(idf.Default().Of(stem), rarest)
}

const rarest = 8.5

// defining finds X in "what is X", "whats a X", "what does X mean", "define X",
// "meaning of X".
var defining = pattern.New(`(?i)^\s*(?:so |and |but |ok |please )*(?:what(?:'s|’s|s| is| are| exactly is)|who is|define|explain|meaning of|what does|what do you call)\s+(?:exactly\s+)?(?:an?\s+|the\s+)?(.{2,60}?)(?:\s+(?:mean|stand for|refer to))?\s*\??\s*$`)

// limits cut a definition's subject: "a lien in property law".
var subjectEnd = pattern.New(`(?i)\s+(?:in|on|for|with|of|when|and what|used for)\s`)

// asksPlainly matches questions for the meaning of a word alone.
var asksPlainly = pattern.New(`(?i)^\s*(?:what(?:'s|’s| is| are)\s+(?:an?\s+)?(?:\S+\s*){1,3}\?*|who(?:'s|’s| is| was)\s+(?:the\s+|an?\s+)?(?:\S+\s*){1,2}\?*|what does .{2,40} mean\s*\??|define .{2,40})\s*$`)

// asksOfThe matches questions for a known thing: "What is the fee?"
var asksOfThe = pattern.New(`(?i)^\s*what(?:'s|’s| is| are)\s+(?:the|my|our|your|this|that|their|his|her)\b`)

func focusOf(r reader, asks string) (string, []string) {
	m := defining.FindStringSubmatch(asks)
	if m == nil {
		return "", nil
	}
	x := m[1]
	if at := subjectEnd.FindStringIndex(x); at != nil && at[0] > 1 {
		x = x[:at[0]]
	}
	list := r.stems(x)
	if len(list) == 0 || len(list) > 4 {
		return "", nil
	}
	return strings.ToLower(strings.Trim(x, `"“”'?`)), list
}
