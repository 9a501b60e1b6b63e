package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/claim/facts"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A reviewer finds statements that an answer must not contain.
type reviewer struct {
	Judge *verify.Judge // judges statements against the quotes that they cite
	Model llm.Model     // reviews the statements that passed; may be nil
	Skill skills.Skill  // review_answer
}

// reviewNode checks every statement of the draft. Failed statements go back to compose with the
// exact findings, at most most times; after that they are removed. If none is left, the verified
// requirements are quoted instead. A statement that could not be judged fails, and is a loss.
func reviewNode(r *reviewer, most int) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		seen, err := r.look(ctx, s)
		if err != nil {
			return nil, err
		}
		update := graph.Update[State]{usageChannel.Add(seen.usage), findingsChannel.Add(seen.notes...)}
		update = append(update, lost(seen.losses)...)
		if len(seen.findings) == 0 {
			return append(update, openChannel.Set(nil), decisionChannel.Set(decideFinalize)), nil
		}
		if s.Revisions < most {
			for i := range seen.findings {
				seen.findings[i].Outcome = "composed again"
			}
			return append(update, openChannel.Set(seen.findings), findingsChannel.Add(seen.findings...),
				revisionsChannel.Set(s.Revisions+1), decisionChannel.Set(decideCompose)), nil
		}
		draft := s.Draft
		draft.Answer = without(draft.Answer, seen.failed)
		for i := range seen.findings {
			seen.findings[i].Outcome = "taken out of the answer"
			if seen.findings[i].Kind == state.FindOneSided {
				seen.findings[i].Outcome = "quoted beside it"
			}
		}
		if len(Statements(draft.Answer)) == 0 {
			f := caught(NodeReview, state.FindNoStatement, s.Draft.Answer, "no statement of the answer passed its review")
			f.Revision, f.Outcome = s.Revisions, quotedInstead
			draft, seen.findings = quoting(s.Verified()), append(seen.findings, f)
		}
		return append(update, draftChannel.Set(draft), openChannel.Set(nil), findingsChannel.Add(seen.findings...), decisionChannel.Set(decideFinalize)), nil
	}
}

// A look is the result of a review.
type look struct {
	findings []Finding
	notes    []Finding // findings that leave the answer as it is
	failed   []Statement
	losses   []state.Loss
	usage    state.ModelUsage
}

func (r *reviewer) look(ctx context.Context, s State) (look, error) {
	var out look
	statements := Statements(s.Draft.Answer)
	byID := map[string]Requirement{}
	for _, q := range s.Verified() {
		byID[q.ID] = q
	}
	var passed []Statement
	for _, st := range statements {
		found, err := r.statement(ctx, s, st, byID, &out)
		if err != nil {
			return out, err
		}
		if len(found) == 0 {
			passed = append(passed, st)
			continue
		}
		out.failed = append(out.failed, st)
		out.findings = append(out.findings, found...)
	}
	if len(statements) == 0 {
		out.findings = append(out.findings, caught(NodeReview, state.FindNoStatement, s.Draft.Answer, "the answer states nothing"))
	}
	for _, side := range oneSided(s.Conflicts, statements) {
		f := caught(NodeReview, state.FindOneSided, side.words, fmt.Sprintf("%s conflicts with %s, which the answer leaves out", side.has, side.lacks))
		f.IDs = []string{side.has, side.lacks}
		out.findings = append(out.findings, f)
	}
	if r.Model != nil && len(passed) > 0 {
		if err := r.byModel(ctx, s, passed, byID, &out); err != nil {
			return out, err
		}
	}
	for i := range out.findings {
		out.findings[i].Revision = s.Revisions
	}
	return out, nil
}

// statement reviews one statement by code and by the judge of claims, whose usage and
// losses go to out.
func (r *reviewer) statement(ctx context.Context, s State, st Statement, byID map[string]Requirement, out *look) ([]Finding, error) {
	found := checkIDs(s, st)
	if len(found) > 0 {
		return found, nil
	}
	cited := make([]Requirement, len(st.IDs))
	for i, id := range st.IDs {
		cited[i] = byID[id]
	}
	if found, done := checkWords(st, cited); done {
		return found, nil
	}
	evidence := make([]state.Evidence, len(cited))
	for i, c := range cited {
		evidence[i] = state.Evidence{Label: c.ID, Passage: state.Passage{ID: c.ID, Doc: c.Document, Text: c.Spoken(), End: len(c.Spoken())}}
	}
	v, usage, err := r.Judge.Judge(ctx, state.Claim{ID: 1, Text: bare(st.Text), End: len(bare(st.Text)), Cites: st.IDs}, evidence)
	out.usage = out.usage.Plus(usage)
	if v.StandIn != "" {
		out.losses = append(out.losses, state.Loss{Missing: "the verdict of the chosen judge on “" + llm.Cut(bare(st.Text), mostShown) + "”", Cause: v.Cause, Error: v.StandIn})
	}
	if err != nil || v.Status == state.Supported {
		return nil, err
	}
	if v.Error != "" {
		out.losses = append(out.losses, state.Loss{Missing: "the verdict on “" + llm.Cut(bare(st.Text), mostShown) + "”", Error: v.Error})
	}
	return []Finding{objection(state.FindUnsupported, st, "the quotes that it cites do not carry it: "+v.Reason)}, nil
}

