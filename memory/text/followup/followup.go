package followup

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A Turn is the previous question and its answer.
type Turn struct {
	Question string // as it was searched for
	Head     string // the headword above the answer's first quote, if any
}

// longest is the greatest number of words of a follow-up question: a longer one has its own
// context.
const longest = 25

// Leans reports whether a question has the form of a follow-up.
func Leans(question string) bool {
	_, how := read(question)
	return how != alone
}

// Resolve returns a follow-up question in a form that can be understood alone. Other questions, and
// those to which nothing of the earlier turn fits, are returned unchanged.
func Resolve(question string, earlier Turn) string {
	asked, how := read(question)
	if how == alone || strings.TrimSpace(earlier.Question) == "" {
		return question
	}
	before := parse(earlier)
	out := ""
	switch how {
	case pronoun:
		out = before.fill(asked)
	case bare:
		out = before.under(asked)
	case instead:
		out = before.replace(thing(asked))
	case property:
		out = before.of(asked)
	case more:
		out = before.about(asked)
	case counting:
		out = before.count(asked)
	}
	if out == "" {
		return question
	}
	return strings.TrimRight(out, " ?.!,;:") + "?"
}

// A leaning is the way in which a question depends on the one before it.
type leaning int

const (
	alone    leaning = iota
	pronoun          // "how do I change it?"
	bare             // "why?", "in which file?"
	instead          // "what about shared_buffers?", "and on Windows?"
	property         // "what is the maximum?"
	more             // "tell me more", "an example?"
	counting         // "how many of them are there?"
)

var (
	courtesy = pattern.New(`(?i)^(?:thanks?(?: you)?|great|good|nice|i see|right|hm+|cool|perfect|got it|okay|ok|yes|no)\s*[.!,]+\s+`)
	opening  = pattern.New(`(?i)^(?:(?:and|but|so|ok|okay|then|also|well)\b,?\s+)+`)
	// A bare question word, alone or with a preposition or noun.
	bareWords = pattern.New(`(?i)^(?:why|why not|why so|why is (?:that|this|it)(?: so| the case)?|how come|how so|how|when|where|who|since when|until when|(?:for )?how (?:long|often|much|many)|how many times|` +
		`(?:in|on|at|by|for|to|with|from|under|within|after|of|since|before) (?:what|which|whom|whose)(?: \w+){0,2}|by whom)\s*\??$`)
	aboutIt  = pattern.New(`(?i)^(?:(?:what|how) (?:about|of)|(?:is (?:it|that) )?the same (?:for|with|in)|same (?:for|with|in))\s+(.{2,60}?)\s*\??$`)
	fragment = pattern.New(`(?i)^(?:(?:in|on|at|by|for|to|with|from|under|within|after|without|before|during|inside|outside)\s+)?[\w"'“‘-](?:[^?.!,;]|[.,][\w-]){0,50}\??$`)
	verbs    = pattern.New(`(?i)\b(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had|if|i|you|we|it|they|tell|show|explain|give|list|describe|please)\b`)
	partsOf  = pattern.New(`(?i)^(how many|how much|which) of (?:them|those|these|it)\b\s*(.*?)\s*\??$`)
	counts   = pattern.New(`(?i)^how many(?: (?:are|were|is) there| exist| do (?:i|you|we) (?:have|need|get))\s*\??$`)
	moreOf   = pattern.New(`(?i)^(?:tell me more|more details?|say more|explain(?: more| further| that| it)?|(?:give|show)(?: me)? (?:an |some |more )?examples?|an example|for example|examples?)(?:,? please)?\s*[?.!]*$`)
	whatProp = pattern.New(`(?i)^(?:(?:what(?:'s|’s| is| are| was)|is there|are there) )?(?:the |a |an |any )?((?:` + properties + `)(?: (?:` + properties + `))?)\s*\??$`)
)

// properties are properties of things: alone they do not say whose.
const properties = `defaults?|values?|maximum|minimum|max|min|limits?|sizes?|names?|types?|syntax|units?|range|purpose|meaning|effects?|differences?|costs?|price|penalt(?:y|ies)|deadline|fees?|length|duration|exceptions?|advantages?|disadvantages?|drawbacks?|alternatives?|requirements?|options?|arguments?|parameters?|permissions?|formats?`

var propertyWord = pattern.New(`(?i)^(?:the |its |a |an )?(?:` + properties + `)(?: (?:` + properties + `))?$`)

// read removes the opening of a question and returns how it depends on another one.
func read(question string) (string, leaning) {
	q := strings.Join(strings.Fields(question), " ")
	for courtesy.MatchString(q) {
		q = courtesy.ReplaceAllString(q, "")
	}
	if q == "" || len(strings.Fields(q)) > longest || len(text.Sentences(q)) > 1 {
		return q, alone
	}
	rest := opening.ReplaceAllString(q, "")
	opened := rest != q
	if strings.HasPrefix(strings.ToLower(rest), "if ") && !strings.Contains(rest, ",") {
		rest = "what " + rest
	}
	switch {
	case bareWords.MatchString(rest):
		return rest, bare
	case moreOf.MatchString(rest):
		return rest, more
	case aboutIt.MatchString(rest) && named(thing(rest)):
		return rest, instead
	case partsOf.MatchString(rest), counts.MatchString(rest):
		return rest, counting
	case whatProp.MatchString(rest) && (opened || verbs.MatchString(rest)):
		return rest, property
	case opened && fragment.MatchString(rest) && !verbs.MatchString(rest) && named(rest):
		return rest, instead
	case leansByPronoun(rest):
		return rest, pronoun
	}
	return rest, alone
}

// thing returns the thing named in "what about X?" and "and X?".
func thing(asked string) string {
	if m := aboutIt.FindStringSubmatch(asked); m != nil {
		return m[1]
	}
	return strings.TrimRight(asked, " ?")
}

// named reports whether words name a thing: "then" and "this one" do not.
func named(x string) bool {
	return slices.ContainsFunc(tokens(x), func(t token) bool {
		return !text.DocStops.Has(t.word) && !pronouns[t.word] && !pointers[t.word] && t.word != "one" && t.word != "ones" && t.word != "else"
	})
}

// A token is a word of a question with its surroundings.
type token struct {
	start, end int
	word       string // in lower case
}

var wordForm = pattern.New(`[\p{L}\p{N}_$./@-]*[\p{L}\p{N}_]+(?:[’'][\p{L}]+)?(?:\(\))?`)

func tokens(s string) []token {
	var out []token
	for _, m := range wordForm.FindAllStringIndex(s, -1) {
		out = append(out, token{m[0], m[1], strings.ToLower(strings.ReplaceAll(s[m[0]:m[1]], "’", "'"))})
	}
	return out
}

// symbol matches a technical name: max_connections, --force, a.conf.
var symbol = pattern.New(`^(?:-{1,2}[a-z][\w-]*|[\w$]*_[\w$]*|\w+\(\)|[\w-]+\.[\w.]*[a-z]\w*|\w*[a-z]\w*[A-Z]\w*|[A-Za-z]+\d\w*)$`)

// capitals is a word written in capitals, as statements and acronyms are.
func capitals(w string) bool {
	return len(w) > 1 && w == strings.ToUpper(w) && strings.ContainsFunc(w, func(r rune) bool { return r >= 'A' && r <= 'Z' })
}

// symbols returns the technical names of a text, each once.
func symbols(s string) []string {
	var out []string
	for _, t := range tokens(s) {
		if w := s[t.start:t.end]; symbol.MatchString(w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
