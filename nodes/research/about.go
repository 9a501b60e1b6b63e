package research

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// About describes the pipeline.
func About() pipeline.Pipeline {
	return pipeline.Pipeline{
		Name: "research", Verb: "ask", Tool: "ask", Title: "Ask",
		Does:    "answers a question with citations",
		Offer:   "Ask a question",
		About:   "Answers a question from a corpus of the user's documents, with exact quotes. Says when the documents do not hold the answer.",
		Prompt:  "Answer this question with the tool ask%s. Keep its quotes word for word, name the document of each, and say so if the documents do not hold the answer.\n\n%s",
		Message: pipeline.Field{Name: "question", Help: "the question, as a person would ask it", Needed: true},
		Inputs:  []pipeline.Field{pipeline.AsOf},
		Corpus:  pipeline.Always,
		Skills:  Skills(),
		Proof:   func(answer json.RawMessage) (proof.Proof, error) { return proof.Read(answer, Proof) },
	}
}

// Instance is the pipeline without the type of its state.
func (p *Pipeline) Instance() pipeline.Instance {
	return pipeline.Of(pipeline.Typed[state.Agent]{
		Graph: p.graph,
		Check: func(t conversation.Turn) error { return t.Read(&furtherFields{}) },
		Input: func(t conversation.Turn) graph.Update[state.Agent] {
			var in furtherFields
			_ = t.Read(&in) // Check has read it
			return (&AskOptions{Earlier: exchanges(t), AsOf: in.AsOf}).Input(strings.TrimSpace(t.Text))
		},
		Answer: func(final state.Agent, runErr error, files pipeline.Library) (pipeline.Answer, error) {
			answer := Result(final, runErr, files)
			if runErr != nil { // the node that counts usage did not run
				Unfinished(&answer, final)
			}
			return &answer, nil
		},
		Earlier: func(a pipeline.Answer) any {
			if e, ok := ExchangeOf(*a.Common()); ok {
				return e
			}
			return nil
		},
	})
}

// furtherFields are the further fields of a turn.
type furtherFields struct {
	AsOf string `json:"as_of"`
}

// mostBefore bounds an answer of a conversation that a thread began with, in runes.
const mostBefore = 300

// exchanges are the turns before a turn, as far as they are known.
func exchanges(t conversation.Turn) []state.Exchange {
	var out []state.Exchange
	for _, data := range t.Earlier {
		var e state.Exchange
		if json.Unmarshal(data, &e) == nil { // it is one of ours
			out = append(out, e)
		}
	}
	for _, m := range t.Before {
		switch m.Type {
		case "human":
			out = append(out, state.Exchange{Question: strings.TrimSpace(m.Content.String())})
		case "ai":
			if n := len(out); n > 0 {
				out[n-1].Answer = llm.Cut(strings.Join(strings.Fields(m.Content.String()), " "), mostBefore)
			}
		}
	}
	return slices.DeleteFunc(out, func(e state.Exchange) bool { return e.Question == "" })
}
