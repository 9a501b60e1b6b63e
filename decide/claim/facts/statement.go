package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
)

// A statement is a clause of a claim, split into its subject and its predicate. In a passive with
// "by", the subject is the agent.
type statement struct {
	who       []int // content tokens of the subject
	head      int   // the token that names the subject
	verb      int   // the first content token of the predicate
	predicate []int // content tokens of the predicate
	undergoes bool  // a passive without an agent
	linked    bool  // by "is" or "has" alone: the predicate begins with no verb
}

var (
	auxiliaries = text.Set(`is are was were be been being am has have had having does do did will would shall should can could may might
		must cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shouldn't can't couldn't mustn't
		ought gets got`)
	prepositions = text.Set(`of in on at by for from with to under over into onto about as between among against during through within
		without after before since until per via upon towards toward across along around behind beside besides despite except including
		near outside inside than like concerning regarding following because if when where while unless although though whether whereas
		once so`)
	determiners = text.Set(`the a an this that these those its their his her our your my each every any all no some such both either
		neither another one two three four five six seven eight nine ten several many most few more what which`)
	relatives = text.Set(`who whom whose which that where`)
	// pointers refer to a subject that is named elsewhere, or to nobody.
	pointers = text.Set(`i you he she it they we one there everyone anyone someone nobody everybody anybody somebody who this that
		these those such`)
	havings    = text.Set(`has have had`)
	notAdverbs = text.Set(`apply comply imply rely reply supply multiply fly ally family assembly anomaly monopoly butterfly`)
	between    = text.Set(`also often usually always never sometimes now then still only already thus therefore however just`) // subject and verb
	noAgents   = text.Set(`end beginning start middle time date day week month year deadline means virtue way default law hand mail post`)
	adjectives = strings.Fields(`ent ant ic al ous ive ble ful less ary ory ing`)
)

// statementOf parses the first clause of a claim; false if the parse is uncertain.
func statementOf(s *sentence) (statement, bool) {
	toks := s.toks
	first := opening(toks)
	if first < 0 {
		return statement{}, false
	}
	verb := predicateOf(toks, first)
	if verb < 0 || pointers[toks[first].text] && !toks[first+1].content {
		return statement{}, false
	}
	st := statement{verb: -1}
	be, end := false, len(toks)
	for i := verb; i < len(toks); i++ {
		t := toks[i]
		if len(st.predicate) >= 2 && t.clause != toks[i-1].clause {
			end = i
			break
		}
		be = be || being[t.text] && st.verb < 0
		if !t.tells() || st.verb < 0 && adverb(t.text) {
			continue
		}
		if st.verb < 0 {
			st.verb = i
		}
		st.predicate = append(st.predicate, i)
	}
	if len(st.predicate) < 2 {
		return statement{}, false
	}
	done := participle(toks[st.verb].text)
	st.undergoes = be && done
	st.linked = st.verb > verb && !done && (be || havings[toks[verb].text])
	from, to := first, verb
	if by := agentOf(toks, st.verb, end); st.undergoes && by >= 0 {
		from, to, st.undergoes = by, headOf(toks, by, end)+1, false
		st.predicate = slices.DeleteFunc(st.predicate, func(i int) bool { return from <= i && i < to })
		st.predicate = append(st.predicate, contentOf(toks, first, verb)...)
	}
	st.head, st.who = headOf(toks, from, to), contentOf(toks, from, to)
	return st, st.head >= 0
}

// opening returns where the subject of a claim begins, after an introduction with a comma or one
// such as "In 1990"; -1 if that is uncertain.
func opening(toks []token) int {
	first := firstWord(toks)
	if first < 0 || first+2 >= len(toks) {
		return -1
	}
	switch next := toks[first+1]; {
	case !prepositions[toks[first].text] && next.text != ",":
		return first
	case next.kind == number && toks[first+2].kind == word:
		return first + 2
	}
	for i := first; i+2 < len(toks); i++ {
		if toks[i].text == "," {
			return i + 1
		}
	}
	return -1
}

// predicateOf returns the token where the predicate of a subject at token first begins, outside
// relative clauses; -1 for none.
func predicateOf(toks []token, first int) int {
	inner := 0 // relative clauses whose verb has not come yet
	for i := first; i < len(toks); i++ {
		switch t := toks[i]; {
		case t.kind == sign && strings.Contains(",;:()", t.text):
			return -1
		case i > first && relatives[t.text]:
			inner++
		case auxiliaries[t.text] || i > first && beginsPredicate(toks, i):
			if inner == 0 {
				return i
			}
			for inner--; i+1 < len(toks) && auxiliaries[toks[i+1].text]; i++ {
			}
		}
	}
	return -1
}

