package citation

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text/pattern"
)

// A Citation is a place in a text that names a numbered part of a document.
type Citation struct {
	Text       string // as written
	Start, End int    // its bytes in the text
	Outer      string // what the part is of: "42 usc" of a code, "article i" of a part of a document; empty when it does not say
	Kind       string // "section", "article", "rule", …; "id" of an identifier; empty where the text gives a number alone
	Number     string // in canonical form, lower case: "5899(b)"
}

// maxCitations bounds the citations read from one text.
const maxCitations = 16

var (
	codeRE    = pattern.New(`\b` + uscOrCFR + ` {0,2}(?:§{1,2}|[Ss]ec\.|[Ss]ection|[Pp]art)? {0,2}(` + number + `)`)
	kindRE    = pattern.New(kindWords + `[ \t\n\x{a0}]{0,2}(` + number + `|[IVXLC]{1,7}\b|[A-Z]\b)`)
	andRE     = pattern.New(`^ ?(?:, ?(?:and|or)|,|and|or|&) ?(?:§{1,2} ?)?(` + number + `)`)
	aloneRE   = pattern.New(`\b[0-9]{1,6}[A-Za-z]{0,2}(?:` + dotted + `{2,}` + brackets + `*|` + dotted + `*(?:\.?` + inside + `)+)`)
	identRE   = pattern.New(`\b` + ident + `\b`)
	ordinalRE = pattern.New(`^[0-9]+(?:st|nd|rd|th)$`)
	joinRE    = pattern.New(`^(?:,? |,? of |,? of the )$`)
)

// Parse finds the citations of a text, in order, at most sixteen.
func Parse(s string) []Citation {
	var out []Citation
	add := func(c Citation) {
		overlaps := func(o Citation) bool { return c.Start < o.End && o.Start < c.End }
		if len(out) < maxCitations && c.Number != "" && !slices.ContainsFunc(out, overlaps) {
			c.Text = s[c.Start:c.End]
			out = append(out, c)
		}
	}
	for _, m := range codeRE.FindAllStringSubmatchIndex(s, maxCitations) {
		add(Citation{Start: m[0], End: endOf(s, m[7]), Outer: code(s[m[2]:m[3]], s[m[4]:m[5]]), Kind: "section", Number: canonical(s[m[6]:m[7]])})
	}
	for _, m := range kindRE.FindAllStringSubmatchIndex(s, maxCitations) {
		for _, c := range kindAt(s, m) {
			add(c)
		}
	}
	for _, m := range identRE.FindAllStringIndex(s, maxCitations) {
		add(Citation{Start: m[0], End: m[1], Kind: "id", Number: strings.ToLower(s[m[0]:m[1]])})
	}
	for _, m := range aloneRE.FindAllStringIndex(s, maxCitations) {
		add(Citation{Start: m[0], End: m[1], Number: canonical(s[m[0]:m[1]])})
	}
	slices.SortFunc(out, func(a, b Citation) int { return cmp.Compare(a.Start, b.Start) })
	return chained(s, out)
}

// endOf leaves out a space that a number's pattern may end with.
func endOf(s string, end int) int {
	for end > 0 && s[end-1] == ' ' {
		end--
	}
	return end
}

// kindAt parses a match of kindRE and, for a plural, the numbers after it.
func kindAt(s string, m []int) []Citation {
	word, num := s[m[2]:m[3]], s[m[4]:m[5]]
	kind, plural := kindOf(word)
	if len(num) == 1 && num[0] >= 'A' && !strings.Contains("IVXLC", num) && !lettered[kind] {
		return nil
	}
	if m[5] < len(s) && num[len(num)-1] != ')' && isWord(s[m[5]]) || ordinalRE.MatchString(num) { // "part 2d6f", "part 4th"
		return nil
	}
	out := []Citation{{Start: m[0], End: endOf(s, m[5]), Kind: kind, Number: canonical(num)}}
	for at := m[5]; plural; {
		next := andRE.FindStringSubmatchIndex(s[at:])
		if next == nil {
			break
		}
		out = append(out, Citation{Start: at + next[2], End: endOf(s, at+next[3]), Kind: kind, Number: canonical(s[at+next[2] : at+next[3]])})
		at += next[3]
	}
	return out
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// ranks orders the kinds that can contain others, the widest first.
var ranks = map[string]int{"title": 1, "article": 2, "part": 2, "chapter": 3, "annex": 2, "appendix": 2, "schedule": 2, "section": 4, "rule": 4, "paragraph": 5, "clause": 5}

// chained joins neighbours when one is a part of the other: "Article I, Section 8",
// "Section 8 of Article I".
func chained(s string, list []Citation) []Citation {
	var out []Citation
	for _, c := range list {
		if n := len(out); n > 0 {
			last := out[n-1]
			wide, narrow := last, c
			if ranks[last.Kind] > ranks[c.Kind] {
				wide, narrow = c, last
			}
			if last.Outer == "" && c.Outer == "" && ranks[wide.Kind] > 0 && ranks[wide.Kind] < ranks[narrow.Kind] && joinRE.MatchString(s[last.End:c.Start]) {
				narrow.Outer, narrow.Start, narrow.End = wide.Kind+" "+wide.Number, last.Start, c.End
				narrow.Text = s[narrow.Start:narrow.End]
				out[n-1] = narrow
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// Exact returns the keys of the passages that the citation names. Any of them suffices.
func (c Citation) Exact() []string {
	if c.Kind == "" {
		return []string{anyKind + c.Number}
	}
	outer := ""
	if c.Outer != "" {
		outer = c.Outer + "|"
	}
	if c.Kind == "id" {
		return []string{outer + "id " + c.Number}
	}
	return []string{outer + c.Kind + " " + c.Number, outer + noKind + c.Number}
}

// Wider returns, nearest first, the keys of passages that would contain the named part: the same
// number without its kind, then the enclosing part, "§ 12(3)" for "§ 12(3)(b)".
func (c Citation) Wider() []Citation {
	var out []Citation
	if c.Outer != "" {
		inner := c
		inner.Outer = ""
		out = append(out, inner)
	}
	for number, ok := shorter(c.Number); ok && c.Kind != "id"; number, ok = shorter(number) {
		part := c
		part.Number = number
		out = append(out, part)
		if part.Outer != "" {
			part.Outer = ""
			out = append(out, part)
		}
	}
	return out
}

// Name writes the citation in words: "section 12(3)", "42 usc section 1983".
func (c Citation) Name() string {
	kind := c.Kind
	if kind == "id" {
		kind = ""
	}
	return strings.Join(strings.Fields(c.Outer+" "+kind+" "+c.Number), " ")
}
