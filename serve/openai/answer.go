package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
	"example.com/assay/state/message"
)

// An answer is the result of a turn.
type answer struct {
	parts      []part // in the order in which they came
	text       string // of the parts, and of the questions
	citations  []annotation
	asked      []graph.PendingInterrupt // the run's interrupts, instead of an answer
	usage      usage
	checkpoint string // the end of the turn
	ended      time.Time
	hearing
}

// A part is a text that the graph has said, a call that it has made, or its reasoning.
type part struct {
	kind      string
	n         int    // the place of its message among those of the turn; of an approval among them
	text      string // for partCall: the result
	citations []annotation
	call      message.ToolCall
	failed    bool // the call
}

// Kinds of parts. They begin the IDs of items.
const (
	partText      = "msg"
	partCall      = "mcp"
	partReasoning = "rs"
	partApproval  = "mcpr" // a call that waits for approval
)

// cancelled is the code of a cancelled run's failure.
const cancelled = "run_cancelled"

// usage counts tokens as the models reported them.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

const (
	textAgain = "model_text_again" // the custom event of a model that begins its text again
	offline   = "offline"          // the model that counts words and costs nothing
)

func (u *usage) add(data json.RawMessage) error {
	var call struct {
		Model string `json:"model"`
		Usage struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(data, &call); err != nil {
		return fmt.Errorf("reading a %s event: %w", event.ModelCall, err)
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

// outcome waits for the end of a run and reads its answer. Meanwhile to, if it is not nil, hears
// what the graph says.
func (c *call) outcome(ctx context.Context, run runs.Run, to listener) (*answer, error) {
	a := newAnswer(run.Thread)
	for ev, err := range c.Events(ctx, run.ID, 0) {
		if err == nil {
			err = c.hear(ctx, a, ev, to)
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := c.Wait(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	if err := failureOfRun(r); err != nil {
		return nil, err
	}
	a.ended = r.Updated
	at, _, err := c.State(ctx, r.Thread, a.checkpoint)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return nil, errors.New("the thread of the run was removed")
	}
	return a, a.read(at)
}

// failureOfRun returns why a run has no answer; nil if it has one.
func failureOfRun(r runs.Run) error {
	switch r.Status {
	case runs.Success:
		return nil
	case runs.Errored, runs.TimedOut:
		return &failure{Status: http.StatusInternalServerError, Message: r.Error, Code: "run_" + string(r.Status), Final: true}
	case runs.Cancelled:
		return &failure{Status: http.StatusInternalServerError, Message: "the run was cancelled", Code: cancelled, Final: true}
	}
	return runs.ErrClosing
}

// read reads the messages after the person's last one, and the run's interrupts.
func (a *answer) read(at *runs.Snapshot) error {
	list, err := messagesIn(at)
	if err != nil {
		return err
	}
	from := len(list)
	for from > 0 && list[from-1].Type != message.Human {
		from--
	}
	for _, m := range list[from:] {
		parts, err := a.partsOf(m)
		if err != nil {
			return err
		}
		a.parts = append(a.parts, parts...)
	}
	slices.SortStableFunc(a.parts, func(a, b part) int { return cmp.Compare(a.n, b.n) })
	for _, p := range a.parts {
		if p.kind != partText {
			continue
		}
		before := a.add(p.text)
		for _, one := range p.citations {
			one.URL.Start, one.URL.End = before+one.URL.Start, before+one.URL.End
			a.citations = append(a.citations, one)
		}
	}
	a.checkpoint = at.Key.ID
	for _, q := range a.asked {
		a.add(questionOf(q))
	}
	if a.text == "" {
		return &failure{Status: http.StatusInternalServerError, Message: "the run ended without an answer", Final: true}
	}
	return nil
}

// add adds a text, and returns the number of characters before it.
func (a *answer) add(text string) (before int) {
	if a.text != "" {
		a.text += gap
	}
	before = utf8.RuneCountInString(a.text)
	a.text += text
	return before
}

// gap is between the texts of messages.
const gap = "\n\n"

// textOf returns the text of a message with its citations.
func textOf(m message.Message) (part, error) {
	p := part{kind: partText}
	blocks := m.Content.Blocks
	if blocks == nil {
		blocks = []message.Block{{Type: "text", Text: m.Content.Text}}
	}
	for _, b := range blocks {
		if b.Type != "text" {
			continue
		}
		if p.text != "" {
			p.text += "\n"
		}
		before := utf8.RuneCountInString(p.text)
		p.text += b.Text
		for _, c := range b.Annotations {
			if n := utf8.RuneCountInString(b.Text); c.StartIndex < 0 || c.EndIndex < c.StartIndex || c.EndIndex > n {
				return p, fmt.Errorf("message %q: a citation is of the characters %d to %d of a text of %d", m.ID, c.StartIndex, c.EndIndex, n)
			}
			p.citations = append(p.citations, annotation{
				Type: "url_citation",
				URL: urlCitation{
					Start: before + c.StartIndex, End: before + c.EndIndex,
					URL: cmp.Or(c.URL, c.Doc, c.Path), Title: cmp.Or(c.Title, c.Doc, c.Path),
				},
				Own: source{CitedText: c.CitedText, Doc: c.Doc, Path: c.Path, Start: c.Start, End: c.End},
			})
		}
	}
	return p, nil
}
