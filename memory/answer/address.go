package answer

import (
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// An address is the numbered part of a document that a question names: "clause 7.2", "the
// third step".
type address struct{ number string }

var (
	partNumber = pattern.New(`(?i)(?:^|[^\pL])(?:clauses?|sections?|sec\.|articles?|art\.?|paragraphs?|rules?|steps?|items?|points?|slides?|chapters?|parts?|§+|artikel|abschnitt|ziffer|punkt|schritt|klausel|absatz|kapitel|étape|artículo|cláusula|paso|sección|articolo|passo|artigo|etapa|stap|lid|regel|第)\s*(?:no\.?|nr\.?|number)?\s*(\d+[a-z]?(?:\.\d+)*(?:\s?\([0-9a-z]{1,4}\))*)`)
	ordinalOf  = pattern.New(`(?i)(?:^|[^\pL\pN])(\pL+|\d+(?:st|nd|rd|th)|\d+\.)\s+(?:steps?|clause|item|point|rule|article|slide|section|schritt|punkt|regel|artikel|étape|paso|punto|passo|passaggio|etapa|stap|pas)(?:[^\pL]|$)`)
)

// ordinalStems begin the ordinal numbers of languages other than English, in order.
var ordinalStems = [][]string{
	{"erste", "premi", "primer", "prim", "eerste"}, {"zweite", "deuxi", "second", "segund", "tweede"}, {"dritte", "troisi", "tercer", "terz", "derde"},
	{"vierte", "quatri", "cuart", "quart", "vierde"}, {"fünfte", "cinqui", "quint", "vijfde"}, {"sechste", "sixi", "sext", "sest", "zesde"},
}

func addressOf(asks string) address {
	if m := partNumber.FindStringSubmatch(asks); m != nil {
		return address{strings.ReplaceAll(m[1], " ", "")}
	}
	for _, m := range ordinalOf.FindAllStringSubmatch(asks, -1) {
		w := strings.ToLower(m[1])
		if n, ok := values.Ordinals[w]; ok {
			return address{strconv.Itoa(n)}
		}
		if n := strings.TrimRight(w, "stndrh."); n != "" && n[0] >= '0' && n[0] <= '9' {
			return address{n}
		}
		for i, stems := range ordinalStems {
			for _, stem := range stems {
				if strings.HasPrefix(w, stem) {
					return address{strconv.Itoa(i + 1)}
				}
			}
		}
	}
	return address{}
}

// at reports how well a part of a document matches the named one.
func (a address) at(b *state.Block) float64 {
	if a.number == "" || b == nil || b.Number == "" {
		return 0
	}
	n := strings.TrimSuffix(b.Number, ".")
	if at := strings.LastIndexByte(n, '('); at >= 0 && b.Kind == state.BlockStep {
		n = strings.Trim(n[at:], "()")
	}
	switch {
	case strings.EqualFold(n, a.number):
		return 1
	case strings.HasPrefix(n, a.number+"(") || strings.HasPrefix(n, a.number+"."):
		return .6
	}
	return 0
}

// A counted is a number in a question with the stem of the word after it: "seven years".
type counted struct {
	value float64
	unit  string
}

func countedIn(r reader, asks string) []counted {
	words := r.words(asks)
	var out []counted
	for i, w := range words {
		v, ok := numberIn(w)
		if !ok {
			continue
		}
		c := counted{value: v}
		if i+1 < len(words) && !r.small(words[i+1]) {
			c.unit = r.stemOf(words[i+1])
		}
		out = append(out, c)
	}
	return out
}

func numberIn(w string) (float64, bool) {
	if n, ok := values.Cardinals[w]; ok {
		return float64(n), true
	}
	if n, ok := values.Tens[w]; ok {
		return float64(n), true
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(w, ",", "."), 64)
	return v, err == nil
}

var (
	fromTo  = pattern.New(`(?i)(\d+(?:[.,]\d+)?)\s*(?:\pL+\s*)?(?:-|–|—|to|bis|à|a|tot|until)\s*(\d+(?:[.,]\d+)?)`)
	atLeast = pattern.New(`(?i)(?:(?:from|over|more than|above|ab|über|mehr als|dès|plus de|à partir de|desde|más de|oltre|mais de|vanaf|meer dan|>=?|≥)\s*(\d+(?:[.,]\d+)?)|(\d+(?:[.,]\d+)?)\s*\pL*\s*(?:\+|and (?:more|over|above|older)|or (?:more|over|older)|und mehr|et plus|y más|e più))`)
	atMost  = pattern.New(`(?i)(?:up to|under|below|less than|until|bis(?: zu)?|unter|jusqu'à|moins de|hasta|menos de|fino a|até|tot|minder dan|<=?|≤)\s*(\d+(?:[.,]\d+)?)`)
)

// within compares a number of the question with the range in a row's cell: 1 for inside, −1 for
// outside, 0 if the row has no range of that kind.
func (q *question) within(p *pool, s *sentence) float64 {
	if s.part == nil || s.part.Kind != state.BlockRow || len(q.numbers) == 0 {
		return 0
	}
	for i, c := range s.part.Cells {
		body := p.sources[s.source].Text[c.Start:c.End] + c.Text
		if len(body) > 40 || i > 1 {
			continue
		}
		low, high, ok := rangeOf(body)
		if !ok {
			continue
		}
		about := p.reader.stems(c.Header + " " + body)
		for _, n := range q.numbers {
			if n.unit != "" && !slices.Contains(about, n.unit) && len(q.numbers) > 1 {
				continue
			}
			if low <= n.value && n.value <= high {
				return 1
			}
			return -1
		}
	}
	return 0
}

// rangeOf reads "5-9", "10+", "up to 3 kg".
func rangeOf(s string) (low, high float64, ok bool) {
	const most = 1e18
	if m := fromTo.FindStringSubmatch(s); m != nil {
		a, okA := numberIn(m[1])
		b, okB := numberIn(m[2])
		return a, b, okA && okB && a < b
	}
	if m := atLeast.FindStringSubmatch(s); m != nil {
		v, ok := numberIn(m[1] + m[2])
		return v, most, ok
	}
	if m := atMost.FindStringSubmatch(s); m != nil {
		v, ok := numberIn(m[1])
		return -most, v, ok
	}
	return 0, 0, false
}
