package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A role is a name at a typical place: in the letterhead (head), as the recipient (to), or after
// its defined term in a contract (terms).
type role struct {
	place      string
	terms      []term
	start, end int
	p          float64
}

var (
	sheetName = pattern.New(`^(?i:sheet|tabelle|feuil|feuille|hoja|foglio|blad|planilha) ?\d*$`)
	nameCut   = pattern.New(`\s*(?:\(|\s[-–—·|]\s|\n|,\s*(?:born\b|geb|né|[\d\p{Ll}])|,\s[^,]*\d|:\s)`)
	called    = pattern.New(`\((?:[^()"“„«]{0,40}["“„«])?([^()"“”„«»]{3,40})["”“»]?\)|["“„«]([\pL ]{4,30})["”“»]`)
	binds     = pattern.New(`(?i)\b(?:between|zwischen|entre|tra|tussen)\b[\s*_:]*`)
	livesAt   = pattern.New(`\s(?:of|at|in|residing at|wohnhaft|demeurant)\s+(?:\d|The\s|Flat\s|Unit\s)`)
	andParty  = pattern.New(`^[\s,;*_–—-]*(?:(?i:and|und|et|y|e|en)\b[\s*_]*)?(?:(?i:der|die|the|la|le)\s+(?i:firma|company|société|empresa|società)?\s*)?`)
	doctors   = pattern.New(`\b(?:Dr|Prof|Dott|Dra)\.?(?: (?:med|Dr)\.?)* \p{Lu}[\pL.'’-]*(?: \p{Lu}[\pL.'’-]+){0,3}`)
	greeting  = pattern.New(`(?m)^(?:Dear|Hello|Hi|Good (?:morning|afternoon|evening|day)|Guten (?:Morgen|Abend)|Liebe[r]?|Guten Tag|Hallo|Sehr geehrte[rs]?|Bonjour|Ch[eè]re?|Hola|Estimad[oa]|Gentile|Car[oa]|Beste|Geachte|Olá|Prezad[oa])\s+(\p{Lu}[\pL.’' -]{2,50}),?\s*$`)
	firmForm  = pattern.New(`(?:\b(?:Ltd|Limited|LLC|LLP|Inc|Corp|PLC|plc|GmbH|AG|KG|OHG|UG|SE|AS|ASA|AB|Oy|ApS|A/S|BV|NV|SA|SAS|SARL|SL|Srl|SRL|SpA|Lda|Co|eG)\b|\b(?:[A-Z]\.){2,}|S\.p\.A\.|e\. ?V\.)`)
	shortEnd  = pattern.New(`(?:\.\pL+|[ .]\pL{2,4})\.$`)
	closing   = pattern.New(`(?im)^[ \t>]*(?:(?:with )?(?:kind|best|warm|many)? ?(?:regards|wishes|thanks)|yours (?:sincerely|faithfully|truly)|sincerely(?: yours)?|mit (?:freundlichen|besten|herzlichen) gr[üu](?:ß|ss)en|(?:viele|liebe|beste) gr[üu](?:ß|ss)e|cordialement|bien cordialement|salutations[^\n]*|(?:un )?saludos?[^\n]*|atentamente|cordiali saluti|distinti saluti|met vriendelijke groet(?:en)?|hoogachtend|atenciosamente|com os melhores cumprimentos),?[ \t]*\n`)
	attnLine  = pattern.New(`(?i)\b(?:attn|attention|z\. ?hd|contact)\b[.:]*\s*(?:v\.\s*)?`)
)

// nameIn returns the name of a person or firm at the beginning of a span.
func (p *paper) nameIn(start, end int) (int, int, bool) {
	start, end = p.trim(start, end)
	for start < end { // "account of Greta Whitfield"
		c, _ := utf8.DecodeRuneInString(p.text[start:end])
		if unicode.IsUpper(c) || unicode.IsDigit(c) {
			break
		}
		at := strings.IndexAny(p.text[start:end], " \n")
		if at < 0 {
			return 0, 0, false
		}
		start, end = p.trim(start+at+1, end)
	}
	if start >= end {
		return 0, 0, false
	}
	if at := strings.Index(p.text[start:end], ", "); at > 0 && (firmForm.MatchString(p.text[start:start+at]) && !firmForm.MatchString(p.text[start+at:end]) || strings.Count(p.text[start:end], ", ") > 1) {
		end = start + at // an address follows
	}
	if at := nameCut.FindStringIndex(p.text[start:end]); at != nil {
		end = start + at[0]
	}
	start, end = p.trim(start, end)
	if m := foreignTitles.FindString(p.text[start:end]); m != "" {
		start += len(m)
	}
	s := strings.TrimRight(p.text[start:end], ",;")
	if end = start + len(s); personTitles.MatchString(s+" ") && !strings.Contains(s, " ") {
		return 0, 0, false
	}
	if len(s) < 2 || len(strings.Fields(s)) > 9 || !strings.ContainsFunc(s, unicode.IsLetter) || len(p.in(aDate, start, end))+len(p.in(aMail, start, end)) > 0 {
		return 0, 0, false
	}
	if codes := p.in(aCode, start, end); len(codes) == 1 && codes[0].Start == start && codes[0].End == end {
		return 0, 0, false
	}
	return start, end, true
}

