package support

import "math"

// Features of a claim with its evidence. Shares are of the claim's IDF mass, from 0 to 1; counts
// are scaled to about that size.
const (
	covAll      = iota // contained in any sentence
	covUnw             // the same, unweighted
	covSoft            // the same, with similar stems by their similarity
	best1              // contained in the best sentence
	bestGap            // distance to the second best
	bestPos            // position of the best, 0 … 1
	win3               // contained in the best three in a row
	win8               // the same for eight
	greedy3            // contained in three, each adding most
	clauseMin          // of the clause that the best sentences cover least
	local              // mean over terms of the best sentence with the term
	bigram             // consecutive pairs of content words in the evidence
	trigram            // the same of three words, function words too
	order              // longest common subsequence with the best sentence, by the claim's words
	density            // copied fragments, long ones counting more
	fragment           // the longest copied fragment, by the claim's words
	missMax            // the largest missing IDF
	miss2nd            // the second
	missSum            // logarithm of all missing IDF
	missN              // number of missing terms
	lowMiss            // missing share of the words in lower case
	lowMissWin         // missing from the window
	numHas             // the claim has numbers
	numMiss            // share of them missing
	numMissN           // number of them missing
	numMissWin         // share missing from the window
	nameHas            // the same for names
	nameMiss           //
	nameMissN          //
	nameMissWin        //
	quant              // all, only, first …
	quantMiss          // such a word is missing in the window
	signClaim          // the claim has a word of more or less
	signAgree          // the evidence has the same direction
	signOppose         // the evidence has the opposite direction
	nullEv             // the evidence states no difference
	negEv              // the evidence negates
	hedgeEv            // the evidence doubts
	negClaim           // the claim negates
	negMis             // only one of the two negates
	hedgeClaim         // the claim doubts
	hedgeDrop          // the evidence doubts, the claim does not
	causeClaim         // the claim states a cause
	corrClaim          // the claim states a correlation
	length             // of the claim
	evLength           // words of the evidence
	evCount            // sentences of the evidence
	featureCount
)

var featureNames = [featureCount]string{
	covAll: "cov_all", covUnw: "cov_unweighted", covSoft: "cov_soft", best1: "best", bestGap: "best_gap", bestPos: "best_position",
	win3: "window3", win8: "window8", greedy3: "greedy3", clauseMin: "clause_min", local: "local",
	bigram: "bigram", trigram: "trigram", order: "order", density: "density", fragment: "fragment",
	missMax: "miss_max", miss2nd: "miss_second", missSum: "miss_sum", missN: "miss_count", lowMiss: "low_miss", lowMissWin: "low_miss_window",
	numHas: "number", numMiss: "number_miss", numMissN: "number_miss_count", numMissWin: "number_miss_window",
	nameHas: "name", nameMiss: "name_miss", nameMissN: "name_miss_count", nameMissWin: "name_miss_window",
	quant: "quantifier", quantMiss: "quantifier_miss", signClaim: "sign", signAgree: "sign_agrees", signOppose: "sign_opposes",
	nullEv: "evidence_null", negEv: "evidence_negates", hedgeEv: "evidence_hedges", negClaim: "negates", negMis: "negation_differs",
	hedgeClaim: "hedges", hedgeDrop: "hedge_dropped", causeClaim: "causes", corrClaim: "correlates",
	length: "length", evLength: "evidence_length", evCount: "evidence_sentences",
}

// FeatureNames returns the names of Features, in order.
func FeatureNames() []string { return append([]string(nil), featureNames[:]...) }

// Features measures one claim against the evidence, in the order of FeatureNames. The training
// command learns from it.
func (e *Evidence) Features(s string) []float64 { return e.features(e.read(s)) }

func (e *Evidence) features(c *claim) []float64 {
	f := make([]float64, featureCount)
	e.coverage(c, f)
	e.sequence(c, f)
	e.missing(c, f)
	e.signals(c, f)
	f[length] = math.Log(1+float64(len(c.words))) / 4
	f[evLength] = math.Log(1+float64(len(e.stems))) / 8
	f[evCount] = math.Log(1+float64(len(e.sentences))) / 6
	return f
}

