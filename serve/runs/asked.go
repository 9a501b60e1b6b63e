package runs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxAsked is how many bytes of the question a run's record keeps.
const maxAsked = 300

// asked returns a run's question in one line: the last message of a person if the graph has
// messages, else the texts of the input, else the input itself.
func asked(spec *Spec) string {
	var writes []struct {
		Channel string          `json:"channel"`
		Value   json.RawMessage `json:"value"`
	}
	if len(spec.Answers) > 0 {
		var texts []string
		for _, id := range slices.Sorted(maps.Keys(spec.Answers)) {
			texts = append(texts, plainText(spec.Answers[id]))
		}
		return line("answer: " + strings.Join(texts, "; "))
	}
	if spec.Resume || json.Unmarshal(spec.Input, &writes) != nil {
		return ""
	}
	var texts []string
	for _, w := range writes {
		if w.Channel == "messages" {
			if text := lastMessage(w.Value); text != "" {
				return line(text)
			}
		}
		texts = append(texts, w.Channel+": "+plainText(w.Value))
	}
	return line(strings.Join(texts, ", "))
}

// lastMessage returns the text of a list's last message; "" if it has none.
func lastMessage(data json.RawMessage) string {
	var list []struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		return ""
	}
	content := list[len(list)-1].Content
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		var text string
		_ = json.Unmarshal(content, &text) // else it has no text
		return text
	}
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, " ")
}

// plainText returns a text as it is, and any other value as JSON.
func plainText(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return string(data)
	}
	return text
}

// line joins a text into one line and cuts it.
func line(text string) string {
	if len(text) > 4*maxAsked {
		text = text[:4*maxAsked]
	}
	text = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")), " ")
	if len(text) <= maxAsked {
		return text
	}
	at := maxAsked
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}
