package research

import (
	"strings"

	"example.com/assay/memory/text"
)

// gate lists what the passages of a step must be about: the person's question or one of
// its sentences or parts, and the same for the step's question. Queries do not count,
// because a model wrote them.
func gate(objective, question string) [][]string {
	stem, _ := splitChoices(objective)
	if strings.TrimSpace(question) == "" || sameWords(stem, question) {
		return [][]string{aspects(stem)}
	}
	return [][]string{aspects(stem), aspects(question)}
}

// aspects are a question as a whole, as it stands and as the words that say what
// it is about, then the sentences of its story, or its parts.
func aspects(question string) []string {
	out := []string{question} // which names parts of documents by their numbers
	seen := map[string]bool{}
	add := func(s string, least int) {
		words := topicOf(s)
		if key := strings.Join(words, " "); len(words) >= least && !seen[key] && len(out) < mostAspects {
			seen[key] = true
			out = append(out, key)
		}
	}
	add(question, 1)
	var story []string
	asks := ""
	for _, span := range text.Sentences(question) {
		if s := question[span.Start:span.End]; asking.MatchString(s) {
			asks += s + " " // which, asked of a story, is nothing without it
		} else {
			story = append(story, s)
		}
	}
	for _, s := range story {
		add(s, leastOfAspect)
	}
	for _, s := range story {
		add(s+" "+asks, leastOfAspect)
	}
	for _, p := range partsOf(question) {
		add(strings.Join(p.topic, " "), 1)
	}
	return out
}

const (
	mostAspects   = 10 // each costs a look into the index
	leastOfAspect = 3  // words of a sentence of a story that can stand for it
)
