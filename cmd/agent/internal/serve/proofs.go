package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

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
	of, err := open.PipelineOf(r.Graph)
	if err != nil {
		return nil, nil, err
	}
	p, err := of.Proof(talk.Answer)
	if err != nil {
		return nil, nil, err
	}
	message := ""
	for _, m := range talk.Messages {
		if m.Type == "human" {
			message = m.Content.String()
		}
	}
	if of.Corpus != pipeline.Never {
		return &p, s.documents(tenant, p.Corpus), nil
	}
	return &p, func(context.Context, proof.Document) (proof.Content, error) {
		if message == "" {
			return proof.Content{}, errGone
		}
		return proof.Content{Text: message, Held: true}, nil
	}, nil
}

var errGone = errors.New("the message that it was is not kept")
