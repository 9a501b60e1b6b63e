package followup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// antecedent is what a pronoun stands for.
func (t turn) antecedent(pronoun string) string {
	if len(t.nouns) == 0 {
		return ""
	}
	want := plurals[pronoun]
	if i := slices.IndexFunc(t.nouns, func(n string) bool { return plural(n) == want }); i >= 0 && !(len(symbols(t.asked)) == 1 && !want) {
		return t.nouns[i]
	}
	return t.nouns[0]
}

// acting are verbs whose object is an act: "undo it", "do that".
var acting = text.Set(`do undo revert reverse automate repeat prevent avoid`)

// fill puts what a pronoun stands for in its place.
func (t turn) fill(asked string) string {
	at, what, _ := leaningPronoun(asked)
	if before := tokens(asked[:at[0]]); len(before) > 0 && (what == "it" || pointers[what]) {
		if verb := before[len(before)-1]; acting[verb.word] {
			out, ok := t.done(asked, at, verb)
			if ok || what != "it" {
				return out
			}
		}
	}
	if what == "that" || what == "this" {
		before := tokens(asked[:at[0]])
		if t.act != "" && len(before) > 0 && auxiliary[before[len(before)-1].word] && !strings.Contains(asked[at[0]:at[1]], " ") {
			return asked[:at[0]] + gerund(t.act) + asked[at[1]:] // "is that safe?"
		}
	}
	noun := t.antecedent(what)
	if noun == "" {
		return ""
	}
	_, pointed, _ := strings.Cut(asked[at[0]:at[1]], " ")
	switch {
	case propertyWord.MatchString(pointed): // "that limit"
		noun = "the " + pointed + " of " + noun
	case owners[what]:
		noun = possessive(noun)
	case what == "it's":
		noun += " is"
	case what == "one":
		noun = indefinite(noun)
	}
	return asked[:at[0]] + noun + asked[at[1]:]
}

// done puts what was to be done, or what happened, behind a verb that speaks of acts:
// "how do I undo it", "can I prevent that".
func (t turn) done(asked string, at [2]int, verb token) (string, bool) {
	switch {
	case t.act != "" && verb.word == "do":
		return asked[:verb.start] + t.act + asked[at[1]:], true
	case t.act != "":
		return asked[:at[0]] + gerund(t.act) + asked[at[1]:], true
	case t.clause != "" && verb.word != "do":
		return asked[:at[0]] + "that " + t.clause + asked[at[1]:], true
	}
	return "", false
}

func possessive(noun string) string {
	if strings.HasSuffix(noun, "s") && plural(noun) {
		return noun + "'"
	}
	return noun + "'s"
}

func indefinite(noun string) string {
	if rest, ok := strings.CutPrefix(noun, "the "); ok {
		return "a " + rest
	}
	return noun
}

// gerund puts an act into its -ing form.
func gerund(act string) string {
	verb, rest, _ := strings.Cut(act, " ")
	switch n := len(verb); {
	case n > 2 && strings.HasSuffix(verb, "e") && !strings.HasSuffix(verb, "ee"):
		verb = verb[:n-1]
	case n == 3 && strings.ContainsRune("aeiou", rune(verb[1])) && !strings.ContainsRune("aeiouwxy", rune(verb[2])):
		verb += verb[2:]
	}
	return strings.TrimSpace(verb + "ing " + rest)
}

var reason = pattern.New(`(?i)^(?:why is (?:that|this|it)(?: so| the case)?|why so|how come|how so)$`)

// under asks the earlier question again under another question word: "why?".
func (t turn) under(asked string) string {
	wh := strings.TrimRight(asked, " ?")
	if reason.MatchString(wh) {
		wh = "why"
	}
	switch {
	case t.is && len(t.nouns) > 0 && strings.HasPrefix(strings.ToLower(wh), "why"):
		noun := t.nouns[len(t.nouns)-1]
		if t.whose != "" {
			noun = t.whose + " of " + t.nouns[0]
		}
		return wh + " is it " + noun
	case t.rest != "" && !(t.wh == "what" && strings.HasSuffix(t.rest, " do")):
		return t.inverted(wh)
	case t.act != "":
		return wh + " do I " + t.act
	}
	return wh + ": " + lower(t.asked)
}

// inverted is the earlier question from its auxiliary on, behind another question
// word; "who may sign?" gets a subject, "why not?" a denial.
func (t turn) inverted(wh string) string {
	aux, rest, _ := strings.Cut(t.rest, " ")
	aux = strings.ToLower(aux)
	next, _, _ := strings.Cut(strings.ToLower(rest), " ")
	if strings.EqualFold(t.wh, "who") && !articles[next] && !subjects[next] && !capitals(next) {
		rest = "one " + rest
	}
	if strings.EqualFold(wh, "why not") && denied[aux] != "" {
		wh, aux = "why", denied[aux]
	}
	return wh + " " + aux + " " + rest
}

var denied = map[string]string{
	"is": "isn't", "are": "aren't", "was": "wasn't", "were": "weren't", "do": "don't", "does": "doesn't", "did": "didn't", "can": "can't",
	"could": "couldn't", "must": "mustn't", "should": "shouldn't", "will": "won't", "would": "wouldn't", "has": "hasn't", "have": "haven't",
}

