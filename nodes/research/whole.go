package research

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// missingParts names what is missing for each part of a question that neither the cited
// passages nor the answer cover. parts is the number of parts, 0 for a story and for words
// without a question.
//
// It checks the form. A sentence of the right form about the right thing can still say
// something else.
func missingParts(question, answer string, cited []state.Passage) (parts int, missing []string) {
	list := partsOf(question)
	about := linesOf(answer, cited)
	for _, p := range list {
		if what := p.missing(about); what != "" && !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	return len(list), missing
}

// A line is a sentence of a cited passage or of the answer, with the headings
// that it stands under.
type line struct {
	text    string
	words   []string
	heading string // the nearest one; empty in the answer
	above   []string
	first   bool // of its passage
	passage int
}

func linesOf(answer string, cited []state.Passage) []line {
	var out []line
	add := func(body, heading string, above []string, passage int) {
		before := "" // the line above, if it may be a headword
		for i, span := range text.Sentences(body) {
			s := strings.Trim(body[span.Start:span.End], " \t\n-•*#>“”\"")
			if name, rest, ok := strings.Cut(s, "\n"); ok && isEntry(name, rest) {
				before, s = name, rest
			}
			s = strings.Join(strings.Fields(s), " ")
			l := line{text: s, words: wordsOf(s), heading: heading, above: above, first: i == 0, passage: passage}
			if isEntry(before, s) {
				l.heading, l.first = before, true
			}
			out = append(out, l)
			before = s
		}
	}
	for i, p := range cited {
		levels := strings.Split(p.Section, " > ")
		heading := strings.TrimSpace(levels[len(levels)-1])
		if heading == "" {
			heading = p.Title
		}
		add(p.Text, heading, wordsOf(p.Title+" "+p.Section), i)
	}
	add(sourceMark.ReplaceAllString(answer, ""), "", nil, len(cited))
	return out
}

// isEntry reports whether a line is the headword of what stands below it: a few words
// without an end, above a statement.
func isEntry(name, below string) bool {
	n := len(strings.Fields(name))
	return n > 0 && n <= mostOfName && !strings.ContainsAny(name[len(name)-1:], ".!?:;,") && len(strings.Fields(below)) >= 4
}

// mostOfName is how many words a headword has.
const mostOfName = 6

// missing says in words what no line has of a part, or "".
func (p part) missing(lines []line) string {
	for _, n := range p.names {
		if !slices.ContainsFunc(lines, func(l line) bool { return l.names(n) }) {
			return fmt.Sprintf("a passage that names %q", n)
		}
	}
	switch p.kind {
	case askDefinition:
		if !defined(lines, p.term) {
			return fmt.Sprintf("a sentence that says what %q is", strings.Join(p.term, " "))
		}
	case askIdentity:
		return p.needs(lines, "a sentence that says it", 1, func(l line) bool { return says.MatchString(l.text) })
	case askPerson:
		return p.needs(lines, "who it is", half, func(l line) bool { return namesWho(l.text) })
	case askName:
		if !slices.ContainsFunc(lines, func(l line) bool { return defines(l, p.term) || holds(l, p.term) }) {
			return fmt.Sprintf("who %q is", strings.Join(p.term, " "))
		}
	case askTime:
		return p.needs(lines, "when it is so", half, func(l line) bool { return timeCue.MatchString(l.text) })
	case askDate:
		return p.needs(lines, "a date", half, func(l line) bool { return dateCue.MatchString(l.text) })
	case askPlace:
		return p.needs(lines, "a place", half, func(l line) bool { return placeCue.MatchString(l.text) })
	case askCount:
		return p.needs(lines, "a number or an amount", half, func(l line) bool { return quantity.MatchString(l.text) })
	case askDecision:
		return p.needs(lines, "a sentence that decides it", half, func(l line) bool { return !strings.HasSuffix(l.text, "?") && says.MatchString(l.text) })
	default:
		return p.covered(lines)
	}
	return ""
}

// half is the share of a part's topic that a sentence about it holds, with the
// headings above it.
const half = .5

// needs says that no line about the part's topic has what was asked for.
func (p part) needs(lines []line, what string, share float64, has func(line) bool) string {
	if len(p.topic) == 0 {
		return ""
	}
	for _, l := range lines {
		if p.share(l) >= share && has(l) {
			return ""
		}
	}
	return fmt.Sprintf("%s (“%s”)", what, p.text)
}

// share is how much of the topic a line and the headings above it hold.
func (p part) share(l line) float64 {
	n := 0
	for _, t := range p.topic {
		if among(t, l.words) || among(t, l.above) {
			n++
		}
	}
	return float64(n) / float64(len(p.topic))
}

// covered says that no passage is about the part's topic.
func (p part) covered(lines []line) string {
	if len(p.topic) == 0 {
		return ""
	}
	held := map[int]map[string]bool{}
	for _, l := range lines {
		if held[l.passage] == nil {
			held[l.passage] = map[string]bool{}
		}
		for _, t := range p.topic {
			if among(t, l.words) || among(t, l.above) {
				held[l.passage][t] = true
			}
		}
	}
	for _, h := range held {
		if float64(len(h)) >= half*float64(len(p.topic)) {
			return ""
		}
	}
	return fmt.Sprintf("a passage on %q", p.text)
}

// names reports whether a line or a heading above it has an identifier.
func (l line) names(n string) bool {
	whole := strings.ToLower(l.text + " " + strings.Join(l.above, " "))
	if strings.Contains(whole, n) {
		return true
	}
	words := wordsOf(n)
	return len(words) > 1 && among(words[len(words)-1], append(slices.Clone(l.words), l.above...)) &&
		!slices.ContainsFunc(words, func(w string) bool { return !among(w, append(slices.Clone(l.words), l.above...)) })
}

// among reports whether a word stands among others, in any inflection, or a long
// one with one letter mistyped.
func among(w string, words []string) bool {
	stem := text.Stem(w)
	for _, o := range words {
		if o == w || text.Stem(o) == stem {
			return true
		}
	}
	return len(w) >= mistypedFrom && slices.ContainsFunc(words, func(o string) bool { return len(o) >= mistypedFrom && oneSlip(w, o) })
}

// mistypedFrom is the length from which one wrong letter makes no other word.
const mistypedFrom = 6

// oneSlip reports whether two words differ by one letter that is other, missing,
// too many, or exchanged with its neighbour.
func oneSlip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a[0] != b[0] {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) > len(b):
		return a[i+1:] == b[i:]
	case i == len(a):
		return true
	case i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]:
		return true
	}
	return a[i+1:] == b[i+1:]
}

