package offline

import (
	"fmt"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// Classification counts cues of questions that need more than one look-up: length, comparison,
// relative clauses, nested "of the", several questions, several authorities, a temporal chain, a
// story, several concepts of law. The cues follow the differences between the questions of HotpotQA
// and Natural Questions; one cue is enough, because in doubt a question is multi_hop. For multiple
// choice, the choices' concepts count too.

// longQuestion is the number of words from which a question counts as long.
const longQuestion = 12

var (
	framing = pattern.New(`(?i)^(?:under|in|at|according to|for the purposes of|as a matter of)\s+[^,?]{3,60},\s+|\s+(?:under|at|in)\s+(?:the\s+)?(?:common law|most jurisdictions|(?:federal|state|criminal|tort|contract|property|constitutional|administrative|english|american|u\.s\.|us|eu|european)\s+law|the united states|general)\b`)
	cues    = []struct {
		reason string
		re     *pattern.Pattern
	}{
		{"it compares", pattern.New(`(?i)\b(compar\w*|contrast\w*|differ|differs|differen(?:ce|ces|t from)|versus|vs\.?|distinguish\w*|both|same|similarit\w+|rather than|as opposed to|either .+ or)\b`)},
		{"a relative clause names something to be found first", pattern.New(`(?i)\b(?:the|a|an|any|every)\s+(?:[\w-]+\s+){1,3}(?:that|who|whose|whom|which|where)\s+\w+`)},
		{"nested relations (of the … of the …)", pattern.New(`(?i)\bof (?:the|a|an) (?:[\w-]+ ){1,4}of (?:the|a|an)\b`)},
		{"it follows a chain of events", pattern.New(`(?i)\b(after|before|once|while|following|subsequently|thereafter|later|then)\s+(?:\w+\s+){0,3}(?:\w+ed|\w+ing|is|are|was|were|has|have|being)\b`)},
		{"it applies law to supposed facts", pattern.New(`(?i)(?:^|[,.;]\s+|\b(?:what )?happens\s+)(if|suppose|assume|imagine|where a|when a)\b`)},
		{"a rule and its exception or defense interact", pattern.New(`(?i)\b(notwithstanding|despite|even if|even though|interact\w*|relat(?:e|es|ionship)|effect of .+ on|exception to .+ (?:when|if|where))\b`)},
	}
)

func classify(in skills.ClassifyInput) (skills.ClassifyOutput, error) {
	stem, choices := splitChoices(in.Question)
	if strings.TrimSpace(stem) == "" && len(choices) == 0 {
		return skills.ClassifyOutput{}, errBlank
	}
	reasons := questionCues(stem)
	if len(choices) > 0 {
		reasons = choiceCues(stem, choices)
	}
	if len(reasons) > 0 {
		return skills.ClassifyOutput{QueryType: "multi_hop", Reason: "Cues: " + strings.Join(reasons, "; ") + "."}, nil
	}
	reason := fmt.Sprintf("One short question (under %d words) without a cue of several steps.", longQuestion)
	if len(choices) > 0 {
		reason = "Multiple choice on one concept, without a story to apply it to."
	}
	return skills.ClassifyOutput{QueryType: "simple", Reason: reason}, nil
}

// questionCues returns the cues that make a question without choices multi_hop.
func questionCues(question string) []string {
	facts, _ := parts(question)
	words := wordsOf(framing.ReplaceAllString(text.OneLine(question), " "))
	var reasons []string
	if len(words) >= longQuestion {
		reasons = append(reasons, fmt.Sprintf("%d words", len(words)))
	}
	if facts != "" {
		reasons = append(reasons, "it tells facts before it asks")
	}
	reasons = append(reasons, patternCues(question)...)
	if n := len(clauses(question)); n > 1 {
		reasons = append(reasons, fmt.Sprintf("%d questions in one", n))
	}
	if n := len(citation.FindAllString(question, -1)); n > 1 {
		reasons = append(reasons, fmt.Sprintf("%d authorities", n))
	}
	if names := terminology().concepts(words); len(names) > 1 {
		reasons = append(reasons, "several concepts ("+strings.Join(names, ", ")+")")
	}
	return reasons
}

// choiceCues returns the cues that make a multiple-choice question multi_hop: a story, or options
// with different concepts.
func choiceCues(stem string, choices []skills.Choice) []string {
	var reasons []string
	if facts, _ := parts(stem); len(wordsOf(facts)) >= longQuestion {
		reasons = append(reasons, "the stem tells facts to apply the law to")
	}
	all := stem
	for _, c := range choices {
		all += " . " + c.Text
	}
	if names := terminology().concepts(wordsOf(all)); len(names) > 1 {
		reasons = append(reasons, "stem and choices turn on several concepts ("+strings.Join(names, ", ")+")")
	}
	if len(reasons) == 0 && len(wordsOf(stem)) >= 2*longQuestion {
		reasons = append(reasons, "a long stem")
	}
	return append(reasons, patternCues(stem)...)
}

func patternCues(question string) []string {
	var reasons []string
	for _, cue := range cues {
		if cue.re.MatchString(question) {
			reasons = append(reasons, cue.reason)
		}
	}
	return reasons
}