// replace asks the earlier question again about another thing.
func (t turn) replace(x string) string {
	first := strings.ToLower(strings.SplitN(x, " ", 2)[0])
	if preps[first] {
		return t.elsewhere(first, x)
	}
	if propertyWord.MatchString(x) {
		return t.of(x)
	}
	spot := t.spot(x)
	if spot == "" {
		return "what about " + x + ": " + lower(t.asked)
	}
	at := strings.Index(t.asked, spot)
	return lower(t.asked[:at] + x + t.asked[at+len(spot):])
}

// spot is the part of the earlier question in whose place x is put; empty when it is
// not plain which.
func (t turn) spot(x string) string {
	names := symbols(t.asked)
	if len(names) == 1 && (len(symbols(x)) == 1 || t.whose != "") {
		return names[0]
	}
	var big []string
	for _, w := range strings.Fields(t.asked) {
		if capitals(w) {
			big = append(big, w)
		}
	}
	if len(big) == 1 && capitals(strings.Fields(x)[0]) {
		return big[0]
	}
	var spots []string
	for _, n := range t.nouns {
		if _, b, ok := strings.Cut(n, " of "); ok {
			n = b
		}
		if strings.Contains(t.asked, n) && !slices.ContainsFunc(spots, func(s string) bool { return strings.Contains(n, s) }) {
			spots = append(spots, n)
		}
	}
	for _, s := range spots { // "a partial index" for "a unique index"
		if last(s) == last(x) {
			return s
		}
	}
	if len(spots) == 1 && !t.between {
		return spots[0]
	}
	return ""
}

func last(s string) string {
	list := strings.Fields(strings.ToLower(s))
	if len(list) == 0 {
		return ""
	}
	return strings.TrimSuffix(list[len(list)-1], "s")
}

// elsewhere asks the earlier question again with another circumstance: "on Windows".
func (t turn) elsewhere(prep, x string) string {
	list := tokens(t.asked)
	for i := len(list) - 1; i > 0; i-- {
		if list[i].word == prep {
			return lower(t.asked[:list[i].start]) + x
		}
	}
	return lower(t.asked) + " " + x
}

// of asks for a property of what was spoken of.
func (t turn) of(asked string) string {
	if len(t.nouns) == 0 {
		return ""
	}
	m := whatProp.FindStringSubmatch(asked)
	if m == nil {
		return ""
	}
	if strings.HasPrefix(strings.ToLower(asked), "is there") || strings.HasPrefix(strings.ToLower(asked), "are there") {
		return strings.TrimRight(asked, " ?") + " of " + t.nouns[0]
	}
	is := "is"
	if plural(m[1]) {
		is = "are"
	}
	return "what " + is + " the " + m[1] + " of " + t.nouns[0]
}

// about asks for more on what was spoken of.
func (t turn) about(asked string) string {
	subject := t.act
	if subject != "" {
		subject = gerund(subject)
	} else if len(t.nouns) > 0 {
		subject = t.nouns[0]
	}
	if subject == "" {
		return ""
	}
	asked = strings.TrimRight(asked, " ?.!")
	if m := strings.ToLower(asked); strings.HasPrefix(m, "explain") {
		return "explain " + subject
	} else if strings.Contains(m, "example") {
		return asked + " of " + subject
	}
	return asked + " about " + subject
}

// count asks how many of what was spoken of.
func (t turn) count(asked string) string {
	how, rest := "how many", ""
	if m := partsOf.FindStringSubmatch(asked); m != nil {
		how, rest = m[1], m[2]
	}
	if m := asksFor.FindStringSubmatch(t.asked); m != nil && rest == "" && t.which != "" && !t.is && strings.EqualFold(how, "how many") {
		return how + " " + m[1] + " " + m[2]
	}
	noun := t.antecedent("them")
	if noun == "" {
		return ""
	}
	noun = bareNoun(noun)
	if !plural(noun) && strings.EqualFold(how, "how many") && noun != strings.ToUpper(noun) && !symbol.MatchString(noun) {
		noun = several(noun)
	}
	switch {
	case rest != "":
		return how + " " + noun + " " + strings.TrimRight(rest, " ?")
	case !strings.EqualFold(how, "how many"):
		return how + " of " + noun
	}
	return how + " " + noun + " are there"
}

// several puts a noun into the plural.
func several(noun string) string {
	head, of, more := strings.Cut(noun, " of ")
	switch {
	case strings.HasSuffix(head, "s"), strings.HasSuffix(head, "x"), strings.HasSuffix(head, "ch"), strings.HasSuffix(head, "sh"):
		head += "es"
	case strings.HasSuffix(head, "y") && len(head) > 1 && !strings.ContainsRune("aeiou", rune(head[len(head)-2])):
		head = head[:len(head)-1] + "ies"
	default:
		head += "s"
	}
	if more {
		head += " of " + of
	}
	return head
}

func bareNoun(noun string) string {
	first, rest, more := strings.Cut(noun, " ")
	if more && articles[strings.ToLower(first)] {
		return rest
	}
	return noun
}

// lower puts the first letter of a question into lower case, unless it is a name.
func lower(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if !askers[strings.ToLower(first)] && !auxiliary[strings.ToLower(first)] {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
