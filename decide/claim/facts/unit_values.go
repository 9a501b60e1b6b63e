package facts

import (
	"slices"
	"time"

	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// A value is an amount, a date or a time of a claim, and its counterpart in a unit.
type value struct {
	kind    state.ConflictKind
	first   int
	claim   string
	met     bool
	at      int // the matching token of the body; -1 if it is elsewhere
	rival   string
	bounded bool // matched, but with another bound
}

func (c *said) valuesIn(u *unitRead, p piece) (out []value) {
	toks := c.s.toks
	inside := func(first, end int) bool { return p.first <= first && end <= p.end }
	for _, q := range c.s.quantities {
		if c.clockAt(q.first) {
			continue
		}
		v := value{kind: state.ConflictNumber, first: q.first, claim: c.s.words(q.first, q.end), at: -1}
		for _, r := range u.body.quantities {
			if !inside(r.first, r.end) {
				continue
			}
			r := u.withHeader(r)
			same := q.equal(r) && q.ordinal == r.ordinal
			switch {
			case same && c.sameColumn(u, q, r):
				loose := !boundsAgree(toks, q, u.body.toks, r)
				if !v.met || v.bounded && !loose || v.bounded == loose && u.turned[r.first] == c.denied[q.first] {
					v.met, v.at, v.bounded = true, r.first, loose
				}
			case v.rival == "" && !q.ordinal && !r.ordinal && q.rate == r.rate && c.comparable(q, r, u):
				v.rival = u.body.words(r.first, r.end)
			}
		}
		for _, s := range []*sentence{u.body} {
			for _, r := range spans(s) {
				if !v.met && q.bound == exactly && r.holds(q) && !(r.low == q.value && strictBound(s.toks, quantity{first: r.first})) {
					v.met = true
				}
			}
		}
		for _, r := range u.context.quantities {
			v.met = v.met || v.rival == "" && q.equal(r)
		}
		if v.met || !q.soft && !q.rate || v.rival != "" && len(q.units) > 0 {
			out = append(out, v)
		}
	}
	for _, d := range c.s.dates {
		if d.bare && !isYear(d.year) {
			continue
		}
		out = append(out, c.dateIn(d, u, p))
	}
	theirs := u.body.clocks
	for _, k := range c.s.clocks {
		v := value{kind: state.ConflictNumber, first: k.first, claim: c.s.words(k.first, k.end), at: -1}
		for _, o := range theirs {
			if !inside(o.first, o.end) {
				continue
			}
			if k.equal(o) {
				v.met, v.at = true, o.first
			} else if v.rival == "" {
				v.rival = u.body.words(o.first, o.end)
			}
		}
		out = append(out, v)
	}
	return out
}

func (c *said) clockAt(i int) bool {
	return slices.ContainsFunc(c.s.clocks, func(k clock) bool { return k.first <= i && i < k.end })
}

// dateIn compares a date of a claim with the dates of a unit.
func (c *said) dateIn(d date, u *unitRead, p piece) value {
	toks := c.s.toks
	v := value{kind: state.ConflictDate, first: d.first, claim: c.s.words(d.first, d.end), at: -1}
	d = d.lastDay(toks)
	for _, e := range u.body.dates {
		if e.first < p.first || e.end > p.end {
			continue
		}
		e = e.lastDay(u.body.toks)
		compatible, whole := d.agrees(e)
		if weekdaysAgree(d, e, u.body) {
			compatible, whole = true, true
		}
		switch {
		case compatible && (whole || d.shares(e) && d.weekday == 0):
			if !v.met || u.turned[e.first] == c.denied[d.first] {
				v.met, v.at = true, e.first
			}
		case !compatible && d.shares(e) && v.rival == "":
			v.rival = u.body.words(e.first, e.end)
		}
	}
	if d.weekday > 0 && !v.met && v.rival == "" {
		for j, t := range u.body.toks {
			if t.text == "weekday" || t.text == "weekdays" {
				v.met, v.at = d.weekday <= 5, j
			} else if t.text == "weekend" || t.text == "weekends" {
				v.met, v.at = d.weekday > 5, j
			} else if t.text == "daily" || t.text == "day" && textAt(u.body.toks, j-1) == "every" {
				v.met, v.at = true, j
			}
		}
	}
	for _, e := range u.context.dates {
		if compatible, whole := d.agrees(e); compatible && whole && v.rival == "" {
			v.met = true
		}
	}
	return v
}

// lastDay returns the day that "the end of May" means.
func (d date) lastDay(toks []token) date {
	if d.day == 0 && d.month > 0 && slices.ContainsFunc(toks[max(0, d.first-3):d.first], func(t token) bool { return t.text == "end" }) {
		d.day = time.Date(max(d.year, 1), time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
	return d
}

// weekdaysAgree reports whether a weekday is in a span of weekdays.
func weekdaysAgree(d, e date, s *sentence) bool {
	if d.weekday == 0 || e.weekday == 0 {
		return false
	}
	for _, f := range s.dates {
		if f.weekday == 0 || f.first != e.end+1 {
			continue
		}
		switch s.toks[e.end].text {
		case "to", "-", "–", "until", "through", "till":
			n := (f.weekday - e.weekday + 7) % 7
			return (d.weekday-e.weekday+7)%7 <= n
		}
	}
	return false
}

// withHeader gives an amount in a cell the unit in the cell's header.
func (u *unitRead) withHeader(r quantity) quantity {
	if len(r.units) > 0 || !u.Row && !slices.ContainsFunc(u.body.toks, func(t token) bool { return t.text == ":" || t.text == "=" }) {
		return r
	}
	for i := r.first - 1; i >= 0 && u.cells[i] == u.cells[r.first]; i-- {
		if !u.Row && u.body.toks[i].text == "," {
			break // another field precedes it
		}
		if us := values.UnitWords[u.body.toks[i].text]; len(us) > 0 {
			r.units = us
			break
		}
	}
	return r
}

// sameColumn reports whether an amount of a row is under a header that a claim names, if it names
// one.
func (c *said) sameColumn(u *unitRead, q, r quantity) bool {
	if !u.Row {
		return true
	}
	own, best := c.columns(u, q, r)
	return own >= best
}

// headed reports whether an amount follows the header of its cell.
func (u *unitRead) headed(r quantity) bool {
	for i := r.first - 1; i >= 0 && u.cells[i] == u.cells[r.first]; i-- {
		if u.body.toks[i].text == ":" {
			return true
		}
	}
	return false
}

// columns returns how much of a claim the header of an amount contains, and the maximum for the
// headers of other amounts.
func (c *said) columns(u *unitRead, q, r quantity) (own, best float64) {
	for n := 0; n <= u.cells[len(u.cells)-1]; n++ {
		sum, counts := 0.0, false
		for j, t := range u.body.toks {
			if u.cells[j] != n {
				continue
			}
			counts = counts || t.kind == number
			if !u.head[j] {
				continue
			}
			if t.kind == number && j > 0 && t.text != textAt(c.s.toks, q.first) && slices.ContainsFunc(c.s.toks, func(v token) bool { return v.kind == number && v.text == t.text }) {
				sum += criticalWeight
			}
			for _, i := range c.words {
				if s, opposite := c.like(i, t); s >= .8 && !opposite && t.content {
					sum += weightOf(t)
				}
			}
		}
		if n == u.cells[r.first] {
			own = sum
		} else if counts && n > 0 {
			best = max(best, sum)
		}
	}
	return own, best
}

// comparable reports whether two different amounts belong to one thing.
func (c *said) comparable(q, r quantity, u *unitRead) bool {
	if u.Row && u.cells[r.first] > 0 && u.headed(r) {
		own, best := c.columns(u, q, r)
		return own > 0 && own >= best && (len(q.units) == 0 || len(r.units) == 0 || q.sameFamily(r))
	}
	if len(q.units) > 0 && len(r.units) > 0 {
		return q.sameFamily(r)
	}
	if len(q.units) == 0 && len(r.units) == 0 {
		return meet(q.nouns, r.nouns)
	}
	return false
}

// boundsAgree reports whether two equal amounts have the same bound: "more than 200" is not 200,
// and "at least" is not "at most".
func boundsAgree(qt []token, q quantity, rt []token, r quantity) bool {
	qs, rs := strictBound(qt, q), strictBound(rt, r)
	switch {
	case q.bound == about || r.bound == about:
		return q.bound == r.bound || q.bound == about
	case qs != rs:
		return false
	case q.bound == r.bound:
		return true
	}
	return !qs && (q.bound == exactly || r.bound == exactly)
}
