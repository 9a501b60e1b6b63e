package fields

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// Shapes of values, in addition to those of package values.
var (
	numberShape   = pattern.New(`[-−]?(?:\d{1,3}(?:[\x{a0}\x{202f}\x{2009} '’.,]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d+)?)`)
	plainNumber   = pattern.New(`[-−]?(?:\d{1,3}(?:['’.,]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d+)?)`)
	ordinalBehind = pattern.New(`^[.)]\s`)
	codeShape     = pattern.New(`[\p{Lu}\d][\p{Lu}\d./_-]*(?: [\p{Lu}\d][\p{Lu}\d./_-]*)*`)
	ibanShape     = pattern.New(`\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{2,4}){2,8}\b`)
	rangeJoin     = pattern.New(`^\s*(?:bis|to|until|till|au|al|a|tot|until|[-–—])\s*(?:zum |le |el |il |den )?$`)
	monthShape    = pattern.New(`\b\pL{3,}\.?(?: de)? (?:19|20)\d\d\b`)
	timeShape     = pattern.New(`\b(?:[01]?\d|2[0-3])[:.h][0-5]\d(?:\s?[aApP]\.?[mM]\b\.?)?`)
	moneySign     = pattern.New(`US\$|[€£¥₹$]|\b(?:EUR|GBP|USD|CHF|NOK|SEK|DKK|PLN|CZK|HUF|RON|TRY|JPY|CNY|INR|CAD|AUD|NZD|SGD|MYR|BRL|ZAR|ISK)\b|(?i:\beuros?\b)`)
	yesNo         = pattern.New(`(?i)^(?:yes|no|ja|nein|oui|non|s[ií]|sì|sim|não|nee|y|n|true|false|wahr|falsch)\b`)
	tickedBox     = pattern.New(`(?:\[[xX✓✔]\]|\([xX✓✔]\)|☒|☑|✓|✔)\s*`)
	anyBox        = pattern.New(`(?:\[[ xX✓✔]?\]|\([ xX✓✔]\)|[☐☒☑✓✔])\s*`)
	foreignTitles = pattern.New(`^(?:Herrn?|Frau|Firma|Spett\.le) `)
	personTitles  = pattern.New(`^(?:Mr|Mrs|Ms|Miss|Herrn?|Frau|Mme|Mlle|Monsieur|Madame|Sra?|Sig|Sig\.ra|Dhr|Mevr|Spett\.?le|Firma)\.? `)
)

// currencyCodes maps signs to currency codes.
var currencyCodes = map[string]string{"€": "EUR", "£": "GBP", "$": "USD", "US$": "USD", "¥": "JPY", "₹": "INR", "EURO": "EUR", "EUROS": "EUR"}

// Currency returns the code for a currency's sign or code, "" for anything else.
func Currency(s string) string {
	s = strings.ToUpper(strings.TrimSpace(s))
	if code, ok := currencyCodes[s]; ok || !moneySign.MatchString(s) {
		return code
	}
	return s
}

// Decimal returns the decimal separator of a text, ',' or '.'.
func Decimal(s string) byte {
	l := text.LanguageOf(s)
	if l == "" && dottedDate.MatchString(s) && !pointed.MatchString(s) { // texts with dates such as 24.12.2026 write 1.386,50
		l = "de"
	}
	return values.Decimal(s, l)
}

var pointed = pattern.New(`(?m)(?:^|[\s£$€:])\d+\.\d{1,2}(?:\s|;|$)`)

var dottedDate = pattern.New(`\b\d\d?\.\d\d?\.(?:19|20)\d\d\b`)

// number parses one number with a text's decimal separator, or by itself if that is 0.
func number(s string, decimal byte) (string, bool) {
	if decimal != ',' {
		return values.Number(s)
	}
	return values.NumberIn(s, decimal)
}

// numbers returns the numbers of a text. 1257L and PO-7781 do not contain one.
func numbers(text string, decimal byte) []values.Found {
	var out []values.Found
	shape := plainNumber
	if decimal != '.' || !cents.MatchString(text) {
		shape = numberShape
	}
	for _, m := range shape.FindAllStringIndex(text, -1) {
		if ordinalBehind.MatchString(text[m[1]:min(len(text), m[1]+2)]) && begins(text, m[0]) {
			continue // the number of an item
		}
		before, after := text[max(0, m[0]-1):m[0]], text[m[1]:min(len(text), m[1]+1)]
		if wordEdge(before) || wordEdge(after) || strings.ContainsAny(before, "/_#") || strings.HasSuffix(strings.TrimRight(text[max(0, m[0]-4):m[0]], " "), "§") || strings.ContainsAny(after, "/_") && !strings.HasSuffix(text[:m[1]], " ") || before == "-" || before == "." && !strings.HasSuffix(text[:m[0]], "..") {
			if !wordEdge(after) || !unitBehind.MatchString(text[m[1]:min(len(text), m[1]+6)]) || wordEdge(before) {
				continue
			}
		}
		if digits := text[m[0]:m[1]]; len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
			continue // a code
		}
		m[1] += len(fractionBehind.FindString(text[m[1]:min(len(text), m[1]+5)]))
		if v, ok := number(text[m[0]:m[1]], decimal); ok {
			out = append(out, values.Found{Start: m[0], End: m[1], Value: v})
		}
	}
	return out
}

