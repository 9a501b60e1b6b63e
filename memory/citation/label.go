package citation

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/state"
)

// Beginnings of keys where the kind is not part of the match: of a part that
// no word says the kind of, and of a part of any kind.
const (
	noKind  = "- "
	anyKind = "* "
)

// Labels are the keys of one passage, sorted.
type Labels struct {
	Own    []string // of the parts that it is, or that begin in it
	Within []string // of the parts that it lies in, beside its own
}

// A part is a numbered heading, or the numbered beginning of a text.
type part struct {
	outer  []string // a code, a wider heading
	kind   string
	number string
}

// keys lists what a part answers to.
func (p part) keys() []string {
	if p.kind == "id" {
		return []string{"id " + p.number}
	}
	kind := noKind
	if p.kind != "" {
		kind = p.kind + " "
	}
	out := []string{kind + p.number, anyKind + p.number}
	for _, o := range p.outer {
		out = append(out, o+"|"+kind+p.number)
	}
	return out
}

// in lists the parts that p lies in.
func (p part) in() []part {
	var out []part
	if p.kind != "id" {
		for _, number := range enclosing(p.number) {
			out = append(out, part{p.outer, p.kind, number})
		}
	}
	return out
}

// Label returns the labels of passages, by index. What stands in one passage
// counts for those that follow under the same heading: where a part in
// brackets begins, "(b)", is known from what was numbered above it. The order
// of the passages does not matter, passages of a document do.
func Label(passages []state.Passage) []Labels {
	order := make([]int, len(passages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := &passages[a], &passages[b]
		return cmp.Or(cmp.Compare(p.Doc, q.Doc), cmp.Compare(p.Source, q.Source), cmp.Compare(p.Start, q.Start), cmp.Compare(p.ID, q.ID))
	})
	out := make([]Labels, len(passages))
	var s scan
	var last *state.Passage
	for _, i := range order {
		p := &passages[i]
		if last == nil || last.Doc != p.Doc || last.Source != p.Source || last.Section != p.Section || last.Line != p.Line || last.Title != p.Title {
			s = begin(p)
		}
		out[i] = s.read(p)
		last = p
	}
	return out
}

// A scan is what is known at a place of a document.
type scan struct {
	heads []part  // numbered headings above, outermost first
	base  *part   // what numbered beginnings in brackets are parts of; nil for none
	body  bool    // base stands in the text and is no heading
	subs  []level // parts in brackets that are open
}

type level struct{ style, value string }

var contextRE = regexp.MustCompile(`\b` + uscOrCFR)

// begin reads the title and the headings above a passage.
func begin(p *state.Passage) scan {
	var s scan
	var outer []string
	if m := contextRE.FindStringSubmatch(p.Title + "\n" + p.Section + "\n" + p.Source); m != nil {
		outer = []string{code(m[1], m[2])}
	}
	headings := []string{p.Title}
	if p.Section != "" {
		headings = append(headings, strings.Split(p.Section, " > ")...)
	}
	var wide string // the nearest heading with a kind
	for i, h := range headings {
		if i == 1 && h == p.Title {
			continue
		}
		h = strings.TrimSpace(h)
		if bracket, ok := bracketStart(h); ok && s.base != nil {
			s.open(bracket)
			sub := s.current()
			s.heads = append(s.heads, sub)
			continue
		}
		found, ok := start(h, true)
		if !ok || i == 0 && found.kind == "" && !several(found.number) {
			continue
		}
		found.outer = slices.Clone(outer)
		if wide != "" && !strings.HasPrefix(wide, found.kind+" ") {
			found.outer = append(found.outer, wide)
		}
		if found.kind != "" && found.kind != "id" {
			wide = found.kind + " " + found.number
		}
		s.heads = append(s.heads, found)
		s.base, s.subs = &found, nil
	}
	return s
}

// current is the part in brackets that is open, else the base.
func (s *scan) current() part {
	p := *s.base
	for _, l := range s.subs {
		p.number += "(" + l.value + ")"
	}
	return p
}

// read labels a passage and moves on behind it.
func (s *scan) read(p *state.Passage) Labels {
	own, within := map[string]bool{}, map[string]bool{}
	note := func(to map[string]bool, parts ...part) {
		for _, p := range parts {
			for _, key := range p.keys() {
				to[key] = true
			}
		}
	}
	mine := func(p part) { note(own, p); note(within, p.in()...) }
	for i, h := range s.heads {
		if i == len(s.heads)-1 {
			mine(h)
		} else {
			note(within, h)
			note(within, h.in()...)
		}
	}
	for _, declared := range declaredParts(p) {
		mine(declared)
	}
	ended := true // whether a new sentence may begin
	first := true
	for line := range strings.Lines(p.Text) {
		row := strings.HasPrefix(line, "|")
		line = strings.TrimLeft(line, " \t>#*-+|_")
		line = strings.TrimSpace(line)
		if line == "" {
			ended = true
			continue
		}
		before, open := *s, s.base != nil && (s.body || len(s.subs) > 0)
		started := ended && s.line(line, first, row, mine)
		if first && open && !started { // the text goes on from an earlier passage
			cur := before.current()
			note(within, cur)
			note(within, cur.in()...)
		}
		first = false
		ended = strings.ContainsRune(".;:!?)|*", rune(line[len(line)-1])) || strings.HasSuffix(line, " and") || strings.HasSuffix(line, " or")
	}
	return Labels{Own: sorted(own, nil), Within: sorted(within, own)}
}

