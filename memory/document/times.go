package document

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// Metadata keys of a document's dates and versions. Dates are YYYY-MM-DD, YYYY-MM or YYYY. Values
// that the document declares itself take precedence.
const (
	keyDate         = "date" // when it was last changed, sent or made
	keyValidFrom    = "valid_from"
	keyValidUntil   = "valid_until"
	keyVersion      = "version"
	keyReplaces     = "replaces"      // in its words
	keySupersededBy = "superseded_by" // in its words
)

// timedLines and timedBytes bound where a document speaks of itself.
const (
	timedLines = 40
	timedBytes = 4 << 10
)

// Phrases before a date that say what it dates. Each ends where the date begins.
var (
	article   = `(?:\s+(?:on|the|of|am|vom|dem|den|le|du|el|il|lo|o|dia))?[\s:]*(?:\*\*|__)?$`
	validFrom = pattern.New(`(?i)(?:\b(?:valid|effective|in (?:force|effect)|appl(?:y|ies)|applicable|binding|in use)(?:\s+(?:from|as of|as from|since|starting|with effect from))?|\b(?:enters?|comes?|came|entered) into (?:force|effect)(?: on)?|\beffective date|\bwith effect from|\b(?:prices?|rates?|list|tariff|fees)\s+(?:valid\s+)?from` +
		`|\b(?:gültig|gilt|gelten|wirksam|in kraft(?: getreten)?)\s*(?:ab|seit|vom|am)?(?:\s+dem)?|\btritt am|\bpreise ab` +
		`|(?:valables?|applicables?|en vigueur)(?:\s+(?:à partir|à compter|dès|depuis))?(?:\s+(?:du|le))?|(?:à partir|à compter) du|\bdepuis le` +
		`|\b(?:válid[oa]s?|vigentes?|en vigor|em vigor)(?:\s+(?:desde|a partir de[l]?))?(?:\s+el)?|\ba partir del?` +
		`|\b(?:valid[oaie]|in vigore)(?:\s+(?:dal|a partire dal|dall'))?|\ba partire dal` +
		`|\b(?:geldig|van kracht)(?:\s+(?:vanaf|per|met ingang van))?|\bmet ingang van|\bprijzen (?:vanaf|per))` + article)
	validUntil = pattern.New(`(?i)(?:\b(?:valid|effective|in force|applies|apply)\b.{0,60}\b(?:until|till|through|to)|\bexpires?(?: on)?|\bexpiry date|\bgültig\b.{0,60}\bbis(?: zum)?|\bgilt\b.{0,60}\bbis(?: zum)?|\bvalables?\b.{0,60}\b(?:jusqu'au|jusqu’au|au)|\b(?:válid|vigente|vigor).{0,60}\b(?:hasta|até)(?: el)?|\b(?:valid[oaie]|vigore)\b.{0,60}\bfino al|\bgeldig\b.{0,60}\b(?:tot(?: en met)?|t/m))` + article)
	datedOn    = pattern.New(`(?i)(?:^|[(*_,;–-]\s*|\s)(?:dated?|as (?:of|at)|last (?:updated|revised|changed|edited|modified|reviewed)|updated|revised|issued|published|adopted|amended|version|versie|versión|versione|versão|edition|status|stand|datum|ausgabe|fassung|erstellt|aktualisiert|fecha|actualizado|data|aggiornat[oa]|bijgewerkt|atualizado|mise? à jour|édition|fait à \pL+,?|日期|日付)` + article)
	versioned  = pattern.New(`(?im)(?:^|[,;(|–—-])[\s*_#]*(?:(?:document |current )?(?:version|versión|versione|versie|versão|revision|révision|rev\.|release|edition|ausgabe|auflage|fassung)\s*(?:no\.?|nr\.?)?[\s:]*(v?\d{1,3}(?:\.\d{1,4}){0,3}[a-z]?|(?-i:[A-Z]))|v(\d{1,3}(?:\.\d{1,4}){0,3}))(?:[\s,;).*_|–—]|$)`)
	monthYear  = pattern.New(`(\pL{3,10})\.?\s+(?:del?\s+)?((?:19|20)\d\d)$`)
	replaced   = pattern.New(`(?i)\b(?:(?:was|is|has been|been)\s+(?:replaced|superseded)\s+by|wurde durch|ersetzt durch|a été remplacée? par|est remplacée? par|(?:ha sido|fue|es) (?:sustituid|reemplazad)[oa] por|(?:è stat[oa]|è) sostituit[oa] da|(?:is|werd) vervangen door|foi substituíd[oa] por)\s+`)
	replaces   = pattern.New(`(?i)(?:\b(?:replaces|supersedes|replacing|superseding|ersetzt|annule et remplace|remplace|sustituye|reemplaza|sostituisce|vervangt|substitui)\b|取代|に代わる)\s*`)
	itself     = pattern.New(`(?i)^[\s*_>-]*(?:(?:this|these|it|diese[rs]?|sie|ce|cette|il|elle|est[ea]|questo|questa|dit|deze|esta|本)\b[^.;]{0,60})?$`)
	oneYear    = pattern.New(`(?:^|[^0-9])((?:19|20)\d\d)(?:[^0-9]|$)`)
)

