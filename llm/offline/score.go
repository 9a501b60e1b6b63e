package offline

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A sentence's score is the weighted share of the question's terms in it; a term found only in the
// title or headings above counts half. Added are the form of an answer to this kind of question, a
// statement whose subject is the question's topic ("X is …", "X requires …"), adjacent words that
// stay adjacent, a list that states elements, and the position in the passage. The weights were set
// on half of the questions over the sample corpus and checked on the others.
const (
	weakWeight      = .15 // of a question word
	objectiveWeight = .6  // of all words together that only the whole question has
	underWeight     = .4  // of a word found only in the question's condition
	contextShare    = .5  // of a term in the title or headings

	kindWeight     = .2
	statesWeight   = .5
	listWeight     = .45
	pairWeight     = .25
	nearWeight     = .1
	placeWeight    = .1
	factWeight     = .1 // for likeFacts stems of the story, and for each more up to four
	likeFacts      = 3
	examplePenalty = .25
	leaningPenalty = .12
	raggedPenalty  = .3 // of a heading, a table's cell, a question

	// otherPart is the share of the objective's other terms from which a sentence may be quoted
	// despite few terms of the step's question: no later step will read its passage again.
	otherPart = .45

	// aboutEnough is the share of the topic required in a sentence and the headings above it, and
	// topicEnough that of the best sentence for there to be an answer; less for a long question
	// than for a short one.
	aboutEnough = .34
	topicEnough = .3
	longEnough  = .2
	longTopic   = 6
)

// A query is the question as scoring sees it.
type query struct {
	terms   []string  // distinct stems: the topic's, words of asking, the objective's
	weights []float64 // of each
	topic   int       // how many of terms are the topic's
	own     int       // how many are the question's
	mass    float64   // of own
	bigrams [][2]string
	kind    kind
	facts   map[string]bool // stems of the objective's story
	story   bool            // the question itself tells one
}

// newQuery weights the terms of a question: rarer terms of the pool get more, but common ones never
// zero, because the topic of all passages is common among them.
func newQuery(p *pool, question, objective string) *query {
	told, asks := parts(question)
	if onlyQuestions(question) {
		told, asks = "", question
	}
	subject := topicWords(asks)
	if told != "" {
		subject = uniqueWords(searchWords(question))
	}
	if len(subject) == 0 {
		subject = wordsOf(question)
	}
	q := &query{terms: stemsOf(subject), kind: kindOf(question), story: told != ""}
	q.topic = len(q.terms)
	seen := setOf(q.terms)
	add := func(words []string) {
		for _, t := range words {
			if !seen[t] {
				seen[t] = true
				q.terms = append(q.terms, t)
			}
		}
	}
	add(text.Distinct(text.Terms(asks, text.QueryStops)))
	q.own = len(q.terms)
	add(stemsOf(topicWords(told)))
	add(stemsOf(topicWords(objective)))
	under := underCondition(asks, subject)
	rarest := 0.0
	for _, t := range q.terms {
		rarest = max(rarest, p.idf(t))
	}
	extra := 0.0
	for i, t := range q.terms {
		w := .5
		if rarest > 0 {
			w += .5 * p.idf(t) / rarest
		}
		switch {
		case i < q.topic:
			if under[t] {
				w *= underWeight
			}
			q.mass += w
		case i < q.own:
			w *= weakWeight
			q.mass += w
		default:
			extra += w
		}
		q.weights = append(q.weights, w)
	}
	for i := q.own; i < len(q.weights); i++ {
		q.weights[i] *= objectiveWeight / max(extra, 1)
	}
	for i := 1; i < len(subject); i++ {
		q.bigrams = append(q.bigrams, [2]string{subject[i-1].Stem, subject[i].Stem})
	}
	facts, _ := parts(objective)
	q.facts = setOf(text.Terms(facts, text.QueryStops))
	return q
}

// condition begins a clause that says when the question is asked.
var condition = pattern.New(`(?i)\s(?:when|if|where|while|after|before)\s`)

// underCondition returns the stems that a question has only in the clause that
// says when it is asked, where enough is asked before it.
func underCondition(asks string, subject []word) map[string]bool {
	at := condition.FindStringIndex(asks)
	if at == nil {
		return nil
	}
	before := strings.Fields(asks[:at[0]])
	main, under := map[string]bool{}, map[string]bool{}
	for _, t := range text.Terms(strings.Join(before, " "), text.QueryStops) {
		main[t] = true
	}
	n := 0
	for _, w := range subject {
		if main[w.Stem] {
			n++
		} else {
			under[w.Stem] = true
		}
	}
	if n < 2 {
		return nil
	}
	return under
}

// held has the share of a query in a sentence.
type held struct {
	share float64 // of the question's mass, terms of the headings at contextShare
	topic float64 // of the topic's mass, the sentence alone
	about float64 // of the topic's mass, with the headings
	extra float64 // of the objective's own terms
	words int     // topic terms in the sentence
}

