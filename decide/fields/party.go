package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A token is a word with its punctuation.
type token struct {
	start, end int
	text       string
}

func tokens(s string) []token {
	var out []token
	for start := 0; start < len(s); {
		_, size := utf8.DecodeRuneInString(s[start:])
		if end := text.Run(s, start, func(r rune) bool { return !unicode.IsSpace(r) }, ""); end > start {
			out = append(out, token{start, end, s[start:end]})
			size = end - start
		}
		start += size
	}
	return out
}

const legalNames = ` inc corp corporation company co llc lp llp ltd limited nv sa ag gmbh as plc bank bancorp partners group holdings trust incorporated bv ab oy fund associates ventures lllp pllc `

// strictNames are legal forms, which end a name; the others may stand within one.
const strictNames = ` inc corp corporation co llc lp llp ltd limited nv sa ag gmbh plc incorporated bv ab oy lllp pllc `

// orgStop are words that cannot be part of an organisation's name or precede its words.
const orgStop = ` agreement this between among by dated whereas re exhibit dear date each such any no for to with in january february march april may june july august september october november december `

// isLegal reports whether a word is the legal form or the kind of an organisation.
func isLegal(word string) bool {
	w := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
	return w != "" && startsUpper(word) && !strings.ContainsAny(word, "(\"“") && strings.Contains(legalNames, " "+w+" ")
}

func isStrict(word string) bool {
	w := strings.ToLower(strings.Trim(strings.ReplaceAll(word, ".", ""), ",;:)\"”"))
	return strings.Contains(strictNames, " "+w+" ")
}

// endsSentence reports whether a word ends a sentence and is not an abbreviation.
func endsSentence(w string) bool {
	return strings.HasSuffix(w, ".") && len(w) > 4 && !strings.Contains(w[:len(w)-1], ".")
}

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, `("“‘'`))
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

const stopNames = ` agreement this the between among and or by exhibit confidentiality nondisclosure non-disclosure mutual confidential date dated whereas effective amended restated dear
	january february march april may june july august september october november december name title signature street avenue road suite floor drive president chief executive officer vice
	chairman director secretary attention attn facsimile re article section recitals witnesseth information company employee recipient party parties corporation each delaware state
	letter ex press new york california north south west east board directors general counsel human resources page of in for to with a an form separation consulting severance
	gentlemen ladies phone fax email via llc inc sincerely schedule annex seller buyer purchaser disclosing receiving united states lane boulevard court place parkway highway box po hereinafter employment
	secrecy release settlement standstill cooperation consultant executive stockholder shareholder term merger plan contract subject it its if no all any such which upon `

func isStop(word string) bool {
	w := strings.ToLower(strings.Trim(word, `.,;:()"“”‘’'`))
	return strings.Contains(stopNames, " "+w+" ") || w == ""
}

const (
	longestName   = 8 // words
	partyHead     = 4000
	mostParties   = 4
	secondParty   = 1.6 // score from which there is a second party
	furtherParty  = 4.4 // and further ones
	singleWordMin = 4   // letters of a one-word name before its legal form
)

// organisations returns runs of capitalised words that end in a legal form.
func (p *page) organisations(list []token) []mention {
	var out []mention
	for i, t := range list {
		if !isLegal(t.text) || i == 0 {
			continue
		}
		if i+1 < len(list) && isLegal(list[i+1].text) && (!strings.ContainsAny(t.text, ",;)") || isStrict(list[i+1].text) && !isStrict(t.text)) { // "Group Inc."
			continue
		}
		first := i
		for k := i - 1; k >= 0 && i-k < longestName; k-- {
			w := list[k].text
			if k < i-1 && strings.HasSuffix(w, ",") || strings.ContainsAny(w, `;:()"“”`) || isLegal(w) && (strings.HasSuffix(w, ".") || strings.HasSuffix(w, ",")) {
				break
			}
			bare := strings.Trim(w, ",.")
			joins := bare == "&" || bare == "of" || bare == "and" || bare == "de" || bare == "the"
			if !joins && (!startsUpper(w) || !strings.ContainsFunc(w, unicode.IsLetter)) || strings.Contains(orgStop, " "+strings.ToLower(bare)+" ") || endsSentence(w) && k < i {
				break
			}
			if strings.EqualFold(bare, "and") && k > 0 && (isLegal(list[k-1].text) || strings.HasSuffix(list[k-1].text, ",") || strings.HasSuffix(list[k-1].text, ")")) {
				break
			}
			if !joins || bare == "&" {
				first = k
			}
		}
		if first == i {
			continue
		}
		start, end := list[first].start, list[i].end
		end -= len(list[i].text) - len(strings.TrimRight(list[i].text, `,;:)"”`))
		if m, ok := p.named(start, end); ok {
			out = append(out, m)
		}
	}
	return out
}

