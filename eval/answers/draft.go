package answers

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/eval/metrics"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// DefaultDrafts is the default of DraftOptions.N.
const DefaultDrafts = 50

// DraftOptions configure [Draft]. Nil and the zero value work.
type DraftOptions struct {
	Corpus string // written into each question
	N      int    // at most; default DefaultDrafts
}

// Bounds of a usable draft, in runes.
const (
	longestGold     = 60
	longestQuestion = 120
)

// Draft writes questions that passages seem to answer, each with its gold and the
// passage's place: "What is X?" from definitions, "What is the default of X?" where
// one is stated, "How do I …?" from headings that begin with a verb, and "What
// is the maximum …?". Kinds take turns, and halves alternate
// within a kind. Equal passages, in any order, give equal drafts. Rules turn sentences
// into drafts, so a person must correct them, rewrite them as people ask, and add some
// that the corpus does not answer.
func Draft(passages []state.Passage, opts *DraftOptions) []Question {
	var o DraftOptions
	if opts != nil {
		o = *opts
	}
	if o.N <= 0 {
		o.N = DefaultDrafts
	}
	sorted := slices.Clone(passages)
	slices.SortFunc(sorted, func(a, b state.Passage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	kinds, seen := map[string][]Question{}, map[string]bool{}
	for _, p := range sorted {
		for _, q := range drafts(p) {
			key := strings.Join(text.Terms(q.Question, nil), " ")
			if seen[key] || !usable(q) {
				continue
			}
			seen[key] = true
			q.File, q.Where = p.Source, place(p)
			kinds[q.Type] = append(kinds[q.Type], q)
		}
	}
	return chosen(kinds, o)
}

// chosen alternates between the kinds. Within a kind the order is that of a hash, so that few
// questions are not all from the first documents.
func chosen(kinds map[string][]Question, o DraftOptions) []Question {
	var names []string
	for name, list := range kinds {
		names = append(names, name)
		slices.SortStableFunc(list, func(a, b Question) int { return cmp.Compare(scattered(a), scattered(b)) })
	}
	slices.Sort(names)
	var out []Question
	for turn, more := 0, true; more && len(out) < o.N; turn++ {
		more = false
		for _, name := range names {
			if turn >= len(kinds[name]) || len(out) == o.N {
				continue
			}
			more = true
			q := kinds[name][turn]
			q.ID, q.Corpus, q.Answerable, q.Draft = fmt.Sprintf("%03d", len(out)+1), o.Corpus, true, true
			q.Half = []string{"seen", "held"}[turn%2]
			out = append(out, q)
		}
	}
	return out
}

func scattered(q Question) uint64 {
	h := fnv.New64a()
	h.Write([]byte(q.Where + "\x00" + q.Question)) // a hash's Write returns no error
	return h.Sum64()
}

func place(p state.Passage) string {
	where := fmt.Sprintf("%s, bytes %d–%d", p.Source, p.Start, p.End)
	if p.Section != "" {
		where = p.Section + "; " + where
	}
	return where
}

// usable reports whether a draft can be asked and judged: its gold is a short fact that
// the question does not contain.
func usable(q Question) bool {
	n := utf8.RuneCountInString(q.Question)
	for _, g := range q.Gold {
		if metrics.Plain(g) == "" || utf8.RuneCountInString(g) > longestGold || metrics.Holds(q.Question, []string{g}) {
			return false
		}
	}
	return n >= 10 && n <= longestQuestion && len(q.Gold) > 0
}

// drafts returns the questions of one passage.
func drafts(p state.Passage) []Question {
	var out []Question
	add := func(kind, question, gold string) {
		if gold != "" {
			out = append(out, Question{Type: kind, Question: question, Gold: []string{gold}})
		}
	}
	heading := topic(p)
	first := ""
	for _, span := range text.Sentences(p.Text) {
		s := strings.Join(strings.Fields(p.Text[span.Start:span.End]), " ")
		if first == "" && strings.Count(s, " ") >= 4 && strings.HasSuffix(s, ".") {
			first = s
		}
		if m := definition.FindStringSubmatch(s); m != nil && nameable(m[2]) {
			add("definition", fmt.Sprintf("What %s %s?", m[3], article(m[1])+m[2]), head(m[4], 6))
		}
		if m := defaultOf.FindStringSubmatch(s); m != nil && nameable(m[1]) {
			add("default", fmt.Sprintf("What is the default of %s?", m[1]), value(m[2]))
		} else if m := defaultsTo.FindStringSubmatch(s); m != nil && nameable(m[1]) {
			add("default", fmt.Sprintf("What does %s default to?", lowered(m[1])), value(m[2]))
		} else if m := theDefault.FindStringSubmatch(s); m != nil && single(heading) {
			add("default", fmt.Sprintf("What is the default of %s?", heading), value(m[1]))
		}
		if m := maximum.FindStringSubmatch(s); m != nil {
			add("limit", fmt.Sprintf("What is the %s %s?", strings.ToLower(m[1]), m[2]), value(m[3]))
		}
	}
	if verb, rest, ok := imperative(heading); ok && first != "" {
		add("howto", fmt.Sprintf("How do I %s %s?", verb, small(rest)), means(p.Text, first))
	}
	return out
}

var (
	definition = pattern.New(`^(?:(An?|The) )?([\p{L}][\p{L}\d_.\-]*(?: [\p{L}\d_.\-]+){0,3}) (is|are) ((?:an?|the|any|one of|used) .+)$`)
	defaultOf  = pattern.New(`(?i)\bdefault(?: value)? (?:of|for) ((?:the )?[^,;:.()]{2,50}?) is ((?:[^,;()]|,\d)+)`)
	defaultsTo = pattern.New(`^((?:The |An? )?[\p{L}\-][^,;:()]{1,40}?) defaults to ((?:[^,;()]|,\d)+)`)
	theDefault = pattern.New(`^(?:The|Its) default(?: value)? is ((?:[^,;()]|,\d)+)`)
	maximum    = pattern.New(`(?i)\b(maximum|minimum|largest|longest) ((?:number|size|length|value|depth|count|width|height) (?:of|for) [^,;:.()]{2,50}?) is ((?:[^,;()]|,\d)+)`)
)

// noNames are words that alone do not name anything one can ask about.
var noNames = strings.Fields("it this that these those there here he she they we you i one what which who where when if as but and or so then it's such each every all some any another other others both first second next following result reason idea example note goal point problem latter former above below since supported different typical two three several returned many most syntax unless same")

// nameable reports whether words name something by themselves.
func nameable(name string) bool {
	for _, w := range strings.Fields(strings.ToLower(name)) {
		if slices.Contains(noNames, w) {
			return false
		}
	}
	return true
}

func article(a string) string {
	if a == "" {
		return ""
	}
	return strings.ToLower(a) + " "
}

// lowered writes a leading article small.
func lowered(s string) string {
	for _, a := range []string{"The ", "A ", "An "} {
		if strings.HasPrefix(s, a) {
			return strings.ToLower(a) + s[len(a):]
		}
	}
	return s
}

// head returns the beginning of a clause, up to n words and the word that ends the clause, without
// a leading article.
func head(s string, n int) string {
	words := strings.Fields(s)
	if len(words) > 0 && slices.Contains([]string{"a", "an", "the", "any"}, words[0]) {
		words = words[1:]
	}
	for i, w := range words {
		if i >= 2 && slices.Contains([]string{"that", "which", "who", "where", "when", "and", "or", "but"}, w) {
			words = words[:i]
			break
		}
		if i == n {
			words = words[:n]
			break
		}
		if strings.HasPrefix(w, "(") {
			words = words[:i]
			break
		}
		if trimmed := strings.TrimRight(w, ".,;:"); trimmed != w {
			words = append(slices.Clone(words[:i]), trimmed)
			break
		}
	}
	for len(words) > 2 && slices.Contains(loose, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) < 2 {
		return ""
	}
	return strings.Join(words, " ")
}

// loose are words that a phrase does not end with.
var loose = strings.Fields("a an the of for to in on by with from as at its their your into is are be")

// value is the stated default or limit: at most five words.
func value(s string) string {
	words := strings.Fields(strings.TrimRight(s, " .:"))
	for i, w := range words {
		if i > 0 && slices.Contains([]string{"but", "and", "which", "that", "if", "when", "unless", "so", "because", "since"}, w) {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 || len(words) > 5 || slices.Contains([]string{"not", "that", "set", "also", "always", "to", "chosen"}, words[0]) ||
		strings.HasSuffix(words[0], "ed") || strings.HasSuffix(words[0], "ing") { // a predicate that says what is done with it, not what it is
		return ""
	}
	return strings.Join(words, " ")
}

var numbered = pattern.New(`^(?:[\dA-Z]+(?:\.\d+)*\.?|§ ?\d+\S*) +`)

// general are headings without a topic.
var general = strings.Fields("example examples note notes overview description usage synopsis options introduction environment configuration commands summary see general background variables parameters arguments")

// topic returns the innermost heading of a passage in the form of a sentence: without its number,
// and in lower case if only its first letter was a capital. It is empty if the heading alone names
// no topic.
func topic(p state.Passage) string {
	h := p.Section
	if i := strings.LastIndex(h, " > "); i >= 0 {
		h = h[i+3:]
	}
	h = strings.Trim(numbered.ReplaceAllString(strings.TrimSpace(h), ""), " ¶#:?.")
	first, _, more := strings.Cut(h, " ")
	if slices.Contains(general, strings.ToLower(first)) || !nameable(first) {
		return ""
	}
	r, size := utf8.DecodeRuneInString(h)
	if more && unicode.IsUpper(r) && first[size:] != "" && strings.IndexFunc(first[size:], func(r rune) bool { return !unicode.IsLower(r) }) < 0 {
		return string(unicode.ToLower(r)) + h[size:]
	}
	return h
}

// single reports whether a heading names one thing that has a default.
func single(heading string) bool {
	words := strings.Fields(heading)
	switch len(words) {
	case 1:
		return true
	case 2:
		return slices.Contains([]string{"directive", "option", "setting", "parameter", "variable", "argument"}, strings.ToLower(words[1]))
	}
	return false
}

// small returns a title in lower case if each longer word begins with a capital: "Large Files of a
// Repository". Names with further capitals stay.
func small(title string) string {
	words := strings.Fields(title)
	for i, w := range words {
		r, size := utf8.DecodeRuneInString(w)
		if utf8.RuneCountInString(w) > 4 && unicode.IsLower(r) {
			return title
		}
		if unicode.IsUpper(r) && w[size:] != "" && w[size:] == strings.ToLower(w[size:]) {
			words[i] = string(unicode.ToLower(r)) + w[size:]
		}
	}
	return strings.Join(words, " ")
}

// command matches code: an option, a call, a setting in capitals or with an underscore.
var command = pattern.New(`(?:^|[\s(“"'])(--?[a-z][\w\-]*|[a-z][\w.]*\(\)|[A-Za-z]+_[\w]+|[A-Z]{2,}(?: [A-Z]{2,})+)`)

// means returns the answer of a how-to question: the command in its passage, else the beginning of
// its first sentence.
func means(passage, first string) string {
	if m := command.FindStringSubmatch(passage); m != nil {
		return m[1]
	}
	words := strings.Fields(first)
	return strings.TrimRight(strings.Join(words[:min(6, len(words))], " "), ".,;:")
}