// line reads how a line begins, and reports whether a part does. A number within a passage counts if it goes on
// from the one above: in tables and lists numbers are references. In a row of a
// table only identifiers count.
func (s *scan) line(line string, first, row bool, mine func(part)) bool {
	if !numbered(line[0]) && line[0] < 0x80 {
		return false
	}
	if found, ok := start(line, false); ok {
		if found.kind == "id" {
			mine(found)
			return true
		}
		if row || !first && !s.goesOn(found) {
			return false
		}
		if len(s.heads) > 0 && len(s.heads[0].outer) > 0 {
			found.outer = s.heads[0].outer
		}
		s.base, s.body, s.subs = &found, true, nil
		mine(found)
		return true
	}
	bracket, ok := bracketStart(line)
	if !ok || row || s.base == nil || s.base.kind == "id" {
		return false
	}
	s.open(bracket)
	mine(s.current())
	return true
}

// maxGap is how many numbers of a row may be missing, repealed or reserved.
const maxGap = 3

// goesOn reports whether a part follows the one that is open: it is its first
// part, or the next one of it or of what it lies in.
func (s *scan) goesOn(next part) bool {
	if s.base == nil {
		return false
	}
	have, want := components(s.base.number), components(next.number)
	same := 0
	for same < min(len(have), len(want)) && have[same] == want[same] {
		same++
	}
	if same == len(want) {
		return false
	}
	if same < len(have) {
		gap := distance(have[same], want[same])
		if gap < 1 || gap > maxGap {
			return false
		}
		same++
	}
	return !slices.ContainsFunc(want[same:], func(c string) bool { return c != "1" && c != "a" && c != "i" })
}

// components splits a number at its dots and brackets.
func components(number string) []string {
	return strings.FieldsFunc(number, func(r rune) bool { return r == '.' || r == '(' || r == ')' })
}

// distance is how far one component is from another, 0 where that has no
// meaning.
func distance(from, to string) int {
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	switch {
	case errA == nil && errB == nil:
		return b - a
	case len(from) == 1 && len(to) == 1:
		return int(to[0]) - int(from[0])
	case len(to) > len(from) && strings.HasPrefix(to, from): // "4a" behind "4"
		return 1
	}
	return 0
}

// numbered reports whether a line that begins with c may begin with a number.
func numbered(c byte) bool {
	return c >= '0' && c <= '9' || c == '(' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

var (
	startRE  = regexp.MustCompile(`^(?:` + uscOrCFR + ` {0,2})?` + kindWords + `[ \t\x{a0}]{0,2}(` + number + `|[IVXLC]{1,7}\b|[A-Z]\b)`)
	dottedRE = regexp.MustCompile(`^([0-9]{1,4}[A-Za-z]?` + dotted + `{1,5}\.?(?:` + inside + `)*|[0-9]{1,4}[A-Za-z]?(?:` + inside + `)+)`)
	plainRE  = regexp.MustCompile(`^([0-9]{1,3}[A-Z]?)[.)](?:\s|$)`)
	identAt  = regexp.MustCompile(`^(` + ident + `)(?:$|[\s:.)|–—-])`)
	bracket1 = regexp.MustCompile(`^\(?([0-9]{1,3}|[a-z]{1,2}|[A-Z]|[ivxl]{3,6})\)(?:\s|$|\()`)
	point1   = regexp.MustCompile(`^([0-9]{1,3})\.\s`)
)

// start reads the numbered part that a line or a heading begins. A line that
// merely begins with a reference ("Section 4.2 applies") begins none.
func start(s string, heading bool) (part, bool) {
	if m := identAt.FindStringSubmatchIndex(s); m != nil {
		rest := strings.TrimSpace(s[m[3]:])
		if heading || rest == "" || strings.ContainsAny(rest[:1], ":.)|-") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") {
			return part{kind: "id", number: strings.ToLower(s[m[2]:m[3]])}, true
		}
	}
	if m := startRE.FindStringSubmatchIndex(s); m != nil {
		kind, _ := kindOf(s[m[6]:m[7]])
		num := s[m[8]:m[9]]
		letter := len(num) == 1 && num[0] >= 'A' && !strings.Contains("IVXLC", num)
		if (!letter || lettered[kind]) && begins(s[m[9]:], heading) {
			p := part{kind: kind, number: canonical(num)}
			if m[2] >= 0 {
				p.outer = []string{code(s[m[2]:m[3]], s[m[4]:m[5]])}
			}
			return p, true
		}
		return part{}, false
	}
	if m := dottedRE.FindStringIndex(s); m != nil && begins(s[m[1]:], heading) {
		return part{number: canonical(s[:m[1]])}, true
	}
	if m := plainRE.FindStringSubmatch(s); heading && m != nil {
		return part{number: canonical(m[1])}, true
	}
	return part{}, false
}