func (q *query) holds(s *sentence) held {
	var h held
	topic := 0.0
	for i, t := range q.terms {
		w := q.weights[i]
		in := s.counts[t] > 0
		above := !in && slices.Contains(s.context, t)
		if i < q.topic {
			topic += w
		}
		switch {
		case in && i < q.topic:
			h.words++
			h.topic += w
			h.about += w
			h.share += w
		case in && i < q.own:
			h.share += w
		case in:
			h.extra += w
		case above && i < q.topic:
			h.about += w
			h.share += contextShare * w
		}
	}
	if topic > 0 {
		h.topic /= topic
		h.about /= topic
	}
	if q.mass > 0 {
		h.share /= q.mass
	}
	return h
}

// rank scores the sentences that may be quoted, best first; empty if none covers enough of the
// question.
func rank(p *pool, q *query) []ranked {
	var list []ranked
	best := 0.0
	all := make([]held, len(p.sentences))
	for i := range p.sentences {
		all[i] = q.holds(&p.sentences[i])
	}
	for i := range p.sentences {
		s := &p.sentences[i]
		if s.order || !s.whole {
			continue
		}
		h := all[i]
		leads := introduces(p, i)
		shared := q.sharedFacts(s)
		like := shared >= likeFacts && h.about > 0 || shared > likeFacts
		rest := h.about > 0 && h.extra >= otherPart*objectiveWeight // it may answer another part of the objective
		if !like && !rest && (h.about < aboutEnough && q.topic <= longTopic || h.words == 0 && !leads) {
			continue
		}
		if h.words >= min(2, q.topic) || h.words > 0 && h.about >= .5 || s.item || leads {
			best = max(best, h.about)
		}
		r := ranked{index: i, topic: h.topic, about: max(h.about, h.extra/objectiveWeight), facts: shared}
		r.score = h.share + h.extra + pairWeight*q.bigramShare(s.terms) + placeWeight*(1-s.place) + nearWeight*near(p, all, i)
		r.score += factWeight * float64(min(max(shared-likeFacts+1, 0), 4))
		r.score += kindWeight * q.kind.fits(s.text)
		r.says = q.states(s)
		r.score += statesWeight * r.says * q.kind.wantsStatement()
		if leads && q.kind == elementsKind {
			r.score += listWeight * h.about
		}
		if exampleCue.MatchString(s.text) && !q.story {
			r.score -= examplePenalty
		}
		if leansBack.MatchString(s.text) {
			r.score -= leaningPenalty
		}
		if !s.item && !ended.MatchString(s.text) {
			r.score -= raggedPenalty
		}
		list = append(list, r)
	}
	enough := topicEnough
	if q.topic > longTopic {
		enough = longEnough
	}
	if best < enough {
		return nil
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return list
}

// sharedFacts counts the stems of the objective's story in a sentence.
func (q *query) sharedFacts(s *sentence) int {
	n := 0
	for t := range s.counts {
		if q.facts[t] {
			n++
		}
	}
	return n
}

// near is the share of the question in the neighbouring sentences.
func near(p *pool, all []held, i int) float64 {
	share := 0.0
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(p.sentences) && p.sentences[j].source == p.sentences[i].source {
			share = max(share, all[j].share)
		}
	}
	return share
}

func (q *query) bigramShare(terms []string) float64 {
	if len(q.bigrams) == 0 {
		return 0
	}
	hits := 0
	for _, b := range q.bigrams {
		for i := 1; i < len(terms); i++ {
			if terms[i-1] == b[0] && terms[i] == b[1] {
				hits++
				break
			}
		}
	}
	return float64(hits) / float64(len(q.bigrams))
}

var (
	// stating matches the verb of a statement about the text before it.
	stating = pattern.New(`(?i)\b(?:is|are|means?|meaning|refers? to|requires?|includes?|consists? of|exists?|occurs?|arises?|applies|makes|allows?|permits?|excuses?|justifies|forbids?|entitles?|covers?|ends?|attaches|may be)\b`)
	// opening matches the text allowed before the subject of a statement.
	opening = pattern.New(`(?i)^(?:(?:under|in|at|for|as|by|generally|usually|traditionally|today)\b[^,]{0,60},\s+)?(?:an?|the|every|any|each|all)?\s*`)
	// ended matches the end of a statement.
	ended = pattern.New(`[.:;!…][”"’')\]*_]*$`)
	// leansBack finds a sentence that cannot be understood without another.
	leansBack = pattern.New(`^(?:However|But|Either|Neither|Nor|Such|This|That|These|Those|It|They|He|She|Instead|Thus|Therefore|Moreover|Also|Another|Others|Still|Yet|The same|The second|The latter|Both)\b`)
)

// states reports how far a sentence is a statement about the question's topic: the harmonic mean of
// the share of its subject that is topic and the share of the topic in its subject. A negative
// statement counts half.
func (q *query) states(s *sentence) float64 {
	body := s.text[len(opening.FindString(s.text)):]
	verb := stating.FindStringIndex(body)
	if verb == nil {
		return 0
	}
	subject := text.Distinct(text.Terms(body[:verb[0]], text.QueryStops))
	if len(subject) == 0 || len(subject) > 8 {
		return 0
	}
	common := 0
	for _, t := range subject {
		if slices.Contains(q.terms[:q.topic], t) {
			common++
		}
	}
	f := 2 * float64(common) / float64(len(subject)+q.topic)
	if next, _, _ := strings.Cut(strings.TrimSpace(body[verb[1]:]), " "); next == "not" || strings.HasSuffix(next, "ed") {
		f /= 2
	}
	return f
}
