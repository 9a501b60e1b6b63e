package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// A Job is a graph run by a tool.
type Job struct {
	Graph    string
	Values   json.RawMessage // an object with values of the graph's channels
	Settings map[string]json.RawMessage
	// Durability says when the run is saved. A run that was not saved when its process died begins
	// again. Default: after each superstep.
	Durability graph.Durability
}

// An End is the result of a job.
type End struct {
	Run    runs.Run
	Values json.RawMessage // the state of the thread
}

// Run runs a job on its own thread and reports its progress. The end of ctx cancels the run. When
// the run waits for a person, Run returns an *InputRequired, which the tool must return; in the
// next call Run continues with the answers.
func (c *Call) Run(ctx context.Context, j Job) (End, error) {
	space, err := c.Space(ctx)
	if err != nil {
		return End{}, err
	}
	spec, err := c.spec(space, j)
	if err != nil {
		return End{}, err
	}
	r, err := space.Begin(ctx, spec)
	if err != nil {
		return End{}, err
	}
	defer func() {
		if err := space.Cancel(context.WithoutCancel(ctx), r.ID); err != nil { // a run that has ended stays as it is
			space.Warn(err)
		}
	}()
	for ev, err := range space.Events(ctx, r.ID, 0) {
		if err != nil {
			return End{}, err
		}
		if ev.Kind == runs.KindSteps {
			c.Progress(ctx, strings.TrimSuffix(ev.Text, " → "))
		}
	}
	if r, err = space.Wait(ctx, r.ID); err != nil {
		return End{}, err
	}
	switch r.Status {
	case runs.Success:
	case runs.Errored, runs.TimedOut:
		return End{}, errors.New(r.Error)
	case runs.Cancelled:
		return End{}, errors.New("the run was cancelled: call the tool again")
	default:
		return End{}, runs.ErrClosing
	}
	at, _, err := space.State(ctx, r.Thread, "")
	if err != nil {
		return End{}, err
	}
	if at == nil {
		return End{}, errors.New("the thread of the run was removed: call the tool again")
	}
	if len(at.Interrupts) > 0 {
		return End{}, asked(r.Thread, at.Interrupts)
	}
	return End{r, at.State}, nil
}

// spec returns the run of a job, or its continuation with a person's answers.
func (c *Call) spec(space *runs.Space, j Job) (runs.Spec, error) {
	metadata, err := json.Marshal(map[string]string{"graph_id": j.Graph, "wire": "mcp"})
	if err != nil {
		return runs.Spec{}, err
	}
	spec := runs.Spec{
		Graph: j.Graph, Metadata: metadata, Marks: metadata, Modes: graph.Tasks | graph.Custom | graph.Tokens, Subgraphs: true,
		Saved: map[string]string{"graph_id": j.Graph}, Settings: j.Settings, Durability: j.Durability,
	}
	if c.state != nil {
		spec.Thread, spec.Resume = c.state.Thread, true
		spec.Answers, err = c.answers()
		return spec, err
	}
	g, err := space.Graph(j.Graph)
	if err != nil {
		return spec, err
	}
	if spec.Input, err = g.App.Values(j.Values); err != nil {
		err = &runs.InvalidError{Err: err}
	}
	return spec, err
}

// answers returns the person's answers to the run's interrupts.
func (c *Call) answers() (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for id, plain := range c.state.IDs {
		given, ok := c.req.Params.InputResponses[id].(*sdk.ElicitResult)
		if !ok {
			return nil, fmt.Errorf("there is no answer to %q: call again with an answer to each input request", id)
		}
		if given.Action != "accept" {
			return nil, errors.New("the person did not answer: the run stays where it asked. Call the tool anew to ask again")
		}
		var v any = given.Content
		if plain {
			v = given.Content["answer"]
		}
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("reading the answer to %q: %w", id, err)
		}
		out[id] = data
	}
	return out, nil
}

// plainAnswer is the form for a question without its own.
const plainAnswer = `{"type":"object","properties":{"answer":{"type":"string","title":"Answer"}},"required":["answer"]}`

// asked returns the questions of a run. A payload {"message": …, "schema": …} is shown with its
// form, whose object is the answer. Any other payload is shown as text, and the answer is a text.
func asked(thread string, pending []graph.PendingInterrupt) *InputRequired {
	out := &InputRequired{state: sealed{thread, map[string]bool{}}}
	for _, p := range pending {
		var with struct {
			Message string          `json:"message"`
			Schema  json.RawMessage `json:"schema"`
		}
		q := Question{ID: p.ID, Schema: json.RawMessage(plainAnswer)}
		plain := json.Unmarshal(p.Payload, &with) != nil || with.Message == "" || len(with.Schema) == 0
		if plain {
			if json.Unmarshal(p.Payload, &q.Text) != nil {
				q.Text = string(bytes.TrimSpace(p.Payload))
			}
		} else {
			q.Text, q.Schema = with.Message, with.Schema
		}
		if p.Problem != "" {
			q.Text += "\n\n" + p.Problem
		}
		out.Questions, out.state.IDs[p.ID] = append(out.Questions, q), plain
	}
	return out
}