func (e *Evidence) coverage(c *claim, f []float64) {
	if c.mass == 0 {
		return
	}
	found := 0
	for _, t := range c.terms {
		if t.found() {
			found++
			f[covAll] += t.idf / c.mass
			most := 0.0
			for _, at := range e.postings[t.id] {
				most = max(most, c.shares[at])
			}
			f[local] += most * t.idf / c.mass
		}
		f[covSoft] += t.soft * t.idf / c.mass
	}
	f[covUnw] = float64(found) / float64(len(c.terms))
	if len(c.order) == 0 {
		return
	}
	f[best1] = c.shares[c.order[0]]
	f[bestGap] = f[best1]
	if len(c.order) > 1 {
		f[bestGap] -= c.shares[c.order[1]]
	}
	f[bestPos] = float64(c.order[0]) / float64(len(e.sentences))
	wide := c.best(8)
	f[win3], f[win8], f[greedy3] = c.share(&c.window), c.share(&wide), c.share(&c.greedy)
	f[clauseMin] = c.worstClause()
}

// worstClause returns the smallest share of a clause, with an IDF mass above 8, in window and
// greedy cover.
func (c *claim) worstClause() float64 {
	held := c.window
	held.join(&c.greedy)
	worst, mass, got, next := 1.0, 0.0, 0.0, 0
	end := func() {
		if mass > 8 {
			worst = min(worst, got/mass)
		}
		mass, got = 0, 0
	}
	for i, w := range c.words {
		if joiners[w.low] || i > 0 && hasAny(c.text[c.words[i-1].end:w.start], ",;:()–—") {
			end()
		}
		if next < len(c.terms) && c.terms[next].at == i {
			mass += c.terms[next].idf
			if next < longest && held.has(next) {
				got += c.terms[next].idf
			}
			next++
		}
	}
	end()
	return worst
}

func hasAny(s, of string) bool {
	for _, r := range s {
		for _, o := range of {
			if r == o {
				return true
			}
		}
	}
	return false
}

// sequence measures whether the evidence has the claim's words in the same order.
func (e *Evidence) sequence(c *claim, f []float64) {
	pairs, triples := 0, 0
	last := -1
	for i, w := range c.words {
		if i > 1 {
			triples++
			if c.ids[i] >= 0 && c.ids[i-1] >= 0 && c.ids[i-2] >= 0 && e.trigrams[pack(c.ids[i-2], c.ids[i-1], c.ids[i])] {
				f[trigram]++
			}
		}
		if w.stop {
			continue
		}
		if last >= 0 {
			pairs++
			if c.ids[i] >= 0 && c.ids[last] >= 0 && e.bigrams[pack(0, c.ids[last], c.ids[i])] {
				f[bigram]++
			}
		}
		last = i
	}
	f[bigram] /= math.Max(float64(pairs), 1)
	f[trigram] /= math.Max(float64(triples), 1)
	if len(c.order) == 0 {
		return
	}
	n := min(len(c.ids), longest)
	best := &e.sentences[c.order[0]]
	f[order] = float64(subsequence(c.ids[:n], best.ids[:min(len(best.ids), longest)])) / float64(n)
	f[density], f[fragment] = e.copied(c.ids[:n], c.order[:min(len(c.order), 12)])
}

