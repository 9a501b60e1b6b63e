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

// gapQueries asks for one query for each claim that lacks support. It drops a query that was tried
// before, also in another order or form of its words. Without a new query the correction ends.
func gapQueries(m llm.Model, skill skills.Skill) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		out, usage, err := llm.Ask[skills.GapOutput](ctx, m, skill, skills.GapInput{
			Question: s.Query, Claims: judged(s, lacking(s.Verdicts)), Asked: tried(s),
		})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		update := graph.Update[State]{usageChannel.Add(usage)}
		if err != nil {
			return append(update, stop(err)...), nil
		}
		queries := fresh(out.Queries, lacking(s.Verdicts), tried(s))
		if len(queries) == 0 {
			return append(update, decisionChannel.Set(decideFinish)), nil
		}
		asked := make([]string, len(queries))
		for i, q := range queries {
			asked[i] = q.Query
		}
		return append(update, queriesChannel.Set(queries), askedChannel.Add(asked...)), nil
	}
}

// stop ends the correction after a failed call or a spent budget: the verdicts so far count.
func stop(err error) graph.Update[State] {
	return graph.Update[State]{lossesChannel.Add(state.LossOf(theCorrection, err)), decisionChannel.Set(decideFinish)}
}

// theCorrection is the missing part if a correction fails.
const theCorrection = "the suggested correction"

// tried returns the queries that were searched before, including the claims themselves.
func tried(s State) []string {
	queries := make([]string, 0, len(s.Searches)+len(s.Asked))
	for _, f := range s.Searches {
		queries = append(queries, f.Query)
	}
	return append(queries, s.Asked...)
}

// lacking returns the verdicts on claims that are not fully supported.
func lacking(verdicts []state.Verdict) []state.Verdict {
	var out []state.Verdict
	for _, v := range verdicts {
		if v.Status != state.Supported {
			out = append(out, v)
		}
	}
	return out
}

func judged(s State, verdicts []state.Verdict) []skills.JudgedClaim {
	list := make([]skills.JudgedClaim, len(verdicts))
	for i, v := range verdicts {
		list[i] = skills.JudgedClaim{ID: v.ID, Text: v.Text, Status: string(v.Status), Why: v.Reason, Nearest: nearestTo(s, v.Spoken())}
	}
	return list
}

// nearestTo returns the stretch nearest in meaning to a claim that was searched for.
func nearestTo(s State, claim string) *skills.Nearest {
	at := searched(s, claim)
	if at < 0 || s.Searches[at].Nearest == nil {
		return nil
	}
	n := s.Searches[at].Nearest
	for _, e := range s.Evidence {
		if e.Passage.ID == n.Passage && n.End <= len(e.Passage.Text) {
			return &skills.Nearest{Text: e.Passage.Text[n.Start:n.End], Cite: citeAs(e.Label), Near: n.Near}
		}
	}
	return nil
}

// fresh keeps the first query for each claim that was not asked before.
func fresh(given []skills.GapQuery, claims []state.Verdict, asked []string) []CorrectiveQuery {
	seen := map[string]bool{}
	for _, q := range asked {
		seen[normal(q)] = true
	}
	var queries []CorrectiveQuery
	for _, v := range claims {
		for _, g := range given {
			key := normal(g.Query)
			if g.ClaimID == v.ID && key != "" && !seen[key] {
				seen[key] = true
				queries = append(queries, CorrectiveQuery{Claim: v.ID, Query: strings.TrimSpace(g.Query)})
				break
			}
		}
	}
	return queries
}

// normal returns a query's form without case, order, inflection and function words.
func normal(query string) string {
	stems := text.Terms(query, text.QueryStops)
	slices.Sort(stems)
	return strings.Join(slices.Compact(stems), " ")
}
