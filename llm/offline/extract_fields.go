package offline

import (
	"slices"
	"strings"

	"example.com/assay/decide/fields"
	"example.com/assay/skills"
)

// Fields are found by recognisers, and chosen by how candidates stand on the page
// (package fields). What is found is a quote of the document, byte for byte.

func extractFields(in skills.ExtractInput, weights *fields.Weights) (skills.ExtractOutput, error) {
	found, err := fields.Extract(in.Text, in.Boxes, in.Fields, &fields.Options{Weights: weights})
	return skills.ExtractOutput{Fields: found}, err
}

// refineExtraction leaves every value as it is and looks wider for those that are
// missing. It does not replace a value by the next best one: measured, that
// overruled right values about as often as wrong ones.
func refineExtraction(in skills.RefineInput, weights *fields.Weights) (skills.ExtractOutput, error) {
	out := skills.ExtractOutput{Fields: append([]skills.ExtractedField{}, in.Previous...)}
	var missing []skills.FieldSpec
	for _, f := range in.Fields {
		has := slices.ContainsFunc(in.Previous, func(v skills.ExtractedField) bool {
			name, _, listed := strings.Cut(f.Path, "[]")
			return v.Path == f.Path || listed && strings.HasPrefix(v.Path, name+"[")
		})
		if !has {
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	found, err := fields.Extract(in.Text, in.Boxes, missing, &fields.Options{Weights: weights, Wide: true})
	out.Fields = append(out.Fields, found...)
	return out, err
}

// verifyExtraction says of values what does not look like one of their kind.
func verifyExtraction(in skills.VerifyExtractionInput) (skills.VerifyExtractionOutput, error) {
	out := skills.VerifyExtractionOutput{Issues: []skills.ExtractionIssue{}}
	for _, d := range fields.Doubts(in.Text, in.Fields, in.Values) {
		out.Issues = append(out.Issues, skills.ExtractionIssue{Severity: "MEDIUM", Field: d.Field, Message: d.Why, Suggestion: "compare it with the document"})
	}
	return out, nil
}
