package mcq

import (
	"math"
	"slices"
	"strings"

	"example.com/assay/eval/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// connectives are the classes of words that join a choice's outcome to its proposition; class 0 is
// none.
var connectives = []string{
	"because|on the ground that", "only if", "if", "unless|until", "since|as", "although|even though|even if",
	"provided that|provided|as long as|so long as", "under|when|where|but",
}

var (
	joins   = pattern.New(`(?i)\b(` + strings.Join(longestFirst(connectives), "|") + `)\b`)
	pooling = pattern.New(`(?i)\b(neither|both|none of)\b`)
	denies  = pattern.New(`(?i)\b(not|no|never|cannot|neither|nor|none|without|nothing)\b|n['’]t\b`)
)

// longestFirst splits classes into words so that "as long as" is tried before "as".
func longestFirst(classes []string) []string {
	out := strings.Split(strings.Join(classes, "|"), "|")
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// A wording is a choice as its features see it.
type wording struct {
	outcome, proposition string // without a connective the proposition is the whole choice
	connective           int
	terms                []string // stems in order
	distinct             []string // sorted
	own                  []string // distinct ones that no other choice has
}

// split parts a choice at its first connective, if that lies in its first three
// quarters.
func split(choice string) wording {
	w := wording{outcome: choice, proposition: choice, terms: text.Terms(choice, retrieval.LuceneStops)}
	w.distinct = set(w.terms)
	at := joins.FindStringIndex(choice)
	if at == nil || at[0] > len(choice)*3/4 {
		return w
	}
	found := strings.ToLower(choice[at[0]:at[1]])
	w.connective = 1 + slices.IndexFunc(connectives, func(class string) bool { return slices.Contains(strings.Split(class, "|"), found) })
	w.outcome, w.proposition = choice[:at[0]], choice[at[1]:]
	return w
}

// set sorts terms and drops repeats.
func set(terms []string) []string { return slices.Compact(slices.Sorted(slices.Values(terms))) }

// A lexicon weighs stems by the passages of a dataset:
// idf = ln(1 + (N − df + ½)/(df + ½)).
type lexicon struct {
	passages float64
	df       map[string]int
}

func newLexicon(d *Dataset) *lexicon {
	x := &lexicon{float64(len(d.Passages)), map[string]int{}}
	for _, p := range d.Passages { // counts: the order does not matter
		for _, t := range set(text.Terms(p.Title+"\n"+p.Text, retrieval.LuceneStops)) {
			x.df[t]++
		}
	}
	return x
}

func (x *lexicon) idf(term string) float64 {
	df := float64(x.df[term])
	return math.Log1p((x.passages - df + .5) / (df + .5))
}

// sum adds up the idf of the terms for which keep returns true; nil keeps all.
func (x *lexicon) sum(terms []string, keep func(term string) bool) float64 {
	out := 0.0
	for _, t := range terms {
		if keep == nil || keep(t) {
			out += x.idf(t)
		}
	}
	return out
}

// share is the share of the terms' idf for which keep returns true.
func (x *lexicon) share(terms []string, keep func(term string) bool) float64 {
	return x.sum(terms, keep) / (x.sum(terms, nil) + 1)
}