// headLines is how many first lines may contain a letterhead and a recipient.
const headLines = 12

// roles returns the names of a paper by their places.
func (p *paper) roles() []role {
	if p.cast != nil {
		return p.cast
	}
	p.cast = []role{}
	p.letterhead()
	p.defined()
	if m := greeting.FindStringSubmatchIndex(p.text); m != nil {
		if start, end, ok := p.nameIn(m[2], m[3]); ok && start-m[2] < 14 {
			p.cast = append(p.cast, role{place: "to", start: start, end: end, p: .58}, role{place: "addressee", start: start, end: end, p: .58}, role{place: "contact " + p.side(false), start: start, end: end, p: .7})
		}
	}
	for _, m := range doctors.FindAllStringIndex(p.text, 3) {
		p.cast = append(p.cast, role{place: "dr", start: m[0], end: m[1], p: .62})
	}
	for i := len(p.lines) - 1; i >= max(0, len(p.lines)-4); i-- { // the signer of a letter
		l := p.lines[i]
		if words := strings.Fields(p.text[l.start:l.end]); len(words) > 1 && len(words) < 5 && p.nameLike(l.start, l.end) && !slices.ContainsFunc(words, func(w string) bool { return !startsUpper(w) }) {
			p.cast = append(p.cast, role{place: "sign", start: l.start, end: l.end, p: .55 + .01*float64(len(p.lines)-i)})
		}
	}
	if m := closing.FindStringIndex(p.text); m != nil { // the signer below it, and for whom
		rest := p.lines[min(len(p.lines), p.lineAt(m[1])):]
		for i, l := range rest[:min(3, len(rest))] {
			start, end, ok := p.nameIn(l.start, l.end)
			if at := strings.LastIndex(p.text[l.start:l.end], ", "); i > 0 && at > 0 {
				start, end, ok = p.nameIn(l.start+at+2, l.end)
			}
			switch {
			case !ok || !p.nameLike(start, end):
			case i == 0:
				p.cast = append(p.cast, role{place: "sign", start: start, end: end, p: .66}, role{place: "contact " + p.side(true), start: start, end: end, p: .74})
			case firmForm.MatchString(p.text[start:end]):
				p.cast = append(p.cast, role{place: "from", start: start, end: end, p: .66}, role{place: p.side(true), start: start, end: end, p: .73})
			}
		}
	}
	if m := attnLine.FindStringIndex(p.text); m != nil {
		if start, end, ok := p.nameIn(m[1], p.lineEnd(m[1])); ok && start == m[1] {
			p.cast = append(p.cast, role{place: "attn", start: start, end: end, p: .75}, role{place: "contact " + p.side(false), start: start, end: end, p: .72})
		}
	}
	return p.cast
}

// side returns the place of the seller's ("head") or the buyer's ("to") name.
func (p *paper) side(writes bool) string {
	if writes != p.order {
		return "head"
	}
	return "to"
}

// lineAt returns the number of the first line that does not begin before a byte.
func (p *paper) lineAt(at int) int {
	n, _ := slices.BinarySearchFunc(p.lines, at, func(l span, at int) int { return cmp.Compare(l.start, at) })
	return n
}

func (p *paper) lineEnd(at int) int {
	s := p.text[at:min(len(p.text), at+2*nearby)]
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return at + n
	}
	return at + len(s)
}

