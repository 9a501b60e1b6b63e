package facts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

var (
	probeDigits   = regexp.MustCompile(`\b\d+\b`)
	probeNegation = regexp.MustCompile(`\b(is|was|were|are|has|had|will|can|could|would|should|must|may)\b`)
	probeName     = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{3,})\b`)
	probeTurn     = regexp.MustCompile(`[a-z]+`)
)

var turned = map[string]string{
	"increase": "decrease", "increased": "decreased", "increases": "decreases", "increasing": "decreasing",
	"decrease": "increase", "decreased": "increased", "decreases": "increases", "decreasing": "increasing",
	"reduce": "increase", "reduced": "increased", "reduces": "increases", "reducing": "increasing", "raised": "lowered",
	"before": "after", "after": "before", "higher": "lower", "lower": "higher", "more": "less", "less": "more",
	"above": "below", "below": "above", "won": "lost", "lost": "won", "rose": "fell", "fell": "rose",
	"accepted": "rejected", "rejected": "accepted", "approved": "rejected", "allowed": "prohibited", "prohibited": "allowed",
	"improved": "worsened", "supported": "opposed", "opposed": "supported", "early": "late", "late": "early",
	"largest": "smallest", "smallest": "largest",
}

// A probeKind changes a claim so that it is no longer true; change returns ""
// for a claim that it has nothing to change in.
type probeKind struct {
	name   string
	kinds  []state.ConflictKind
	target float64
	change func(claim string) string
	alike  bool // only claims whose best sentences use the word that is changed
}

var probes = []probeKind{
	{"number", []state.ConflictKind{state.ConflictNumber, state.ConflictDate, state.ConflictUnit}, .9, func(s string) string {
		at := probeDigits.FindStringIndex(s)
		if at == nil {
			return ""
		}
		var n int
		fmt.Sscan(s[at[0]:at[1]], &n)
		return s[:at[0]] + fmt.Sprint(n+7) + s[at[1]:]
	}, false},
	{"negation", []state.ConflictKind{state.ConflictNegation}, .85, func(s string) string {
		if strings.Contains(s, " not ") {
			return ""
		}
		at := probeNegation.FindStringIndex(s)
		if at == nil {
			return ""
		}
		return s[:at[1]] + " not" + s[at[1]:]
	}, false},
	{"direction", []state.ConflictKind{state.ConflictDirection}, .8, turnRound, false},
	{"direction, worded alike", []state.ConflictKind{state.ConflictDirection}, .8, turnRound, true},
	{"name", []state.ConflictKind{state.ConflictName}, .8, func(s string) string {
		for _, at := range probeName.FindAllStringSubmatchIndex(s, -1) {
			if w := strings.ToLower(s[at[2]:at[3]]); month(w) == 0 && values.Weekdays[w] == 0 && !titles[w] {
				return s[:at[2]] + "Brundavik" + s[at[3]:]
			}
		}
		return ""
	}, false},
}

func turnRound(s string) string {
	for _, at := range probeTurn.FindAllStringIndex(s, -1) {
		if other, ok := turned[s[at[0]:at[1]]]; ok {
			return s[:at[0]] + other + s[at[1]:]
		}
	}
	return ""
}

// wordedAlike reports whether a word that is only in the claim, and not in what
// it was changed to, stands in one of the two best sentences.
func wordedAlike(claim, changed string, evidence []string, aligned []Alignment) bool {
	other := strings.Fields(changed)
	for i, w := range strings.Fields(claim) {
		if i >= len(other) || w == other[i] {
			continue
		}
		for _, a := range aligned[:min(2, len(aligned))] {
			if strings.Contains(strings.ToLower(evidence[a.Sentence]), strings.ToLower(w)) && a.Share >= aboutSame {
				return true
			}
		}
	}
	return false
}

// TestMeasureProbes changes claims that people accepted and in which nothing
// is found, and counts how many of the changes are seen.
func TestMeasureProbes(t *testing.T) {
	for _, set := range []struct {
		name  string
		label string
		read  func(testing.TB) []measured
	}{{"wice", "supported", wice}, {"scifact", "support", scifact}} {
		t.Run(set.name, func(t *testing.T) {
			rows := slices.DeleteFunc(set.read(t), func(r measured) bool { return r.Label != set.label })
			for _, p := range probes {
				probe(t, rows, p)
			}
		})
	}
}

func probe(t *testing.T, rows []measured, p probeKind) {
	n, seen, opposed := 0, 0, 0
	for _, row := range rows {
		changed := p.change(row.Claim)
		ev := Prepare(row.Evidence)
		if changed == "" || countKinds(ev.Check(row.Claim).Conflicts, p.kinds) > 0 {
			continue
		}
		if p.alike && !wordedAlike(row.Claim, changed, row.Evidence, ev.Check(row.Claim).Aligned) {
			continue
		}
		n++
		r := ev.Check(changed)
		if countKinds(r.Conflicts, p.kinds) == 0 {
			t.Logf("%s missed in %s: %s", p.name, row.ID, changed)
			for _, a := range r.Aligned[:min(2, len(r.Aligned))] {
				t.Logf("\t%.2f %.2f %s", a.Coverage, a.Share, row.Evidence[a.Sentence])
			}
			continue
		}
		seen++
		if isOpposed(r) {
			opposed++
		}
	}
	t.Logf("%s: n %d, seen %.3f, opposed %.3f (target %.2f)", p.name, n, float64(seen)/float64(n), float64(opposed)/float64(n), p.target)
}

func countKinds(conflicts []Conflict, kinds []state.ConflictKind) int {
	n := 0
	for _, c := range conflicts {
		for _, k := range kinds {
			if c.Kind == k {
				n++
			}
		}
	}
	return n
}
