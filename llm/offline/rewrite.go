package offline

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Queries consist of the question's own content words; synonyms come from the glossary. The primary
// query is widened only if it is just the name of a concept: expansion gains a little on topical
// questions and loses on precise ones (pseudo-relevance feedback has the same trade-off; Carpineto
// and Romano, 2012), so it belongs in the alternatives.

const (
	minQuery = 10 // words, if the question has as many
	maxQuery = 30
	// maxOverlap is the Jaccard index of words from which two queries count as equal.
	maxOverlap = .8
)

// Words that rules and exceptions are stated in: an alternative that would
// repeat another query, or is too short, takes them.
var (
	ruleFrame      = strings.Fields(`rule requires elements standard test requirements applies governing conditions`)
	exceptionFrame = strings.Fields(`exception unless limits defense scope liability circumstances effect duty`)
)

func rewrite(in skills.RewriteInput) (skills.RewriteOutput, error) {
	question, objective := text.OneLine(in.Question), text.OneLine(in.Objective)
	if question == "" {
		question = objective
	}
	if question == "" {
		return skills.RewriteOutput{}, errBlank
	}
	words := searchWords(question)
	wider := uniqueWords(topicWords(objective))
	if len(words) == 0 {
		words = wider
	}
	if len(words) == 0 {
		words = wordsOf(question)
	}
	primary := rawWords(words)
	if k := kindOf(question); (k == definitionKind || k == elementsKind) && !strings.HasPrefix(question, rulePrefix) {
		primary = append(primary, widened(question, words)...)
	}
	if len(primary) == 0 { // no word at all: punctuation, symbols
		primary = strings.Fields(question)
	}
	primary = head(primary, maxQuery)
	if !legal(question) { // its own words are the best query
		return skills.RewriteOutput{Primary: question, Alternatives: []string{strings.Join(primary, " "), strings.Join(anchored(question, words, wider), " ")}}, nil
	}
	first := distinctFrom(anchored(question, words, wider), ruleFrame, primary)
	second := distinctFrom(synonyms(question, words), exceptionFrame, primary, first)
	return skills.RewriteOutput{
		Primary:      strings.Join(primary, " "),
		Alternatives: []string{strings.Join(first, " "), strings.Join(second, " ")},
	}, nil
}

// searchWords returns the content words of a question for a search. It drops words that only phrase
// the question, but keeps "elements", "exceptions" and the like, which the passage has, too. Of a
// story only the decisive words are kept.
func searchWords(question string) []word {
	facts, asks := parts(question)
	if facts != "" && !onlyQuestions(question) {
		return storyWords(question, asks)
	}
	if m := storyForm.FindStringSubmatch(question); m != nil {
		return storyWords(question, m[1])
	}
	content := contentOf(question, text.QueryStops)
	topic := offsets(topicWords(question))
	light := len(topic) > richTopic
	return slices.DeleteFunc(content, func(w word) bool {
		return !topic[w.Start] && !soughtWords[w.Text] && !(light && frameWords[w.Text] && !templateWords[w.Text])
	})
}

// richTopic is the number of topic words from which framing words stay in the query: among many
// they do no harm, and rulebooks use words such as requirement, rule and standard, too.
const richTopic = 3

// widened returns words to add to a query that is only a concept's name: alone it cannot
// distinguish the passage that explains the concept from those that mention it. They are the
// concept's second name in the glossary, without words of the query.
func widened(question string, words []word) []string {
	all := wordsOf(question)
	for _, m := range terminology().mentions(all) {
		if !m.family.concept || m.everyday(all) {
			continue
		}
		inside := offsets(all[m.from:m.to])
		for _, w := range words {
			if !inside[w.Start] && !soughtWords[w.Text] {
				return nil
			}
		}
		has := setOf(stemsOf(words))
		for i, term := range m.family.terms {
			if i == m.term {
				continue
			}
			var list []string
			for _, w := range uniqueWords(contentOf(term, text.QueryStops)) {
				if !has[w.Stem] {
					list = append(list, w.Raw)
				}
			}
			return list
		}
	}
	return nil
}

func offsets(words []word) map[int]bool {
	set := map[int]bool{}
	for _, w := range words {
		set[w.Start] = true
	}
	return set
}

// maxStory is the greatest number of words that a query takes from a question with a story, and
// minStory the least, if the story has as many.
const (
	maxStory = 8
	minStory = 3
)