// letterhead finds the sender and the recipient in the first lines: the first name, and the first
// line of a block that is an address.
func (p *paper) letterhead() {
	order, head := false, false
	lines := p.lines[:min(len(p.lines), headLines)]
	for i, l := range lines {
		for _, s := range p.segments(l.start, l.end) {
			terms := termsOf(p.text[s.start:s.end])
			if sheetName.MatchString(p.text[s.start:s.end]) {
				continue
			}
			if titled(terms) && !p.holds(s.start, s.end) {
				order = order || slices.ContainsFunc(terms, func(t term) bool { return t[0].name == "order" })
				continue
			}
			start, end, ok := p.nameIn(s.start, s.end)
			if at := strings.Index(p.text[start:end], ", "); at > 0 && !legalForm.MatchString(strings.ToUpper(p.text[start+at:end])) {
				end = start + at
			}
			if !ok || start != s.start || greeting.MatchString(p.text[l.start:l.end]) || closing.MatchString(p.text[l.start:min(len(p.text), l.end+2)]) || !p.nameLike(start, end) {
				continue
			}
			apart := i > 0 && (strings.Count(p.text[lines[i-1].end:l.start], "\n") > 1 || personTitles.MatchString(p.text[lines[i-1].start:lines[i-1].end]+" "))
			switch {
			case !head && i < 4:
				head = true
				p.cast = append(p.cast, role{place: "head", start: start, end: end, p: .64})
			case head && (apart || personTitles.MatchString(p.text[start:end])) && p.addressed(lines, i, end):
				p.cast = append(p.cast, role{place: "to", start: start, end: end, p: .62})
			}
		}
	}
	for _, r := range p.regions {
		if len(r.label) == 1 && r.label[0][0].name == "subject" {
			terms := termsOf(p.text[r.start:r.end])
			order = order || len(terms) > 0 && terms[0][0].name == "order"
		}
	}
	for _, r := range p.cast { // in any role
		p.cast = append(p.cast, role{place: map[string]string{"head": "from", "to": "addressee"}[r.place], start: r.start, end: r.end, p: r.p})
	}
	legal := func(place string) bool {
		at := slices.IndexFunc(p.cast, func(r role) bool { return r.place == place })
		return at >= 0 && firmForm.MatchString(p.text[p.cast[at].start:p.cast[at].end])
	}
	for i, r := range p.cast { // the sender may be an employee
		if place := map[string]string{"head": "firm", "to": "person"}[r.place]; place != "" {
			if legal("to") && !legal("head") {
				place = map[string]string{"head": "person", "to": "firm"}[r.place]
			}
			p.cast = append(p.cast, role{place: place, start: r.start, end: r.end, p: p.cast[i].p})
		}
	}
	p.order = order
	if order { // the buyer writes, and the seller receives
		for i, r := range p.cast {
			p.cast[i].place = cmp.Or(map[string]string{"head": "to", "to": "head"}[r.place], r.place)
		}
	}
	for _, r := range p.regions {
		if !r.running && len(r.label) <= 2 && slices.ContainsFunc(r.label, func(t term) bool {
			return slices.ContainsFunc(t, func(c concept) bool { return c.name == "recipient" })
		}) {
			if start, end, ok := p.nameIn(r.start, r.end); ok {
				p.cast = append(p.cast, role{place: map[bool]string{true: "head", false: "to"}[order], start: start, end: end, p: .72},
					role{place: "addressee", start: start, end: end, p: .72})
				break
			}
		}
	}
}

// titled reports whether a line only names a paper, or a usual heading of one.
func titled(terms []term) bool {
	paper := false
	for _, t := range terms {
		if slices.ContainsFunc(t, func(c concept) bool { return c.class == '+' }) {
			paper = true
		} else if t.weight() > 0 && t[0].class != '#' && !paper {
			return false
		}
	}
	return paper
}

// nameLike reports whether a span may be a name: several capitalised words, none of which names a
// paper.
func (p *paper) nameLike(start, end int) bool {
	s := p.text[start:end]
	words := strings.Fields(s)
	c, _ := utf8.DecodeRuneInString(s)
	return len(words) <= 7 && !strings.ContainsAny(s, "0123456789:?!@") && (!strings.HasSuffix(s, ".") || shortEnd.MatchString(s)) && unicode.IsUpper(c) &&
		slices.ContainsFunc(termsOf(s), func(t term) bool { return t[0].class == 0 }) &&
		!slices.ContainsFunc(termsOf(s), func(t term) bool {
			return slices.ContainsFunc(t, func(c concept) bool { return c.class == '+' || c.class == '@' })
		})
}

// addressed reports whether an address follows a name, on its line or below.
func (p *paper) addressed(lines []span, i, end int) bool {
	digits := func(s string) bool { return strings.ContainsAny(s, "0123456789") }
	if rest := p.text[end:lines[i].end]; strings.HasPrefix(rest, ",") && digits(rest) {
		return true
	}
	for k := i + 1; k < len(lines) && k < i+5 && strings.Count(p.text[lines[k-1].end:lines[k].start], "\n") == 1; k++ {
		if s := p.text[lines[k].start:lines[k].end]; len(s) < 50 && digits(s) && !strings.Contains(s, ":") {
			return true
		}
	}
	return false
}

