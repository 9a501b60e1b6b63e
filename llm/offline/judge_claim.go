package offline

import (
	"example.com/assay/decide/claim/support"
	"example.com/assay/skills"
)

func judgeClaim(in skills.JudgeInput, orders *orderMemo) (skills.JudgeOutput, error) {
	sources := make([]support.Source, len(in.Sources))
	for i, src := range in.Sources {
		sources[i] = support.Source{Title: src.Title, Section: src.Section, Text: src.Text, Skip: orders.in(src.Text)}
	}
	read, err := support.Read(in.Claim, sources)
	if err != nil {
		return skills.JudgeOutput{}, err
	}
	out := skills.JudgeOutput{
		Status: string(read.Status), Confidence: read.Confidence, Reason: read.Reason,
		Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{},
	}
	for _, p := range read.Quotes {
		out.Quotes = append(out.Quotes, skills.SourceQuote{Source: in.Sources[p.Source].N, Text: in.Sources[p.Source].Text[p.Start:p.End]})
	}
	return out, nil
}
