package research

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// An askKind says what an answer to a part of a question must hold.
type askKind int

const (
	askAnything   askKind = iota // nothing in particular: a passage on it
	askDefinition                // a sentence that defines the term
	askIdentity                  // a sentence that says what the thing is: "What is the A of B?"
	askPerson                    // who
	askName                      // who is the holder of an office: a name
	askTime                      // when it is so: a time or a condition
	askDate                      // when it was: a date
	askPlace                     // where
	askCount                     // how many, how long, how much: a number
	askDecision                  // yes or no
)

// A part is one thing that a question asks for.
type part struct {
	text  string
	kind  askKind
	term  []string // words of the term that is to be defined, lower case, in order
	topic []string // words that say what is asked about, lower case, each once
	names []string // identifiers and numbered names that no other words can stand for
}

var (
	inPlace    = pattern.New(`(?i)^in\s+[^,?]{1,40},\s+`) // "In SQLite, what is …"
	definite   = pattern.New(`(?i)^(?:the|this|that)\s+`)
	article    = pattern.New(`(?i)^(?:an?|the|any)\s+`)
	whatIs     = pattern.New(`(?i)^(?:what(?:'s|’s|\s+(?:is|are|was|were))|define|explain what (?:is|are))\s+(.+?)[?.!\s]*$`)
	whatMeans  = pattern.New(`(?i)^what\s+(?:does|do|did)\s+(.+?)\s+(?:mean|stand for|refer to)\b`)
	meantBy    = pattern.New(`(?i)^what\s+(?:is\s+meant\s+by|is\s+the\s+(?:meaning|definition)\s+of|counts\s+as|constitutes)\s+(.+?)[?.!\s]*$`)
	isDefined  = pattern.New(`(?i)^how\s+(?:is|are)\s+(.+?)\s+defined\b`)
	whoIs      = pattern.New(`(?i)^who(?:'s|’s|\s+(?:is|are|was|were))\s+(.+?)[?.!\s]*$`)
	who        = pattern.New(`(?i)^(?:who|whom|whose|which\s+(?:person|party|authority|court|body|officer|department))\b`)
	whenWas    = pattern.New(`(?i)^(?:when\s+(?:was|were|did)|(?:in\s+)?what\s+year|on\s+what\s+date|on\s+which\s+date)\b`)
	when       = pattern.New(`(?i)^when\b`)
	where      = pattern.New(`(?i)^where\b`)
	count      = pattern.New(`(?i)\bhow\s+(?:many|much|long|often|old|soon|big|large|high|far|late|early)\b|^what\s+(?:age|percentage|amount|number|size|fine)\b|^(?:within\s+)?what\s+(?:period|deadline)\b`)
	decision   = pattern.New(`(?i)^(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have)\s`)
	asking     = pattern.New(`(?i)^(?:(?:in|on|at|by|for|to|with|from|under|within|after|of)\s+(?:what|which|whom|how)|what|who|whom|whose|which|when|where|why|how|define|compare|distinguish|is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have)\b`)
	coordinate = pattern.New(`(?i)(?:,|;)?\s+(?:and|or|but)\s+((?:what|when|where|who|whom|which|why|how)\s)|(?:,|;)\s+((?:what|when|where|who|whom|which|why|how)\s)`)
	comparison = []*pattern.Pattern{
		pattern.New(`(?i)\b(?:differences?|distinction|relationship)\s+between\s+(.+?)\s+and\s+(.+?)[?.!\s]*$`),
		pattern.New(`(?i)\b(?:compare|contrast|distinguish)\s+(.+?)\s+(?:and|with|to|from)\s+(.+?)[?.!\s]*$`),
		pattern.New(`(?i)^how\s+(?:do|does|is|are)\s+(.+?)\s+(?:differ|different)\s+from\s+(.+?)[?.!\s]*$`),
	}
	leansBack  = pattern.New(`(?i)\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|one)\b`)
	modifying  = pattern.New(`(?i)\b(?:when|if|that|which|who|for|in|on|by|with|to|at|from|under|between|after|before|of)\b`)
	identifier = pattern.New(`\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|\b[A-Za-z]+\d+[A-Za-z0-9]*(?:\(\))?|\b[A-Z][A-Za-z]+\s+\d+(?:\.\d+)*\b`)
)

// partsOf finds the parts of a question, in order: its questions, the questions within one
// sentence, and the sides of a comparison. A question about a story, and words without a
// question, have no parts that could be missing.
func partsOf(question string) []part {
	question = strings.Join(strings.Fields(question), " ")
	var list []string
	for _, span := range text.Sentences(question) {
		s := question[span.Start:span.End]
		if rest := inPlace.ReplaceAllString(s, ""); rest != s && partOf(rest).kind == askDefinition {
			s = rest
		}
		if !asking.MatchString(s) {
			return nil
		}
		list = append(list, clausesOf(s)...)
	}
	var out []part
	for _, s := range list {
		if a, b, ok := sides(s); ok {
			out = append(out, part{text: a, topic: topicOf(a)}, part{text: b, topic: topicOf(b)})
			continue
		}
		p := partOf(s)
		if n := len(out); n > 0 && leansBack.MatchString(s) {
			p.topic = joined(p.topic, out[n-1].topic)
			if p.kind == askDefinition || p.kind == askIdentity {
				p.kind, p.term = askAnything, nil // what it refers to is not in it
			}
		}
		out = append(out, p)
	}
	return out
}