// defined adds the parties of a contract with their defined terms.
func (p *paper) defined() {
	last := 0
	for _, m := range called.FindAllStringSubmatchIndex(p.text, 40) {
		group := m[2:4]
		if group[0] < 0 {
			group = m[4:6]
		}
		terms := termsOf(p.text[group[0]:group[1]])
		quoted := strings.ContainsAny(p.text[m[0]:m[1]], "“„«\"") && p.text[m[0]] == '(' && len(terms) < 4
		if !slices.ContainsFunc(terms, func(t term) bool {
			return slices.ContainsFunc(t, func(c concept) bool { return c.class == '&' || c.class == 0 && quoted })
		}) {
			continue
		}
		from := max(last, m[0]-400)
		for from > 0 && !utf8.RuneStart(p.text[from]) {
			from++
		}
		if at := binds.FindAllStringIndex(p.text[from:m[0]], -1); at != nil {
			from += at[len(at)-1][1]
		}
		from += len(andParty.FindString(p.text[from:m[0]]))
		from, _ = p.trim(from, m[0])
		last = m[1]
		if start, end, ok := p.nameIn(from, m[0]); ok && start-from < 14 {
			if comma := strings.Index(p.text[start:end], ", "); comma > 0 {
				end = start + comma
			}
			if home := livesAt.FindStringIndex(p.text[start:end]); home != nil {
				end = start + home[0]
			}
			start += len(personTitles.FindString(p.text[start:end]))
			p.cast = append(p.cast, role{terms: terms, start: start, end: end, p: defined})
		}
	}
}

// A contract states outright who is who ("the Client"), which outranks every label: such a role
// scores defined, times how well its words fit the field, and wins if at least almostDefined
// remains.
const defined, almostDefined = 1.2, 1.1

// fill adds the names of a field by their places.
func (p *paper) fill(w *want, add func(start, end int, value string, score float64)) {
	m := w.meanings[0]
	for _, r := range p.roles() {
		switch {
		case r.terms != nil:
			add(r.start, r.end, "", r.p*w.likeness(r.terms, false, nil))
		case r.place == w.place && w.kind == aParty, r.place == "head" && w.kind == aText && !m.special && m.has("name"):
			add(r.start, r.end, "", r.p)
		}
	}
	for _, r := range p.regions {
		if r.running {
			continue
		}
		says := func(names ...string) bool {
			return slices.ContainsFunc(r.label, func(t term) bool {
				return slices.ContainsFunc(t, func(c concept) bool { return slices.Contains(names, c.name) })
			})
		}
		if w.place == "re" && says("subject") || (w.place == "to" && !p.order || w.place == "addressee" || w.place == "person") && len(r.label) == 1 && says("recipient") || strings.HasSuffix(w.path, "_by") && says("signatory") || w.kind == aParty && w.place != "head" && w.place != "from" && w.place != "firm" && len(r.label) == 1 && says("name") {
			for _, v := range p.find(w, r)[:min(1, len(p.find(w, r)))] {
				add(v.Start, v.End, v.Value, .72*r.sure)
			}
		}
	}
}

// addressOf adds the address below the sender's or the recipient's name.
func (p *paper) addressOf(w *want, add func(start, end int, value string, score float64)) {
	place := w.place
	if !w.meanings[0].special || w.meanings[0].own == 1 && place == "" {
		place = "head"
	}
	for _, r := range p.roles() {
		if r.place != place || place == "" {
			continue
		}
		start, end := 0, 0
		for i := p.lineAt(r.start+1) - 1; i >= 0 && i < len(p.lines); i++ {
			l := p.lines[i]
			if l.start <= r.start {
				rest := strings.TrimLeft(p.text[min(r.end, l.end):l.end], ", ")
				if l.start = l.end - len(rest); rest == "" {
					continue
				}
			}
			s := p.text[l.start:l.end]
			if end > 0 && strings.Count(p.text[end:l.start], "\n") != 1 || len(s) > 70 || strings.ContainsAny(s, ":@") || len(p.in(aPhone, l.start, l.end))+len(p.in(aDate, l.start, l.end)) > 0 || len(p.segments(l.start, l.end)) > 1 {
				break
			}
			if start = max(start, 0); end == 0 {
				start = l.start
			}
			end = l.end
		}
		if strings.ContainsAny(p.text[start:end], "0123456789") {
			add(start, end, strings.ReplaceAll(text.OneLine(strings.ReplaceAll(p.text[start:end], "\n", ", ")), " ,", ","), .56)
		}
		return
	}
}

