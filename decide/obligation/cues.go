package obligation

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

// A cue is a class of words for or against an obligation.
type cue struct {
	name   string
	strong bool     // states a duty alone
	hints  []string // words of which every match contains one, in lower case; most sentences have none
	re     *pattern.Pattern
}

// in reports whether a sentence has the cue; lower is the sentence in lower case.
func (c *cue) in(sentence, lower string) bool {
	for _, h := range c.hints {
		if strings.Contains(lower, h) {
			return c.re.MatchString(sentence)
		}
	}
	return false
}

func words(forms string) *pattern.Pattern { return pattern.New(`(?i)\b(?:` + forms + `)\b`) }

// cues are the classes, strong ones first. Their order is that of the weights.
var cues = []cue{
	{"must", true, []string{"must", "shall"}, words(`must|shall`)},
	{"required", true, []string{"required", "obliged", "obligated", "mandated", "compelled", "directed", "bound", "expected", "mandatory", "compulsory", "obligatory", "is to ", "are to "}, words(`(?:is|are|be|been|being|was|were|remains?)(?:\s+\w+){0,2}\s+(?:required|obliged|obligated|mandated|compelled|directed|bound|expected)\s+(?:to|that|by|for|before|under|from|in|at|when|within|as)|(?:is|are|be)\s+(?:\w+\s+)?(?:required|mandated|mandatory|compulsory|obligatory)|required\s+to|obligated\s+to|obliged\s+to|(?:is|are)\s+to\s+(?:be\s+)?[a-z]+`)},
	{"requires", true, []string{"require", "mandate", "oblige", "compel", "necessitate", "demand", "stipulate"}, words(`requires?|mandates?|obliges?|compels?|necessitates?|demands?|stipulates?`)},
	{"have_to", true, []string{"has to", "have to", "need", "ought"}, words(`ha(?:s|ve)\s+to|needs?\s+to|ought\s+to`)},
	{"prohibited", true, []string{"not ", "cannot", "prohibit", "forbid", "permitted", "barred", "no ", "only", "unlawful", "refrain", "offence"}, words(`may\s+not|must\s+not|shall\s+not|cannot|can\s+not|prohibit(?:s|ed|ion)?|forbid(?:s|den)?|(?:not|only|no\s+longer)\s+(?:permitted|allowed|authori[sz]ed|entitled)|barred\s+from|no\s+(?:\w+\s+){1,3}(?:may|shall|must|can|(?:is|are)\s+(?:permitted|allowed))|may\s+only|only\s+be|only\s+(?:if|where|when|available|after|to\s+the\s+extent)|may\s+[^.;:]{1,120}\s+only\b|unlawful|refrain\s+from|it\s+is\s+an\s+offence`)},
	{"responsible", true, []string{"responsib", "duty", "duties", "obligation", "accountable", "liable"}, words(`responsible\s+for|responsibility\s+(?:of|to|for)|(?:has|have|bears?|carr(?:y|ies)|under|owes?)\s+(?:a|an|the)\s+(?:\w+\s+)?(?:duty|obligation|responsibility)|dut(?:y|ies)\s+(?:of|to)|(?:responsibilities|duties|obligations)\s+of\s+[^.;:]{1,120}\s+includes?\b|obligations?\s+to|accountable\s+for|liable\s+(?:for|to)`)},
	{"mandatory", true, []string{"mandatory", "compulsory", "obligatory", "imperative", "essential", "necessary", "vital", "crucial", "prerequisite", "requirement", "condition"}, words(`mandatory|compulsory|obligatory|imperative|it\s+is\s+(?:essential|necessary|vital|crucial)|(?:is|are)\s+(?:essential|necessary|a\s+prerequisite|a\s+requirement|a\s+condition)`)},
	{"ensure", true, []string{"ensure"}, pattern.New(`(?i)(?:^|[^o\s]\s+|[^t\s]o\s+|\w{2}o\s+)ensures?\b`)}, // "to ensure" only says what for
	{"bears", true, []string{"subject", "held", "payable", "due", "expect", "constitute", "allow", "permit", "conditional", "breach", "offence", "contraven", "full"}, words(`(?:is|are|be|remains?)\s+(?:\w+\s+)?(?:subject|held)\s+to\s+(?:\w+\s+){0,3}(?:requirements?|obligations?|rules?|penalt\w+|sanctions?|limits?|dut\w+|fees?|standards?)|(?:is|are)\s+(?:payable|due)|expects?\s+(?:that\b|(?:[\w’'.-]+\s+){1,12}to\b)|(?:should|must|can)\s+expect\s+to|constitutes?\s+an?\s+(?:breach|offence|contravention|violation)|(?:does|do)\s+not\s+(?:allow|permit)|(?:is|are|be)\s+conditional\s+(?:up)?on|(?:is|are|be)\s+in\s+breach\s+of|commits?\s+an?\s+offence|contravenes?|(?:retains?|remains?|bears?)\s+full(?:y)?\s+\w+`)},
	{"should", true, []string{"should"}, pattern.New(`(?i)[^.;]\bshould(?:,[^,.;]{1,80},)?\s+[a-z]+`)}, // an expectation: never explicit

	{"subject_to", false, []string{"subject", "compl", "adhere", "accordance"}, words(`subject\s+to|comply|complies|compliance\s+with|adhere(?:s|d)?\s+to|in\s+accordance\s+with`)},
	{"obligations", false, []string{"obligation", "requirement", "dut", "responsibilit"}, words(`obligations?|requirements?|dut(?:y|ies)|responsibilit(?:y|ies)`)},
	{"will", false, []string{"will", "agree", "undertake"}, words(`will|agrees?\s+to|undertakes?\s+to`)},
	{"may", false, []string{"may", "might", "could", "can"}, words(`may|might|could|can`)},
	{"option", false, []string{"option", "volunt", "discretion", "flexib", "permitted", "allowed", "choos", "choice", "chosen", "wish", "liberty", "leeway", "invited", "welcome", "if ", "latitude"}, words(`optional(?:ly)?|options?|voluntar(?:y|ily)|discretion(?:ary)?|flexib\w*|permitted|allowed|choos(?:e|es|ing)|choices?|chosen|wish(?:es)?|at\s+liberty|leeway|invited|welcome|if\s+(?:they|it|you)\s+(?:wish|so\s+desire|prefer)|latitude`)},
	{"advice", false, []string{"encourag", "advi", "recommend", "suggest", "consider", "beneficial", "useful", "helpful", "prudent", "advantag", "prefer", "ideally", "worthwhile", "desirable", "binding", "aim", "hope"}, words(`encourag\w+|advis(?:ed?|es|able|ory)|advice|recommend\w*|suggest\w*|(?:may|might|could|can|would|will|wish(?:es)?\s+to|like\s+to)\s+(?:\w+\s+)?consider|consider(?:s|ing)|beneficial|useful|helpful|prudent|advantageous|preferabl[ey]|ideally|worthwhile|desirable|non-binding|aims?\s+to|hope[sd]?`)},
	{"guidance", false, []string{"guid", "practice", "tips", "example"}, words(`guidance|guidelines?|good\s+practices?|best\s+practices?|tips|examples?`)},
	{"no_duty", false, []string{"not ", "nor", "never", "neither", "rather", "without", "no ", "exempt", "waive", "need"}, words(`(?:not|nor|never|neither|rather\s+than|without|no)\s+(?:\w+\s+){0,3}(?:required?|mandatory|mandated?|compulsory|obliged|obligat\w+|obligatory|binding|necessary|demand\w*|impos\w+|obligations?|requirements?|duty|need(?:ed)?|prescri\w+|directives?)|need\s+not|(?:is|are)\s+exempt(?:ed)?|does\s+not\s+apply|do\s+not\s+apply|waived?`)},
	{"defines", false, []string{"mean", "deemed", "construed", "known", "cited", "force", "effect", "defined", "refers"}, words(`(?:shall|must)\s+(?:mean|be\s+deemed|be\s+construed|be\s+known|be\s+cited|have\s+the\s+meaning|come\s+into\s+force|take\s+effect)|(?:means|is\s+defined\s+as|refers\s+to|has\s+the\s+meaning)`)},
	{"talk", false, []string{"you", "please", "i", "message", "clarify", "assist", "sentence", "paragraph", "text", "document", "passage", "summary", "informational", "describe", "outline", "explain", "discuss", "illustrat", "overview", "background", "history"}, words(`you|your|please|I|message|clarify|assist(?:ance)?|sentences?|paragraphs?|the\s+text|the\s+document|the\s+passage|this\s+summary|informational|describes?|outlines?|explains?|discuss(?:es)?|illustrat\w+|overview|background|history`)},
	{"asks", false, []string{"?"}, pattern.New(`\?\s*$`)},
	{"past", false, []string{"was", "were", "had", "last", "since", "in "}, words(`was|were|had|last\s+year|since|in\s+(?:19|20)\d\d`)},
	{"would_like", false, []string{"would", "hope", "plan", "intend", "seek", "interested"}, words(`would|hopes?|plans?\s+to|intends?|seeks?\s+to|interested`)},
}