// begins reports whether what follows a number lets the number be that of
// what follows: a mark, a line's end, a capital. Behind a heading's number
// anything but more of a word does.
func begins(rest string, heading bool) bool {
	if rest == "" || rest[0] == '\t' {
		return true
	}
	if isWord(rest[0]) {
		return false
	}
	trimmed := strings.TrimLeft(rest, " \u00a0*_")
	if trimmed == "" || heading {
		return true
	}
	switch c := trimmed[0]; {
	case c == '.' || c == ':':
		return len(trimmed) == 1 || trimmed[1] == ' ' || trimmed[1] == '\t' || trimmed[1] == '*'
	case strings.IndexByte("|([\"", c) >= 0:
		return true
	case c >= 'A' && c <= 'Z':
		return true
	}
	for _, mark := range []string{"–", "—", "- ", "“", "‘"} {
		if strings.HasPrefix(trimmed, mark) {
			return true
		}
	}
	return false
}

// bracketStart reads "(b)", "b)" or "3." at the beginning of a line.
func bracketStart(s string) (string, bool) {
	if m := bracket1.FindStringSubmatch(s); m != nil {
		return m[1], true
	}
	if m := point1.FindStringSubmatch(s); m != nil {
		return m[1], true
	}
	return "", false
}

// open moves to the part in brackets that begins: to the next of its level,
// or one level down.
func (s *scan) open(value string) {
	l := level{s.style(value), strings.ToLower(value)}
	if at := slices.IndexFunc(s.subs, func(o level) bool { return o.style == l.style }); at >= 0 {
		s.subs = s.subs[:at]
	}
	s.subs = append(slices.Clip(s.subs), l)
}

// style tells digits, letters, capitals and Roman numbers apart: "i" is a
// letter behind "h" alone.
func (s *scan) style(value string) string {
	switch c := value[0]; {
	case c >= '0' && c <= '9':
		return "1"
	case c >= 'A' && c <= 'Z':
		return "A"
	case strings.Trim(value, "ivxl") != "":
		return "a"
	}
	roman := slices.ContainsFunc(s.subs, func(o level) bool { return o.style == "i" })
	for _, o := range s.subs {
		if o.style == "a" && len(value) == 1 && len(o.value) == 1 && o.value[0]+1 == value[0] && !roman {
			return "a"
		}
	}
	if roman || value[0] == 'i' || len(value) > 1 {
		return "i"
	}
	return "a"
}

// numberKeys are the metadata keys whose value numbers a passage, and of what
// kind it is then.
var numberKeys = map[string]string{
	"section": "section", "article": "article", "rule": "rule", "clause": "clause", "paragraph": "paragraph", "chapter": "chapter",
	"number": "", "no": "", "ref": "", "reference": "", "citation": "", "cite": "", "passage_id": "", "section_number": "section", "rule_number": "rule",
}

// declaredParts reads a passage's own id and what its metadata says.
func declaredParts(p *state.Passage) []part {
	var out []part
	for _, id := range []string{p.ID, p.Doc} {
		if identRE.FindString(id) == id && id != "" {
			out = append(out, part{kind: "id", number: strings.ToLower(id)})
		}
	}
	for _, key := range sorted(keysOf(p.Metadata), nil) {
		if kind, known := numberKeys[key]; known {
			if found, ok := declared(kind, strings.TrimSpace(p.Metadata[key])); ok {
				out = append(out, found)
			}
		}
	}
	return out
}

// declared reads a value that is a number, or a word and a number, and nothing
// else. A number of one part needs a kind.
func declared(kind, value string) (part, bool) {
	if m := startRE.FindStringSubmatchIndex(value); m != nil && m[1] == len(value) {
		return start(value, true)
	}
	if identRE.FindString(value) == value && value != "" {
		return part{kind: "id", number: strings.ToLower(value)}, true
	}
	p := part{kind: kind, number: canonical(value)}
	return p, wholeNumber.MatchString(value) && (kind != "" || several(p.number))
}

func keysOf(m map[string]string) map[string]bool {
	out := make(map[string]bool, len(m))
	for k := range m {
		out[k] = true
	}
	return out
}

// sorted lists a set without those of another.
func sorted(set, without map[string]bool) []string {
	var out []string
	for key := range set {
		if !without[key] {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}
