package mcq

import (
	"example.com/assay/eval/metrics"
	"math"
	"slices"
	"strings"

	"example.com/assay/eval/retrieval"
	"example.com/assay/memory/text"
)

// tail is the length, in runes, of the end of a question that is compared with the choices.
const tail = 250

// A value is something that is measured of each choice. Large ones, sums of idf
// and counts, enter the model at a tenth.
type value struct {
	name  string
	large bool
}

// measured are the values of a choice, in the order of measure. The first ten need
// a passage; the others are the choice's style.
var measured = []value{
	{"term score", true}, {"overlap", true}, {"coverage", false}, {"coverage of the proposition", false},
	{"coverage of own words", false}, {"own words held", true}, {"own words held and not in the facts", true},
	{"shared pairs", true}, {"best sentence", false}, {"denial agrees", false},
	{"own words missing", true}, {"proposition denies", false}, {"outcome denies", false},
	{"overlap with the facts", false}, {"overlap with the question's end", false},
	{"length", false}, {"length of the proposition", false}, {"length of the outcome", false},
}

// features returns a row for each choice: each value as its z-score over the choices, as its
// difference from their mean, and as a flag of being the only largest; then the class of the
// connective, the number of choices with the same outcome, whether the choice speaks of several at
// once, and, in one column per stem of words, which stems it has.
func features(x *lexicon, in input, words map[string]int) [][]float64 {
	list := make([]wording, len(in.Choices))
	for i, c := range in.Choices {
		list[i] = split(c.Text)
	}
	for i := range list {
		for _, t := range list[i].distinct {
			others := 0
			for _, w := range list {
				if _, held := slices.BinarySearch(w.distinct, t); held {
					others++
				}
			}
			if others == 1 {
				list[i].own = append(list[i].own, t)
			}
		}
	}
	values := valuesOf(x, in, list)
	rows := make([][]float64, len(list))
	for j, v := range measured {
		column := make([]float64, len(list))
		for i := range list {
			column[i] = values[i][j]
		}
		spread(rows, column, v.large)
	}
	for i, w := range list {
		class := make([]float64, len(connectives)+1)
		class[w.connective] = 1
		sharing := make([]float64, 4)
		alike := 0
		for _, other := range list {
			if slices.Equal(text.Terms(w.outcome, nil), text.Terms(other.outcome, nil)) {
				alike++
			}
		}
		sharing[min(alike, len(sharing))-1] = 1
		has := make([]float64, len(words))
		for _, t := range text.Terms(in.Choices[i].Text, nil) {
			if column, known := words[t]; known {
				has[column] = 1
			}
		}
		rows[i] = slices.Concat(rows[i], class, sharing, []float64{metrics.One(pooling.MatchString(in.Choices[i].Text))}, has)
	}
	return rows
}

// vocabulary gives each stem of the questions' choices a column.
func vocabulary(questions []Question) map[string]int {
	var all []string
	for _, q := range questions {
		for _, c := range texts(q) {
			all = append(all, text.Terms(c, nil)...)
		}
	}
	out := map[string]int{}
	for i, t := range set(all) {
		out[t] = i
	}
	return out
}

// spread appends a value of each choice relative to the others to the rows.
func spread(rows [][]float64, column []float64, large bool) {
	n := float64(len(column))
	mean, variance := 0.0, 0.0
	for _, v := range column {
		mean += v / n
	}
	for _, v := range column {
		variance += (v - mean) * (v - mean) / n
	}
	scale := 1.0
	if large {
		scale = .1
	}
	top := slices.Max(column)
	tops := 0
	for _, v := range column {
		if v > top-1e-9 {
			tops++
		}
	}
	for i, v := range column {
		rows[i] = append(rows[i], (v-mean)/(math.Sqrt(variance)+.001), (v-mean)*scale, metrics.One(tops == 1 && v > top-1e-9))
	}
}

// valuesOf measures each choice, in the order of measured.
func valuesOf(x *lexicon, in input, list []wording) [][]float64 {
	tf, pairs := map[string]int{}, map[[2]string]bool{}
	var sentences []sentence
	for _, source := range in.Sources {
		terms := text.Terms(source.Title+"\n"+source.Text, retrieval.LuceneStops)
		for _, t := range terms {
			tf[t]++
		}
		for i := 1; i < len(terms); i++ {
			pairs[[2]string{terms[i-1], terms[i]}] = true
		}
		for _, span := range text.Sentences(source.Text) {
			s := source.Text[span.Start:span.End]
			held := set(text.Terms(s, retrieval.LuceneStops))
			sentences = append(sentences, sentence{held, math.Sqrt(x.sum(held, nil) + 5), denies.MatchString(s)})
		}
	}
	question := []rune(in.Question)
	facts := set(text.Terms(in.Question, retrieval.LuceneStops))
	end := set(text.Terms(string(question[max(0, len(question)-tail):]), retrieval.LuceneStops))
	inPassages := func(t string) bool { return tf[t] > 0 }
	inFacts, atEnd := within(facts), within(end)

	out := make([][]float64, len(list))
	for i, w := range list {
		score := 0.0
		for _, t := range w.distinct {
			score += x.idf(t) * math.Log1p(float64(tf[t]))
		}
		shared := map[[2]string]bool{}
		for k := 1; k < len(w.terms); k++ {
			if pair := [2]string{w.terms[k-1], w.terms[k]}; pairs[pair] {
				shared[pair] = true
			}
		}
		denied := denies.MatchString(w.proposition)
		best, agrees := 0.0, 0.0
		for _, s := range sentences {
			if v := x.sum(w.distinct, within(s.terms)) / s.norm; v > best {
				best, agrees = v, metrics.One(denied == s.denies)
			}
		}
		proposition := set(text.Terms(w.proposition, retrieval.LuceneStops))
		out[i] = []float64{
			score, x.sum(w.distinct, inPassages), x.share(w.distinct, inPassages), x.share(proposition, inPassages),
			x.share(w.own, inPassages), x.sum(w.own, inPassages),
			x.sum(w.own, func(t string) bool { return inPassages(t) && !inFacts(t) }),
			float64(len(shared)), best, agrees,
			x.sum(w.own, func(t string) bool { return !inPassages(t) && !inFacts(t) }),
			metrics.One(denied), metrics.One(denies.MatchString(w.outcome)),
			x.share(w.distinct, inFacts), x.share(w.distinct, atEnd),
			length(in.Choices[i].Text), length(w.proposition), length(w.outcome),
		}
	}
	return out
}

type sentence struct {
	terms  []string
	norm   float64 // √(Σ idf + 5)
	denies bool
}

// within returns a function that reports whether a sorted list contains a term.
func within(terms []string) func(term string) bool {
	return func(term string) bool { _, held := slices.BinarySearch(terms, term); return held }
}

func length(s string) float64 { return math.Log1p(float64(len(strings.Fields(s)))) }
