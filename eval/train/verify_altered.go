package main

import (
	"bytes"
	"fmt"
	"slices"

	"example.com/assay/eval/claims"
	"example.com/assay/state"
)

// of returns the judgements of a set.
func (u unseens) of(set string) unseens {
	var out unseens
	for _, j := range u {
		if j.set == set {
			out = append(out, j)
		}
	}
	return out
}

// originals returns the verdicts on the original claims, in the order of their set.
func (u unseens) originals() []state.Verdict {
	var out []state.Verdict
	for _, j := range u {
		if _, _, altered := claims.AlterationOf(j.item.ID); !altered {
			out = append(out, j.verdict)
		}
	}
	return out
}

// resistance writes the results for altered claims, and the gain and cost of each check.
func (u unseens) resistance(b *bytes.Buffer, set *claims.Dataset) error {
	altered := *set
	altered.Items = nil
	var verdicts []state.Verdict
	for _, j := range u {
		if _, _, ok := claims.AlterationOf(j.item.ID); ok || j.item.Gold == claims.Supported {
			altered.Items, verdicts = append(altered.Items, j.item), append(verdicts, j.verdict)
		}
	}
	got, err := claims.Measure(&altered, verdicts)
	if err != nil {
		return err
	}
	alone := 0
	for _, j := range u {
		if _, _, ok := claims.AlterationOf(j.item.ID); !ok && j.good && j.alone.Status == state.Supported {
			alone++
		}
	}
	r, _ := claims.Resist(got.Outcomes)
	fmt.Fprintf(b, "\nOf %d supported claims the weights accept %d, and %d after the checks, %d of them with a doubt.\nAltered claims whose original is accepted:\n\n| altered | n | refused | or in doubt |\n|---|---|---|---|\n", r.Originals, alone, r.Accepted, r.InDoubt)
	for _, k := range r.Kinds {
		fmt.Fprintf(b, "| %s | %d | %.2f | %.2f |\n", k.Kind, k.N, float64(k.Refused)/float64(k.N), float64(k.Refused+k.Doubted)/float64(k.N))
	}
	for _, m := range got.Metrics {
		if m.Name == "AUC" || m.Name == "ECE" || m.Name == "balanced_accuracy" {
			fmt.Fprintf(b, "| %s of originals and alterations | %d | %.3f | |\n", m.Name, len(verdicts), m.Value)
		}
	}
	u.prices(b)
	return nil
}

// prices counts, for each kind of check, the supported claims that it refuses or
// puts in doubt and the altered ones, among those that the weights accept.
func (u unseens) prices(b *bytes.Buffer) {
	type count struct{ lost, gained, doubtTrue, doubtFalse int }
	counts := map[state.ConflictKind]*count{}
	at := func(k state.ConflictKind) *count {
		if counts[k] == nil {
			counts[k] = &count{}
		}
		return counts[k]
	}
	trueN, falseN := 0, 0
	for _, j := range u {
		_, _, altered := claims.AlterationOf(j.item.ID)
		if j.alone.Status != state.Supported || !altered && !j.good {
			continue
		}
		if altered {
			falseN++
		} else {
			trueN++
		}
		var conflicts, doubts []state.ConflictKind
		for _, c := range j.verdict.Conflicts {
			conflicts = append(conflicts, c.Kind)
		}
		for _, d := range j.verdict.Doubts {
			doubts = append(doubts, d.Kind)
		}
		for _, k := range distinctKinds(conflicts) {
			if altered {
				at(k).gained++
			} else {
				at(k).lost++
			}
		}
		for _, k := range distinctKinds(doubts) {
			if altered {
				at(k).doubtFalse++
			} else {
				at(k).doubtTrue++
			}
		}
	}
	fmt.Fprintf(b, "\nGain and price of each check, among the claims that the weights accept (%d supported, %d altered):\n\n| check | altered refused | supported lost | altered in doubt | supported in doubt |\n|---|---|---|---|---|\n", trueN, falseN)
	var kinds []state.ConflictKind
	for k := range counts {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		c := counts[k]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", k, c.gained, c.lost, c.doubtFalse, c.doubtTrue)
	}
}

func distinctKinds(list []state.ConflictKind) []state.ConflictKind {
	slices.Sort(list)
	return slices.Compact(list)
}
