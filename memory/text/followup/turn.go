package followup

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A turn is an earlier question taken apart.
type turn struct {
	Turn
	asked   string   // its sentence that asks, without its end
	wh      string   // "what", "how many columns"; empty for yes or no
	rest    string   // from the auxiliary on: "does a table have"; empty without one
	act     string   // what somebody is to do: "create an index on a table"
	nouns   []string // its topics, the main one first
	whose   string   // "the default value" in "the default value of work_mem"
	is      bool     // "what is X?"
	which   string   // "parameter" in "which parameter sets …?"
	clause  string   // "a replica falls behind" in "what happens when …"
	between bool     // it asks for a difference
}

var (
	whatIs   = pattern.New(`(?i)^(?:what|who)(?:'s|’s|s)?\s*(?:is|are|was|were)?\s+(?:exactly )?(?:meant by )?(.+)$`)
	isWhat   = pattern.New(`(?i)^(?:what|who)(?:\s+(?:is|are|was|were)\b|'s\b|’s\b)`)
	asksFor  = pattern.New(`(?i)^(?:which|what)\s+((?:[\w-]+ ){0,2}?[\w-]+)\s+(.+)$`)
	theWay   = pattern.New(`(?i)^(?:the |an? )?(command|option|parameter|setting|function|statement|way|file|tool|variable|flag)\s+(?:to|for|that|which)\s+(.+)$`)
	howTo    = pattern.New(`(?i)^(?:(?:what (?:is|'s) the )?(?:best |right |easiest )?(?:way|how) to|how (?:do|does|can|could|would|should|did) (?:i|you|we|one|someone|somebody|people)|(?:can|could|may|must|should|do|am|are|may) (?:i|you|we|one)(?: allowed to| able to| have to| need to)?|(?:where|when|why) (?:do|can|should|must|would) (?:i|you|we|one))\s+(.+)$`)
	happens  = pattern.New(`(?i)^what (?:would )?happens? (?:when|if|after) (.+)$`)
	whatDoes = pattern.New(`(?i)^what ([a-z]+[^s]s) ([^.]+)$`)
	states   = pattern.New(`(?i)^(?:\w{3,}(?:ed|ing|able|ible|less|ous|ful)|valid|void|legal|illegal|lawful|safe|free|open|due|binding|liable|secret|public|private|unique|final|optional|mandatory|temporary|permanent)$`)
	ofPhrase = pattern.New(`(?i)^(.+?) (?:of|for) (.+)$`)
	brackets = pattern.New(`\s*[(\[][^)\]]*[)\]]`)
	particle = text.Set(`up off on out down in back away over`)
)

// parse takes the earlier question apart.
func parse(earlier Turn) turn {
	t := turn{Turn: earlier}
	t.asked = asking(earlier.Question)
	t.between = strings.Contains(strings.ToLower(t.asked), "difference between")
	list := tokens(t.asked)
	for i, w := range list {
		if auxiliary[w.word] && (i == 0 || askers[list[0].word] || preps[list[0].word]) {
			t.wh, t.rest = strings.TrimSpace(t.asked[:w.start]), t.asked[w.start:]
			break
		}
	}
	t.find()
	if t.Head = headword(earlier.Head); t.Head != "" && (t.which != "" && !slices.Contains(t.nouns, t.Head)) {
		t.nouns = slices.Insert(t.nouns, 0, t.Head)
	} else if t.which != "" && len(t.nouns) == 0 {
		t.nouns = []string{t.which}
	}
	if list := symbols(t.asked); len(list) == 1 && t.which == "" {
		t.nouns = append([]string{list[0]}, slices.DeleteFunc(t.nouns, func(n string) bool { return n == list[0] })...)
	} else if len(t.nouns) == 0 && t.Head != "" {
		t.nouns = []string{t.Head}
	}
	return t
}

// asking returns the sentence of a text that asks the question.
func asking(q string) string {
	q = strings.Join(strings.Fields(q), " ")
	for _, s := range slices.Backward(text.Sentences(q)) {
		if one := q[s.Start:s.End]; strings.HasSuffix(one, "?") || s.Start == 0 {
			q = one
			break
		}
	}
	return strings.TrimRight(opening.ReplaceAllString(q, ""), " ?.!")
}

// longestHead is the greatest number of words of a headword that can name a thing.
const longestHead = 5