func objection(kind state.FindingKind, st Statement, detail string) Finding {
	f := caught(NodeReview, kind, st.Text, detail)
	f.IDs = st.IDs
	return f
}

// checkIDs reviews the ids of a statement.
func checkIDs(s State, st Statement) []Finding {
	if len(st.IDs) == 0 {
		return []Finding{objection(state.FindUncited, st, "the statement ends with no id of a requirement")}
	}
	var out []Finding
	for _, id := range st.IDs {
		if kind, detail, bad := standing(s, id); bad {
			out = append(out, objection(kind, st, detail))
		}
	}
	return out
}

// mostAbsent is the largest share of a statement's content stems that may be absent from its
// quotes. A judge of meaning overlooks an added fact in a mostly right statement.
const mostAbsent = .3

// absent returns the stems that are not in a list.
func absent(stems, in []string) []string {
	var out []string
	for _, s := range stems {
		if _, ok := slices.BinarySearch(in, s); !ok {
			out = append(out, s)
		}
	}
	return out
}

// checkWords reviews the words of a statement against the quotes that it cites. Done says that no
// model is needed: the statement is a quotation, or it fails.
func checkWords(st Statement, cited []Requirement) (found []Finding, done bool) {
	words, stems := bare(st.Text), content(st.Text)
	quotes := make([]string, len(cited))
	quotation := true
	for i, c := range cited {
		quotes[i] = c.Spoken()
		quotation = quotation && words == bare(quotes[i])
		if words != bare(quotes[i]) && shared(stems, content(quotes[i])) < min(2, len(stems)) {
			found = append(found, objection(state.FindUnsupported, st, c.ID+" does not speak of it"))
		}
	}
	if quotation {
		return nil, true
	}
	if missing := absent(stems, content(strings.Join(quotes, "\n"))); len(found) == 0 && float64(len(missing)) >= mostAbsent*float64(len(stems)) && len(missing) > 0 {
		found = append(found, objection(state.FindUnsupported, st, "the quotes that it cites have none of: "+strings.Join(missing, ", ")))
	}
	for _, c := range facts.Compare(words, quotes) {
		detail := fmt.Sprintf("%s: it says “%s”", c.Kind, c.Claim)
		if c.Evidence != "" {
			detail += fmt.Sprintf(" and the quote “%s”", c.Evidence)
		} else {
			detail += ", which no cited quote does"
		}
		found = append(found, objection(state.FindContradicted, st, detail))
	}
	return found, len(found) > 0
}

// byModel asks the reviewing model about the statements that passed.
func (r *reviewer) byModel(ctx context.Context, s State, passed []Statement, byID map[string]Requirement, out *look) error {
	in := skills.ReviewInput{Question: s.Question, Statements: make([]skills.ReviewStatement, len(passed)), Requirements: []skills.QuotedRequirement{}}
	var shown []string
	for i, st := range passed {
		in.Statements[i] = skills.ReviewStatement{N: i + 1, Text: st.Text, IDs: st.IDs}
		for _, id := range st.IDs {
			if !slices.Contains(shown, id) {
				shown = append(shown, id)
				in.Requirements = append(in.Requirements, quoted(byID[id]))
			}
		}
	}
	answer, usage, err := llm.Ask[skills.ReviewOutput](ctx, r.Model, r.Skill, in)
	out.usage = out.usage.Plus(usage)
	if err := llm.Stops(ctx, err); err != nil {
		return err
	}
	if err != nil {
		f := caught(NodeReview, failure(err), err.Error(), "the model's review could not be had")
		f.Revision, f.Outcome = s.Revisions, "the review by code stands"
		out.notes, out.losses = append(out.notes, f), append(out.losses, state.LossOf("the model's review of the answer", err))
		return nil
	}
	for _, f := range answer.Findings {
		if f.Statement < 1 || f.Statement > len(passed) {
			continue // the finding is about no statement
		}
		st := passed[f.Statement-1]
		out.findings = append(out.findings, objection(state.FindByModel, st, llm.Cut(strings.TrimSpace(f.Problem), mostShown)))
		if !slices.ContainsFunc(out.failed, func(o Statement) bool { return o.Start == st.Start }) {
			out.failed = append(out.failed, st)
		}
	}
	slices.SortStableFunc(out.failed, func(a, b Statement) int { return a.Start - b.Start })
	return nil
}

// A side is a conflict with only one of its requirements in the answer.
type side struct{ has, lacks, words string }

func oneSided(list []Conflict, statements []Statement) []side {
	citing := func(id string) (string, bool) {
		at := slices.IndexFunc(statements, func(s Statement) bool { return slices.Contains(s.IDs, id) })
		if at < 0 {
			return "", false
		}
		return statements[at].Text, true
	}
	var out []side
	for _, c := range list {
		wordsA, a := citing(c.A)
		wordsB, b := citing(c.B)
		switch {
		case a && !b:
			out = append(out, side{c.A, c.B, wordsA})
		case b && !a:
			out = append(out, side{c.B, c.A, wordsB})
		}
	}
	return out
}
