package research

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/answer"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// A part is one thing that a question asks for.
type part struct {
	text  string
	topic []string // words that say what is asked about, lower case, each once
}

var (
	asking     = pattern.New(`(?i)^(?:(?:in|on|at|by|for|to|with|from|under|within|after|of)\s+(?:what|which|whom|how)|what|who|whom|whose|which|when|where|why|how|define|compare|distinguish|is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have)\b`)
	coordinate = pattern.New(`(?i)(?:,|;)?\s+(?:and|or|but)\s+((?:(?:at|in|on|by|for|to|from)\s+)?(?:what|when|where|who|whom|which|why|how)\s)|(?:,|;)\s+((?:what|when|where|who|whom|which|why|how)\s)`)
	comparison = []*pattern.Pattern{
		pattern.New(`(?i)\b(?:differences?|distinction|relationship)\s+between\s+(.+?)\s+and\s+(.+?)[?.!\s]*$`),
		pattern.New(`(?i)\b(?:compare|contrast|distinguish)\s+(.+?)\s+(?:and|with|to|from)\s+(.+?)[?.!\s]*$`),
		pattern.New(`(?i)^how\s+(?:do|does|is|are)\s+(.+?)\s+(?:differ|different)\s+from\s+(.+?)[?.!\s]*$`),
	}
	leansBack = pattern.New(`(?i)\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|one)\b`)
)

// missingParts names the parts of a multi-part question that no cited passage answers, as far as
// code can tell. parts is the number of parts, 0 for a story and for words without a question.
func missingParts(question string, cited []state.Hit) (parts int, missing []string) {
	list := partsOf(question)
	var sources []answer.Source
	for _, p := range cited {
		sources = append(sources, answer.SourceOf(p))
	}
	if len(list) < 2 {
		if len(list) == 1 && len(sources) > 0 && unanswered(answer.Rank(question, sources, &answer.Options{Most: 1, Confidence: 1})) {
			return 1, []string{fmt.Sprintf("an answer to “%s”", list[0].text)}
		}
		return len(list), nil
	}
	for _, p := range list {
		ask := p.text + "?"
		if leansBack.MatchString(p.text) || len(p.topic) < 2 { // it depends on the question before it
			ask = strings.Join(p.topic, " ") + " " + ask
		}
		what := fmt.Sprintf("an answer to “%s”", p.text)
		if r := answer.Rank(ask, sources, &answer.Options{Most: 1, Confidence: 1}); (r.Undefined || r.Chance < answer.Least/2) && !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	return len(list), missing
}

// unanswered reports whether the best sentence of the cited passages is about something else, has
// no value of the requested kind, or does not say what a thing is. A model may cite anything.
func unanswered(r answer.Ranking) bool {
	return r.Held < leastHeld && r.Meaning < answer.About || r.Undefined || r.Valueless
}

// leastHeld is the share of a question that a cited sentence must contain, together with its
// headings. In other words, it is as near as answer.About.
const leastHeld = 0.1

// partsOf finds the parts of a question, in order: its questions, the questions within one
// sentence, and the sides of a comparison. A question about a story, and words without a
// question, have no parts that could be missing.
func partsOf(question string) []part {
	question = strings.Join(strings.Fields(question), " ")
	var list []string
	for _, span := range text.Sentences(question) {
		s := question[span.Start:span.End]
		if !asking.MatchString(s) {
			return nil
		}
		list = append(list, clausesOf(s)...)
	}
	var out []part
	for _, s := range list {
		if a, b, ok := sides(s); ok {
			out = append(out, part{a, topicOf(a)}, part{b, topicOf(b)})
			continue
		}
		p := part{strings.TrimRight(s, "?.! "), topicOf(s)}
		if n := len(out); n > 0 && (leansBack.MatchString(s) || len(p.topic) < 2) {
			p.topic = text.Distinct(append(p.topic, out[n-1].topic...))
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

// putting are words that phrase a question and are not part of its subject.
var putting = text.Set(`what when where who whom whose which why how many much long often old soon big large high far
	define explain describe mean means meaning definition count counts happen happens someone somebody anyone person people
	thing things kind kinds type types way ways case question rule rules law legal apply applies default need needs needed
	make makes made take takes use used get gets give gives say says does every still ever just also always most least
	allow allowed possible may must can could should would shall might will there between difference
	prove proves proved proving show shows showing establish win wins winning succeed prevail prevails sue sues bring brings
	come comes known called never another together commit commits committed guilty try want wants find decide decides look follow follows cost costs likely really exactly actually
	plaintiff plaintiffs defendant defendants claimant claimants party parties claim claims element elements requirement
	requirements require requires required exception exceptions treat treated relevant governing result outcome`)

// topicOf returns the subject words of a question, or all its words if it has none.
func topicOf(s string) []string {
	lang := text.LanguageOf(s)
	var topic, content []string
	for _, t := range text.Tokens(s) {
		if text.QueryStops.Has(t.Text) || lang.Stops(lang.Word(t.Text)) || slices.Contains(content, t.Text) {
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

// among reports whether a word is among others, in any inflection; a long word may have one
// mistyped letter.
func among(w string, words []string, lang text.Language) bool {
	stem := lang.Stem(w)
	return slices.ContainsFunc(words, func(o string) bool {
		return o == w || lang.Stem(o) == stem || len(w) >= mistypedFrom && len(o) >= mistypedFrom && text.Edits(w, o) < 2
	})
}

// mistypedFrom is the minimum length of a word for which one wrong letter does not make another
// word.
const mistypedFrom = 6
