package facts

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
)

// Sentences of other languages are read like English ones: their values are written in English
// first, and their words of denial, permission, duty and limitation are replaced by the English
// words. Stems and function words are those of their language.

// grammar maps words of a language to English words with the same function.
var grammar = grammars(`
	de | never nicht kein keine keinen keinem keiner keines nie niemals | without ohne | forbidden verboten untersagt ausgeschlossen | must muss müssen | may darf dürfen kann können | only nur ausschließlich lediglich | all alle jeder jede jedes jeden | before vor | after nach | until bis | more mehr | less weniger | and und | but aber sondern | or oder | if wenn falls | because weil denn
	fr | never pas jamais aucun aucune | without sans | forbidden interdit interdite interdits interdites exclu exclue exclus exclues | must doit doivent | may peut peuvent | only seulement uniquement | all tous toutes chaque tout toute | before avant | after après | until jusque jusqu'à | more plus | less moins | and et | but mais | or ou | if si | because car
	es | never no nunca jamás ningún ninguna | without sin | forbidden prohibido prohibida prohibidos prohibidas excluido excluida excluidos excluidas | must debe deben | may puede pueden | only solo sólo solamente únicamente | all todos todas cada | before antes | after después | until hasta | more más | less menos | and y e | but pero sino | or o u | if si | because porque
	it | never non mai nessun nessuna nessuno niente né | without senza | forbidden vietato vietata vietati vietate escluso esclusa esclusi escluse | must deve devono | may può possono | only solo soltanto solamente | all tutti tutte ogni | before prima | after dopo | until fino | more più | less meno | and e ed | but ma | or o oppure | if se | because perché
	pt | never não nunca nem nenhum nenhuma | without sem | forbidden proibido proibida proibidos proibidas excluído excluída | must deve devem | may pode podem | only apenas só somente | all todos todas cada | before antes | after depois | until até | more mais | less menos | and e | but mas | or ou | if se | because porque
	nl | never niet geen nooit | without zonder | forbidden verboden uitgesloten | must moet moeten | may mag mogen kan kunnen | only alleen slechts uitsluitend | all alle elke iedere | before voor | after na | until tot | more meer | less minder | and en | but maar | or of | if als indien mits | because want omdat
	sv | never inte ingen inga aldrig | without utan | forbidden förbjudet | must måste ska | may får kan | only bara endast | all alla varje | before före | after efter | until till | more mer | less mindre | and och | but men | or eller | if om
	da | never ikke ingen intet aldrig | without uden | forbidden forbudt | must skal | may må kan | only kun | all alle hver | before før | after efter | until til | more mere | less mindre | and og | but men | or eller | if hvis
	no | never ikke ingen intet aldri | without uten | forbidden forbudt | must må skal | may kan får | only bare kun | all alle hver | before før | after etter | until til | more mer | less mindre | and og | but men | or eller | if hvis
`)

func grammars(table string) map[text.Language]map[string]string {
	out := map[text.Language]map[string]string{}
	for line := range strings.Lines(table) {
		l, rest, found := strings.Cut(strings.TrimSpace(line), " | ")
		if !found {
			continue
		}
		words := map[string]string{}
		for group := range strings.SplitSeq(rest, " | ") {
			list := strings.Fields(group)
			for _, w := range list[1:] {
				words[w] = list[0]
			}
		}
		out[text.Language(l)] = words
	}
	return out
}

// unspacedDenials deny their clause in scripts that do not separate words.
var unspacedDenials = []string{"ません", "ない", "不要", "禁止", "不可", "不", "没", "沒", "无", "無", "未", "非", "안 ", "않", "없", "금지"}

// inEnglish writes the values of a text in English: "22 Uhr 15" as 22:15, "cinco años" as
// 5 years.
func inEnglish(s string, l text.Language) string {
	if len(s) > longestInput {
		s = s[:longestInput]
	}
	var all []values.Found
	add := func(list []values.Found, write func(string) string) {
		for _, f := range list {
			if !slices.ContainsFunc(all, func(g values.Found) bool { return f.Start < g.End && g.Start < f.End }) {
				f.Value = write(f.Value)
				all = append(all, f)
			}
		}
	}
	same := func(v string) string { return v }
	add(values.Days(s, l), dayInEnglish)
	add(values.Times(s, l), same)
	add(values.Money(s, l), same)
	add(values.Periods(s, l), same)
	add(values.Numerals(s, l), same)
	slices.SortFunc(all, func(a, b values.Found) int { return a.Start - b.Start })
	var out strings.Builder
	at := 0
	for _, f := range all {
		fmt.Fprintf(&out, "%s %s ", s[at:f.Start], f.Value)
		at = f.End
	}
	return out.String() + s[at:]
}

// dayInEnglish writes "2026-05-01", "--05-01", "2026-05" or a day of the week.
func dayInEnglish(v string) string {
	p := strings.Split(strings.TrimPrefix(v, "--"), "-")
	if strings.HasPrefix(v, "--") {
		p = append([]string{""}, p...)
	}
	if len(p) < 2 {
		return strings.ToUpper(v[:1]) + v[1:]
	}
	month := values.MonthName(max(1, min(small(p[1]), 12)))
	out := strings.ToUpper(month[:1]) + month[1:]
	if len(p) > 2 {
		out = strings.TrimLeft(p[2], "0") + " " + out
	}
	return strings.TrimSpace(out + " " + p[0])
}

// unspacedWords returns the tokens of a run of letters in a script without spaces, and nil for
// other scripts. A denial of the run comes first.
func unspacedWords(s string, known *lexicon) []token {
	if r, _ := utf8.DecodeRuneInString(s); r < 0xe00 {
		return nil
	}
	var out []token
	for _, w := range unspacedDenials {
		if strings.Contains(s, w) {
			t := wordToken("never", known)
			return append([]token{t}, pairsOf(s, known)...)
		}
	}
	return append(out, pairsOf(s, known)...)
}

func pairsOf(s string, known *lexicon) []token {
	var out []token
	for _, w := range text.Tokens(s) {
		t := wordToken(w.Text, known)
		t.start, t.end = w.Start, w.End
		out = append(out, t)
	}
	return out
}

func unspaced(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0xe00
}
