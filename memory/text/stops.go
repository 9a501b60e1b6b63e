package text

import "strings"

// A StopList is a set of lower-case words that say nothing about a topic.
type StopList map[string]struct{}

// Has reports whether word is on the list. A nil list is empty.
func (l StopList) Has(word string) bool { _, ok := l[word]; return ok }

// DocStops is applied to passages: function words, pronouns, auxiliaries. It includes negations and
// modals because BM25 gains nothing from them; the comparison of claims with evidence reads tokens,
// not these terms.
var DocStops = stopList(`
	a about above after again against all also am an and any are as at be
	because been before being below between both but by can could did do does
	doing down during each few for from further had has have having he her
	here hers him his how i if in into is it its itself just let me more most
	my no nor not of off on once only or other our out over own same she
	should so some such than that the their them then there these they this
	those through to too under until up very was we were what when where which
	while who whom why will with would you your us may might shall upon yet
	s t re ve ll d m`)

// QueryStops adds the words in which questions are wrapped.
var QueryStops = stopList(strings.Join(DocStops.words(), " ") + `
	whose please provide explain describe clarify elaborate detail specific
	example examples following statement statements indicate mention state
	consider document best must one correct
	whats whos hows wheres whens whys theres
	dont doesnt didnt isnt arent wasnt cant couldnt wouldnt shouldnt`)

func stopList(words string) StopList {
	list := StopList{}
	for _, w := range strings.Fields(words) {
		list[w] = struct{}{}
	}
	return list
}

func (l StopList) words() []string {
	words := make([]string, 0, len(l))
	for w := range l {
		words = append(words, w)
	}
	return words
}
