package offline

import (
	"example.com/assay/memory/text/followup"
	"example.com/assay/skills"
)

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
