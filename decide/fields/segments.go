package fields

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/memory/text/pattern"
)

// A Candidate is a possible value of a field.
type Candidate struct {
	Start, End int    // bytes of the text
	Key        string // equal for candidates with the same meaning
	Value      string // as written, trimmed
	Features   []string
}

// Key returns the key of a name or an address: its letters and digits, in upper case.
func Key(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, s)
}

var (
	trailingNumber = pattern.New(`(?i)\s*(?:\(?(?:CO\.? )?(?:REG\.? )?(?:NO\.?:?)?\s*[A-Z]{0,3}\d{4,}[- ]{0,2}[A-Z]?\b\)?|\(?\d{4,}[- ][A-Z]\)? ?\(\w+\))(?: .*)?$`)
	ownedBy        = pattern.New(`(?i)\b(?:OWNED BY|OWN BY|DIMILIKI(?: OLEH)?|OPERATED BY|MANAGED BY)\s*:?\s*`)
	addressLabel   = pattern.New(`(?i)^(?:\w+ )?ADD(?:R|RESS)?\s*[:.]\s*`)
)

const (
	companyRows, companyFirst = 3, 14
	addressRows, addressFirst = 8, 20
	longestRow                = 400 // bytes; a longer row is prose, not a name or an address
)

// companies returns spans of up to three of the first rows, also without a registration number, or
// after words that name an owner.
func (p *page) companies() []Candidate {
	var out []Candidate
	for i := range min(companyFirst, len(p.rows)) {
		for n := 1; n <= companyRows && i+n <= len(p.rows) && len(p.rows[i+n-1].text) <= longestRow; n++ {
			start, end := p.rows[i].start, p.rows[i+n-1].end
			shared := p.segment(i, n)
			if p.repeated(i, n) {
				shared = append(shared, "rep")
			}
			cut := trailingNumber.FindStringIndex(p.text[start:end])
			if cut != nil && cut[0] > 0 {
				out = append(out, p.candidate(start, start+cut[0], shared, "stripped"))
				out = append(out, p.candidate(start, end, shared, "unstripped"))
			} else {
				out = append(out, p.candidate(start, end, shared))
			}
			if own := ownedBy.FindStringIndex(p.text[start:end]); own != nil && start+own[1] < end {
				out = append(out, p.candidate(start+own[1], end, shared, "owner"))
			}
		}
	}
	whole := slices.DeleteFunc(slices.Clone(out), func(c Candidate) bool { return torn(c.Value) })
	if len(whole) > 0 {
		return whole
	}
	return out
}

// torn reports whether a name is incomplete: it begins with a legal form or a joining word, ends
// with a joining word, or opens a parenthesis without closing it.
func torn(name string) bool {
	upper := strings.ToUpper(name)
	return strings.Count(name, "(") != strings.Count(name, ")") || legalStart.MatchString(upper) || openEnd.MatchString(upper)
}

// addresses returns spans of up to eight of the first rows.
func (p *page) addresses() []Candidate {
	var out []Candidate
	for i := range min(addressFirst, len(p.rows)) {
		zips := 0
		for n := 1; n <= addressRows && i+n <= len(p.rows); n++ {
			last := i + n - 1
			if len(p.rows[last].text) > longestRow || addressStop.MatchString(p.rows[last].upper) {
				break
			}
			if p.of(last).hasZip {
				zips++
			}
			start, end := p.rows[i].start, p.rows[last].end
			shared := append(p.segment(i, n), "zips="+strconv.Itoa(min(zips, 2)))
			if cut := addressLabel.FindStringIndex(p.text[start:end]); cut != nil && start+cut[1] < end {
				start += cut[1]
				shared = append(shared, "labelled")
			}
			out = append(out, p.candidate(start, end, shared))
		}
	}
	return out
}

func (p *page) candidate(start, end int, shared []string, more ...string) Candidate {
	value := strings.Join(strings.Fields(p.text[start:end]), " ")
	return Candidate{Start: start, End: end, Key: Key(value), Value: value, Features: slices.Concat(shared, more)}
}

// segment returns the features of n rows from i on: of each row, of the first and the last, of the
// rows around them, and of the gaps between them.
func (p *page) segment(i, n int) []string {
	last := i + n - 1
	out := []string{"len=" + strconv.Itoa(n), "start=" + strconv.Itoa(i), "py=" + strconv.Itoa(int(p.py(i)*10))}
	for j := i; j <= last; j++ {
		out = append(out, p.of(j).in...)
		if j > i {
			out = append(out, p.step("gin", j-1, j)...)
		}
	}
	out = append(append(out, p.of(i).beg...), p.of(last).end...)
	if i > 0 {
		out = append(append(out, p.of(i-1).bef...), p.step("gbef", i-1, i)...)
	} else {
		out = append(out, "bef:none")
	}
	if last+1 < len(p.rows) {
		out = append(append(out, p.of(last+1).aft...), p.step("gaft", last, last+1)...)
	} else {
		out = append(out, "aft:none")
	}
	return out
}

// step returns the gap between two rows, and their relative height.
func (p *page) step(name string, a, b int) []string {
	if !p.laidOut {
		return nil
	}
	above, below := p.rows[a], p.rows[b]
	gap := math.Round((below.y1 - above.y2) / above.tall())
	ratio := math.Round(below.tall() / above.tall() * 2)
	return []string{name + strconv.Itoa(int(max(-1, min(3, gap)))), name + "h" + strconv.Itoa(int(min(5, ratio)))}
}

// repeated reports whether a segment's first row also occurs elsewhere.
func (p *page) repeated(i, n int) bool {
	if n > 1 {
		return false
	}
	if p.keys == nil {
		p.keys = make([]string, len(p.rows))
		for j := range p.rows {
			p.keys[j] = Key(p.rows[j].upper)
		}
	}
	for j, other := range p.keys {
		if j != i && len(p.keys[i]) >= 4 && strings.Contains(other, p.keys[i]) {
			return true
		}
	}
	return false
}
