package answer

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// An otherForm is an abbreviation or a long form of the question's words, as a source
// defines it: where the sources have it, they speak of those words.
type otherForm struct {
	as           string // in lower case
	words, asked []string
}

// otherForms returns other forms of the question's names that the sources define, and the short
// forms of days and months.
func otherForms(written string, q *question, sources []Source) []otherForm {
	r := reader{q.lang}
	var asked []string
	for _, t := range q.terms {
		asked = append(asked, t.stem)
	}
	var out []otherForm
	for _, t := range text.Tokens(written) {
		for _, short := range text.ShortNames(t.Text) {
			out = append(out, otherForm{short, r.stems(short), r.stems(t.Text)})
		}
	}
	for _, src := range sources {
		for _, f := range text.ShortForms(src.Text) {
			short, long := r.stems(f.Short), r.stems(f.Long)
			if len(short) == 0 || len(long) < 2 {
				continue
			}
			hasShort, hasLong := follows(asked, short) >= 0, follows(asked, long) >= 0
			if hasShort == hasLong {
				continue
			}
			o := otherForm{strings.ToLower(f.Long), long, short}
			if hasLong {
				o = otherForm{strings.ToLower(f.Short), short, long}
			}
			if !slices.ContainsFunc(out, func(p otherForm) bool { return slices.Equal(p.words, o.words) }) {
				out = append(out, o)
			}
		}
	}
	return out
}

// follows returns the position of a run of stems in a list, or −1.
func follows(list, some []string) int {
	for i := 0; i+len(some) <= len(list); i++ {
		if slices.Equal(list[i:i+len(some)], some) {
			return i
		}
	}
	return -1
}

// stems returns the stems of a text's words. Another form of a question word gets the question's
// form.
func (p *pool) stems(s string) []string {
	list := p.reader.stems(s)
	for _, o := range p.same {
		for from := 0; ; {
			at := follows(list[from:], o.words)
			if at < 0 {
				break
			}
			list = slices.Replace(list, from+at, from+at+len(o.words), o.asked...)
			from += at + len(o.asked)
		}
	}
	return list
}

// names returns the names that the question asks about, in lower case: as written and in the other
// forms.
func (p *pool) names(q *question) []string {
	out := []string{q.focusx}
	for _, o := range p.same {
		if slices.Equal(o.asked, q.focus) {
			out = append(out, o.as)
		}
	}
	return out
}
