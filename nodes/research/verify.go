package research

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// verifyInput is the input of the verification pipeline: the body of an answer, and every
// passage that a completed step read.
func verifyInput(s state.Agent) graph.Update[verify.State] {
	stem, _ := splitChoices(s.Objective)
	in := verify.Input{Query: stem, Response: body(s.Research), Prefix: fmt.Sprintf("Query %d", len(s.Plan)+1), Evidence: evidenceOf(s), AsOf: s.AsOf}
	return in.Update()
}

// evidenceOf returns every passage that an answer may cite, under the labels with which it cites
// them.
func evidenceOf(s state.Agent) []state.Evidence {
	var out []state.Evidence
	for _, step := range s.Plan {
		if !citable(step) {
			continue
		}
		for i, h := range step.Hits {
			out = append(out, state.Evidence{Label: fmt.Sprintf("Query %d Source %d", step.ID, i+1), Passage: h.Passage})
		}
	}
	return out
}

// verifyOutput copies the result of the verification into the answer's run.
func verifyOutput(v verify.State) graph.Update[state.Agent] {
	check := verify.CheckBest(v)
	best, _ := v.Best()
	correction := state.Correction{Text: cmp.Or(v.Corrected, v.Final), Rewrote: best.N > 0}
	if correction.Rewrote {
		correction.Queries = v.Asked
		for _, e := range v.Evidence {
			if slices.ContainsFunc(v.Attempts[:best.N+1], func(a verify.Attempt) bool { return slices.Contains(a.Added, e.Passage.ID) }) {
				correction.Evidence = append(correction.Evidence, e)
			}
		}
	}
	update := graph.Update[state.Agent]{checkChannel.Set(&check), correctionChannel.Set(correction), usageChannel.Add(v.Usage)}
	for _, w := range v.Warnings {
		update = append(update, warningsChannel.Add(w))
	}
	return append(update, lostIn(v)...)
}

// lostIn returns the losses of a verification.
func lostIn(v verify.State) graph.Update[state.Agent] {
	var update graph.Update[state.Agent]
	for _, l := range v.Losses {
		update = append(update, lossesChannel.Add(l))
	}
	return update
}

// adopt replaces the answer by the verified text. If the text was rewritten, the passages
// read for that become a row of the planning table, and the citations are those of the new
// text.
func adopt() graph.Node[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		c := s.Correction
		var update graph.Update[state.Agent]
		text := c.Text
		if c.Rewrote {
			row := state.Step{
				ID: len(s.Plan) + 1, Phase: "Corrective retrieval", Question: "What supports the claims that lacked support?",
				Status: state.StepCorrective, Queries: c.Queries,
			}
			for i, e := range c.Evidence {
				row.Hits = append(row.Hits, state.Hit{Passage: e.Passage, Rank: i + 1})
			}
			var unknown int
			text, s.Plan, unknown = recite(text, append(slices.Clone(s.Plan), row))
			update = append(update, planChannel.Add(s.Plan), usageChannel.Add(state.ModelUsage{ParseFailures: unknown}))
		}
		text = text + "\n\n" + sourcesOf(s.Plan)
		return append(update, researchChannel.Set(text), answerChannel.Set(text)), nil
	}
}

// scopedMark matches a citation in an answer of several steps.
var scopedMark = pattern.New(`\[Query (\d{1,3})\]\[Source (\d{1,3})\]`)

// recite resolves the citations of a rewritten text: each step gets its citations, and a mark
// without a passage is marked and counted.
func recite(text string, plan []state.Step) (string, []state.Step, int) {
	cites := make([]map[int]*state.Citation, len(plan))
	var b strings.Builder
	last, unknown := 0, 0
	for _, m := range scopedMark.FindAllStringSubmatchIndex(text, -1) {
		query, _ := strconv.Atoi(text[m[2]:m[3]]) // at most three digits
		n, _ := strconv.Atoi(text[m[4]:m[5]])
		before := text[last:m[0]]
		b.WriteString(before)
		last = m[1]
		at := slices.IndexFunc(plan, func(s state.Step) bool { return s.ID == query && citable(s) })
		if at < 0 || n < 1 || n > len(plan[at].Hits) {
			unknown++
			fmt.Fprintf(&b, "[no source %d of query %d]", n, query)
			continue
		}
		b.WriteString(text[m[0]:m[1]])
		if cites[at] == nil {
			cites[at] = map[int]*state.Citation{}
		}
		p := plan[at].Hits[n-1].Passage
		if cites[at][n] == nil {
			cites[at][n] = &state.Citation{N: n, Passage: p.ID}
		}
		if q, ok := quoteBefore(before, p); ok && !slices.Contains(cites[at][n].Quotes, q) {
			cites[at][n].Quotes = append(cites[at][n].Quotes, q)
		}
	}
	b.WriteString(text[last:])
	out := slices.Clone(plan)
	for i := range out {
		if !citable(out[i]) {
			continue
		}
		out[i].Citations = []state.Citation{}
		for n := 1; n <= len(out[i].Hits); n++ {
			if c := cites[i][n]; c != nil {
				out[i].Citations = append(out[i].Citations, *c)
			}
		}
	}
	return b.String(), out, unknown
}

// citable reports whether an answer may cite a step.
func citable(s state.Step) bool {
	return s.Status == state.StepCompleted || s.Status == state.StepCorrective
}
