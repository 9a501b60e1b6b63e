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

// aspects returns a question as it stands and as its subject words, then the sentences of its
// story, or its parts.
func aspects(question string) []string {
	out := []string{question} // it names parts of documents by number
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
			asks += s + " " // a question about a story needs the story
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
	mostAspects   = 10 // each needs an index lookup
	leastOfAspect = 3  // minimum number of words for a sentence of a story
)
