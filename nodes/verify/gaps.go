package verify

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Gaps asks for one query for each claim that lacks support. A query that was
// tried already, as it stands or in another order or form of its words, is left
// out; without a new one there is nothing more to find.
func Gaps(m llm.Model, skill skills.Skill) graph.Node[state.Verify] {
	return func(ctx context.Context, s state.Verify) (graph.Update[state.Verify], error) {
		out, usage, err := llm.Ask[skills.GapOutput](ctx, m, skill, skills.GapInput{
			Question: s.Query, Claims: judged(lacking(s.Verdicts)), Asked: nonNil(s.Asked),
		})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[state.Verify]{state.VerifyUsage.Add(usage)}
		if err != nil {
			return append(update, stop("no queries for what is missing: "+err.Error())...), nil
		}
		queries := fresh(out.Queries, lacking(s.Verdicts), s.Asked)
		if len(queries) == 0 {
			return append(update, state.VerifyDecided.Set(state.VerifyFinish)), nil
		}
		asked := make([]string, len(queries))
		for i, q := range queries {
			asked[i] = q.Query
		}
		return append(update, state.VerifyQueries.Set(queries), state.VerifyAsked.Add(asked...)), nil
	}
}

// stop ends the correction: the best attempt so far stands.
func stop(why string) graph.Update[state.Verify] {
	return graph.Update[state.Verify]{state.VerifyFailure.Set(why), state.VerifyDecided.Set(state.VerifyFinish)}
}

// lacking returns what is not fully supported.
func lacking(verdicts []state.Verdict) []state.Verdict {
	var out []state.Verdict
	for _, v := range verdicts {
		if v.Status != state.Supported {
			out = append(out, v)
		}
	}
	return out
}

func judged(verdicts []state.Verdict) []skills.JudgedClaim {
	list := make([]skills.JudgedClaim, len(verdicts))
	for i, v := range verdicts {
		list[i] = skills.JudgedClaim{ID: v.ID, Text: v.Text, Status: string(v.Status), Why: v.Reason}
	}
	return list
}

// fresh keeps the first query for each claim that is not among those asked.
func fresh(given []skills.GapQuery, claims []state.Verdict, asked []string) []state.CorrectiveQuery {
	seen := map[string]bool{}
	for _, q := range asked {
		seen[normal(q)] = true
	}
	var queries []state.CorrectiveQuery
	for _, v := range claims {
		for _, g := range given {
			key := normal(g.Query)
			if g.ClaimID == v.ID && key != "" && !seen[key] {
				seen[key] = true
				queries = append(queries, state.CorrectiveQuery{Claim: v.ID, Query: strings.TrimSpace(g.Query)})
				break
			}
		}
	}
	return queries
}

// normal is what two queries share that differ in case, order, inflection and
// function words only.
func normal(query string) string {
	stems := text.Terms(query, text.QueryStops)
	slices.Sort(stems)
	return strings.Join(slices.Compact(stems), " ")
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
