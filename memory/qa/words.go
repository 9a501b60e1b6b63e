package qa

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
)

// A wordSet is a set of lower-case words.
type wordSet map[string]bool

func (s wordSet) has(w string) bool { return s[w] }

func wordsOf(list string) wordSet {
	s := wordSet{}
	for _, w := range strings.Fields(list) {
		s[w] = true
	}
	return s
}

var (
	askWords = wordsOf(`who whom whose what which when where why how`)
	modals   = wordsOf(`can could may might must shall should will would ought`)
	ignored  = wordsOf(`a an the please actually really exactly precisely`)

	// imperatives are imperatives that ask for an answer.
	imperatives = wordsOf(`tell explain describe list state give define clarify say name show`)

	// headNouns ask for a property of a thing, so that "of" or "for" after them adds no meaning
	// beyond the word order.
	headNouns = wordsOf(`element component requirement definition meaning penalty deadline rule test
		standard purpose effect exception remedy type right duty obligation power`)

	// closed are function words that end a noun phrase or make one question
	// another.
	closed = wordsOf(`of for to in on at by with without from into onto out off over under above below
		between among against before after during until since within beyond through about as than per
		versus upon and or nor not no never neither only all every each any some none most many much few
		both either less more least same other such if unless except because despite while whether that
		this these those there is are was were be been being am do does did have has had i he she they we
		you it 's mean`)

	// caseMatters are words that mean something else with a capital.
	caseMatters = wordsOf(`us may will it aids march august mark bill rob sue grant pat polish turkey
		china can art job mobile chase who frank jack penny rose faith hope grace dean earl drew`)

	// alwaysPlural are words whose plural means something else.
	alwaysPlural = wordsOf(`damages goods arms customs securities premises proceeds minutes means remains
		terms news costs interests grounds papers works forces spirits letters pains savings earnings
		wages lines`)
)

// pronouns map a pronoun to its person: "I" and "me" are distinguished by position.
var pronouns = map[string]string{
	"i": "i", "me": "i", "my": "i", "mine": "i",
	"he": "he", "him": "he", "his": "he",
	"she": "she", "her": "she", "hers": "she",
	"they": "they", "them": "they", "their": "they", "theirs": "they",
	"we": "we", "us": "we", "our": "we", "ours": "we",
	"you": "you", "your": "you", "yours": "you",
	"it": "it", "its": "it",
}

// synonyms are words that are interchangeable in every question, as far as a list can guarantee
// that. It is short on purpose.
var synonyms = map[string]string{
	"attorney": "lawyer", "purchaser": "buyer", "purchase": "buy", "automobile": "car", "physician": "doctor",
	"begin": "start", "commence": "start", "needed": "required", "necessary": "required", "punishment": "penalty",
	"component": "element", "kind": "type", "computed": "calculated", "compute": "calculate", "sort": "type", "movie": "film", "has": "have", "&": "and",
	"defence": "defense", "offence": "offense", "judgement": "judgment", "licence": "license",
	"labour": "labor", "colour": "color", "honour": "honor", "favour": "favor", "cancelled": "canceled",
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "sixty": "60", "ninety": "90",
	"first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th",
	"seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}

var contractions = map[string]string{
	"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not",
	"i'm": "i am", "i'd": "i would", "let's": "let us", "ain't": "is not",
}

// canonical maps a word to the representative of its synonyms.
func canonical(w string) string {
	if p, ok := pronouns[w]; ok {
		return p
	}
	if s, ok := synonyms[w]; ok {
		return s
	}
	w = singular(w)
	if s, ok := synonyms[w]; ok {
		return s
	}
	return w
}

// singular takes the ending of regular plurals off, and nothing else: a stem
// would make one word of "author" and "authority".
func singular(w string) string {
	if len(w) < 4 || alwaysPlural.has(w) || closed.has(w) || !strings.HasSuffix(w, "s") {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

// questionToken matches a number with its sign and decimals, a word with apostrophes or hyphens
// inside, or a sign that changes the meaning of a number.
var questionToken = pattern.New(`\d+(?:st|nd|rd|th)\b|[-−]?\d[\d.,]*\d|[-−]?\d|[\p{L}\p{N}\p{M}]+(?:['\-][\p{L}\p{N}\p{M}]+)*'?|[%$€£¥§&+=<>/]`)

// thousands matches a number with its thousands set off by commas; a comma
// elsewhere is a decimal one.
var thousands = pattern.New(`^-?\d{1,3}(,\d{3})+(\.\d+)?$`)

var typographic = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "‐", "-", "‑", "-")

// questionWords splits a question into words, in lower case and with
// contractions taken apart.
func questionWords(q string) []string {
	q = typographic.Replace(q)
	var out []string
	for i, loc := range questionToken.FindAllStringIndex(q, -1) {
		raw := q[loc[0]:loc[1]]
		if number := strings.TrimLeft(raw, "-−"); number != raw {
			// A hyphen is a minus only at the start of a word.
			if before, _ := utf8.DecodeLastRuneInString(q[:loc[0]]); loc[0] > 0 && (unicode.IsLetter(before) || unicode.IsNumber(before)) {
				raw = number
			} else {
				raw = "-" + number
			}
		}
		out = append(out, expand(raw, i == 0 || strings.HasSuffix(strings.TrimSpace(q[:loc[0]]), ":"))...)
	}
	return out
}

// expand lowers a word and takes a contraction apart. first says that it
// opens a sentence, where a capital means nothing.
func expand(raw string, first bool) []string {
	low := strings.ToLower(raw)
	switch {
	case strings.ContainsAny(raw[:1], "-0123456789"):
		if thousands.MatchString(low) {
			low = strings.ReplaceAll(low, ",", "")
		}
		return []string{low}
	case !first && low != raw && caseMatters.has(low):
		return []string{raw}
	case contractions[low] != "":
		return strings.Fields(contractions[low])
	}
	for _, c := range [...]struct{ suffix, word string }{
		{"n't", "not"}, {"'re", "are"}, {"'ve", "have"}, {"'ll", "will"}, {"s'", "'s"}, {"'s", "'s"}, {"'", ""},
	} {
		base, ok := strings.CutSuffix(low, c.suffix)
		if !ok || base == "" {
			continue
		}
		switch {
		case c.suffix == "'s" && (askWords.has(base) || base == "it" || base == "that" || base == "there"):
			return []string{base, "is"}
		case c.suffix == "s'":
			base += "s"
		case c.word == "":
			return []string{base}
		}
		return []string{base, c.word}
	}
	return []string{low}
}