// fractionBehind matches a fraction after a whole number: "22 1/2", "3½".
var fractionBehind = pattern.New(`^(?: (?:1/[24]|3/4)\b| ?[½¼¾])`)

// begins reports whether only white space precedes a byte on its line.
func begins(text string, at int) bool {
	before := strings.TrimRight(text[max(0, at-20):at], " \t")
	return before == "" && at <= 20 || strings.HasSuffix(before, "\n")
}

var unitBehind = pattern.New(`^(?:kg|g|km|m|cm|mm|h|l|ml|kWh|EUR|m²|m2|m³|m3)(?:[^\pL\d]|$)`)

// wordEdge reports whether a byte next to a value continues a word.
func wordEdge(s string) bool {
	return s != "" && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' || s[0] >= '0' && s[0] <= '9')
}

const longestCode = 80 // bytes

// codes returns possible numbers of papers, accounts and customers: groups of capitals, signs and
// digits, except dates, addresses and words.
func codes(text string) []values.Found {
	var out []values.Found
	for _, m := range codeShape.FindAllStringIndex(text, -1) {
		if before := text[:m[0]]; before != "" && (wordEdge(before[len(before)-1:]) || strings.HasSuffix(before, "@")) {
			continue
		}
		start, end := m[0], m[1]
		if end-start > longestCode {
			continue
		}
		if wordEdge(text[end:min(len(text), end+1)]) { // the last group continues in lower case
			at := strings.LastIndexByte(text[start:end], ' ')
			if at < 0 {
				continue
			}
			end = start + at
		}
		for _, group := range strings.Split(text[start:end], " ") { // words before the code
			if strings.ContainsAny(group, "0123456789") || len(group) <= 4 && !known(group) && strings.ContainsAny(text[start+len(group):end], "0123456789") && len(group) < end-start {
				break
			}
			start = min(end, start+len(group)+1)
		}
		for fields := strings.Split(text[start:end], " "); len(fields) > 1; fields = fields[:len(fields)-1] { // words after the code
			if last := fields[len(fields)-1]; strings.ContainsAny(last, "0123456789") || len(last) <= 3 {
				break
			}
			end -= len(fields[len(fields)-1]) + 1
		}
		end = start + len(strings.TrimRight(text[start:end], "./_- "))
		if start < end && strings.ContainsAny(text[start:end], "0123456789") {
			out = append(out, values.Found{Start: start, End: end, Value: text[start:end]})
		}
	}
	return out
}

// known reports whether the table of labels has a word.
func known(word string) bool {
	words, _ := wordsOf(word)
	return len(words) > 0 && (labels().terms[strings.Join(words, " ")].weight() > 0 || word == "P.")
}

// periods returns spans of time: "three months", "July 2026", from one date to another.
func periods(s string, dates []values.Found) []values.Found {
	var out []values.Found
	for i := 1; i < len(dates); i++ {
		if between := s[dates[i-1].End:dates[i].Start]; len(between) < 12 && rangeJoin.MatchString(between) {
			out = append(out, values.Found{Start: dates[i-1].Start, End: dates[i].End})
		}
	}
	for _, v := range slices.Concat(values.Periods(s, text.LanguageOf(s)), months(s)) {
		if !v.In(dates) {
			out = append(out, values.Found{Start: v.Start, End: v.End})
		}
	}
	slices.SortFunc(out, func(a, b values.Found) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// months returns months with their years: "July 2026".
func months(s string) []values.Found {
	return slices.DeleteFunc(matches(monthShape, s), func(v values.Found) bool {
		return values.MonthOf(strings.ToLower(s[v.Start:v.Start+strings.IndexAny(s[v.Start:v.End], ". ")])) == 0
	})
}

func matches(shape *pattern.Pattern, text string) []values.Found {
	var out []values.Found
	for _, m := range shape.FindAllStringIndex(text, -1) {
		out = append(out, values.Found{Start: m[0], End: m[1], Value: text[m[0]:m[1]]})
	}
	return out
}
