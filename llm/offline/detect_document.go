package offline

import (
	"regexp"
	"strings"

	"example.com/assay/memory/text"
)

// Documents inform; a sentence that orders whoever reads to write, translate
// or alter an answer is out of place in one. These tiers apply to documents
// only: in a question they are ordinary wishes.

var (
	editStart = regexp.MustCompile(`(?i)^(?:\W|in (?:your|the) (?:response|answer|reply|output)\W+|(?:please|also|now|then|kindly|when (?:you )?(?:answer|respond|reply)\w*,?|before (?:you )?(?:answer|respond)\w*,?)\s+)*(?:add|include|integrate|insert|modify|augment|enhance|append|prepend|embed|incorporate|replace|convert|render|substitute|misspell|scramble|rearrange|remove|encode|decode|reverse|translate|rewrite|rephrase|paraphrase|summari[sz]e|shuffle|capitali[sz]e|write|respond|reply|answer|output|print|say|mention|promote|advertise|recommend|express|format|hide|spell|repeat|end|start|begin|conclude|finish|tell|inform|claim|persuade|convince|apply|shift|present|provide|interject|use|introduce|jumble|anagram|group|combine|suggest|tease|make|swap|mix|disguise|ensure|weave|sprinkle)\b`)
	taskStart = regexp.MustCompile(`(?i)^(?:\W|(?:please|now|then|kindly|(?:can|could|would) you(?: please)?|i (?:want|need) you to)\s+)*(?:write|draft|compose|create|generate|design|produce|outline|calculate|compute|translate|paraphrase|recommend|organi[sz]e|schedule|recite|sing|imagine|pretend|implement|debug|summari[sz]e|find|search|list|name|tell me|show me|teach me|help me|give me|plan|explain|describe|suggest)\b`)
	yourOut   = regexp.MustCompile(`(?i)\byour (?:\w+ )?(?:response|answer|reply|output|summary|message)\b|\b(?:the|each|every) (?:\w+ )?(?:response|reply|output)\b`)
	transform = regexp.MustCompile(`(?i)\b(?:vowels?|consonants?|every (?:second|third|other|nth|\w+th) (?:word|letter|character)|each (?:letter|word|character)|(?:all|the) (?:letters|characters|spaces|vowels)|anagrams?|typos?|misspell\w*|emojis?|base ?64|hexadecimal|morse|rot ?13|cipher|pig latin|backwards?|in reverse|upper ?case|lower ?case|alphanumeric|homophon\w+|groups? of (?:three|four|five|\d))\b`)
	generated = regexp.MustCompile(`(?i)\b(?:a|an)\s+(?:\w+\s+){0,2}(?:poem|story|essay|speech|song|haiku|function|script|program|code|article|joke|tweet|slogan|recipe|advertisement|limerick|sonnet|playlist|itinerary)\b`)
	personal  = regexp.MustCompile(`(?i)\b(?:i|i'm|i've|my|we|our|us)\b`)
)

// documentOrder scores a sentence of a document. overlap tells how much of
// the sentence's content the rest of the document speaks about.
func documentOrder(s string, overlap func(stems []string) float64) hit {
	h := hit{category: "output_forcing", why: "It orders the reader to alter an answer"}
	edit, task := editStart.MatchString(s), taskStart.MatchString(s)
	switch {
	case !edit && !task:
		return hit{}
	case edit && yourOut.MatchString(s), transform.MatchString(s):
		h.score = .9
	case generated.MatchString(s) && !personal.MatchString(strings.TrimPrefix(s, "I ")):
		h.score = .7
	case task && len(strings.Fields(s)) >= 4 && !personal.MatchString(s):
		if overlap(text.Terms(s, text.QueryStops)) < .2 && len(strings.Fields(s)) < 25 {
			h.score = .7
		}
	}
	return h
}

// A topicIndex counts the stems of a document by sentence, on first use: most
// documents hold no sentence that needs it.
type topicIndex struct {
	sentences map[string]int // stem → in how many sentences
	built     bool
}

// overlap is the share of stems that other sentences than the own hold; 1
// for a document of fewer than four sentences, which shows no topic.
func (x *topicIndex) overlap(document string, spans []text.Span, own int, stems []string) float64 {
	if len(spans) < 4 || len(stems) == 0 {
		return 1
	}
	if !x.built {
		x.built = true
		x.sentences = map[string]int{}
		for _, span := range spans {
			for _, t := range unique(text.Terms(document[span.Start:span.End], text.QueryStops)) {
				x.sentences[t]++
			}
		}
	}
	shared := 0
	for _, t := range unique(stems) {
		if x.sentences[t] > 1 {
			shared++
		}
	}
	return float64(shared) / float64(len(unique(stems)))
}
