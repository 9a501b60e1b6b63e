package langgraph

import (
	"encoding/json"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

// identified gives an ID to each message without one, as LangGraph's messages channel does.
// What is not a message stays as it is.
func (c *call) identified(g runs.Graph, values json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(values, &fields) != nil || !present(fields["messages"]) || !hasMessages(g) {
		return values, nil
	}
	list := []json.RawMessage{fields["messages"]}
	_ = json.Unmarshal(fields["messages"], &list) // one message is a list of one
	for i, one := range list {
		if whole, err := message.Whole(one); err == nil {
			one = whole
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(one, &m) != nil {
			continue // refused by name when the graph reads it
		}
		if id := m["id"]; !present(id) || string(id) == `""` {
			id, err := json.Marshal(c.NewID())
			if err != nil {
				return nil, err
			}
			m["id"] = id
		}
		var err error
		if list[i], err = json.Marshal(m); err != nil {
			return nil, err
		}
	}
	messages := list
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