var junkName = pattern.New(`(?i)agreement|shall|\band the\b|^(?:the )?(?:company|employee|recipient|party|parties|corporation|executive|consultant)$|^the company|exchange commission`)

// named returns a name at its place, without its surroundings.
func (p *page) named(start, end int) (mention, bool) {
	raw := p.text[start:end]
	trimmed := strings.TrimLeft(raw, "(\"“‘', \n\t")
	start += len(raw) - len(trimmed)
	value := strings.Join(strings.Fields(strings.TrimRight(trimmed, `,;:"”’' `)), " ")
	end = start + len(strings.TrimRight(trimmed, ",;:\"”’' \n\t"))
	if end <= start || len(value) < 3 || len(value) > 90 || junkName.MatchString(value) {
		return mention{}, false
	}
	return mention{start: start, end: end, value: value}, true
}

// people returns runs of two to four capitalised words, none of another kind.
func (p *page) people(list []token) []mention {
	var out []mention
	for i := 0; i < len(list); i++ {
		if !personWord(list[i].text) {
			continue
		}
		k := i
		for k < len(list) && k-i < 4 && personWord(list[k].text) {
			k++
			if last := list[k-1].text; strings.HasSuffix(last, ",") || strings.HasSuffix(last, ")") || strings.HasSuffix(last, ".") && len(strings.Trim(last, ".")) > 2 {
				break
			}
			if k < len(list) && strings.Contains(p.text[list[k-1].end:list[k].start], "\n") {
				break
			}
		}
		if k-i < 2 || k < len(list) && (isLegal(list[k].text) || personWord(list[k].text) && k-i == 4) {
			i = max(i, k-1)
			continue
		}
		if m, ok := p.named(list[i].start, list[k-1].end); ok && !strings.ContainsAny(m.value, "0123456789") {
			out = append(out, m)
		}
		i = k - 1
	}
	return out
}

var nameForm = pattern.New(`^(?:\p{Lu}\.|\p{Lu}[\p{L}'’-]+\.?,?|(?:Jr|Sr|II|III|IV)\.?,?)$`)

func personWord(w string) bool {
	return nameForm.MatchString(w) && !isStop(w) && !isLegal(w)
}

var (
	definedAfter  = pattern.New(`^[^("]{0,160}\((?:collectively,? |together[^"]{0,30} |hereinafter[^"]{0,30} |the |each,? |a |referred to as )*"`)
	entityAfter   = pattern.New(`^,? ?(?:inc\.?,? )?an? [a-z ]{2,25}(?:corporation|limited|company|partnership|bank|entity|association|individual|trust|resident)`)
	addressAfter  = pattern.New(`^[^.]{0,90}(?:having|with (?:its|an|a|offices)|located|residing|whose|place of business|principal office|address)`)
	betweenBefore = pattern.New(`(?:between|among|by and)[:,]? ?$`)
	andBefore     = pattern.New(`(?:\band|&)[:,]? ?$`)
	signedNear    = pattern.New(`by:|/s/|name:|signed|title:`)
	dearBefore    = pattern.New(`dear (?:mr\.?|ms\.?|mrs\.?|dr\.?)? ?$`)
	affiliateNear = pattern.New(`subsidiar|affiliate of|parent|counsel|copy to|advisor|merger sub|stock exchange|formerly|attention|d/b/a|attn`)
	betweenAny    = pattern.New(`(?i)\b(?:between|among)\b`)
)