// Stems of the words that patterns need, which are found faster than the patterns.
var (
	versionStems   = []string{"vers", "rev", "rév", "release", "edition", "ausgabe", "auflage", "fassung", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9"}
	replacingStems = []string{"replaces", "replaced", "replacing", "supersed", "ersetzt", "remplac", "sustitu", "reempla", "sostitu", "vervang", "substitui", "substituí", "取代", "代わる"}
)

func mentions(s string, stems []string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(s, stem) })
}

// times records the dates and versions given in the first lines of a document, its title and its
// name.
func (m metadata) times(d *Document) {
	switch d.Format {
	case "csv", "json", "jsonl", "xlsx":
		return
	}
	head := d.Text[:min(len(d.Text), timedBytes)]
	at := 0
	for range timedLines {
		at = lineEnd(head, at)
	}
	head = strings.ToValidUTF8(head[:at], "")
	alone, last := "", -1
	for _, date := range datesIn(head) {
		line := strings.LastIndexByte(head[:date.Start], '\n') + 1
		before := head[max(line, date.Start-120):date.Start]
		if stop := strings.LastIndexAny(before, "!?"); stop >= 0 {
			before = before[stop+1:]
		}
		after := strings.TrimSpace(head[date.End:lineEnd(head, date.End)])
		switch {
		case validUntil.MatchString(before), last >= line && strings.Trim(head[last:date.Start], " \t") != "" && joinsDates(head[last:date.Start]):
			m.set(keyValidUntil, date.Value)
			last = -1
		case validFrom.MatchString(before), strings.HasPrefix(after, "in Kraft"), strings.HasPrefix(after, "起"), strings.HasPrefix(after, "から"):
			m.set(keyValidFrom, date.Value)
			last = date.End
		case datedOn.MatchString(before):
			m.set(keyDate, date.Value)
		case alone == "" && len(before) < 30 && len(after) < 12 && strings.Count(head[:line], "\n") < 15 && !strings.Contains(before, ":"):
			alone = date.Value
		}
	}
	for at := 0; at < len(head) && m[keyVersion] == ""; {
		next := lineEnd(head, at)
		if mentions(head[at:next], versionStems) {
			if v := versioned.FindStringSubmatch(head[at:lineEnd(head, next)]); v != nil {
				m.set(keyVersion, strings.TrimPrefix(v[1]+v[2], "v"))
			}
		}
		at = next
	}
	if mentions(head, replacingStems) {
		m.replacing(head)
	}
	m.set(keyDate, alone)
	for _, name := range []string{d.Title, strings.ReplaceAll(stem(path.Base(d.Source)), "_", "-")} {
		if dates := datesIn(name); len(dates) > 0 {
			m.set(keyDate, dates[0].Value)
		} else if years := oneYear.FindAllStringSubmatch(name, 2); len(years) == 1 {
			m.set(keyDate, years[0][1])
		}
	}
}

// joinsDates reports whether the text between two dates makes them the ends of a period.
func joinsDates(between string) bool {
	switch strings.ToLower(strings.TrimSpace(between)) {
	case "to", "until", "till", "through", "-", "–", "—", "bis", "bis zum", "au", "al", "hasta el", "tot", "tot en met", "t/m", "até", "a":
		return true
	}
	return false
}

// datesIn returns the dates of a text, including months without a day, sorted by kind.
func datesIn(s string) []values.Found {
	out := values.Dates(s, nil)
	for end := 9; end <= len(s); end++ {
		if c, y := s[end-6], s[end-4:end-2]; y != "19" && y != "20" || !isSpace(s[end-5]) || c < 'A' && c != '.' && !isSpace(c) || end < len(s) && isWordByte(s[end]) {
			continue
		}
		g := monthYear.FindStringSubmatchIndex(s[max(0, end-40):end])
		if g == nil {
			continue
		}
		f := values.Found{Start: max(0, end-40) + g[0], End: end}
		if n := values.MonthOf(f.Text(s)[:g[3]-g[2]]); n > 0 && !slices.ContainsFunc(out, func(o values.Found) bool { return o.Start < f.End && f.Start < o.End }) {
			f.Value = fmt.Sprintf("%s-%02d", s[end-4:end], n)
			out = append(out, f)
		}
	}
	return out
}

// replacing records which document a text says it replaces, or is replaced by.
func (m metadata) replacing(head string) {
	if g := replaced.FindStringIndex(head); g != nil {
		m.set(keySupersededBy, clause(head[g[1]:]))
		return
	}
	for _, g := range replaces.FindAllStringIndex(head, 4) {
		sentence := strings.LastIndexAny(head[:g[0]], ".;\n") + 1
		if object := clause(head[g[1]:]); object != "" && (itself.MatchString(head[sentence:g[0]]) || strings.ContainsAny(object, "0123456789") && sentence == g[0]) {
			m.set(keyReplaces, object)
		}
	}
}

func clause(s string) string {
	for i := 0; i < len(s) && i < 160; i++ {
		if c := s[i]; c == '\n' && (i+1 == len(s) || s[i+1] == '\n') || strings.IndexByte(";!?", c) >= 0 || c == '.' && (i+1 == len(s) || isSpace(s[i+1]) || s[i+1] == '*') {
			s = s[:i]
			break
		}
	}
	if s = text.OneLine(strings.Trim(s, "*_ \n")); len(s) > 160 {
		return ""
	}
	return s
}
