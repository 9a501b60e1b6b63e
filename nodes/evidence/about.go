package evidence

import (
	"encoding/json"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// About describes the pipeline.
func About() pipeline.Pipeline {
	return pipeline.Pipeline{
		Name: "comply", Title: "Comply",
		Does:    "answers with verbatim requirements, for an auditor",
		Offer:   "Find the rules",
		About:   "Answers a compliance question by the requirements that a corpus lays down, verbatim, for an auditor.",
		Prompt:  "Answer this compliance question with the tool comply%s. Quote each requirement word for word with its id and document, and name what evidence is missing.\n\n%s",
		Message: pipeline.Field{Name: "question", Help: "the question, as a person would ask it", Needed: true},
		Inputs: []pipeline.Field{
			{Name: "topic", Help: "read only passages of this topic"},
			{Name: "section", Help: "read only passages of this section: of the metadata, or a part of the heading"},
			{Name: "category", Help: "read only passages of this category"},
			{Name: "source_type", Help: "read only statutes or only policies", Schema: `{"type":"string","enum":["statute","policy"]}`},
			{Name: "explicit", Help: "take only norms in so many words: must, shall, required, prohibited", Schema: `{"type":"boolean"}`},
			pipeline.AsOf,
		},
		Corpus: pipeline.Always,
		Skills: Skills(),
		Proof:  func(answer json.RawMessage) (proof.Proof, error) { return proof.Read(answer, Audit.Proof) },
	}
}

// Instance is the pipeline without the type of its state.
func (p *Pipeline) Instance() pipeline.Instance {
	return pipeline.Of(pipeline.Typed[State]{
		Graph: p.graph,
		Check: func(t conversation.Turn) error {
			var f Filter
			if err := t.Read(&f); err != nil {
				return err
			}
			if f.SourceType != "" && f.SourceType != Statute && f.SourceType != Policy {
				return fmt.Errorf("input: source_type is %q; known: statute, policy", f.SourceType)
			}
			return nil
		},
		Input: func(t conversation.Turn) graph.Update[State] {
			in := Input{Question: t.Text}
			_ = t.Read(&in.Filter) // Check has read it
			return in.Update()
		},
		Answer: func(final State, runErr error, files pipeline.Library) (pipeline.Answer, error) {
			audit := Result(final, runErr, files)
			return &audit, nil
		},
	})
}

// Sign implements pipeline.Answer.
func (a *Audit) Sign(s state.Signature) {
	a.Answer.Sign(s)
	a.Fingerprint = s.Fingerprint
	if s.Skills != nil {
		a.Skills = s.Skills
	}
}
