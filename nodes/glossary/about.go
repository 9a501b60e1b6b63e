package glossary

import (
	"encoding/json"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state/proof"
)

// Every is the message that asks for all terms.
const Every = "*"

// About describes the pipeline.
func About() pipeline.Pipeline {
	return pipeline.Pipeline{
		Name: "glossary", Title: "Glossary",
		Does:    "lists the definitions that stand out in a corpus",
		Offer:   "List the definitions",
		About:   "Lists the definitions that stand out in the documents of a corpus (“X” means …, entries of lists of terms), word for word; or those of one term. It finds none in running text or in tables.",
		Prompt:  "List with the tool glossary%s what the documents define, and keep each definition word for word. The term, or * for all:\n\n%s",
		Message: pipeline.Field{Name: "term", Help: "the term, or a part of it; " + Every + " for every term", Needed: true},
		Corpus:  pipeline.Always,
		Proof:   func(answer json.RawMessage) (proof.Proof, error) { return proof.Read(answer, Answer.Proof) },
		Make: func(b pipeline.Bench) (pipeline.Instance, error) {
			g, err := New(b.Corpus, b.Inspect)
			if err != nil {
				return pipeline.Instance{}, err
			}
			return pipeline.Of(pipeline.Typed[State]{
				Graph: g,
				Input: func(t conversation.Turn) graph.Update[State] {
					return graph.Update[State]{term.Set(strings.TrimSpace(t.Text))}
				},
				Answer: func(final State, runErr error, files pipeline.Library) (pipeline.Answer, error) {
					return Result(final, runErr, files), nil
				},
			}), nil
		},
	}
}
