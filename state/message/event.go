package message

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"example.com/assay/state/event"
)

// Of returns a model's message as a client reads it. Of several results it has the first: clients
// get a message for each.
func Of(m event.Message) Message {
	out := Message{Type: map[event.Role]string{event.User: Human, event.Assistant: AI, event.System: System, event.ToolRole: Tool}[m.Role], Content: Content{Text: m.Text}}
	if len(m.Images) > 0 {
		if m.Text != "" {
			out.Content.Blocks = append(out.Content.Blocks, Block{Type: "text", Text: m.Text})
		}
		for _, i := range m.Images {
			out.Content.Blocks = append(out.Content.Blocks, imageBlock(i))
		}
	}
	for _, c := range m.Calls {
		if call := NewCall(c.ID, c.Name, c.Arguments); call.Type == invalid {
			out.Invalid = append(out.Invalid, call)
		} else {
			out.Calls = append(out.Calls, call)
		}
	}
	if len(m.Results) > 0 {
		r := m.Results[0]
		out.CallID, out.Name, out.Content.Text, out.Status = r.CallID, r.Name, r.Text, Success
		if r.Failed {
			out.Status = Failed
		}
	}
	return out
}

// Event returns a client's message as a model gets it: its text, images, calls or result. A model
// does not get the other blocks.
func (m *Message) Event() event.Message {
	out := event.Message{Role: map[string]event.Role{Human: event.User, AI: event.Assistant, System: event.System, Tool: event.ToolRole}[m.Type], Text: m.Content.String()}
	for _, b := range m.Content.Blocks {
		if image, ok := imageOf(b); ok {
			out.Images = append(out.Images, image)
		}
	}
	for _, c := range append(m.Calls[:len(m.Calls):len(m.Calls)], m.Invalid...) {
		out.Calls = append(out.Calls, event.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Args})
	}
	if m.Type == Tool {
		out.Results, out.Text = []event.ToolResult{{CallID: m.CallID, Name: m.Name, Text: out.Text, Failed: m.Status == Failed}}, ""
	}
	return out
}

func imageBlock(i event.Image) Block {
	of := map[string]string{"type": "image"}
	if i.URL != "" {
		of["url"] = i.URL
	} else {
		of["data"] = base64.StdEncoding.EncodeToString(i.Data)
	}
	if i.MediaType != "" {
		of["mime_type"] = i.MediaType
	}
	data, _ := json.Marshal(of) // texts can always be encoded
	return Block{Type: "image", Whole: data}
}

// IsImage reports whether a block is a picture that a model gets.
func (b Block) IsImage() bool {
	_, ok := imageOf(b)
	return ok
}

// imageOf reads the picture of a block in one of the forms that clients send.
func imageOf(b Block) (image event.Image, ok bool) {
	var in struct {
		Data     string          `json:"data"`
		URL      string          `json:"url"`
		Mime     string          `json:"mime_type"`
		MimeJS   string          `json:"mimeType"`
		ImageURL json.RawMessage `json:"image_url"`
	}
	if b.Type != "image" && b.Type != "image_url" || json.Unmarshal(b.Whole, &in) != nil {
		return image, false
	}
	if in.ImageURL != nil && json.Unmarshal(in.ImageURL, &in.URL) != nil {
		var inner struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(in.ImageURL, &inner) != nil {
			return image, false
		}
		in.URL = inner.URL
	}
	if about, data, inside := strings.Cut(strings.TrimPrefix(in.URL, "data:"), ";base64,"); inside {
		in.Mime, in.Data, in.URL = about, data, ""
	}
	if image.MediaType = in.Mime; image.MediaType == "" {
		image.MediaType = in.MimeJS
	}
	if image.URL = in.URL; image.URL != "" {
		return image, true
	}
	var err error
	image.Data, err = base64.StdEncoding.DecodeString(in.Data)
	return image, err == nil && len(image.Data) > 0
}