var (
	entryTime  = pattern.New(`^(?:((?i:since|seit|depuis|desde|dal|sinds) ))?(?:(?:\pL{3,9}\.? |\d\d?[/.])?(?:19|20)\d\d)(?:\s*(?:[-–—]|to|bis|à|a|until)\s*(?:(?:\pL{3,9}\.? |\d\d?[/.])?(?:19|20)\d\d|(\pL[\pL' ’]{1,14})))?:?$`)
	openEnded  = pattern.New(`(?i)^(?:now|today|present|current|currently|heute|jetzt|aujourd.hui|présent|ce jour|actual|actualidad|hoy|presente|oggi|atual|hoje|heden|nu|date)`)
	degreeWord = pattern.New(`\b(?:[BM](?:\.? ?Sc|\.? ?A|\.? ?Eng|BA)|Ph\.? ?D|LL\.?[BM]|Dipl|Bachelor|Master|Magister|Diplom|Staatsexamen|Licen[cs]e|Licenciad[ao]|Laurea|Grado|Doctora|Doktor|Abitur|A-levels|Apprentice|Lehre)`)
)

// An entry is a line of a curriculum: an activity in a period.
type entry struct {
	parts []span // a title or a degree, and the place
	year  span   // the last year
	open  bool
	study bool
}

// entries returns the entries of a curriculum, in order.
func (p *paper) entries() []entry {
	var out []entry
	for _, r := range p.regions {
		parts := p.parts(r.start, r.end)
		if len(parts) == 0 || r.running && !degreeWord.MatchString(p.text[r.start:r.end]) {
			continue
		}
		e := entry{parts: parts}
		m := entryTime.FindStringSubmatch(strings.TrimSpace(r.name))
		e.study = degreeWord.MatchString(p.text[parts[0].start:parts[0].end])
		for _, t := range termsOf(r.heading) {
			e.study = e.study || t[0].name == "education"
		}
		switch last := parts[len(parts)-1]; {
		case m != nil:
			e.open = m[1] != "" || openEnded.MatchString(m[2])
			e.year = p.yearIn(r.start-len(r.name)-30, r.start)
		case e.study && len(parts) > 1:
			e.year = p.yearIn(last.start, last.end)
		default:
			continue
		}
		if at := strings.Index(p.text[parts[0].start:parts[0].end], "\n"); at < 0 {
			out = append(out, e)
		}
	}
	return out
}

var yearShape = pattern.New(`\b(?:19|20)\d\d\b`)

func (p *paper) yearIn(start, end int) span {
	start = max(start, 0)
	for start < end && !utf8.RuneStart(p.text[start]) {
		start++
	}
	if all := yearShape.FindAllStringIndex(p.text[start:end], -1); all != nil {
		last := all[len(all)-1]
		return span{start + last[0], start + last[1]}
	}
	return span{}
}

// of returns the part of an entry that a field is about.
func (e entry) of(m meaning) (span, bool) {
	switch {
	case m.has("year"):
		return e.year, e.year.end > 0
	case m.has("employer", "company", "university", "vendor") && len(e.parts) > 1:
		return e.parts[1], true
	case m.has("degree", "position", "item", "name"):
		return e.parts[0], true
	}
	return span{}, false
}

// career adds a curriculum's values for a field: the current activity, and the first degree.
func (p *paper) career(w *want, add func(start, end int, value string, score float64)) {
	m := w.meanings[0]
	study := m.has("degree", "university", "education")
	if !study && !m.has("current") || m.has("birth") {
		return
	}
	for _, e := range p.entries() {
		if s, ok := e.of(m); ok && e.study == study && (study || e.open) {
			add(s.start, s.end, "", .9)
			return
		}
	}
}

// town adds the place in the first lines: capitalised words alone between others, or after a postal
// code.
func (p *paper) town(add func(start, end int, value string, score float64)) {
	for i, l := range p.lines[:min(len(p.lines), headLines)] {
		segments := p.segments(l.start, l.end)
		for k, s := range segments {
			words := strings.Fields(p.text[s.start:s.end])
			capital := !slices.ContainsFunc(words, func(w string) bool { c, _ := utf8.DecodeRuneInString(w); return !unicode.IsUpper(c) })
			if len(segments) > 1 && (i > 0 || k > 0) && capital && len(words) < 4 && p.nameLike(s.start, s.end) {
				add(s.start, s.end, "", .6)
			}
		}
	}
}
