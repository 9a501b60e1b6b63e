package offline

import (
	"errors"
	"slices"
	"strings"

	"example.com/assay/decide/claim/support"
	"example.com/assay/decide/fields"
	"example.com/assay/decide/injection"
	"example.com/assay/memory/text/followup"
	"example.com/assay/skills"
)

func judgeClaim(in skills.JudgeInput) (skills.JudgeOutput, error) {
	sources := make([]support.Source, len(in.Sources))
	for i, src := range in.Sources {
		sources[i] = support.Source{Doc: src.Doc, Title: src.Title, Section: src.Section, Text: src.Text, Skip: ordersIn(src.Text)}
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

func detect(in skills.DetectInput) (skills.DetectOutput, error) {
	v := injection.Question(in.Question)
	out := skills.DetectOutput{Verdict: "safe", Category: v.Category, Reason: v.Reason}
	if v.Adversarial {
		out.Verdict = "adversarial"
	}
	return out, nil
}

// resolveFollowUp looks one question back. Nothing that a document says is taken
// over but the headword of the answer's first quote.
func resolveFollowUp(in skills.FollowUpInput) (skills.FollowUpOutput, error) {
	out := skills.FollowUpOutput{Question: in.Question}
	if n := len(in.Earlier); n > 0 {
		last := in.Earlier[n-1]
		out.Question = followup.Resolve(in.Question, followup.Turn{Question: last.Question, Head: last.Head})
	}
	return out, nil
}

// rerank keeps the order of the passages. Without a model the index's ranking is the best available
// one; a second one from the same words could only be worse.
func rerank(in skills.RerankInput) (skills.RerankOutput, error) {
	if len(in.Passages) == 0 {
		return skills.RerankOutput{}, errors.New("there are no passages to order")
	}
	out := skills.RerankOutput{Ranking: make([]int, len(in.Passages))}
	for i, p := range in.Passages {
		out.Ranking[i] = p.N
	}
	return out, nil
}

// Fields are found by recognisers, and chosen by the layout of the candidates on the page (package
// fields). Values are quotes of the document, byte for byte.

func extractFields(in skills.ExtractInput, weights *fields.Weights) (skills.ExtractOutput, error) {
	found, err := fields.Extract(in.Text, in.Boxes, in.Blocks, in.Fields, &fields.Options{Weights: weights})
	return skills.ExtractOutput{Fields: found}, err
}

// refineExtraction keeps every value and searches wider for missing ones. It does not replace a
// value by the next best one: measured, that overruled right values about as often as wrong ones.
func refineExtraction(in skills.RefineInput, weights *fields.Weights) (skills.ExtractOutput, error) {
	out := skills.ExtractOutput{Fields: append([]skills.ExtractedField{}, in.Previous...)}
	found, err := fields.Extract(in.Text, in.Boxes, in.Blocks, in.Fields, &fields.Options{Weights: weights, Wide: true})
	for _, v := range found {
		list, _, _ := strings.Cut(v.Path, "[")
		if !slices.ContainsFunc(in.Previous, func(p skills.ExtractedField) bool { return p.Path == v.Path || strings.HasPrefix(p.Path, list+"[") }) {
			out.Fields = append(out.Fields, v)
		}
	}
	return out, err
}

// verifyExtraction reports values that do not look like their kind.
func verifyExtraction(in skills.VerifyExtractionInput) (skills.VerifyExtractionOutput, error) {
	out := skills.VerifyExtractionOutput{Issues: []skills.ExtractionIssue{}}
	for _, d := range fields.Doubts(in.Text, in.Fields, in.Values) {
		out.Issues = append(out.Issues, skills.ExtractionIssue{Severity: "MEDIUM", Field: d.Field, Message: d.Why, Suggestion: "compare it with the document"})
	}
	return out, nil
}