// headword is a headword without its brackets and marks.
func headword(s string) string {
	s = strings.Trim(brackets.ReplaceAllString(s, ""), " #¶*`:—–-")
	if n := len(strings.Fields(s)); n == 0 || n > longestHead {
		return ""
	}
	return s
}

// find sets the question's topics.
func (t *turn) find() {
	q := t.asked
	switch m := howTo.FindStringSubmatch(q); {
	case m != nil:
		t.act = m[1]
		t.nouns = objects(t.act)
		return
	case happens.MatchString(q):
		t.clause = happens.FindStringSubmatch(q)[1]
		t.nouns = phrases(t.clause, tokens(t.clause))
		return
	case t.rest == "" && whatDoes.MatchString(q): // "what causes a deadlock"
		rest := whatDoes.FindStringSubmatch(q)[2]
		t.nouns = phrases(rest, tokens(rest))
		return
	case isWhat.MatchString(q):
		t.is = true
		x := whatIs.FindStringSubmatch(q)
		if x == nil {
			return
		}
		if way := theWay.FindStringSubmatch(x[1]); way != nil {
			t.which = "the " + strings.TrimPrefix(strings.ToLower(x[1]), "the ")
			t.nouns = objects(way[2])
			t.act = way[2]
			return
		}
		t.named(x[1])
		return
	case t.rest == "" || strings.HasPrefix(strings.ToLower(t.wh), "which "), strings.HasPrefix(strings.ToLower(t.wh), "what "):
		if m := asksFor.FindStringSubmatch(q); m != nil {
			t.which = "the " + m[1] + " that " + m[2]
			if t.rest != "" {
				t.which = "the " + strings.TrimSpace(t.wh[strings.Index(t.wh, " ")+1:])
				t.nouns = subject(t.rest, false)
			}
			return
		}
		switch list := tokens(q); {
		case t.rest != "" || len(list) < 3:
		case askers[list[0].word]: // "who signs the invoices"
			t.nouns = phrases(q, list[2:])
		case len(list) <= longestHead:
			t.named(q) // words without a question
		}
		return
	}
	t.nouns = subject(t.rest, t.wh == "")
}

// named takes "the A of B" apart.
func (t *turn) named(x string) {
	if m := ofPhrase.FindStringSubmatch(x); m != nil && (propertyWord.MatchString(m[1]) || len(symbols(m[2])) == 1) {
		t.whose = m[1]
		t.nouns = []string{m[2], x}
		return
	}
	t.nouns = []string{x}
}

// objects returns the things that an act is about: "an index", "a table" for "create an index on a
// table".
func objects(act string) []string {
	list := tokens(act)
	i := 1
	if i < len(list) && particle[list[i].word] {
		i++
	}
	return phrases(act, list[min(i, len(list)):])
}

// subject returns the things in a clause that begins with its auxiliary: "a table", "two keys" for
// "can a table have two keys".
func subject(clause string, asksWhether bool) []string {
	list := tokens(clause)
	if len(list) < 2 || subjects[list[1].word] {
		return nil
	}
	verb := predicate(list, asksWhether)
	return append(phrases(clause, list[1:verb]), phrases(clause, list[min(verb+1, len(list)):])...)
}

// phrases splits words into noun phrases at prepositions, conjunctions and predicates.
func phrases(s string, list []token) []string {
	var out []string
	from, last := -1, -1
	end := func() {
		if from >= 0 {
			out = append(out, s[list[from].start:list[last].end])
		}
		from = -1
	}
	for i, t := range list {
		switch {
		case t.word == "of" && from >= 0:
		case from < 0 && i > 0 && list[i-1].word == "to" && does(t.word): // "to win a claim"
			continue
		case preps[t.word] || particle[t.word] && from >= 0 || connecting[t.word] || auxiliary[t.word] || pronouns[t.word] || from >= 0 && last >= 0 && !articles[list[last].word] && states.MatchString(t.word):
			end()
			if connecting[t.word] {
				return out // another clause
			}
			continue
		case from >= 0 && articles[t.word] && list[last].word != "of":
			end()
		}
		if from < 0 {
			from = i
		}
		last = i
	}
	end()
	return out
}

// plural reports whether a noun phrase speaks of several things.
func plural(phrase string) bool {
	head, _, _ := strings.Cut(phrase, " of ")
	w := strings.ToLower(head)
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") && !symbol.MatchString(head)
}
