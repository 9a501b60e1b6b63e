package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// About describes the pipeline.
func About() pipeline.Pipeline {
	return pipeline.Pipeline{
		Name: "verify", Title: "Verify",
		Does:    "checks a response claim by claim and corrects it",
		Offer:   "Check a text against my documents",
		About:   "Checks a text claim by claim against a corpus, or against texts that you give: supported, in part, or unsupported, with the quotes for and against.",
		Prompt:  "Check this text with the tool verify%s. List each claim with its verdict and its quote, the unsupported ones first.\n\n%s",
		Message: pipeline.Field{Name: "text", Help: "the text to check", Needed: true, File: true},
		Inputs: []pipeline.Field{
			{Name: "query", Arg: "question", Help: "the question that the text answers"},
			{Name: "context", Help: "further evidence", Schema: `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"what the text is called"},"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}`},
		},
		Corpus: pipeline.IfGiven,
		Skills: Skills(),
		Proof:  func(answer json.RawMessage) (proof.Proof, error) { return proof.Read(answer, Answer.Proof) },
	}
}

// A Reader makes passages of a text that a caller gave.
type Reader func(name, text string) ([]state.Passage, error)

// Instance is the pipeline without the type of its state. Without a corpus each turn has
// to bring evidence. Without a reader no turn can: the input has passages of files that the
// library knows.
func (p *Pipeline) Instance(read Reader, corpus bool) pipeline.Instance {
	return pipeline.Of(pipeline.Typed[State]{
		Graph: p.graph,
		Check: func(t conversation.Turn) error {
			in, err := p.turn(t, read)
			if err == nil && !corpus && len(in.Evidence) == 0 {
				err = errors.New(`there is no evidence: choose a corpus (context: {"corpus": NAME}), or give input: {"context": [{"name": …, "text": …}]}`)
			}
			return err
		},
		Input: func(t conversation.Turn) graph.Update[State] {
			in, _ := p.turn(t, read) // Check has read it
			return in.Update()
		},
		Answer: func(final State, runErr error, files pipeline.Library) (pipeline.Answer, error) {
			if read != nil {
				files = given{files, final}
			}
			answer := Result(final, runErr, files)
			answer.Question = final.Query
			return &answer, nil
		},
	})
}

// given are the files of a run whose caller gave texts: these are in none.
type given struct {
	pipeline.Library
	of State
}

func (g given) TextPath(source string) (path, original string, err error) {
	for _, e := range g.of.Evidence {
		if e.Passage.Source == source && !strings.HasPrefix(e.Label, foundLabel) {
			return "", "", nil
		}
	}
	return g.Library.TextPath(source)
}

// turn is the input of a turn: its message is the response, and its further fields are the
// question and evidence.
func (p *Pipeline) turn(t conversation.Turn, read Reader) (Input, error) {
	var more struct {
		Query   string `json:"query"`
		Context []struct {
			Name string `json:"name"`
			Text string `json:"text"`
		} `json:"context"`
	}
	if err := t.Read(&more); err != nil {
		return Input{}, err
	}
	var passages []state.Passage
	for i, c := range more.Context {
		if strings.TrimSpace(c.Text) == "" {
			return Input{}, fmt.Errorf("input: context %d has no text", i+1)
		}
		read, err := read(cmp.Or(c.Name, fmt.Sprintf("context %d", i+1)), c.Text)
		if err != nil {
			return Input{}, err
		}
		passages = append(passages, read...)
	}
	return Input{Query: more.Query, Response: t.Text, Evidence: Labelled(passages, p.inspect)}, nil
}
