package fields

import (
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// labelClasses are the classes of words before an amount, by the spelling of the label. No other
// words count.
var labelClasses = []struct {
	name    string
	pattern *pattern.Pattern
}{
	{"GRAND", pattern.New(`GRAND|NETT?\b|PAYABLE|TO BE PAID|AMOUNT DUE|TOTAL DUE|BALANCE DUE|AMT DUE`)},
	{"TOTAL", pattern.New(`\bT(?:OTAL|TL|L)\b|TOTAL|JUMLAH`)},
	{"INCL", pattern.New(`INCL|ROUNDED|W/? ?GST|WITH GST|AFTER`)},
	{"SUB", pattern.New(`SUB|EXCL|BEFORE|W/O|TAXABLE|\b0%|\b6%`)},
	{"TAX", pattern.New(`GST|TAX|VAT|SST`)},
	{"PAY", pattern.New(`CASH|PAID|TENDER|PAYMENT|VISA|MASTER|CARD|RECEIVED`)},
	{"CHG", pattern.New(`CHANGE|BALANCE|BAKI`)},
	{"ROUND", pattern.New(`ROUND`)},
	{"DISC", pattern.New(`DISC|SAVING|VOUCHER|REBATE`)},
	{"QTY", pattern.New(`QTY|ITEM|QUANTITY`)},
	{"SVC", pattern.New(`SERV|SVC|CHRG|CHARGE`)},
	{"UNITP", pattern.New(`PRICE|@|\bX\b`)},
	{"AMT", pattern.New(`AMOUNT|AMT`)},
}

// speaks reports whether a text belongs to one of some classes.
func speaks(upper string, classes ...string) bool {
	for _, c := range labelClasses {
		if slices.Contains(classes, c.name) && c.pattern.MatchString(upper) {
			return true
		}
	}
	return false
}

// classesOf returns the classes of a label, in order.
func classesOf(upper string) []string {
	var out []string
	for _, c := range labelClasses {
		if c.pattern.MatchString(upper) {
			out = append(out, c.name)
		}
	}
	return out
}

var hasLetter = pattern.New(`[A-Z]{2}`)

// An amount is an amount of money at its place.
type amount struct {
	values.Found
	row     int
	cents   int
	classes []string // of its label; those of a neighbouring row with an "n" in front
	isTotal bool
	right   bool // it is in the right part of the page
	last    bool // it is the last one of its row
	bare    bool // it has no currency sign
}

// longestLabel is how much of a row before an amount belongs to its label.
const longestLabel = 200 // bytes

// amounts returns the amounts of the page, also negative ones.
func (p *page) amounts() (out []amount) {
	found := make([][]values.Found, len(p.rows))
	for i, r := range p.rows {
		found[i] = values.Amounts(r.text)
	}
	for i, r := range p.rows {
		for k, v := range found[i] {
			a := amount{Found: values.Found{Start: r.start + v.Start, End: r.start + v.End, Value: v.Value}, row: i, last: k == len(found[i])-1}
			n, err := strconv.Atoi(strings.ReplaceAll(v.Value, ".", ""))
			if err != nil {
				continue // too large for an integer
			}
			a.cents = n
			for _, b := range r.boxes { // a currency sign in a separate box is not part of the amount
				if b.Start > a.Start && b.Start < a.End {
					a.Start = b.Start
				}
			}
			a.bare = p.text[a.Start] >= '0' && p.text[a.Start] <= '9'
			label := r.upper[max(0, v.Start-longestLabel):v.Start]
			if hasLetter.MatchString(label) {
				a.classes = classesOf(label)
			} else {
				for _, j := range []int{i - 1, i + 1} {
					if j >= 0 && j < len(p.rows) && len(found[j]) == 0 && hasLetter.MatchString(p.rows[j].upper) {
						for _, c := range p.classes(j) {
							a.classes = append(a.classes, "n"+c)
						}
						break
					}
				}
			}
			has := func(c string) bool { return slices.Contains(a.classes, c) || slices.Contains(a.classes, "n"+c) }
			a.isTotal = has("TOTAL") && !has("SUB") && !has("QTY") && !has("DISC") && !has("SVC")
			a.right = p.boxRight(r, a.Start) > .6*p.width
			out = append(out, a)
		}
	}
	return out
}

// classes returns the classes of a whole row, which are computed once.
func (p *page) classes(i int) []string {
	c, ok := p.labels[i]
	if !ok {
		c = classesOf(p.rows[i].upper)
		p.labels[i] = c
	}
	return c
}

// boxRight returns the right edge of the box that contains a byte.
func (p *page) boxRight(r row, at int) float64 {
	for _, b := range r.boxes {
		if b.Start <= at && at < b.End {
			return float64(b.X2)
		}
	}
	return r.x2
}

// totals returns the possible amounts to be paid: one candidate for each value, with the features
// of all its places.
func (p *page) totals() []Candidate {
	all := p.amounts()
	positive := slices.ContainsFunc(all, func(a amount) bool { return a.cents > 0 })
	var order []int
	groups := map[int][]amount{}
	for _, a := range all {
		if a.cents < 0 || a.cents == 0 && positive {
			continue
		}
		if groups[a.cents] == nil {
			order = append(order, a.cents)
		}
		groups[a.cents] = append(groups[a.cents], a)
	}
	lastTotal := len(p.rows) - 1
	for lastTotal >= 0 && !speaks(p.rows[lastTotal].upper, "TOTAL") {
		lastTotal--
	}
	ranked := slices.Clone(order)
	slices.SortFunc(ranked, func(a, b int) int { return b - a })
	var out []Candidate
	for _, c := range order {
		group := groups[c]
		features := map[string]bool{}
		isTotal, onlyPay, onlyChange := false, true, true
		best := group[0]
		for _, a := range group {
			p.placeFeatures(a, lastTotal, features)
			isTotal = isTotal || a.isTotal
			onlyPay = onlyPay && anyOf(a.classes, "PAY") && !anyOf(a.classes, "TOTAL") && !anyOf(a.classes, "GRAND")
			onlyChange = onlyChange && anyOf(a.classes, "CHG") && !anyOf(a.classes, "TOTAL") && !anyOf(a.classes, "GRAND")
			if rank(a) > rank(best) {
				best = a
			}
		}
		features["isT_rep"] = isTotal && len(group) > 1
		features["onlypay"], features["onlychg"] = onlyPay, onlyChange
		features["cnt="+strconv.Itoa(min(len(group), 5))] = true
		place := slices.Index(ranked[:min(5, len(ranked))], c)
		if place < 0 {
			place = 5
		}
		features["rank="+strconv.Itoa(place)] = true
		features["max"] = ranked[0] == c
		var names []string
		for name, is := range features {
			if is {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		out = append(out, Candidate{Start: best.Start, End: best.End, Key: best.Value, Value: best.Text(p.text), Features: names})
	}
	return out
}

// rank ranks the places of one value: a total first, then a bare amount.
func rank(a amount) int {
	n := 0
	if a.isTotal {
		n += 1
	}
	if a.bare {
		n += 2
	}
	return n
}

func anyOf(classes []string, c string) bool {
	return slices.Contains(classes, c) || slices.Contains(classes, "n"+c)
}

func (p *page) placeFeatures(a amount, lastTotal int, features map[string]bool) {
	for _, c := range a.classes {
		features["K="+c] = true
	}
	features["KK="+strings.Join(a.classes, "+")] = true
	if a.row > 0 {
		for _, c := range p.classes(a.row - 1) {
			features["PK="+c] = true
		}
	}
	if a.row+1 < len(p.rows) {
		for _, c := range p.classes(a.row + 1) {
			features["NK="+c] = true
		}
	}
	if a.isTotal {
		features["isT"] = true
		features["lastT"] = features["lastT"] || a.row >= lastTotal
		features["isT_notax"] = features["isT_notax"] || !anyOf(a.classes, "TAX")
	}
	features["currency"] = features["currency"] || !a.bare
	features["rowlast"] = features["rowlast"] || a.last
	features["right"] = features["right"] || a.right
	features["py="+strconv.Itoa(int(p.py(a.row)*8))] = true
	if p.laidOut {
		features["rh="+strconv.Itoa(min(int(p.rows[a.row].tall()/p.median*2.5), 5))] = true
	}
}