// strongDenied matches words that look like a strong cue and deny it.
var strongDenied = words(`non-\w+|(?:though|although|while|but|and|are|is)\s+(?:\w+\s+)?not\s+(?:mandat\w+|compulsory|obligatory|required|obliged|binding)|(?:does|do|did|is|are|was|were|be)\s+not\s+(?:\w+\s+)?(?:required?|mandated?|mandatory|compulsory|obliged?|obligated|obligatory|necessary|demand|compel\w*|stipulate|oblige|need(?:ed)?)|(?:no|without\s+(?:any|being)?)\s+(?:\w+\s+)?(?:obligations?|requirements?|duty|mandat\w+)|(?:rather\s+than|instead\s+of|not\s+to|do\s+not\s+have\s+to|does\s+not\s+have\s+to)\s*(?:\w+\s+){0,3}(?:mandat\w+|requir\w+|obligat\w+|compulsory)|(?:do|does)\s+not\s+(?:have|need)\s+to|neither\s+\w+\s+nor\s+\w+`)

// mayDeny matches in every sentence that strongDenied matches.
var mayDeny = pattern.New(`\bnot?\b|\bnon-|without|rather|instead|neither`)

// imperative matches a numbered or lettered rule that begins with a verb.
var imperative = words(`accept|acknowledge|adopt|allow|apply|arrange|assess|assign|attach|avoid|call|check|close|collect|complete|confirm|conduct|contact|copy|create|deliver|deny|destroy|disclose|discuss|display|do\s+not|document|ensure|enter|escort|establish|evaluate|file|follow|forward|give|hold|identify|include|inform|inspect|issue|keep|label|limit|list|lock|log|maintain|make|mark|meet|monitor|name|never|notify|obtain|offer|open|order|perform|place|post|prepare|prevent|protect|provide|publish|record|refer|refuse|reject|remove|repeat|replace|report|request|respect|respond|retain|return|review|revoke|schedule|screen|seal|secure|select|send|separate|set|share|sign|state|stop|store|submit|supply|tell|test|track|train|transfer|update|use|verify|wait|warn|wear|write`)

