package serve

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/nodes/shown"
	"example.com/assay/serve/conversation"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

// mostText is how many bytes of a document are read to be shown beside an answer.
const mostText = 64 << 20

// proof is the last answer of a conversation with its evidence, for the page. Documents are
// those of the corpus that was read, if the tenant may read it, and the text of the message
// that an extraction read.
func (s *server) proof(_ context.Context, tenant string, r runs.Run, data json.RawMessage) (*proof.Proof, proof.Documents, error) {
	var talk conversation.State
	if err := json.Unmarshal(data, &talk); err != nil {
		return nil, nil, fmt.Errorf("reading the conversation: %w", err)
	}
	if len(talk.Answer) == 0 || string(talk.Answer) == "null" {
		return nil, nil, nil
	}
	p, err := shown.Of(r.Graph, talk.Answer)
	if err != nil {
		return nil, nil, err
	}
	var about struct {
		Corpus string `json:"corpus"`
	}
	if err := json.Unmarshal(talk.Answer, &about); err != nil {
		return nil, nil, err
	}
	message := ""
	for _, m := range talk.Messages {
		if m.Type == "human" {
			message = m.Content.String()
		}
	}
	return &p, func(ctx context.Context, d proof.Document) (proof.Content, error) {
		if r.Graph == "extract" {
			if message == "" {
				return proof.Content{}, errGone
			}
			return proof.Content{Text: message}, nil
		}
		return s.document(ctx, tenant, about.Corpus, d.Name)
	}, nil
}

var errGone = fmt.Errorf("the message that it was is not kept")

// document reads a document of a corpus as it stands.
func (s *server) document(ctx context.Context, tenant, corpus, name string) (_ proof.Content, err error) {
	c, err := corpora{s}.Open(ctx, tenant, corpus)
	if err != nil {
		return proof.Content{}, err
	}
	defer func() {
		if closing := c.Close(); err == nil {
			err = closing
		}
	}()
	data, err := c.Text(ctx, name, 0, mostText)
	return proof.Content{Text: string(data)}, err
}
