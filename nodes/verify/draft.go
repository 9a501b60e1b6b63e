package verify

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// draft returns the given text with the correction that is proposed for each claim; nil if nothing was
// judged. The findings include one for each claim, in the order of the claims.
func (a Answer) draft(findings []proof.Finding) *proof.Draft {
	check := a.Verification.ClaimCheck
	if check == nil || len(a.History) == 0 {
		return nil
	}
	d := &proof.Draft{Text: a.History[0].Response}
	rewritten := a.rewritten(check.Claims)
	at := 0
	for i, c := range check.Claims {
		of := slices.IndexFunc(findings, func(f proof.Finding) bool { return f.Kind == proof.Claim && f.Label == fmt.Sprint(i+1) })
		if of < 0 || c.Span.Start < at || c.Span.End > len(d.Text) || c.Span.Start >= c.Span.End {
			continue
		}
		at = c.Span.End
		p := proof.Part{Finding: findings[of].ID, Span: proof.Span{Start: c.Span.Start, End: c.Span.End}}
		if c.Status != state.Supported && c.Error == "" {
			p.Repair = repair(d.Text, c, rewritten[i])
		}
		d.Parts = append(d.Parts, p)
	}
	return d
}

// repair is what is proposed for a claim: the sentence of the suggested correction, else the numbers and
// names of the evidence, else, for a claim that nothing supports, to leave it out.
func repair(text string, c state.CheckedClaim, rewritten string) *proof.Repair {
	span := proof.Span{Start: c.Span.Start, End: c.Span.End}
	written := text[span.Start:span.End]
	with := rewritten
	if with == "" {
		with = written
		for _, x := range c.Conflicts {
			if !replaceable(x) || strings.Count(with, x.Claim) != 1 {
				with = written
				break
			}
			with = strings.Replace(with, x.Claim, x.Evidence, 1)
		}
	}
	if with != written {
		return &proof.Repair{Span: span, With: with}
	}
	if c.Status != state.Unsupported {
		return nil
	}
	span.End += len(tail.FindString(text[span.End:]))
	rest := text[span.End:]
	if spaces := len(rest) - len(strings.TrimLeft(rest, " \t")); spaces > 0 {
		span.End += spaces
	} else {
		span.Start = len(strings.TrimRight(text[:span.Start], " \t"))
	}
	return &proof.Repair{Span: span}
}

// replaceable reports whether a claim's words can be replaced by those of the evidence.
func replaceable(c state.Conflict) bool {
	switch c.Kind {
	case state.ConflictNumber, state.ConflictUnit, state.ConflictDate, state.ConflictName:
		return c.Claim != "" && c.Evidence != "" && len(strings.Fields(c.Evidence)) <= mostReplaced
	}
	return false
}

// rewritten has the sentences of the suggested correction that stand in the place of a claim, by the
// index of the claim. Between two claims that both versions have, as many claims of one as of the other
// belong together, in their order.
func (a Answer) rewritten(claims []state.CheckedClaim) map[int]string {
	out := map[int]string{}
	if a.Correction == nil {
		return out
	}
	next := a.Correction.Claims
	i, j := 0, 0
	for i < len(claims) {
		n, m := shared(claims[i:], next[j:])
		if n == m {
			for k := range n {
				if next[j+k].Status == state.Supported {
					out[i+k] = strings.TrimSpace(next[j+k].Claim)
				}
			}
		}
		i, j = i+n+1, j+m+1
		if j > len(next) {
			break
		}
	}
	return out
}

// shared returns how many claims come before the first that both lists have.
func shared(a, b []state.CheckedClaim) (int, int) {
	for i, c := range a {
		if j := slices.IndexFunc(b, func(o state.CheckedClaim) bool { return o.Claim == c.Claim }); j >= 0 {
			return i, j
		}
	}
	return len(a), len(b)
}