// storyWords ranks the words of a question that tells a story: those of its concepts first, then
// the topic of the asking sentence, then words of the glossary, then repeated words, then the rest
// from its end. Names of people are left out. If a concept determines the search, only the first
// three are taken, because no treatise contains the rest of the story. The words are in the order
// of the question.
func storyWords(question, asks string) []word {
	people := storyNames(question)
	all := wordsOf(question)
	concept, term := map[int]bool{}, map[int]bool{}
	for _, m := range terminology().mentions(all) {
		if m.everyday(all) {
			continue
		}
		for _, w := range all[m.from:m.to] {
			term[w.Start] = true
			concept[w.Start] = concept[w.Start] || m.family.concept
		}
	}
	asked := setOf(stemsOf(topicWords(asks)))
	words := slices.DeleteFunc(topicWords(question), func(w word) bool { return people[w.Text] || hasDigit(w.Raw) })
	times := map[string]int{}
	for _, w := range words {
		times[w.Stem]++
	}
	rank := func(w word) int {
		switch {
		case concept[w.Start]:
			return 0
		case asked[w.Stem]:
			return 1
		case term[w.Start]:
			return 2
		case times[w.Stem] > 1:
			return 3
		}
		return 4
	}
	words = uniqueWords(words)
	byRank := slices.Clone(words)
	slices.Reverse(byRank)
	slices.SortStableFunc(byRank, func(a, b word) int { return cmp.Compare(rank(a), rank(b)) })
	n := min(len(byRank), maxStory)
	if n == 0 {
		return nil
	}
	for rank(byRank[0]) == 0 && n > minStory && rank(byRank[n-1]) > 2 {
		n--
	}
	keep := offsets(byRank[:n])
	return slices.DeleteFunc(words, func(w word) bool { return !keep[w.Start] })
}

// templateWords occur in the questions of plans.
var templateWords = text.Set(`rule apply applies`)

var soughtWords = text.Set(`elements requirements exceptions exception defenses defences limits definition standard`)

// anchored puts the question's anchors first, then its concepts and last words, then words found
// only in the whole question.
func anchored(question string, words, wider []word) []string {
	var list []string
	for _, a := range anchors(question) {
		list = append(list, strings.Fields(a)...)
	}
	for _, c := range terminology().concepts(wordsOf(question)) {
		list = append(list, strings.Fields(c)...)
	}
	words = uniqueWords(words)
	list = append(list, rawWords(words[max(0, len(words)-4):])...)
	own := map[string]bool{}
	for _, w := range words {
		own[w.Stem] = true
	}
	for _, w := range wider {
		if !own[w.Stem] && len(list) < maxQuery {
			list = append(list, w.Raw)
		}
	}
	return uniqueStrings(list)
}

// synonyms replaces the question's terms by other terms of their glossary families, two for a
// concept and one for any other, and keeps the rest.
func synonyms(question string, words []word) []string {
	all := wordsOf(question)
	var list []string
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			if w := all[at].Text; !text.QueryStops.Has(w) && (!frameWords[w] || soughtWords[w]) {
				list = append(list, all[at].Raw)
			}
		}
	}
	for _, m := range terminology().mentions(all) {
		if w := all[m.from].Text; m.everyday(all) || m.to-m.from == 1 && frameWords[w] && !soughtWords[w] {
			continue
		}
		keep(m.from)
		at = m.to
		take := 1
		if m.family.concept {
			take = 2
		}
		for i, term := range m.family.terms {
			if i != m.term && take > 0 {
				list = append(list, strings.Fields(term)...)
				take--
			}
		}
	}
	keep(len(all))
	if len(list) == 0 {
		list = rawWords(words)
	}
	return uniqueStrings(list)
}

// distinctFrom makes a query differ from the others and fill ten words: it
// adds words of the frame, and drops words that it shares while that is not
// enough.
func distinctFrom(list, frame []string, others ...[]string) []string {
	list = head(list, maxQuery)
	for _, w := range frame {
		if len(list) >= minQuery && !overlapsAny(list, others) {
			break
		}
		if len(list) < maxQuery && !slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, w) }) {
			list = append(list, w)
		}
	}
	for i := len(list) - 1; i >= 0 && len(list) > 3 && overlapsAny(list, others); i-- {
		if slices.ContainsFunc(others, func(o []string) bool { return slices.Contains(o, list[i]) }) {
			list = slices.Delete(slices.Clone(list), i, i+1)
		}
	}
	return list
}

func overlapsAny(list []string, others [][]string) bool {
	for _, o := range others {
		if jaccard(list, o) >= maxOverlap {
			return true
		}
	}
	return false
}

// jaccard is |a ∩ b| / |a ∪ b| over lower-case words; 1 for two empty lists.
func jaccard(a, b []string) float64 {
	lower := func(list []string) map[string]bool {
		set := make(map[string]bool, len(list))
		for _, w := range list {
			set[strings.ToLower(w)] = true
		}
		return set
	}
	sa, sb := lower(a), lower(b)
	common := 0
	for w := range sa {
		if sb[w] {
			common++
		}
	}
	union := len(sa) + len(sb) - common
	if union == 0 {
		return 1
	}
	return float64(common) / float64(union)
}

func uniqueWords(words []word) []word {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		again := seen[w.Stem]
		seen[w.Stem] = true
		return again
	})
}

func uniqueStrings(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(w string) bool {
		key := strings.ToLower(w)
		again := seen[key]
		seen[key] = true
		return again
	})
}

func rawWords(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.Raw
	}
	return list
}

func head(list []string, n int) []string { return list[:min(len(list), n)] }
