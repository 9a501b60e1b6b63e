package followup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// antecedent returns the thing that a pronoun refers to.
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

// fill replaces a pronoun by its antecedent.
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

// done adds the earlier act or event after a verb that refers to one: "how do I undo it", "can I
// prevent that".
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

// inverted returns the earlier question from its auxiliary on, after another question word; "who
// may sign?" gets a subject, "why not?" a negation.
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
	at, end := t.spot(x)
	if end == 0 {
		return lower(t.asked) + " " + x
	}
	before := t.asked[:at]
	if aux := strings.TrimRight(before, " "); plural(headOf(x)) != plural(headOf(t.asked[at:end])) { // "is the bar", "are the bars"
		word := aux[strings.LastIndexByte(aux, ' ')+1:]
		if other := numbers[strings.ToLower(word)]; other != "" {
			before = strings.TrimSuffix(aux, word) + other + " "
		}
	}
	return lower(before + x + t.asked[end:])
}

// headOf is a noun phrase up to its first preposition.
func headOf(s string) string {
	for i, t := range tokens(s) {
		if i > 0 && preps[t.word] {
			return strings.TrimSpace(s[:t.start])
		}
	}
	return s
}

// numbers pairs singular and plural auxiliaries.
var numbers = map[string]string{"is": "are", "are": "is", "was": "were", "were": "was", "does": "do", "do": "does", "has": "have", "have": "has"}

// kinds find values of a kind: a weekday replaces a weekday, a number a number.
var kinds = []func(string, text.Language) []values.Found{values.Days, values.Times, values.Money, values.Periods, values.Numerals}

// spot returns the part of the earlier question that x replaces: a value or name of the same kind,
// a phrase that shares a word with x, one of the same form (the bar, a bar, bars), else the first.
// end is 0 if there is none.
func (t turn) spot(x string) (at, end int) {
	another := false // for example, a day where there was none
	for _, find := range kinds {
		if of := find(x, "en"); len(of) == 1 && of[0].Start == 0 && of[0].End == len(x) {
			in := find(t.asked, "en")
			if len(in) == 1 {
				return in[0].Start, in[0].End
			}
			another = another || len(in) == 0
		}
	}
	if names := symbols(t.asked); len(names) == 1 && (len(symbols(x)) == 1 || t.whose != "") {
		return t.place(names[0])
	}
	if names := namesIn(t.asked); len(names) == 1 && slices.Contains(namesIn("a "+x), x) {
		return t.place(names[0])
	}
	if another {
		return 0, 0
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
	for _, alike := range []func(string) bool{
		func(s string) bool { return last(s) == last(x) }, // "a partial index" for "a unique index"
		func(s string) bool { return sharesFirst(s, x) },
		func(s string) bool { return form(s) == form(x) },
		func(string) bool { return !t.between },
	} {
		if i := slices.IndexFunc(spots, alike); i >= 0 {
			return t.place(spots[i])
		}
	}
	return 0, 0
}

func (t turn) place(part string) (at, end int) {
	at = strings.Index(t.asked, part)
	return at, at + len(part)
}

// namesIn returns the runs of capitalised words that do not begin a question.
func namesIn(s string) []string {
	var out []string
	from, end := -1, 0
	for i, t := range tokens(s) {
		r, _ := utf8.DecodeRuneInString(s[t.start:])
		switch {
		case i > 0 && unicode.IsUpper(r) && s[t.start:t.end] != "I":
			if from < 0 {
				from = t.start
			}
			end = t.end
			continue
		case from >= 0:
			out = append(out, s[from:end])
		}
		from = -1
	}
	if from >= 0 {
		out = append(out, s[from:end])
	}
	return out
}

// sharesFirst reports whether two phrases begin with the same noun: "grade A", "grade B".
func sharesFirst(a, b string) bool {
	return strings.EqualFold(strings.Fields(bareNoun(a))[0], strings.Fields(bareNoun(b))[0])
}

// form says how a phrase begins: with "the", with another article, or with neither.
func form(s string) string {
	first := strings.ToLower(strings.Fields(s)[0])
	switch {
	case first == "the" || !articles[first]:
		return map[bool]string{true: "the"}[first == "the"]
	}
	return "a"
}

func last(s string) string {
	list := strings.Fields(strings.ToLower(s))
	if len(list) == 0 {
		return ""
	}
	return strings.TrimSuffix(list[len(list)-1], "s")
}

// places are prepositions of place and time.
var places = text.Set(`in on at inside outside during before after`)

// elsewhere asks the earlier question again with another circumstance: "on Windows".
func (t turn) elsewhere(prep, x string) string {
	list := tokens(t.asked)
	timed := len(values.Days(x, "en"))+len(values.Times(x, "en")) > 0
	for i := len(list) - 1; i > 0; i-- {
		rest := t.asked[list[i].start:]
		if list[i].word == prep || places[list[i].word] && places[prep] && (len(values.Days(rest, "en"))+len(values.Times(rest, "en")) > 0) == timed {
			return lower(t.asked[:list[i].start]) + x
		}
	}
	return lower(t.asked) + " " + x
}

// of asks for a property of the thing mentioned before.
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

// about asks for more about the thing mentioned before.
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

// count asks how many there are of the things mentioned before.
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

// lower converts the first letter of a question to lower case, unless it is a name.
func lower(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if !askers[strings.ToLower(first)] && !auxiliary[strings.ToLower(first)] {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