// clausesOf splits a sentence where a second question begins.
func clausesOf(s string) []string {
	var out []string
	from := 0
	for _, m := range coordinate.FindAllStringSubmatchIndex(s, -1) {
		at := m[2]
		if at < 0 {
			at = m[4]
		}
		if strings.TrimSpace(s[from:m[0]]) == "" || len(topicOf(s[from:m[0]])) == 0 {
			continue
		}
		out = append(out, strings.TrimSpace(s[from:m[0]])+"?")
		from = at
	}
	return append(out, strings.TrimSpace(s[from:]))
}

func sides(s string) (a, b string, ok bool) {
	for _, form := range comparison {
		if m := form.FindStringSubmatch(s); m != nil {
			return m[1], m[2], true
		}
	}
	return "", "", false
}

func partOf(s string) part {
	p := part{text: strings.TrimRight(s, "?.! "), topic: topicOf(s)}
	for _, n := range identifier.FindAllString(s, -1) {
		p.names = append(p.names, strings.ToLower(n))
	}
	term := func(form *pattern.Pattern) (string, bool) {
		m := form.FindStringSubmatch(s)
		if m == nil {
			return "", false
		}
		return m[1], true
	}
	defines := func(t string) {
		p.term = wordsOf(article.ReplaceAllString(t, ""))
		if len(p.term) > 0 && len(p.term) <= longestTerm {
			p.kind = askDefinition
		}
	}
	for _, form := range []*pattern.Pattern{whatMeans, meantBy, isDefined} {
		if t, ok := term(form); ok {
			defines(t)
			return p
		}
	}
	if t, ok := term(whoIs); ok {
		switch {
		case modifying.MatchString(t) || !article.MatchString(t) || verbal(t):
			p.kind = askPerson
		case definite.MatchString(t):
			p.kind, p.term = askName, wordsOf(article.ReplaceAllString(t, ""))
		default:
			defines(t)
		}
		return p
	}
	if t, ok := term(whatIs); ok && !count.MatchString(s) {
		switch {
		case len(p.topic) == 0:
		case definite.MatchString(t) || modifying.MatchString(t):
			if len(wordsOf(t)) <= longestIdentity && !verbal(t) {
				p.kind = askIdentity
			}
		case !verbal(t):
			defines(t)
		}
		return p
	}
	switch {
	case count.MatchString(s):
		p.kind = askCount
	case who.MatchString(s):
		p.kind = askPerson
	case whenWas.MatchString(s):
		p.kind = askDate
	case when.MatchString(s):
		p.kind = askTime
	case where.MatchString(s):
		p.kind = askPlace
	case decision.MatchString(s):
		p.kind = askDecision
	}
	return p
}

const (
	longestTerm     = 5 // words of a term that somebody asks the meaning of
	longestIdentity = 9 // words of a thing that somebody asks what it is
)

// verbal reports whether an event, not a thing, follows "what is" or "who is": "required
// for keys", "liable when …".
func verbal(t string) bool {
	words := wordsOf(article.ReplaceAllString(t, ""))
	if len(words) == 0 {
		return true
	}
	if article.MatchString(t) {
		return false
	}
	first := words[0]
	return strings.HasSuffix(first, "ed") && len(first) > 4 || statesOf[first]
}

var statesOf = setOfWords(`liable guilty entitled allowed able responsible subject bound known meant done needed called
	different wrong right true possible necessary likely forbidden`)

// putting are words that put a question and say nothing of what it is about.
var putting = setOfWords(`what when where who whom whose which why how many much long often old soon big large high far
	define explain describe mean means meaning definition count counts happen happens someone somebody anyone person people
	thing things kind kinds type types way ways case question rule rules law legal apply applies default need needs needed
	make makes made take takes use used get gets give gives say says does every still ever just also always most least
	allow allowed possible may must can could should would shall might will there between difference
	prove proves proved proving show shows showing establish win wins winning succeed prevail prevails sue sues bring brings
	come comes known called never another together commit commits committed guilty try want wants find decide decides look follow follows cost costs likely really exactly actually
	plaintiff plaintiffs defendant defendants claimant claimants party parties claim claims element elements requirement
	requirements require requires required exception exceptions treat treated relevant governing result outcome`)

// topicOf returns the words of a question that say what it is about. If no word does, it
// returns all.
func topicOf(s string) []string {
	var topic, content []string
	for _, t := range text.Tokens(s) {
		if text.QueryStops.Has(t.Text) || slices.Contains(content, t.Text) {
			continue
		}
		content = append(content, t.Text)
		if !putting[t.Text] {
			topic = append(topic, t.Text)
		}
	}
	if len(topic) == 0 {
		return content
	}
	return topic
}

func wordsOf(s string) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		out = append(out, t.Text)
	}
	return out
}

func joined(a, b []string) []string {
	for _, w := range b {
		if !slices.Contains(a, w) {
			a = append(a, w)
		}
	}
	return a
}

func setOfWords(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
