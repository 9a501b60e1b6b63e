package research

import (
	"slices"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// defined reports whether a line defines a term. A line may use the term, its abbreviation
// in the text, or explain an abbreviation. For a term in a heading, a line that says what
// holds in it also counts.
func defined(lines []line, term []string) bool {
	names, headword := [][]string{term}, false
	for _, l := range lines {
		headword = headword || len(occurrences(l.above, term)) > 0
		for _, f := range text.ShortForms(l.text) {
			short, long := wordsOf(f.Short), wordsOf(f.Long)
			if slices.Equal(short, term) {
				return true
			}
			if len(long) == len(term) && len(occurrences(long, term)) > 0 {
				names = append(names, short)
			}
		}
	}
	return slices.ContainsFunc(lines, func(l line) bool {
		return slices.ContainsFunc(names, func(name []string) bool { return defines(l, name) || headword && holdsIn(l, name) })
	})
}

// holdsIn reports whether a line begins by saying what holds in a term: "In X, …".
func holdsIn(l line, term []string) bool {
	for _, at := range occurrences(l.words, term) {
		before, after := l.around(at, len(term))
		if within.MatchString(before) && strings.HasPrefix(after, ",") && says.MatchString(after) {
			return true
		}
	}
	return false
}

var within = pattern.New(`(?i)^(?:in|under|with|during)(?:\s+(?:an?|the))?$`)

// defines reports whether a line says what a term is: the term is the subject of
// a sentence that tells, it is called so or stands for something, or the line
// opens the section of that name. A sentence that only uses the term does not.
func defines(l line, term []string) bool {
	for _, at := range occurrences(l.words, term) {
		before, after := l.around(at, len(term))
		switch {
		case subjectOf(before) && tells(after):
			return true
		case calls.MatchString(before):
			return true
		case relative.MatchString(after):
			return true
		case apposed.MatchString(after) && len(before) == 0:
			return true
		}
	}
	return opens(l, term)
}

// occurrences lists where a term begins among words, in any inflection of its
// words.
func occurrences(words, term []string) []int {
	var out []int
	for i := 0; i+len(term) <= len(words); i++ {
		same := true
		for j, t := range term {
			same = same && among(t, words[i+j:i+j+1])
		}
		if same {
			out = append(out, i)
		}
	}
	return out
}

// around returns the text before and after the words at..at+n of a line, without marks
// of quotation and emphasis, and without brackets right after them.
func (l line) around(at, n int) (before, after string) {
	tokens := text.Tokens(l.text)
	before = strings.TrimSpace(plainMarks.Replace(l.text[:tokens[at].Start]))
	after = strings.TrimSpace(plainMarks.Replace(l.text[tokens[at+n-1].End:]))
	if m := bracketed.FindString(after); m != "" {
		after = strings.TrimSpace(after[len(m):])
	}
	if m := aside.FindStringSubmatch(after); m != nil {
		after = m[1]
	}
	return before, after
}

var (
	plainMarks = strings.NewReplacer("“", "", "”", "", `"`, "", "*", "", "_", " ", "`", "")
	bracketed  = pattern.New(`^\([^()]{1,80}\)`)
	aside      = pattern.New(`^,[^,.;]{1,80},\s*(.+)$`)
	// lead matches what may precede a subject: an article, an adjective of kind, words
	// that name a place.
	lead  = pattern.New(`(?i)^(?:(?:in|at|under|by|for|on|to|with|as)\b[^,.;:]{0,60},\s*|(?:thus|however|therefore|generally|usually|traditionally|here|also|so|but|and|moreover|historically|formally|basically|simply|technically|essentially),?\s*)*(?:(?:the|an?|any|each|every|this|such)\s*)?(?:(?:term|word|phrase|concept|expression|name|doctrine of|rule of|tort of|crime of|offen[cs]e of|common-law|common law|legal|valid|criminal|civil|modern|traditional|simple|typical|ordinary|basic|debian|postgresql|so-called)\s*)*(?:the|an?)?\s*$`)
	calls = pattern.New(`(?i)\b(?:called|termed|known as|referred to as|named|defined as|dubbed|is meant by|we call)(?:\s+(?:the|an?))?\s*$`)
	// apposed introduces a definition after the term: a colon, a dash, "or", "that is".
	apposed = pattern.New(`(?i)^(?:[:–—]|--|-\s|\(|,\s*(?:or|i\.e\.|that is|meaning|which (?:is|means)|an?|the)\b)\s*\S+(?:\s+\S+){2,}`)
	// relative begins a clause about the term, wherever the term stands.
	relative = pattern.New(`(?i)^,?\s*(?:that|which)\s+(?:is|are)\s+(?:an?|the)\s`)
	copula   = pattern.New(`(?i)^(?:(?:in|of|within|under|at|on)\s+\S+\s+(?:\S+\s+)?)?(?:is|are|was|were)\s+(?:(?:also|thus|simply|usually|generally|essentially|basically|therefore|often|just|normally|typically|ordinarily)\s+)?(.+)$`)
	telling  = pattern.New(`(?i)^(?:(?:in|of|within|under|at|on|for)\s+\S+\s+(?:\S+\s+)?)?(?:also\s+|usually\s+|generally\s+|often\s+)?(?:means?|meant|refers? to|denotes?|describes?|consists? of|stands? for|occurs?|arises?|exists?|happens?|comprises?|constitutes?|represents?|requires?|allows?|lets?|permits?|enables?|provides?|contains?|stores?|specifies|specify|determines?|controls?|defines?|protects?|holds?|gives?|makes?|covers?|includes?|involves?|grants?|confers?|creates?|transfers?|imposes?|prohibits?|forbids?|prevents?|ensures?|serves?|helps?|combines?|returns?|shows?|displays?|performs?|executes?|measures?|records?|lists?|can be (?:defined|described|thought)|may be (?:defined|described))\b`)
	// states are words after a copula that say how something is, not what it is.
	howItIs = setOfWords(`not also only available able subject likely unlikely possible necessary more less most very too
		of in on for to at by with from under about like still already now never always void valid invalid good bad
		admissible inadmissible liable required used optional enabled disabled free full true false enough there then
		complete presumed implied inferred sufficient insufficient different similar equal usually often`)
	used = pattern.New(`(?i)^(?:used|designed|intended|meant|defined|described|made|composed|formed|committed|created|established|made up|needed|applied|understood|regarded|treated) (?:to|for|as|of|by|when|if|up|in)\b`)
)

// subjectOf reports whether only words that introduce a subject precede a term.
func subjectOf(before string) bool { return lead.MatchString(before) }

// tells reports whether the text after a subject says what it is.
func tells(after string) bool {
	if telling.MatchString(after) {
		return true
	}
	m := copula.FindStringSubmatch(after)
	if m == nil {
		return false
	}
	rest := m[1]
	words := wordsOf(rest)
	if len(words) < 2 {
		return false
	}
	first := words[0]
	switch {
	case used.MatchString(rest):
		return true
	case slices.Contains([]string{"a", "an", "the", "any", "one", "that", "when", "where", "whatever", "another", "those", "some", "part", "what"}, first):
		return true
	case howItIs[first], strings.HasSuffix(first, "ed"), strings.HasSuffix(first, "en"), strings.HasSuffix(first, "ly"), strings.HasSuffix(first, "ing"):
		return false
	}
	return ofSomething.MatchString(rest)
}

// ofSomething is a noun with what it is of, without an article: "intentional
// infliction of", "statements that".
var ofSomething = pattern.New(`(?i)^(?:\S+\s+){1,4}?(?:of|that|which|who|whose|made|by|for|in|to)\b`)

// opens reports whether a line opens the section that a term names: its heading
// is the term, or what it is, or its definition, and the line states something.
func opens(l line, term []string) bool {
	if !l.first || len(l.words) < 4 || !says.MatchString(l.text) {
		return false
	}
	var own []string
	for _, w := range wordsOf(l.heading) {
		if !headingWords[w] && !strings.ContainsFunc(w, unicode.IsDigit) {
			own = append(own, w)
		}
	}
	return len(own) == len(term) && len(occurrences(own, term)) == 1
}

var headingWords = setOfWords(`what is are a an the definition definitions of meaning introduction overview to about nature basics`)

// holds reports whether a line says by name who holds an office: "President
// Ada Moor", "Ada Moor is the president", "the president, Ada Moor".
func holds(l line, office []string) bool {
	tokens := text.Tokens(l.text)
	for _, at := range occurrences(l.words, office) {
		before, after := l.text[:tokens[at].Start], l.text[tokens[at+len(office)-1].End:]
		if nameBehind.MatchString(after) || nameBefore.MatchString(before) {
			return true
		}
	}
	return false
}

var (
	nameBehind = pattern.New(`^(?:,?\s+|,?\s+(?:is|was)\s+)(?:[A-Z][a-z]+\s+)?(?:[A-Z]\.\s*)?[A-Z][a-z]+\b`)
	nameBefore = pattern.New(`[A-Z][a-z]+(?:\s+(?:is|was|became)|,)\s+(?:the|an?|its|their|our)?\s*(?:\w+\s+)?$`)
)
