package obligation

import (
	"math"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// An Asked is a question with how much each of its words says among the rules that could
// answer it.
type Asked struct {
	in      text.Language
	words   []SubjectWord
	weights []float64
	value   bool // asks for a number, a time or a sum
}

// What a word of the question counts for by its place.
const (
	besideQuote = .8  // in the label or the lead-in, or before a sentence that leans on it
	beforeQuote = .2  // before any other, in the same block
	aboveQuote  = .55 // in the headings and the title
	noValue     = .6  // times the relevance of a rule without the number or time that is asked for
)

// asksValue is a question whose answer is a number, a time or a sum.
var asksValue = pattern.New(`(?i)\bhow\s+(?:long|soon|fast|quickly|often|many|much|old|high|far|late|early)\b|\bwhen\b|\bwhat\s+(?:time|day|age|fee|price|deadline)|\bwie\s+(?:lange|viele?|oft|hoch|schnell|teuer)|\bwann\b|combien|\bquand\b|cu[aá]nt[oa]s?\b|\bcu[aá]ndo\b|\bquant[oiae]\b|\bquando\b|\bhoe\s+(?:lang|veel|vaak|snel)|\bwanneer\b|いつ|何日|何時|いくら|多少|多久|几天`)

// A Place is a rule and what stands around it.
type Place struct {
	Quote  string
	Beside string // label and lead-ins
	Before string // what its block says before it
	Above  string // headings and title
}

// Weigh reads a question. The rules that could answer it say which of its words are rare.
func Weigh(question string, rules []Place) Asked {
	a := Asked{in: text.LanguageOf(question), words: Subject(question), value: asksValue.MatchString(question)}
	a.weights = make([]float64, len(a.words))
	df := make([]float64, len(a.words))
	for _, r := range rules {
		has := a.stems(r.Quote + "\n" + r.Beside)[0]
		for i, w := range a.words {
			if Within(has, w.Stem) {
				df[i]++
			}
		}
	}
	n := float64(len(rules))
	for i, w := range a.words {
		a.weights[i] = (.5 + math.Log(1+(n-df[i]+.5)/(math.Max(df[i], 1)+.5))) * float64(min(len(w.Stem), 8))
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

// Relevance is how much of the question a rule speaks of, from 0 to 1.
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
		case Within(in[0], w.Stem):
			sum += a.weights[i]
			own = true
		case Within(in[1], w.Stem):
			sum += besideQuote * a.weights[i]
			own = true
		case before > aboveQuote && Within(in[3], w.Stem):
			sum += before * a.weights[i]
			own = true
		case Within(in[2], w.Stem):
			sum += aboveQuote * a.weights[i]
		case Within(in[3], w.Stem):
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

// pronoun is a word that stands for something said before.
var pronoun = words(`it|they|them|this|these|those|such|its|their|er|sie|es|dies|ils?|elles?|lo|los|la|esso|ele|ela|het|zij|deze`)

// needs reports whether a sentence is about something that was said before it: it has a
// pronoun, or no subject.
func needs(s string) bool {
	has, n := plainTraits(s)
	return pronoun.MatchString(s) || leans.MatchString(s) || has[fragment] && n < 12
}

// Least is the relevance that a rule needs: half of a short question, less of a long one,
// and a share of what the best of all has.
func (a Asked) Least(best float64) float64 {
	const few, some, most, ofBest = 4, .12, .48, .6
	return math.Max(some+(most-some)*math.Min(1, few/float64(max(len(a.words), 1))), ofBest*best)
}

// leastPrefix is how many letters two stems must share to belong to one family, as "hospit"
// and "hospital", when one begins with the other.
const leastPrefix = 5

// Within reports whether a set has a stem, or one of its family.
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
