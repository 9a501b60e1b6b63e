package citation

import (
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

var (
	startRE  = pattern.New(`^(?:` + uscOrCFR + ` {0,2})?` + kindWords + `[ \t\x{a0}]{0,2}(` + number + `|[IVXLC]{1,7}\b|[A-Z]\b)`)
	dottedRE = pattern.New(`^([0-9]{1,4}[A-Za-z]?` + dotted + `{1,5}\.?(?:` + inside + `)*|[0-9]{1,4}[A-Za-z]?(?:` + inside + `)+)`)
	plainRE  = pattern.New(`^([0-9]{1,3}[A-Z]?)[.)](?:\s|$)`)
	identAt  = pattern.New(`^(` + ident + `)(?:$|[\s:.)|–—-])`)
	bracket1 = pattern.New(`^\(?([0-9]{1,3}|[a-z]{1,2}|[A-Z]|[ivxl]{3,6})\)(?:\s|$|\()`)
	point1   = pattern.New(`^([0-9]{1,3})\.\s`)
)

// start reads the numbered part that begins with a line or heading. A line that only begins with a
// reference ("Section 4.2 applies") begins none.
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

// begins reports whether the text after a number allows it to name a part: a mark, the end of the
// line, or a capital. After a heading's number anything but the rest of a word does.
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

// bracketStart reads "(b)", "b)" or "3." at the start of a line.
func bracketStart(s string) (string, bool) {
	if m := bracket1.FindStringSubmatch(s); m != nil {
		return m[1], true
	}
	if m := point1.FindStringSubmatch(s); m != nil {
		return m[1], true
	}
	return "", false
}

// numberKeys maps metadata keys whose value numbers a passage to the kind of that number.
var numberKeys = map[string]string{
	"section": "section", "article": "article", "rule": "rule", "clause": "clause", "paragraph": "paragraph", "chapter": "chapter",
	"number": "", "no": "", "ref": "", "reference": "", "citation": "", "cite": "", "passage_id": "", "section_number": "section", "rule_number": "rule",
}

// declaredParts reads the parts from a passage's ID and metadata.
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
