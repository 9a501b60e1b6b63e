package followup

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

var (
	pronouns   = text.Set(`it its it's they them their theirs he him she her`)
	plurals    = text.Set(`they them their theirs these those`)
	owners     = text.Set(`its their his her theirs`)
	pointers   = text.Set(`this that these those`)
	auxiliary  = text.Set(`is are was were be do does did can could may might must shall should will would has have had isn't aren't don't doesn't can't won't`)
	askers     = text.Set(`what who whom whose which when where why how what's whats how's where's who's`)
	subjects   = text.Set(`i you we one someone somebody anyone anybody people`)
	preps      = text.Set(`in on at by for to with from under within after of without before during inside outside into between through over about since until per via against`)
	articles   = text.Set(`a an the my your our each every any some no two three all both another`)
	connecting = text.Set(`and or but if when while that which who where because before after until unless with than then so as`)
	// What a document says of itself, and spans of time: "this manual", "these days".
	itself = text.Set(`version manual document policy case way day days time year month week moment kind sort section chapter
		release book guide contract agreement lease handbook act statute law country state text page corpus file system`)
	common = text.Set(`setting parameter option command function value type rule limit package error message variable
		field method module tool program feature name number term deadline fee lock index query view`)
	// "It" that refers to the text after it: "is it possible to", "does it matter if".
	expletive = pattern.New(`(?i)\b(?:is|was|be|would|does|will|can|could|should|may|makes?|takes?|how) (it) (?:(?:be|is|was|still|really|even|also|always|ever|not|more|matter|mean|sense|makes?|takes?|costs?|comes|an? [\w ]{2,25}?|possible|impossible|necessary|safe|allowed|ok|okay|required|bad|good|better|best|worth|legal|illegal|true|easy|hard|normal|recommended|enough|advisable|common|useful|wise|lawful|permitted|forbidden) )*(?:to|that|if|whether|when|for)\b|\b(?:is|was|be) (it) (?:\w+ ){1,2}(?:to|that|whether|who|which)\b|\bwhat (?:time|day|date) is (it)\b`)
)

// leansByPronoun reports whether a question has a pronoun whose noun is not in it.
func leansByPronoun(q string) bool {
	_, _, ok := leaningPronoun(q)
	return ok
}

// leaningPronoun finds the first word or words to be filled in, and the pronoun
// among them.
func leaningPronoun(q string) (at [2]int, what string, ok bool) {
	empty := map[int]bool{}
	for _, m := range expletive.FindAllStringSubmatchIndex(q, -1) {
		empty[max(m[2], m[4], m[6])] = true
	}
	list := tokens(q)
	for i, t := range list {
		switch {
		case empty[t.start]:
			continue
		case pronouns[t.word] && t.word != "her" && t.word != "it's":
		case pointers[t.word]:
			if end, yes := pointed(list, i); yes && !held(list, i, q) {
				return [2]int{t.start, end}, t.word, true
			}
			continue
		case t.word == "one" && i > 0 && i == len(list)-1 && !articles[list[i-1].word] && !askers[list[i-1].word] && !preps[list[i-1].word] && !pointers[list[i-1].word] && len(symbols(q)) == 0:
		default:
			continue
		}
		if held(list, i, q) || len(list) <= 2 { // "is it?" asks nothing
			return at, "", false
		}
		return [2]int{t.start, t.end}, t.word, true
	}
	return at, "", false
}

// pointed reports whether "this", "that" and the like refer to something mentioned before, and
// where their phrase ends: "that", "that setting".
func pointed(list []token, i int) (end int, ok bool) {
	next := func(n int) string {
		if i+n < len(list) {
			return list[i+n].word
		}
		return ""
	}
	before := ""
	if i > 0 {
		before = list[i-1].word
	}
	switch n := next(1); {
	case auxiliary[n]: // "why is that", "if that is so"; but "a file that is tracked"
		return list[i].end, auxiliary[before] || connecting[before] || askers[before]
	case n == "" || preps[n] && n != "of" || n == "and" || n == "or":
		return list[i].end, i > 0
	case itself[n]:
		return 0, false
	case auxiliary[before] && next(2) == "" && !common[n]: // "is this safe?"
		return list[i].end, true
	case common[n] || list[i].word != "that" && next(2) == "":
		return list[i+1].end, true
	}
	return 0, false
}

// held reports whether the noun of the pronoun at i may precede it in the same question: in another
// clause or, for a possessive, anywhere.
func held(list []token, i int, q string) bool {
	noun, mine := false, false // content words in an earlier clause, in the pronoun's own
	for j, t := range list[:i] {
		before := ""
		if j > 0 {
			before = list[j-1].word
			if connecting[t.word] || strings.ContainsAny(q[list[j-1].end:t.start], ",;:") {
				noun, mine = noun || mine, false
			}
		}
		switch {
		case auxiliary[t.word] || askers[t.word] || preps[t.word] || subjects[t.word] || connecting[t.word] || pronouns[t.word] || pointers[t.word]:
		case before == "to" || subjects[before] || before == "what" || before == "who" || before == "which" || before == "how":
			// a verb, or the thing asked for
		case strings.HasSuffix(t.word, "ly"):
		default:
			mine = true
		}
	}
	return noun || mine && owners[list[i].word]
}
