package obligation

import (
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// An Asked is a question with the weight of each of its words among the rules that could answer it.
type Asked struct {
	in      text.Language
	words   []SubjectWord
	weights []float64
	value   bool // asks for a number, a time or a sum
}

// Weights of a question's word by its place.
const (
	besideQuote  = .8  // in the label or the lead-in, or before a sentence that depends on it
	beforeQuote  = .2  // before any other sentence, in the same block
	aboveQuote   = .55 // in the headings and the title
	absentWeight = .8  // factor for a word that no rule has: it may be worded differently
	noValue      = .6  // factor for a rule without the requested number or time
)

// asksValue matches a question for a number, a time or a sum.
var asksValue = pattern.New(`(?i)\bhow\s+(?:long|soon|fast|quickly|often|many|much|old|high|far|late|early)\b|\bwhen\b|\bwhat\s+(?:time|day|age|fee|price|deadline)|\bwie\s+(?:lange|viele?|oft|hoch|schnell|teuer)|\bwann\b|combien|\bquand\b|cu[aá]nt[oa]s?\b|\bcu[aá]ndo\b|\bquant[oiae]\b|\bquando\b|\bhoe\s+(?:lang|veel|vaak|snel)|\bwanneer\b|いつ|何日|何時|いくら|多少|多久|几天`)

// A Place is a rule with its context.
type Place struct {
	Quote  string
	Beside string // label and lead-ins
	Before string // the text before it in its block
	Above  string // headings and title
}

// Weigh reads a question. The rules that could answer it decide which of its words are rare.
func Weigh(question string, rules []Place) Asked {
	a := Asked{in: text.LanguageOf(question), words: Subject(question)}
	if at := asksValue.FindStringIndex(question); at != nil {
		a.value = true
		if rest := slices.DeleteFunc(slices.Clone(a.words), func(w SubjectWord) bool { return at[0] <= w.Start && w.End <= at[1] }); len(rest) > 0 {
			a.words = rest
		}
	}
	a.weights = make([]float64, len(a.words))
	df := make([]float64, len(a.words))
	for _, r := range rules {
		has := a.stems(r.Quote + "\n" + r.Beside)[0]
		for i, w := range a.words {
			if a.has(has, w.Stem) {
				df[i]++
			}
		}
	}
	n := float64(len(rules))
	for i := range a.words {
		a.weights[i] = (.5 + math.Log(1+(n-df[i]+.5)/(math.Max(df[i], 1)+.5)))
		if df[i] == 0 {
			a.weights[i] *= absentWeight
		}
	}
	return a
}

func (a Asked) stems(texts ...string) []map[string]bool {
	out := make([]map[string]bool, len(texts))
	for i, t := range texts {
		out[i] = map[string]bool{}
		for _, s := range a.in.Terms(t) {
			out[i][s] = true
		}
	}
	return out
}

// Relevance is how much of the question a rule covers, from 0 to 1.
func (a Asked) Relevance(r Place) float64 {
	in := a.stems(r.Quote, r.Beside, r.Above, r.Before)
	before := beforeQuote
	if needs(r.Quote) {
		before = besideQuote
	}
	sum, all := 0.0, 0.0
	own := false
	for i, w := range a.words {
		all += a.weights[i]
		switch {
		case a.has(in[0], w.Stem):
			sum += a.weights[i]
			own = true
		case a.has(in[1], w.Stem):
			sum += besideQuote * a.weights[i]
			own = true
		case before > aboveQuote && a.has(in[3], w.Stem):
			sum += before * a.weights[i]
			own = true
		case a.has(in[2], w.Stem):
			sum += aboveQuote * a.weights[i]
		case a.has(in[3], w.Stem):
			sum += before * a.weights[i]
		}
	}
	if all == 0 || !own {
		return 0
	}
	if has, _ := plainTraits(r.Quote); a.value && !has[value] {
		sum *= noValue
	}
	return sum / all
}

// pronoun matches a word that refers back.
var pronoun = words(`it|they|them|this|these|those|such|its|their|er|sie|es|dies|ils?|elles?|lo|los|la|esso|ele|ela|het|zij|deze`)

// needs reports whether a sentence depends on the previous text: it has a pronoun, or no subject.
func needs(s string) bool {
	has, n := plainTraits(s)
	return pronoun.MatchString(s) || leans.MatchString(s) || has[fragment] && n < 12
}

// Least is the minimum relevance of a rule: half for a short question, less for a long one, and at
// least a share of the best rule's.
func (a Asked) Least(best float64) float64 {
	const few, some, most, ofBest = 4, .1, .48, .7
	short := math.Min(1, few/float64(max(len(a.words), 1)))
	return math.Max(some+(most-some)*short*short, ofBest*best)
}

// compounding are languages that write compounds as one word.
var compounding = map[text.Language]bool{"de": true, "nl": true, "sv": true, "da": true, "no": true, "fi": true}

// has reports whether a set contains a stem, one of its family, or a compound with it.
func (a Asked) has(set map[string]bool, stem string) bool {
	if Within(set, stem) {
		return true
	}
	for s := range set {
		if compounding[a.in] && len(stem) >= leastPrefix && strings.Contains(s, stem) {
			return true
		}
	}
	return false
}

// leastPrefix is the minimum length of the shorter of two stems of one family, such as "hospit" and
// "hospital", when one begins with the other.
const leastPrefix = 5

// Within reports whether a set contains a stem, or one of its family.
func Within(set map[string]bool, stem string) bool {
	if set[stem] {
		return true
	}
	for s := range set {
		if min(len(s), len(stem)) >= leastPrefix && (strings.HasPrefix(s, stem) || strings.HasPrefix(stem, s)) {
			return true
		}
	}
	return false
}