// beginsPredicate reports whether a content word after a noun is probably a verb, by its form and
// the words after it.
func beginsPredicate(toks []token, i int) bool {
	b := i - 1
	for b > 0 && (adverb(toks[b].text) || between[toks[b].text]) {
		b--
	}
	t, before := toks[i], toks[b]
	if t.kind != word || !t.content || t.capital || before.kind != word && before.kind != number ||
		before.kind == word && !before.content && !pointers[before.text] || adjectival(before.text) {
		return false
	}
	auxiliary := false // later in the clause
	for _, u := range toks[i+1:] {
		auxiliary = auxiliary || u.clause == t.clause && auxiliaries[u.text]
	}
	next, noun := token{}, false
	if i+1 < len(toks) {
		next = toks[i+1]
		noun = i+2 < len(toks) && (next.kind != word || next.content && !strings.HasSuffix(next.text, "s") && !toks[i+2].content)
	}
	opens := determiners[next.text] || next.kind == number || next.capital
	_, odd := irregular[t.text]
	switch {
	case strings.HasSuffix(t.text, "ed") || odd && t.root != cut(text.Stem(t.text)):
		return opens || !auxiliary
	case strings.HasSuffix(t.text, "s") && !strings.HasSuffix(t.text, "ss") && !strings.HasSuffix(t.text, "us"):
		return !strings.HasSuffix(before.text, "s") && len(wordnet.Bases(t.text)) > 0 && (opens || !auxiliary && !noun)
	}
	compound := i+2 < len(toks) && next.content && strings.HasSuffix(next.text, "s") && toks[i+2].content // the sales team signs contracts
	return plural(toks, b) && wordnet.Known(t.text) && (opens || !auxiliary && !compound && next.text != "of")
}

// plural reports whether a noun phrase that ends with token i is probably plural.
func plural(toks []token, i int) bool {
	t := toks[i]
	return strings.HasSuffix(t.text, "s") && t.end-t.start == len(t.text) ||
		slices.ContainsFunc(toks[:i], func(u token) bool { return u.text == "and" && u.clause >= t.clause })
}

// adverb reports whether a word has the ending of an adverb.
func adverb(w string) bool { return strings.HasSuffix(w, "ly") && !notAdverbs[w] }

// adjectival reports whether a word has the ending of an adjective and is not a noun.
func adjectival(w string) bool {
	return slices.ContainsFunc(adjectives, func(ending string) bool { return strings.HasSuffix(w, ending) }) && len(wordnet.Hypernyms(w)) == 0
}

// headOf returns the head of tokens first..end: the last content word before its predicate or its
// modifiers; -1 for none.
func headOf(toks []token, first, end int) int {
	head := -1
	for i := first; i < end; i++ {
		t := toks[i]
		if head >= 0 && (endsPhrase(t) || head == i-1 && determiners[t.text] || beginsPredicate(toks, i)) {
			break
		}
		if t.kind == word && t.content && !adverb(t.text) && t.text != "less" {
			head = i
		}
	}
	return head
}

func endsPhrase(t token) bool {
	if t.kind == sign {
		return !strings.Contains("-'’&/.", t.text)
	}
	return prepositions[t.text] || relatives[t.text] || auxiliaries[t.text]
}

// agentOf returns where the agent after a participle and "by" begins; -1 for none. Times and
// manners after "by" are not agents.
func agentOf(toks []token, verb, end int) int {
	for i := verb + 1; i+1 < end && i < verb+12; i++ {
		next := toks[i+1]
		if toks[i].text != "by" || next.kind != word || next.roles&asDate != 0 || strings.HasSuffix(next.text, "ing") {
			continue
		}
		if head := headOf(toks, i+1, end); head >= 0 && !noAgents[toks[head].text] {
			return i + 1
		}
	}
	return -1
}

func contentOf(toks []token, first, end int) (out []int) {
	for i := first; i < end; i++ {
		if toks[i].kind == word && toks[i].content {
			out = append(out, i)
		}
	}
	return out
}

// A phrase is a noun phrase with its head. Without a phrase, head is unsaid, or backward for a
// pronoun.
type phrase struct{ head, first, end int }

const (
	unsaid   = -1
	backward = -2
)

// longestPhrase is how many tokens after its head belong to a noun phrase.
const longestPhrase = 8

// subjectAt finds the subject of the predicate at token j of a sentence, if it has st's voice and
// form.
func subjectAt(s *sentence, j int, st statement) phrase {
	toks := s.toks
	be, linked := false, false
	i := j - 1
	for ; i >= 0; i-- {
		t := toks[i]
		if t.kind != word || t.content && !adverb(t.text) || pointers[t.text] && !determiners[t.text] || prepositions[t.text] && (linked || !st.linked) {
			break
		}
		be, linked = be || being[t.text], linked || auxiliaries[t.text]
	}
	passive := be && participle(toks[j].text)
	switch {
	case passive && !st.undergoes:
		if by := agentOf(toks, j, len(toks)); by >= 0 {
			return phraseIn(toks, by, len(toks))
		}
		return phrase{head: unsaid}
	case !passive && st.undergoes:
		return phraseIn(toks, j+1, len(toks))
	case i < 0 || st.linked && !linked:
		return phrase{head: unsaid}
	case pointers[toks[i].text] && !relatives[toks[i].text]:
		return phrase{head: backward}
	}
	first := i
	for first > 0 && toks[first-1].clause == toks[i].clause {
		first--
	}
	return phraseIn(toks, first, i+1)
}

// phraseIn returns the first noun phrase in tokens first..end.
func phraseIn(toks []token, first, end int) phrase {
	head := headOf(toks, first, end)
	for first < head && (toks[first].kind != word || opensClause[toks[first].text]) {
		first++
	}
	return phrase{head, first, min(end, head+longestPhrase)}
}