var marker = pattern.New(`^\s*(?:[-*•·–]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})[.)])\s+`)

// unmarked returns a sentence without the marker of its list item, and whether there was one.
func unmarked(s string) (string, bool) {
	m := marker.FindString(s)
	return strings.TrimSpace(s[len(m):]), m != ""
}

// commands reports whether a sentence is an imperative rule in a list.
func commands(s string) bool {
	bare, listed := unmarked(s)
	if !listed || bare == "" {
		return false
	}
	at := imperative.FindStringIndex(bare)
	return at != nil && at[0] == 0 && bare[0] >= 'A' && bare[0] <= 'Z'
}

// Features returns the model's features of a sentence: its cue classes, whether any strong one
// except "should" is not denied, and whether a strong one, including "should", occurs with each
// weak one.
func Features(s string) []float64 {
	flat := strings.Join(strings.Fields(s), " ")
	out := make([]float64, 0, len(featureNames))
	lower := strings.ToLower(flat)
	strong, found, denied := false, make([]bool, len(cues)), flat
	should := false
	if mayDeny.MatchString(lower) {
		denied = strongDenied.ReplaceAllString(flat, " ")
	}
	for i := range cues {
		c := &cues[i]
		if c.strong {
			found[i] = c.in(denied, lower)
			if c.name == "should" {
				should = found[i]
			} else {
				strong = strong || found[i]
			}
		} else {
			found[i] = c.in(flat, lower)
		}
		out = append(out, bit(found[i]))
	}
	out = append(out, bit(strong), bit(commands(s)))
	for i, c := range cues {
		if !c.strong {
			out = append(out, bit((strong || should) && found[i]))
		}
	}
	return out
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// featureNames are the names of the features, in order.
var featureNames = func() []string {
	var out []string
	for _, c := range cues {
		out = append(out, c.name)
	}
	out = append(out, "strong", "imperative")
	for _, c := range cues {
		if !c.strong {
			out = append(out, "strong_"+c.name)
		}
	}
	return out
}()

// FeatureNames returns the names of Features, in order.
func FeatureNames() []string { return append([]string(nil), featureNames...) }
