package pipeline

import (
	"encoding/json"
	"slices"
)

// Arguments returns the JSON Schemas of the arguments of the pipeline's tool by their names, and the
// names of those that a caller must give: the message, the inputs and the settings. A needed
// argument that may be a file is not among them.
func (p Pipeline) Arguments() (properties map[string]json.RawMessage, needed []string, err error) {
	properties = map[string]json.RawMessage{}
	for _, f := range slices.Concat([]Field{p.Message}, p.Inputs, p.Settings) {
		if f.Inner {
			continue
		}
		if properties[f.Argument()], err = f.Described(); err != nil {
			return nil, nil, err
		}
		if f.Needed && !f.File {
			needed = append(needed, f.Argument())
		}
	}
	return properties, needed, nil
}

// Read returns the message, the inputs and the settings in the arguments of the pipeline's tool.
func (p Pipeline) Read(args map[string]json.RawMessage) (message string, input, settings map[string]json.RawMessage, err error) {
	if argument := args[p.Message.Argument()]; p.Message.Text != nil {
		message, err = p.Message.Text(argument)
	} else if len(argument) > 0 {
		err = json.Unmarshal(argument, &message)
	}
	return message, picked(args, p.Inputs), picked(args, p.Settings), err
}

// picked returns the arguments of fields by the fields' names.
func picked(args map[string]json.RawMessage, fields []Field) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, f := range fields {
		if value, ok := args[f.Argument()]; ok {
			out[f.Name] = value
		}
	}
	return out
}

// Conf returns the values of the pipeline's settings among chosen ones, as Bench.Settings has them.
func (p Pipeline) Conf(chosen map[string]json.RawMessage) map[string]string {
	conf := map[string]string{}
	for _, f := range p.Settings {
		if value, ok := chosen[f.Name]; ok {
			conf[f.Name] = Plain(value)
		}
	}
	return conf
}

// Plain returns a value as text: a string without its quotes, any other value as JSON.
func Plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