// subsequence returns the length of the longest common subsequence.
func subsequence(a, b []int32) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			switch {
			case x == y:
				row[j+1] = diagonal + 1
			case row[j] > above:
				row[j+1] = row[j]
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// copied splits the claim greedily into the longest fragments that occur in the sentences (Grusky,
// Naaman and Artzi, "Newsroom", NAACL 2018). It returns ln(1 + Σ length² / words) / 3, and the
// longest fragment by the number of words.
func (e *Evidence) copied(ids []int32, sentences []int) (density, longestShare float64) {
	sum, top := 0, 0
	for i := 0; i < len(ids); {
		most := 0
		for _, at := range sentences {
			other := e.sentences[at].ids
			for j := range other {
				k := 0
				for i+k < len(ids) && j+k < len(other) && ids[i+k] >= 0 && ids[i+k] == other[j+k] {
					k++
				}
				most = max(most, k)
			}
		}
		sum += most * most
		top = max(top, most)
		i += max(most, 1)
	}
	n := math.Max(float64(len(ids)), 1)
	return math.Log(1+float64(sum)/n) / 3, float64(top) / n
}

// missing measures what the evidence, or its best window, lacks.
func (e *Evidence) missing(c *claim, f []float64) {
	var low, lowMissed, lowWindow float64
	var numbers, numbersMissed, numbersWindow, names, namesMissed, namesWindow float64
	total, count := 0.0, 0.0
	for i, t := range c.terms {
		missed, outside := 1-t.soft, 0.0
		count += missed
		total += missed * t.idf
		if m := missed * t.idf / 10; m > f[missMax] {
			f[miss2nd], f[missMax] = f[missMax], m
		} else {
			f[miss2nd] = math.Max(f[miss2nd], m)
		}
		if i >= longest || !c.window.has(i) {
			outside = min(1, missed+.5)
			if t.found() {
				outside = 1
			}
		}
		switch {
		case t.number:
			numbers, numbersMissed, numbersWindow = numbers+1, numbersMissed+missed, numbersWindow+outside
		case t.name:
			names, namesMissed, namesWindow = names+1, namesMissed+missed, namesWindow+outside
		default:
			low, lowMissed, lowWindow = low+t.idf, lowMissed+missed*t.idf, lowWindow+outside*t.idf
		}
	}
	f[missSum] = math.Log(1+total) / 3
	f[missN] = math.Min(count, 8) / 8
	f[lowMiss], f[lowMissWin] = ratio(lowMissed, low), ratio(lowWindow, low)
	f[numHas], f[nameHas] = math.Min(numbers, 1), math.Min(names, 1)
	f[numMiss], f[numMissN], f[numMissWin] = ratio(numbersMissed, numbers), math.Min(numbersMissed, 3)/3, ratio(numbersWindow, numbers)
	f[nameMiss], f[nameMissN], f[nameMissWin] = ratio(namesMissed, names), math.Min(namesMissed, 4)/4, ratio(namesWindow, names)
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// signals measures directions, negation, doubt and quantifiers in the claim and in the three
// sentences with most of it.
func (e *Evidence) signals(c *claim, f []float64) {
	said, negs := signs(c.words)
	sign := 0
	for _, s := range said {
		sign += s.sign
	}
	if sign != 0 {
		f[signClaim] = 1
	}
	if len(negs) > 0 {
		f[negClaim] = 1
	}
	asked := map[string]bool{}
	for _, w := range c.words {
		if quantifiers[w.low] {
			f[quant] = 1
			asked[w.low] = true
		}
		f[hedgeClaim] = math.Max(f[hedgeClaim], truth(w.hedges))
		f[causeClaim] = math.Max(f[causeClaim], truth(causes[w.low]))
		f[corrClaim] = math.Max(f[corrClaim], truth(correlations[w.low]))
	}
	ids := map[int32]bool{}
	for _, t := range c.terms {
		if t.found() {
			ids[t.id] = true
		}
	}
	for _, at := range c.order[:min(len(c.order), 3)] {
		share := c.shares[at]
		if share < .15 {
			break
		}
		s := &e.sentences[at]
		net := 0
		for _, w := range s.signed {
			if s.near(w.at, ids, 5) {
				net += w.sign
			}
		}
		switch {
		case net*sign > 0:
			f[signAgree] += share
		case net*sign < 0:
			f[signOppose] += share
		}
		f[nullEv] = math.Max(f[nullEv], share*truth(s.null))
		f[negEv] = math.Max(f[negEv], share*truth(len(s.negs) > 0))
		f[hedgeEv] = math.Max(f[hedgeEv], share*truth(s.hedged))
		for _, w := range s.words {
			delete(asked, w.low)
		}
	}
	f[quantMiss] = truth(len(asked) > 0)
	if f[negClaim] == 0 {
		f[negMis] = f[negEv]
	} else {
		f[negMis] = 1 - f[negEv]
	}
	f[hedgeDrop] = f[hedgeEv] * (1 - f[hedgeClaim])
}

// near reports whether one of the stems is at most distance words from at.
func (s *sentence) near(at int, ids map[int32]bool, distance int) bool {
	for i := max(0, at-distance); i <= min(len(s.ids)-1, at+distance); i++ {
		if i != at && ids[s.ids[i]] {
			return true
		}
	}
	return false
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
