package proof

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/state"
)

// Checks adds the claims of an answer, the reasons of its choice, and the quotations that
// neither of them covers.
func (b *Builder) Checks(a state.Answer) {
	in := &finder{text: b.Answer}
	b.check(a.Verification.ClaimCheck, Claim, in)
	if c := a.Verification.ClaimCheck; c != nil && c.ClaimsChecked == a.Verification.ClaimsQuoted && a.Verification.QuotesChecked > 0 {
		for i := range b.Measures { // quotes say the same
			b.Measures[i].Aside = b.Measures[i].Aside || b.Measures[i].Name == string(Claim)+"s"
		}
	}
	if at := strings.LastIndex(b.Answer, "\n---\n"); at >= 0 {
		b.check(a.Verification.Choice, Reason, &finder{text: b.Answer, at: at})
	} else {
		b.check(a.Verification.Choice, Reason, &finder{})
	}
	in = &finder{text: b.Answer}
	for _, q := range a.Quotes {
		span := in.span(nil, q.Shown)
		if span == nil { // an answer has a single space where a table has many
			q.Shown = strings.Join(strings.Fields(q.Shown), " ")
			span = in.span(nil, q.Shown)
		}
		if q.Source < 1 || q.Source > len(a.Sources) || covered(b.Findings, span) {
			continue
		}
		s := a.Sources[q.Source-1]
		f := Finding{Kind: Quoted, Text: q.Shown, Span: span, Tone: Plain}
		for _, at := range s.Quotes {
			if at.Text == q.Text && len(f.Quotes) == 0 {
				f.Quotes = append(f.Quotes, Quote{Stand: For, Doc: b.Passages[q.Source-1].Doc, Start: at.Start, End: at.End, Text: at.Text})
			}
		}
		b.Add(f)
	}
}

// covered reports whether a finding is about a part of a span.
func covered(list []Finding, s *Span) bool {
	return s != nil && slices.ContainsFunc(list, func(f Finding) bool {
		return f.Span != nil && f.Span.Start < s.End && s.Start < f.Span.End
	})
}

func (b *Builder) check(c *state.ClaimCheck, kind Kind, in *finder) {
	if c == nil {
		return
	}
	if c.ClaimsChecked > 0 {
		m := b.Measure(string(kind)+"s", "%d of %d supported, confidence %.2f (%s)", c.ClaimsSupported, c.ClaimsChecked, c.Confidence, Words(c.Level))
		m.Phrase = fmt.Sprintf("%d of %s supported", c.ClaimsSupported, Count(c.ClaimsChecked, string(kind)))
		m.Usual = !b.Given && c.ClaimsSupported == c.ClaimsChecked && c.ClaimsInDoubt == 0
		if b.Given {
			m.Phrase += others(c) + fmt.Sprintf(", confidence %.2f (%s)", c.Confidence, Words(c.Level))
		}
	}
	if c.Rewritten > 0 {
		b.Measure("rewritten", "%s", Count(c.Rewritten, "sentence")).Phrase = Count(c.Rewritten, "sentence") + " rewritten"
	}
	if c.Unverified != "" {
		b.Note("Not verified", "", Warn, c.Unverified)
	}
	for i, claim := range c.Claims {
		label := fmt.Sprint(i + 1)
		if kind == Reason {
			label = "R" + label
		}
		b.claim(claim, kind, label, in)
	}
	for _, text := range c.Corrections {
		b.Note("What to change", "", Plain, strings.Join(strings.Fields(text), " "))
	}
}

// others counts the claims that are not simply supported.
func others(c *state.ClaimCheck) string {
	unsupported := c.ClaimsChecked - c.ClaimsSupported - c.ClaimsPartial - c.ClaimsUnjudged
	words := ""
	for _, of := range []struct {
		n    int
		what string
	}{{c.ClaimsInDoubt, "of them in doubt"}, {c.ClaimsPartial, "in part"}, {unsupported, "unsupported"}, {c.ClaimsUnjudged, "not judged"}} {
		if of.n > 0 {
			words += fmt.Sprintf(", %d %s", of.n, of.what)
		}
	}
	return words
}

func (b *Builder) claim(c state.CheckedClaim, kind Kind, label string, in *finder) {
	f := Finding{Kind: kind, Label: label, Text: c.Claim, Span: in.span(&c.Span, c.Claim), Verdict: Words(string(c.Status)), Tone: Bad}
	switch {
	case c.Error != "":
		f.Verdict, f.Tone = "not judged", Warn
	case c.Status == state.PartiallySupported:
		f.Tone = Warn
	case c.Status == state.Supported && (len(c.Doubts) > 0 || c.Miscited):
		f.Verdict, f.Tone = "supported, with doubts", Warn
	case c.Status == state.Supported:
		f.Tone = Good
	}
	if c.Error == "" {
		f.Confidence = &c.Confidence
	}
	for _, x := range c.Conflicts {
		d := Decision{Label: string(x.Kind), Tone: Bad, Words: x.Claim, Evidence: x.Evidence, Text: fmt.Sprintf("“%s”: the evidence has nothing of the kind", x.Claim)}
		if x.Evidence != "" {
			d.Text = fmt.Sprintf("“%s” against “%s”", x.Claim, x.Evidence)
		}
		f.Decided = append(f.Decided, d)
	}
	for _, x := range c.Doubts {
		f.Decided = append(f.Decided, Decision{Label: string(x.Kind), Tone: Warn, Words: x.Claim, Text: fmt.Sprintf("“%s” could be neither found nor refuted", x.Claim)})
	}
	if c.Miscited {
		f.Decided = append(f.Decided, Decision{Label: "miscited", Tone: Warn, Text: "what it cites does not support it"})
	}
	if len(c.Conflicts) == 0 || !strings.Contains(c.Reasoning, c.Conflicts[0].Claim) { // it says the same
		f.Decided = Because(f.Decided, c.Reasoning, Plain)
	}
	f.Decided = Because(f.Decided, c.Error, Bad)
	for _, q := range c.Evidence {
		f.Quotes = append(f.Quotes, b.Quote(q, For))
	}
	for _, q := range c.Against {
		f.Quotes = append(f.Quotes, b.Quote(q, Against))
	}
	b.Add(f)
}

// Because appends words that decided, if there are any.
func Because(list []Decision, text string, tone Tone) []Decision {
	if text == "" {
		return list
	}
	return append(list, Decision{Tone: tone, Text: text})
}

// A finder locates the parts of an answer, one after the other.
type finder struct {
	text string
	at   int
}

// span returns the place of a part: its recorded bytes if they match, else the first occurrence
// after the previous part. An answer may have marks in it that the checked text had not.
func (f *finder) span(recorded *state.ByteSpan, part string) *Span {
	if part == "" {
		return nil
	}
	if r := recorded; r != nil && r.Start >= f.at && r.End <= len(f.text) && r.Start < r.End && f.text[r.Start:r.End] == part {
		f.at = r.End
		return &Span{Start: r.Start, End: r.End}
	}
	for from := f.at; ; {
		at := strings.Index(f.text[from:], part)
		if at < 0 {
			return nil
		}
		start := from + at
		end := start + len(part)
		before, _ := utf8.DecodeLastRuneInString(f.text[:start])
		after, _ := utf8.DecodeRuneInString(f.text[end:])
		first, _ := utf8.DecodeRuneInString(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			f.at = end
			return &Span{Start: start, End: end}
		}
		_, size := utf8.DecodeRuneInString(part)
		from = start + size
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
