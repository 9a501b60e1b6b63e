package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/obligation"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/citation"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// mostShown is how much of the words at fault a finding keeps, in bytes.
const mostShown = 500

// extractNode asks for the requirements of its passages, and keeps those that occur there
// byte for byte and contain no placeholder and no prompt injection. It trims or extends
// each so that it can stand alone. A failed call leaves its passages without requirements,
// with a finding and a loss.
func extractNode(m llm.Model, skill skills.Skill, inspect retrieval.Inspect) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		in := skills.RequirementsInput{Sources: make([]skills.RequirementSource, len(s.Hits))}
		units := make([][]obligation.Unit, len(s.Hits))
		for i, h := range s.Hits {
			p := h.Passage
			in.Sources[i].Source = skills.Source{N: i + 1, Title: p.Title, Section: p.Section, Text: p.Text}
			units[i] = obligation.Units(p.Text, p.Blocks)
			for _, u := range units[i] {
				in.Sources[i].Parts = append(in.Sources[i].Parts, skills.SourcePart{Start: u.Start, End: u.End, Label: u.Label, Item: u.Item})
			}
		}
		out, usage, err := llm.Ask[skills.RequirementsOutput](ctx, m, skill, in)
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[State]{usageChannel.Add(usage)}
		if err != nil {
			f := caught(NodeExtract, failure(err), err.Error(), "the passages could not be read for requirements")
			f.Outcome = "no requirement was taken from them"
			return append(update, findingsChannel.Add(f), lossesChannel.Add(state.LossOf("what is required by "+named(s.Hits), err))), nil
		}
		model, err := obligation.Default()
		if err != nil {
			return nil, err
		}
		var kept []Requirement
		var findings []Finding
		for _, x := range out.Requirements {
			if x.Source < 1 || x.Source > len(s.Hits) {
				f := caught(NodeExtract, state.FindNotVerbatim, x.Quote, fmt.Sprintf("it names passage %d of %d", x.Source, len(s.Hits)))
				f.Outcome = "dropped"
				findings = append(findings, f)
				continue
			}
			p := s.Hits[x.Source-1].Passage
			r, bad := settle(p, units[x.Source-1], x, inspect, model)
			if bad != nil {
				bad.Chunk, bad.Outcome = p.ID, "dropped"
				findings = append(findings, *bad)
				continue
			}
			if s.Filter.Explicit && r.Degree != obligation.Explicit {
				continue
			}
			if !slices.ContainsFunc(kept, func(k Requirement) bool { return k.Chunk == r.Chunk && k.Start < r.End && r.Start < k.End }) {
				kept = append(kept, r)
			}
		}
		return append(update, extractedChannel.Add(kept...), findingsChannel.Add(findings...)), nil
	}
}

// failure returns the kind of finding for a failed call.
func failure(err error) state.FindingKind {
	if llm.Misread(err) {
		return state.FindNotJSON
	}
	return state.FindNotHad
}

// named lists the places of passages.
func named(hits []state.Hit) string {
	where := make([]string, len(hits))
	for i, h := range hits {
		where[i] = h.Passage.Where()
	}
	return strings.Join(where, "; ")
}

func caught(stage string, kind state.FindingKind, words, detail string) Finding {
	return Finding{Stage: stage, Kind: kind, Text: llm.Cut(oneLine(words), mostShown), Detail: detail}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// settle makes a requirement from a text that a model copied from a passage, or says why the text
// is not one.
func settle(p state.Passage, units []obligation.Unit, x skills.ExtractedRequirement, inspect retrieval.Inspect, model *obligation.Model) (Requirement, *Finding) {
	refuse := func(kind state.FindingKind, detail string) (Requirement, *Finding) {
		f := caught(NodeExtract, kind, x.Quote, detail)
		return Requirement{}, &f
	}
	start, end, ok := skills.Find(p.Text, strings.TrimSpace(x.Quote))
	if !ok {
		return refuse(state.FindNotVerbatim, "the passage does not hold these bytes")
	}
	fit := obligation.Fit(p.Text, text.Span{Start: start, End: end})
	for _, o := range inspect.In(p) {
		if o.Start < fit.Quote.End && fit.Quote.Start < o.End {
			return refuse(state.FindOrders, "the sentence tells an assistant what to do: "+o.Kind)
		}
	}
	for _, h := range obligation.Placeholders(p.Text) {
		if h.Start < fit.Quote.End && fit.Quote.Start < h.End {
			return refuse(state.FindPlaceholder, "the text is still to be written, which is no evidence")
		}
	}
	q := state.QuoteIn(p, fit.Quote.Start, fit.Quote.End-fit.Quote.Start)
	unit := obligation.UnitAt(units, start)
	r := Requirement{
		SourceType: sourceTypeOf(p), Document: p.Doc, Title: p.Title, Heading: p.Section, Label: unit.Label,
		Quote: q.Text, Chunk: p.ID, Source: q.Source, Start: q.Start, End: q.End, Cut: fit.Cut,
		Degree: model.Degree(p.Text[start:end], strings.TrimSpace(fit.Lead(p.Text, start)), unit.Label),
		Whole:  unit.Start <= fit.Quote.Start && strings.TrimSpace(p.Text[unit.Start:fit.Quote.Start]) == "",
	}
	if r.Degree == obligation.NoRule { // the extractor says that it is a rule
		r.Degree = obligation.Plain
	}
	for _, s := range fit.Stems {
		r.Stems = append(r.Stems, state.QuoteIn(p, s.Start, s.End-s.Start))
	}
	for _, c := range references(p, q.Text) {
		r.Refers = append(r.Refers, CrossReference{Text: c.Text})
	}
	r.Confidence = ExtractionConfidence(r.Degree.Confidence(fit))
	if asked := ExtractionConfidence(x.Confidence); len(r.Refers) > 0 || asked == ExtractLow {
		r.Confidence = ExtractLow
	} else if asked == ExtractMedium && r.Confidence == ExtractHigh {
		r.Confidence = ExtractMedium
	}
	return r, nil
}

// references returns the parts of documents that a quote names. It leaves out the number at the
// beginning of its own passage.
func references(p state.Passage, quote string) []citation.Citation {
	own := citation.Label([]state.Passage{p})[0].Own
	return slices.DeleteFunc(citation.Parse(quote), func(c citation.Citation) bool {
		return c.Start == 0 || slices.ContainsFunc(c.Exact(), func(key string) bool { return slices.Contains(own, key) })
	})
}
