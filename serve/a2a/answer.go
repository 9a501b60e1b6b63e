package a2a

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

// answerID is the ID of a task's artifact.
const answerID = "answer"

// A citation is a citation of a text part of an artifact.
type citation struct {
	Part int `json:"part"` // position of the part
	message.Citation
}

// answer returns the artifact of a run that has ended: what the agent said since the person's last
// message, except before calls of tools, and the channel "answer". For a graph without messages it
// is the state. There is none if the run left nothing, or if its checkpoint cannot be read any more,
// for example after the graph has changed.
func (c *call) answer(ctx context.Context, r *runs.Run) ([]*a2a.Artifact, error) {
	g, err := c.Graph(r.Graph)
	if err != nil {
		return nil, nil // the server no longer has the graph
	}
	for at, err := range c.History(ctx, r.Thread, &graph.HistoryOptions{Run: r.ID, Limit: 1}) {
		if errors.Is(err, graph.ErrCheckpointer) {
			return nil, err
		}
		if err != nil {
			break
		}
		out := &a2a.Artifact{ID: answerID, Name: g.Name}
		if !g.Converses() || answerOf(out, at.State) != nil { // messages of another kind
			out.Parts = a2a.ContentParts{dataPart(at.State)}
		}
		if out.Parts != nil {
			return []*a2a.Artifact{out}, nil
		}
	}
	return nil, nil
}

func dataPart(data json.RawMessage) *a2a.Part {
	p := a2a.NewDataPart(data)
	p.MediaType = structured
	return p
}

// answerOf fills an artifact from a conversation.
func answerOf(out *a2a.Artifact, conversed json.RawMessage) error {
	var state struct {
		Messages []message.Message `json:"messages"`
		Answer   json.RawMessage   `json:"answer"`
	}
	if err := json.Unmarshal(conversed, &state); err != nil {
		return err
	}
	from := len(state.Messages)
	for from > 0 && state.Messages[from-1].Type != message.Human {
		from--
	}
	var cited []citation
	for _, m := range state.Messages[from:] {
		if m.Type != message.AI || len(m.Calls) > 0 {
			continue
		}
		blocks := m.Content.Blocks
		if blocks == nil {
			blocks = []message.Block{{Type: "text", Text: m.Content.Text}}
		}
		for _, b := range blocks {
			if b.Type != "text" || b.Text == "" {
				continue
			}
			for _, one := range b.Annotations {
				cited = append(cited, citation{len(out.Parts), one})
			}
			p := a2a.NewTextPart(b.Text)
			p.MediaType = "text/markdown"
			out.Parts = append(out.Parts, p)
		}
	}
	if len(cited) > 0 {
		out.SetMeta("annotations", cited)
	}
	if len(state.Answer) > 0 && string(state.Answer) != "null" {
		out.Parts = append(out.Parts, dataPart(state.Answer))
	}
	return nil
}
