package verify

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/decide/claim"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Judge says whether evidence supports a claim: a model reads, and code checks. It is safe for
// concurrent use.
type Judge struct {
	model llm.Model
	skill skills.Skill
	*claim.Check
}

// NewJudge returns a judge that asks m with the skill judge_claim. Sentences in which inspect finds
// prompt injection support nothing; a nil inspect finds none.
func NewJudge(m llm.Model, skill skills.Skill, inspect retrieval.Inspect) *Judge {
	return &Judge{m, skill, claim.NewCheck(inspect.In)}
}

// judgeClaim judges the one claim of its state against its evidence.
func judgeClaim(j *Judge) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		var update graph.Update[State]
		for _, c := range s.Claims {
			verdict, usage, err := j.Judge(ctx, c, s.Evidence)
			if err != nil {
				return nil, err
			}
			update = append(update, verdictsChannel.Add(verdict), usageChannel.Add(usage))
		}
		return update, nil
	}
}

// Judge checks a claim against the evidence that it cites and, if that does not support it, against
// all evidence. A claim that is word for word a whole sentence of the evidence is supported without
// asking the model.
//
// The error stops the run: cancellation or a spent budget. Any other failure of the model is in the
// verdict, which is then unsupported.
func (j *Judge) Judge(ctx context.Context, c state.Claim, evidence []state.Evidence) (state.Verdict, state.ModelUsage, error) {
	cited := make([]state.Evidence, 0, len(c.Cites))
	for _, i := range citedBy(c, evidence) {
		cited = append(cited, evidence[i])
	}
	if q, ok := stated(c, slices.Concat(cited, evidence)); ok && !j.Ordered(q, evidence) {
		v := state.Verdict{Claim: c, Status: state.Supported, Confidence: 1, For: []state.Quote{q}, Reason: "the evidence states it word for word"}
		return citing(v, cited), state.ModelUsage{}, nil
	}
	var v state.Verdict
	var usage state.ModelUsage
	for _, by := range [][]state.Evidence{cited, evidence} {
		if len(by) == 0 || len(by) == len(cited) && usage.Calls > 0 {
			continue // nothing is cited, or all evidence is cited
		}
		inner, met := llm.Open(ctx)
		out, spent, err := llm.Ask[skills.JudgeOutput](inner, j.model, j.skill, skills.JudgeInput{Claim: c.Spoken(), Sources: sources(by)})
		usage = usage.Plus(spent)
		if err := llm.Stops(ctx, err); err != nil {
			return state.Verdict{}, usage, err
		}
		if err != nil {
			return state.Verdict{Claim: c, Status: state.Unsupported, Reason: "the claim could not be judged", Error: err.Error(), Cause: state.CauseOf(err)}, usage, nil
		}
		var made int
		v, made = j.settle(c, out, by)
		if r := met.Close(); r.Lost != "" {
			v.StandIn, v.Cause = r.Fallback, r.Lost
		}
		usage.ParseFailures += made
		if v.Status == state.Supported {
			break
		}
	}
	if len(evidence) == 0 {
		v = state.Verdict{Claim: c, Status: state.Unsupported, Reason: "there is no evidence"}
	}
	return citing(v, cited), usage, nil
}

// settle turns a model's answer into a verdict: it locates the quotes in the evidence, and hard
// signals overrule the model. made is the number of quotes that no passage contains.
func (j *Judge) settle(c state.Claim, out skills.JudgeOutput, evidence []state.Evidence) (v state.Verdict, made int) {
	v = state.Verdict{Claim: c, Status: state.ClaimStatus(out.Status), Reason: strings.TrimSpace(out.Reason)}
	var madeFor, madeAgainst int
	v.Confidence = min(max(out.Confidence, 0), 1)
	v.For, madeFor = located(out.Quotes, evidence)
	v.For = slices.DeleteFunc(v.For, func(q state.Quote) bool { return j.Ordered(q, evidence) })
	v.Against, madeAgainst = located(out.Against, evidence)
	if v.Status != state.Unsupported && len(v.For) == 0 {
		why := "no quote shows it"
		if madeFor > 0 {
			why = "the quote that was given is in no passage"
		}
		v = claim.Refuse(v, why)
		v.Confidence = 0 // without a quote the model's confidence does not count
	}
	v = j.Weigh(v, evidence)
	if v.Status == state.Unsupported {
		v.For = nil
	}
	return v, madeFor + madeAgainst
}

// citing records whether the claim cites the passages that support it.
func citing(v state.Verdict, cited []state.Evidence) state.Verdict {
	if len(v.Cites) == 0 || v.Status == state.Unsupported {
		return v
	}
	v.Miscited = !slices.ContainsFunc(v.For, func(q state.Quote) bool {
		return slices.ContainsFunc(cited, func(e state.Evidence) bool { return e.Passage.ID == q.Passage })
	})
	if v.Miscited {
		v.Reason = claim.Join(v.Reason, "what it cites ("+strings.Join(v.Cites, ", ")+") does not support it")
	}
	return v
}

// sources numbers evidence for a prompt, from 1.
func sources(evidence []state.Evidence) []skills.Source {
	list := make([]skills.Source, len(evidence))
	for i, e := range evidence {
		list[i] = skills.Source{N: i + 1, Doc: e.Passage.Doc, Title: e.Passage.Title, Section: e.Passage.Section, Text: e.Passage.Text}
	}
	return list
}