// parties returns the parties of a contract, best first.
func (p *page) parties() []mention {
	list := tokens(p.text)
	first := len(p.text)
	if at := betweenAny.FindStringIndex(p.text); at != nil {
		first = at[0]
	}
	var out []mention
	score := func(found []mention, person bool) {
		for _, m := range found {
			m.score = p.partyScore(m, person, first)
			out = append(out, m)
		}
	}
	score(p.organisations(list), false)
	score(slices.DeleteFunc(p.people(list), func(m mention) bool { return !p.slot(m) }), true)
	joined := gather(out, func(m mention) string { return partyKey(m.value) })
	for i := range joined {
		joined[i].score += .3 * float64(min(joined[i].n-1, 3))
	}
	sortMentions(joined)
	var chosen []mention
	for _, m := range joined {
		if len(chosen) == mostParties || len(chosen) == 1 && m.score < secondParty || len(chosen) > 1 && m.score < furtherParty {
			break
		}
		key := partyKey(m.value)
		if !slices.ContainsFunc(chosen, func(c mention) bool {
			other := partyKey(c.value)
			return strings.Contains(other, key) || strings.Contains(key, other)
		}) {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

var (
	personAfter = pattern.New(`^,? ?(?:\(|an? individual|residing|individually|whose|an employee|\("|$)`)
	townAfter   = pattern.New(`^,? ?[a-z]{2,14}\.? ?\d{5}|^,? (?:street|avenue|road|drive|blvd|lane|suite|[a-z]+ \d)`)
	streetAhead = pattern.New(`\d+[a-z]? ?$|\d+ [a-z.]+ ?$`)
)

// slot reports whether a person is where a contract names its parties: after between, and, dear, or
// a signature's words, or before a definition.
func (p *page) slot(m mention) bool {
	left, right := p.before(m.start, 40), p.after(m.end, 60)
	if townAfter.MatchString(right) || streetAhead.MatchString(left) {
		return false
	}
	return betweenBefore.MatchString(left) || andBefore.MatchString(left) && m.start < partyHead && (personAfter.MatchString(right) || entityAfter.MatchString(right)) || dearBefore.MatchString(left) ||
		personAfter.MatchString(right) && m.start < partyHead || signedNear.MatchString(left[max(0, len(left)-12):])
}

func partyKey(name string) string {
	return Key(strings.NewReplacer("Incorporated", "Inc", "INCORPORATED", "INC", "Limited", "Ltd", "LIMITED", "LTD").Replace(name))
}

func (p *page) partyScore(m mention, person bool, first int) float64 {
	left, right := p.before(m.start, 80), p.after(m.end, 260)
	m.add(!person, .9)
	m.add(definedAfter.MatchString(right), 1.3)
	m.add(entityAfter.MatchString(right), 1.2)
	m.add(addressAfter.MatchString(right), .5)
	m.add(betweenBefore.MatchString(left), 1.4)
	m.add(andBefore.MatchString(left) && m.start < partyHead, .6)
	m.add(m.start > first && m.start < first+300, 1.2)
	m.add(m.start > first && m.start < first+1200, .4)
	m.add(m.start < 800, .6)
	m.add(m.start > partyHead && m.start < len(p.text)*4/5, -1)
	m.add(signedNear.MatchString(left[max(0, len(left)-40):]) || signedNear.MatchString(right[:min(len(right), 40)]), .5)
	m.add(dearBefore.MatchString(left), 1.4)
	m.add(affiliateNear.MatchString(left[max(0, len(left)-50):]), -.8)
	m.add(person && m.start > partyHead, -.3)
	return m.score
}
