package converse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/decide/injection"
	"example.com/assay/graph"
	"example.com/assay/memory"
	"example.com/assay/nodes/verify"
	"example.com/assay/serve/conversation"
	"example.com/assay/state"
)

// A toVerify is what a caller may give beside a response.
type toVerify struct {
	Query   string      `json:"query"`   // the question that the response answers
	Context []givenText `json:"context"` // beside the corpus
}

// A givenText is a text that a response is checked against.
type givenText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// read reads the input of a turn.
func (v *toVerify) read(t conversation.Turn) error { return strictly(t.Input, v) }

// strictly reads JSON, and refuses fields that are not known. No JSON is the zero value.
func strictly(data json.RawMessage, v any) error {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	return nil
}

// passages are the context, each text under its name.
func (v *toVerify) passages(ctx context.Context) (*memory.Texts, error) {
	texts := &memory.Texts{}
	for i, e := range v.Context {
		if strings.TrimSpace(e.Text) == "" {
			return nil, fmt.Errorf("input: context %d has no text", i+1)
		}
		if err := texts.AddText(ctx, cmp.Or(e.Name, fmt.Sprintf("context %d", i+1)), e.Text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Verify checks a response against the corpus of the desk, if it has one, and against the
// texts that a turn brings.
func Verify(d Desk) (graph.App, error) {
	p, err := d.Verify()
	if err != nil {
		return graph.App{}, err
	}
	return appOf("verify", conversation.Pipeline[verify.State]{
		Graph: p.Graph(),
		Check: func(t conversation.Turn) error {
			var in toVerify
			if err := in.read(t); err != nil {
				return err
			}
			if d.Corpus == nil && len(in.Context) == 0 {
				return errors.New(`there is no evidence: choose a corpus (context: {"corpus": NAME}), or give input: {"context": [{"name": …, "text": …}]}`)
			}
			_, err := in.passages(context.Background())
			return err
		},
		Ask: func(t conversation.Turn) graph.Update[verify.State] {
			var in toVerify
			_ = in.read(t) // Check has read it
			out := verify.Input{Query: in.Query, Response: t.Text}
			if texts, err := in.passages(context.Background()); err == nil { // as Check saw
				out.Evidence = verify.Labelled(texts.Passages, injection.Orders)
			}
			return out.Update()
		},
		Reply: func(final verify.State) conversation.Reply {
			answer := verify.Result(final, nil, locator{d.Corpus})
			answer.Question, answer.Model = final.Query, d.ModelLabel()
			if d.Corpus != nil {
				answer.Corpus = d.Corpus.Name()
			}
			return verified(answer).done(d, answer, nil)
		},
	})
}

// A locator knows the files of a corpus, if there is one. A text that a turn brought is in
// no file.
type locator struct{ corpus *memory.Corpus }

func (l locator) TextPath(source string) (path, original string, err error) {
	if l.corpus == nil {
		return (&memory.Texts{}).TextPath(source)
	}
	return l.corpus.TextPath(source)
}

var claimMarks = map[state.ClaimStatus]string{state.Supported: "✓ supported", state.PartiallySupported: "◐ in part", state.Unsupported: "✗ unsupported"}

// verified is a checked response as a message: the verdict on each claim, with its
// quotes, and the response with what has no support marked.
func verified(a verify.Answer) *reply {
	r := &reply{}
	check := a.Verification.ClaimCheck
	if check != nil && len(a.History) > 0 {
		r.printf("%s", render.CheckLine(check))
		r.heading("Claims")
		for _, c := range check.Claims {
			r.item("%s: %s", cmp.Or(claimMarks[c.Status], string(c.Status)), render.Line(c.Claim))
			if c.Status != state.Supported || c.Miscited {
				r.printf(" (%s)", render.Line(c.Reasoning))
			}
			for _, d := range c.Doubts {
				r.printf(" (could not check: %s)", render.Line(d.Claim))
			}
			r.evidence("for: ", c.Evidence, a.Sources)
			r.evidence("against: ", c.Against, a.Sources)
		}
	}
	if a.FinalResponse != "" {
		r.paragraph()
		r.printf("### Response\n\n%s", a.FinalResponse)
	}
	if c := a.Correction; c != nil {
		r.paragraph()
		r.printf("### Suggested correction\n\n%s\n\n*%d of %d of its claims are supported; the verdict above is on the response as it was given.*", c.Response, c.Supported, c.Checked)
	}
	r.ended(a.Answer)
	return r
}
