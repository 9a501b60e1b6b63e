package citation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// Prefixes of keys without a kind: of a part whose kind no word gives, and of a part of any kind.
const (
	noKind  = "- "
	anyKind = "* "
)

// Labels are the keys of one passage, sorted.
type Labels struct {
	Own    []string // of the parts that it is, or that begin in it
	Within []string // of the enclosing parts
}

// A part is a numbered heading, or the numbered beginning of a text.
type part struct {
	outer  []string // a code, a wider heading
	kind   string
	number string
}

// keys returns the keys of a part.
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

// Label returns the labels of passages, by index. Numbers in one passage apply to later ones under
// the same heading: they locate a later "(b)". The passages may come in any order; Label sorts
// those of a document.
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

// A scan is the state at a position of a document.
type scan struct {
	heads []part  // numbered headings above, outermost first
	base  *part   // the part that bracketed numbers belong to, or nil
	body  bool    // base is in the text, not a heading
	subs  []level // parts in brackets that are open
}

type level struct{ style, value string }

var contextRE = pattern.New(`\b` + uscOrCFR)

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

// read labels a passage and advances past it.
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
		if first && open && !started { // the text continues an earlier passage
			cur := before.current()
			note(within, cur)
			note(within, cur.in()...)
		}
		first = false
		ended = strings.ContainsRune(".;:!?)|*", rune(line[len(line)-1])) || strings.HasSuffix(line, " and") || strings.HasSuffix(line, " or")
	}
	return Labels{Own: sorted(own, nil), Within: sorted(within, own)}
}

// line reads the start of a line and reports whether a part begins there. A number within a passage
// counts if it continues the previous one, since numbers in tables and lists are references. In a
// table row only identifiers count.
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

// maxGap is the number of consecutive numbers that may be missing, repealed or reserved.
const maxGap = 3

// goesOn reports whether a part follows the open one: it is its first subpart, or the next part on
// its level or an enclosing one.
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

// distance returns the distance of two components, or 0 if they cannot be compared.
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

// open moves to the part in brackets that begins: to the next of its level,
// or one level down.
func (s *scan) open(value string) {
	l := level{s.style(value), strings.ToLower(value)}
	if at := slices.IndexFunc(s.subs, func(o level) bool { return o.style == l.style }); at >= 0 {
		s.subs = s.subs[:at]
	}
	s.subs = append(slices.Clip(s.subs), l)
}

// style distinguishes digits, letters, capitals and Roman numbers: "i" is a letter only after "h".
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

func keysOf(m map[string]string) map[string]bool {
	out := make(map[string]bool, len(m))
	for k := range m {
		out[k] = true
	}
	return out
}

// sorted lists a set without the elements of another.
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
