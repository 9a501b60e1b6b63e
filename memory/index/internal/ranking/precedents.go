package ranking

import (
	"cmp"
	"math"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
)

// A Judged question is one of which a person has marked the passages that answer it.
type Judged struct {
	Question string
	Passages []string // their ids
}

// Precedents are judged questions, kept to tell what a new question is like.
// What answered earlier questions is likelier to answer the next one, and the
// likelier the more the questions are alike.
type Precedents struct {
	number    map[string]int32 // term → its place in weights and holders
	weights   []float64        // ln((n+1)/(df+1)) + .1, over questions
	holders   [][]int32        // questions with a term, ascending
	bags      [][]int32        // terms of a question
	norms     []float64
	answers   [][]int32         // passages that answer a question, ascending
	questions map[int32][]int32 // questions that a passage answers, ascending
	rare      float64           // weight of a term that no question has
}

// followed is how many judged questions are followed: those most like the new question,
// whose answers become its candidates.
const followed = 20

// NewPrecedents looks the passages of judged questions up. Ids that the
// corpus does not hold are left out: passages go when documents change.
func (x *Corpus) NewPrecedents(judged []Judged) *Precedents {
	p := &Precedents{number: make(map[string]int32), questions: make(map[int32][]int32)}
	for q, j := range judged {
		var bag []int32
		for _, t := range weigh(x.Reader.Terms(j.Question), count) {
			n, ok := p.number[t.term]
			if !ok {
				n = int32(len(p.holders))
				p.number[t.term] = n
				p.holders = append(p.holders, nil)
			}
			p.holders[n] = append(p.holders[n], int32(q))
			bag = append(bag, n)
		}
		var found []int32
		for _, id := range j.Passages {
			if ord, ok := x.Table.Find(id); ok {
				found = append(found, ord)
			}
		}
		found = analysis.Distinct(found)
		for _, ord := range found {
			p.questions[ord] = append(p.questions[ord], int32(q))
		}
		p.bags, p.answers = append(p.bags, bag), append(p.answers, found)
	}
	n := float64(len(judged))
	for _, holders := range p.holders {
		p.weights = append(p.weights, math.Log((n+1)/float64(len(holders)+1))+.1)
	}
	p.rare = math.Log(n+1) + .1
	for _, bag := range p.bags {
		var sum float64
		for _, t := range bag {
			sum += p.weights[t] * p.weights[t]
		}
		p.norms = append(p.norms, math.Sqrt(sum))
	}
	return p
}

// A recollection is how a question is like the judged ones.
type recollection struct {
	*Precedents
	alike []float64      // cosine to each judged question
	terms map[int32]bool // of the question, those that judged questions have
	mass  float64        // weight of all its terms
	best  []int32        // the judged questions most like it
}

// recall compares a question with the judged ones, but the one of the given
// number: a question that is learnt from must not find itself.
func (x *Corpus) recall(p *Precedents, terms []weighted, without int) *recollection {
	r := &recollection{Precedents: p, alike: make([]float64, len(p.bags)), terms: make(map[int32]bool)}
	var square float64
	for _, t := range terms {
		n, ok := p.number[t.term]
		weight := p.rare
		if ok {
			weight = p.weights[n]
			r.terms[n] = true
			for _, q := range p.holders[n] {
				r.alike[q] += weight * weight
			}
		}
		square += weight * weight
		r.mass += weight
	}
	if without >= 0 && without < len(r.alike) {
		r.alike[without] = 0
	}
	for q, sum := range r.alike {
		if sum > 0 {
			r.alike[q] = sum / (p.norms[q] * math.Sqrt(square))
			r.best = append(r.best, int32(q))
		}
	}
	slices.SortStableFunc(r.best, func(a, b int32) int { return cmp.Compare(r.alike[b], r.alike[a]) })
	r.best = r.best[:min(followed, len(r.best))]
	return r
}

// candidates are the passages that answer the judged questions most like it.
func (r *recollection) candidates(out func(int32) bool) []int32 {
	var pool []int32
	for _, q := range r.best {
		for _, ord := range r.answers[q] {
			if !out(ord) {
				pool = append(pool, ord)
			}
		}
	}
	return pool
}

// fill sets the features of a passage that tell of judged questions.
func (r *recollection) fill(row []float64, ord int32, without int) {
	asked := 0
	covered := make(map[int32]bool)
	for _, q := range r.questions[ord] {
		if int(q) == without {
			continue
		}
		asked++
		row[fAskedBest] = max(row[fAskedBest], r.alike[q])
		row[fAskedSum] += r.alike[q] * r.alike[q]
		for _, t := range r.bags[q] {
			if r.terms[t] && !covered[t] {
				covered[t] = true
				row[fAskedCover] += r.weights[t]
			}
		}
	}
	row[fAsked] = math.Log1p(float64(asked))
	if r.mass > 0 {
		row[fAskedCover] /= r.mass
	}
}
