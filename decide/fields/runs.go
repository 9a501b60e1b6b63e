package fields

import (
	"strings"
	"unicode"

	"example.com/assay/memory/text/pattern"
)

var (
	runEnd     = pattern.New(`[,.;:()"“”„«»*_\n]`)
	quotedRun  = pattern.New(`^[\s,]*(?:(?:an?|the|eine?[nmrs]?|de[rmns]?|die|das|la|le|un|une|el|il|of|von) )*(\*+|_+|["“„«])`)
	article    = pattern.New(`^\s*(?:(?:an?|the|eine?[nmrs]?|de[rmns]?|die|das|la|le|un|une|el|il|of|von|du|di|is|ist|by|with) |l['’]|d['’])`)
	capitalRun = pattern.New(`^[\p{Lu}\d][\pL\d.'’&-]*(?: (?:(?:&|and|of|de|du|und|et|y|e|van|von|der) )?[\p{Lu}][\pL\d.'’&-]*)*`)
)

// runs adds the words after a phrase of running text that names a field: emphasised words, a name,
// or the rest of the phrase's clause.
func (p *paper) runs(w *want, r region, add func(start, end int, value string, score float64)) {
	if w.place == "head" { // words of a letterhead do not introduce values
		return
	}
	terms, ends := termSpans(p.text[r.start:r.end])
	for i, t := range terms {
		if i > 0 && ends[i]-ends[i-1] < 4 || t.general() || w.meanings[0].hit(t) < 0 || i+1 < len(terms) && w.meanings[0].hit(terms[i+1]) >= 0 && !terms[i+1].general() {
			continue
		}
		score := .8 * w.likeness(terms[max(0, i-2):i+1], true, r.around)
		start := r.start + ends[i]
		rest := p.text[start:min(r.end, start+nearby)]
		if m := quotedRun.FindStringSubmatchIndex(rest); m != nil {
			if n := strings.IndexAny(rest[m[1]:], `*_"”“»`); n > 0 {
				add(start+m[1], start+m[1]+n, "", score)
				continue
			}
		}
		for rest = strings.TrimLeft(rest, " :\n"); article.MatchString(rest); rest = strings.TrimLeft(rest, " ") {
			rest = rest[len(article.FindString(rest)):]
		}
		start = min(r.end, start+nearby) - len(rest)
		if m := capitalRun.FindString(rest); m != "" && strings.ContainsFunc(m, unicode.IsLetter) {
			if start+len(m) == r.end && i == 0 && !strings.ContainsRune(m, ' ') { // "Customer Care"
				score *= .7
			}
			add(start, start+len(strings.TrimRight(m, ".")), "", score)
			continue
		}
		if w.kind == aText {
			clause := rest
			if at := runEnd.FindStringIndex(rest); at != nil {
				clause = rest[:at[0]]
			}
			if clause = strings.TrimSpace(clause); len(strings.Fields(clause)) <= 5 {
				add(start, start+len(clause), "", score-.12)
			}
		}
	}
}