// Spans by which a sentence can answer. They are wide: a sentence without any of
// them answers nothing of the kind.
var (
	says     = pattern.New(`(?i)\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|cannot|could|may|might|must|shall|should|will|would|means?|requires?|allows?|permits?|applies|apply|prevents?|makes?|not|never|no|only|\w+s|\w+ed)\b`)
	timeCue  = pattern.New(`(?i)\b(?:when|whenever|if|until|after|before|upon|once|unless|while|during|where|whether|by|within|on|at|as soon as|at the time|so long as|as long as|provided|immediately|every|each|always|never|spring|summer|autumn|winter|daily|weekly|monthly|yearly|annually|years?|months?|weeks?|days?|hours?|\d{4})\b`)
	dateCue  = pattern.New(`(?i)\b\d{4}-\d\d-\d\d\b|(?:^|[^-\w])(?:1[0-9]{3}|20[0-9]{2})(?:$|[^-\w])|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\bcentury\b`)
	placeCue = pattern.New(`(?i)\b(?:in|at|on|under|into|to|from|within|near|inside|outside|between|behind|of)\s+\S|/\w+`)
	quantity = pattern.New(`(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|million|half|third|quarter|dozen|single|double|once|twice|annual\w*|yearly|monthly|weekly|daily|hourly|nominal|unlimited|indefinite\w*|reasonable|immediate\w*|forthwith|promptly|lifetime|life|never|none|no more than|at most|at least|every|each)\b`)
	roleWord = pattern.New(`(?i)\b(?:\w{3,}(?:er|or|ee|ist|ian|ant|man|men)s?|court|courts|judge|judges|jury|party|parties|person|persons|people|one|anyone|everyone|nobody|parent|parents|child|children|government|state|congress|police|president|board|council|committee|client|agent|user|users|group|team|staff|heirs?|spouse|victims?|witness(?:es)?|accused|public|company)\b`)
	noRole   = setOfWords(`other others another whether either neither rather order orders matter matters under over after never ever
		later former latter number numbers however power powers answer paper letter chapter offer offers error errors factor factors
		minor major prior per manner center quarter water weather together further greater lesser larger smaller higher lower consider
		important relevant significant constant instant determination for nor or more before`)
	byWhom     = pattern.New(`(?i)\bby\s+(?:the|an?|its|their|any|every)\s+\w`)
	properName = pattern.New(`\b[A-Z][a-z]+(?:\s+(?:[A-Z]\.\s*)?[A-Z][a-z]+)*`)
)

// namesWho reports whether a sentence names a person, a role or a body.
func namesWho(s string) bool {
	if byWhom.MatchString(s) {
		return true
	}
	for _, m := range roleWord.FindAllString(s, -1) {
		if !noRole[strings.ToLower(m)] {
			return true
		}
	}
	for _, m := range properName.FindAllStringIndex(s, -1) {
		if m[0] > 0 {
			return true
		}
	}
	return false
}
