package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/state"
)

// Version is the version of the file format.
const Version = 1

// header is the first line of a file.
type header struct {
	Cassette int    `json:"cassette"`
	Model    string `json:"model,omitempty"`
}

// footer is the last line of a closed file.
type footer struct {
	Recordings *int `json:"recordings"`
}

// A recording is one call, a line of a file.
type recording struct {
	Call     int      `json:"call"` // in the order of the calls' starts; 1 for the first
	Key      string   `json:"key"`
	Request  request  `json:"request,omitzero"`
	Chunks   []chunk  `json:"chunks,omitempty"` // the streamed chunks
	Response response `json:"response,omitzero"`
	Error    *failure `json:"error,omitempty"`
	Outside  *outside `json:"outside,omitempty"` // instead of a request and its response
	receipt
}

// A receipt is a call's recorded cost and fallback. Files of older programs have none, so the cost
// of their calls is unknown.
type receipt struct {
	Cost     state.Money `json:"cost,omitempty"`
	Unpriced bool        `json:"unpriced,omitempty"`
	Fallback string      `json:"fallback,omitempty"`
	Lost     state.Cause `json:"lost,omitempty"`
}

// entry returns the receipt as an entry that was paid earlier.
func (r receipt) entry() llm.Entry {
	e := llm.Entry{Fallback: r.Fallback, Lost: r.Lost, Taped: true}
	if e.RecordedCost = r.Cost; r.Unpriced {
		e.RecordedUnpriced = 1
	}
	return e
}

type response struct {
	Text      string     `json:"text,omitempty"`
	Calls     []toolCall `json:"calls,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Model     string     `json:"model,omitempty"`
	Usage     llm.Usage  `json:"usage"`
}

// A message is the recorded form of an llm.Message.
type message struct {
	Role    llm.Role         `json:"role"`
	Text    string           `json:"text,omitempty"`
	Images  []string         `json:"images,omitempty"` // their types and hashes
	Calls   []toolCall       `json:"calls,omitempty"`
	Results []llm.ToolResult `json:"results,omitempty"`
}

// A toolCall has its arguments as text, since a model may write arguments that are not JSON.
type toolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func written(calls []llm.ToolCall) []toolCall {
	var out []toolCall
	for _, c := range calls {
		out = append(out, toolCall{c.ID, c.Name, string(c.Arguments)})
	}
	return out
}

func spoken(calls []toolCall) []llm.ToolCall {
	var out []llm.ToolCall
	for _, c := range calls {
		out = append(out, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
	}
	return out
}

type chunk struct {
	Text  string `json:"text"`
	Again bool   `json:"again,omitempty"`
}

// A request is the readable form of a request, for people and for the search for the nearest
// recording. Schema, tools and input are hashes, which only show that one of them changed.
type request struct {
	Skill     string          `json:"skill,omitempty"`
	SkillHash string          `json:"skill_hash,omitempty"`
	Messages  []message       `json:"messages"`
	Schema    string          `json:"schema,omitempty"`
	Tools     string          `json:"tools,omitempty"`
	Vars      string          `json:"vars,omitempty"`
	Sampling  json.RawMessage `json:"sampling,omitempty"`
}

// asked returns a request's readable form, normalised.
func asked(req llm.Request) request {
	out := request{Skill: req.Skill, SkillHash: req.SkillHash, Schema: hash(normal(req.Schema)), Vars: hash(normal(req.Vars)), Sampling: sampling(req.Sampling)}
	if len(req.Tools) > 0 {
		out.Tools = hash(tools(req.Tools))
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, message{m.Role, lines(m.Text), images(m.Images), written(m.Calls), slices.Clone(m.Results)})
	}
	return out
}

// keyOf is the hash of a request's content. Lengths separate its fields.
func keyOf(req llm.Request) string {
	sum := sha256.New()
	add := func(fields ...[]byte) {
		for _, f := range fields {
			size := [8]byte{}
			for i, n := 0, uint64(len(f)); i < len(size); i, n = i+1, n>>8 {
				size[i] = byte(n)
			}
			sum.Write(size[:])
			sum.Write(f)
		}
	}
	add([]byte(req.Skill), []byte(req.SkillHash), normal(req.Vars), normal(req.Schema), tools(req.Tools))
	for _, m := range req.Messages {
		add([]byte(m.Role), []byte(lines(m.Text)), []byte{byte(min(len(m.Calls), 255)), byte(min(len(m.Results), 255))})
		for _, c := range m.Calls {
			add([]byte(c.ID), []byte(c.Name), normal(c.Arguments))
		}
		for _, r := range m.Results {
			failed := []byte{0}
			if r.Failed {
				failed[0] = 1
			}
			add([]byte(r.CallID), []byte(r.Name), []byte(lines(r.Text)), failed)
		}
		for _, img := range images(m.Images) {
			add([]byte("image"), []byte(img)) // "image" is no role, with which the next message begins
		}
	}
	if set := sampling(req.Sampling); set != nil {
		add([]byte("sampling"), set)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// images returns the media types of images and the hashes of their data or addresses. An address
// may hold a signature.
func images(list []llm.Image) []string {
	var out []string
	for _, img := range list {
		content, kind := img.Data, img.MediaType
		if img.URL != "" {
			content, kind = []byte(img.URL), "address of "+kind
		}
		sum := sha256.Sum256(content)
		out = append(out, kind+" "+hex.EncodeToString(sum[:]))
	}
	return out
}

// sampling returns the sampling settings as JSON; nil when none is set.
func sampling(s llm.Sampling) json.RawMessage {
	out, err := plainjson.Encode(s)
	if err != nil { // a temperature that is no number
		out, _ = json.Marshal(err.Error()) // a text can always be encoded
	}
	if string(out) == "{}" {
		return nil
	}
	return out
}

func tools(list []llm.Tool) []byte {
	var b bytes.Buffer
	for _, t := range list {
		b.WriteString(t.Name + "\x00" + t.Description + "\x00")
		b.Write(normal(t.Parameters))
		b.WriteByte(0)
	}
	return b.Bytes()
}

// lines converts all line ends to "\n".
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// normal writes JSON without spaces and with sorted keys. Other text stays as it is.
func normal(raw json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil || decoder.More() {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// hash returns a short hash of data; "" for empty data.
func hash(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}
