package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"example.com/assay/graph"
	"example.com/assay/internal/plainjson"
)

// Node makes a node that calls a tool. In reads the arguments from the state, as a value whose JSON
// is an object. Out makes the write for the result, such as the Set method of a channel. The type
// Out is what the structured content decodes to, a Result, or a string for a tool that returns
// text.
//
// The call's error is the node's error; a retry policy repeats it. After a crash, a node that was
// interrupted calls again.
func Node[S, In, Out any](s *Session, tool string, in func(S) In, out func(Out) graph.Write[S]) (graph.Node[S], error) {
	if _, err := s.definition(tool); err != nil {
		return nil, fmt.Errorf("making a node: %w", err)
	}
	if in == nil || out == nil {
		return nil, fmt.Errorf("making a node of the tool %q: it needs a function for its arguments, and one for its result", tool)
	}
	return func(ctx context.Context, state S) (graph.Update[S], error) {
		arguments, err := plainjson.Encode(in(state))
		if err != nil {
			return nil, fmt.Errorf("encoding the arguments of the tool %q: %w", tool, err)
		}
		result, err := s.Call(ctx, tool, arguments)
		if err != nil {
			return nil, err
		}
		value, err := decoded[Out](result)
		if err != nil {
			return nil, &CallError{Server: s.server.Name, Tool: tool, What: fmt.Sprintf("its result is not a %v: %v", reflect.TypeFor[Out](), err)}
		}
		return graph.Update[S]{out(value)}, nil
	}, nil
}

// decoded returns a result as a value.
func decoded[Out any](r Result) (out Out, err error) {
	switch to := any(&out).(type) {
	case *Result:
		*to = r
		return out, nil
	case *string:
		if len(r.Structured) == 0 {
			*to = r.Text
			return out, nil
		}
	}
	data := []byte(r.Structured)
	if len(data) == 0 { // some servers write JSON as text
		data = []byte(r.Text)
	}
	return out, json.Unmarshal(data, &out)
}
