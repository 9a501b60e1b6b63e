package langgraph

import (
	"encoding/json"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// identified gives an ID to each message without one, as LangGraph's messages channel does.
// Anything other than a list of objects stays as it is.
func (c *call) identified(g runs.Graph, values json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	var messages []map[string]json.RawMessage
	if json.Unmarshal(values, &fields) != nil || json.Unmarshal(fields["messages"], &messages) != nil || !hasMessages(g) {
		return values, nil
	}
	for _, m := range messages {
		if id := m["id"]; m == nil || present(id) && string(id) != `""` {
			continue
		}
		id, err := json.Marshal(c.NewID())
		if err != nil {
			return nil, err
		}
		m["id"] = id
	}
	var err error
	if fields["messages"], err = json.Marshal(messages); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// hasMessages reports whether a graph has a list named "messages".
func hasMessages(g runs.Graph) bool {
	return slices.ContainsFunc(g.App.Channels(), func(ch graph.ChannelInfo) bool {
		return ch.Name == "messages" && (ch.Kind == graph.KindAppend || ch.Kind == graph.KindKeyed)
	})
}
