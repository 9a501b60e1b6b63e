package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

// An answer is the result of a turn.
type answer struct {
	text       string
	citations  []annotation
	asked      []graph.PendingInterrupt // the run's interrupts, instead of an answer
	usage      usage
	checkpoint string // the end of the turn
}

// usage counts tokens as the models reported them.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

const (
	modelCall = "model_call" // the custom event of a model call
	offline   = "offline"    // the model that counts words and costs nothing
)

func (u *usage) add(event json.RawMessage) error {
	var call struct {
		Model string `json:"model"`
		Usage struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(event, &call); err != nil {
		return fmt.Errorf("reading a %s event: %w", modelCall, err)
	}
	if call.Model == offline {
		return nil
	}
	u.Prompt += call.Usage.Input
	u.Completion += call.Usage.Output
	u.Total = u.Prompt + u.Completion
	return nil
}

// An annotation is a citation in the clients' format, with further fields for the source.
type annotation struct {
	Type string      `json:"type"`
	URL  urlCitation `json:"url_citation"`
	Own  source      `json:"assay"`
}

// urlCitation is a range of the text in characters (code points); the end is exclusive.
type urlCitation struct {
	Start int    `json:"start_index"`
	End   int    `json:"end_index"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// source is the cited source: the bytes from start to end of a document.
type source struct {
	CitedText string `json:"cited_text"`
	Doc       string `json:"doc"`
	Path      string `json:"path"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// outcome waits for the end of a run and reads its answer.
func (c *call) outcome(ctx context.Context, t *turn) (*answer, error) {
	a := &answer{}
	for ev, err := range c.Events(ctx, t.run.ID, 0) {
		switch {
		case err != nil:
			return nil, err
		case ev.Kind == graph.CheckpointSaved.String() && ev.Namespace == "":
			a.checkpoint = ev.Checkpoint
		case ev.Kind == graph.NodeCustom.String() && ev.Name == modelCall:
			if err := a.usage.add(ev.Data); err != nil {
				return nil, err
			}
		}
	}
	r, err := c.Wait(ctx, t.run.ID)
	if err != nil {
		return nil, err
	}
	switch r.Status {
	case runs.Success:
	case runs.Errored, runs.TimedOut:
		return nil, &failure{Status: http.StatusInternalServerError, Message: r.Error, Code: "run_" + string(r.Status), Final: true}
	case runs.Cancelled:
		return nil, &failure{Status: http.StatusInternalServerError, Message: "the run was cancelled", Code: "run_cancelled", Final: true}
	default:
		return nil, runs.ErrClosing
	}
	at, _, err := c.State(ctx, r.Thread, a.checkpoint)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return nil, errors.New("the thread of the run was removed")
	}
	return a, a.read(at)
}

// read reads the messages after the person's last one, or else the run's interrupts.
func (a *answer) read(at *runs.Snapshot) error {
	var state struct {
		Messages []message.Message `json:"messages"`
	}
	if err := json.Unmarshal(at.State, &state); err != nil {
		return fmt.Errorf("reading the conversation: %w", err)
	}
	from := len(state.Messages)
	for from > 0 && state.Messages[from-1].Type != "human" {
		from--
	}
	a.checkpoint, a.asked = at.Key.ID, at.Interrupts
	for _, q := range a.asked {
		a.add("\n\n", questionOf(q))
	}
	if len(a.asked) > 0 {
		return nil
	}
	for _, m := range state.Messages[from:] {
		if m.Type != "ai" {
			continue
		}
		blocks := m.Content.Blocks
		if blocks == nil {
			blocks = []message.Block{{Type: "text", Text: m.Content.Text}}
		}
		gap := "\n\n"
		for _, b := range blocks {
			if b.Type != "text" {
				continue
			}
			before := a.add(gap, b.Text)
			gap = "\n"
			if err := a.cite(before, b); err != nil {
				return fmt.Errorf("message %q: %w", m.ID, err)
			}
		}
	}
	if a.text == "" {
		return &failure{Status: http.StatusInternalServerError, Message: "the run ended without an answer", Final: true}
	}
	return nil
}

// add adds a text, and returns the number of characters before it.
func (a *answer) add(gap, text string) (before int) {
	if a.text != "" {
		a.text += gap
	}
	before = utf8.RuneCountInString(a.text)
	a.text += text
	return before
}

// cite adds the citations of a block that follows this many characters.
func (a *answer) cite(before int, b message.Block) error {
	for _, c := range b.Annotations {
		if n := utf8.RuneCountInString(b.Text); c.StartIndex < 0 || c.EndIndex < c.StartIndex || c.EndIndex > n {
			return fmt.Errorf("a citation is of the characters %d to %d of a text of %d", c.StartIndex, c.EndIndex, n)
		}
		a.citations = append(a.citations, annotation{
			Type: "url_citation",
			URL: urlCitation{
				Start: before + c.StartIndex, End: before + c.EndIndex,
				URL: cmp.Or(c.URL, c.Doc, c.Path), Title: cmp.Or(c.Title, c.Doc, c.Path),
			},
			Own: source{CitedText: c.CitedText, Doc: c.Doc, Path: c.Path, Start: c.Start, End: c.End},
		})
	}
	return nil
}

// questionOf returns the text of an interrupt: its payload, as JSON unless it is a text.
func questionOf(q graph.PendingInterrupt) string {
	var text string
	if json.Unmarshal(q.Payload, &text) != nil {
		text = string(bytes.TrimSpace(q.Payload))
	}
	if q.Problem != "" {
		text = strings.TrimSpace(text + "\n\n" + q.Problem)
	}
	return text
}
