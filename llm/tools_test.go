package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/assay/llm"
)

type searchArgs struct {
	Query string   `json:"query" jsonschema:"what to look for"`
	Limit int      `json:"limit,omitempty"`
	Tags  []string `json:"tags"`
	Where *struct {
		Section string `json:"section"`
	} `json:"where,omitempty"`
}

func search(_ context.Context, in searchArgs) ([]string, error) {
	return []string{in.Query + " <hit>"}, nil
}

func newTool[In, Out any](t *testing.T, name string, fn func(context.Context, In) (Out, error)) llm.Callable {
	t.Helper()
	tool, err := llm.NewTool(name, "for tests", fn)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestNewTool(t *testing.T) {
	tool := newTool(t, "search_corpus", search).Tool()
	const want = `{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},"limit":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}},"where":{"type":"object","properties":{"section":{"type":"string"}},"required":["section"],"additionalProperties":false}},"required":["query","tags"],"additionalProperties":false}`
	if string(tool.Parameters) != want || tool.Name != "search_corpus" || tool.Description != "for tests" {
		t.Errorf("tool %s %q\n%s; want\n%s", tool.Name, tool.Description, tool.Parameters, want)
	}
	out, err := newTool(t, "s", search).Call(t.Context(), json.RawMessage(`{"query":"a & b","tags":[]}`))
	if err != nil || string(out) != `["a & b <hit>"]` {
		t.Errorf("result %s, %v", out, err)
	}
}

func TestNewToolRefuses(t *testing.T) {
	type cycle struct{ Next *cycle }
	make1 := func(name, description string) error {
		_, err := llm.NewTool(name, description, search)
		return err
	}
	_, noStruct := llm.NewTool("t", "d", func(context.Context, string) (int, error) { return 0, nil })
	_, noSchema := llm.NewTool("t", "d", func(context.Context, struct{ F func() }) (int, error) { return 0, nil })
	_, endless := llm.NewTool("t", "d", func(context.Context, cycle) (int, error) { return 0, nil })
	_, noFunc := llm.NewTool[searchArgs, int]("t", "d", nil)
	for want, err := range map[string]error{
		"64 letters":  make1("two words", "d"),
		"1 to 64":     make1(strings.Repeat("x", 65), "d"),
		"description": make1("t", " "),
		"a struct":    noStruct,
		"func":        noSchema,
		"cycle":       endless,
		"no function": noFunc,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

func TestToolCannotBeEncoded(t *testing.T) {
	tool := newTool(t, "t", func(context.Context, struct{}) (func(), error) { return nil, nil })
	_, err := tool.Call(t.Context(), json.RawMessage(`{}`))
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok {
		t.Errorf("error %v", err)
	}
}

// Arguments are checked against the schema; none at all are an empty object.
func TestCheckArguments(t *testing.T) {
	type number struct {
		N int `json:"n"`
	}
	double := newTool(t, "double", func(_ context.Context, in number) (int, error) { return 2 * in.N, nil }).Tool()
	none := newTool(t, "none", func(context.Context, struct{}) (int, error) { return 0, nil }).Tool()
	for _, tc := range []struct {
		tool            llm.Tool
		arguments, want string // the end of want is "…" when it is an error
	}{
		{double, `{"n":1}`, `{"n":1}`},
		{none, "", "{}"},
		{none, " ", "{}"},
		{llm.Tool{Name: "free"}, `{"a":1}`, `{"a":1}`},
		{double, "", "the arguments do not fit the parameters: at '': missing property 'n'…"},
		{double, `{"n":"x"}`, "the arguments do not fit the parameters: at '/n': got string, want integer…"},
		{double, `{"n":1,"m":2}`, "the arguments do not fit the parameters: at '': additional properties 'm' not allowed…"},
		{double, `{`, "the arguments are not one JSON object: unexpected EOF…"},
	} {
		got, err := llm.CheckArguments(tc.tool, json.RawMessage(tc.arguments))
		said := string(got)
		if err != nil {
			said = err.Error() + "…"
		}
		if said != tc.want {
			t.Errorf("%s of %s: %s; want %s", tc.arguments, tc.tool.Name, said, tc.want)
		}
	}
}

func TestFits(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)
	for value, want := range map[string]string{`{"n":1}`: "", `{"n":"x"}`: "/n", `{}`: "n", `{"n":1} {}`: "one JSON value", ``: "one JSON value"} {
		if err := llm.Fits(schema, json.RawMessage(value)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", value, err, want)
		}
	}
	for schema, ok := range map[string]bool{`{"type":"object"}`: true, `true`: true, `{"type":"objct"}`: false, `{`: false, `{"$ref":"https://example.com/other.json"}`: false, `{"$ref":"file:///etc/passwd"}`: false} {
		if err := llm.CheckSchema(json.RawMessage(schema)); (err == nil) != ok {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// wrapped changes what a tool returns.
type wrapped struct{ llm.Callable }

func (w wrapped) Call(context.Context, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`"changed"`), nil
}

// A text needs no JSON on its way to the model; what JSON changes, and what a wrapper returns, does.
func TestCallText(t *testing.T) {
	type name string
	say := newTool(t, "say", func(_ context.Context, in searchArgs) (string, error) { return in.Query, nil })
	named := newTool(t, "named", func(_ context.Context, in searchArgs) (name, error) { return name(in.Query), nil })
	fails := newTool(t, "fails", func(context.Context, searchArgs) (string, error) { return "x", errors.New("no") })
	for _, tc := range []struct {
		tool            llm.Callable
		arguments, want string
	}{
		{say, `{"query":"a <b> \"c\""}`, `a <b> "c"`},
		{say, `{"query":""}`, ""},
		{newTool(t, "raw", func(context.Context, searchArgs) (string, error) { return "a\xff", nil }), `{}`, "a\ufffd"},
		{named, `{"query":"a"}`, "a"},
		{newTool(t, "s", search), `{"query":"a"}`, `["a <hit>"]`},
		{wrapped{say}, `{"query":"a"}`, "changed"},
		{say, `[]`, "decoding the arguments…"},
		{fails, `{}`, "no…"},
	} {
		got, err := llm.CallText(t.Context(), tc.tool, json.RawMessage(tc.arguments))
		if want, wrong := strings.CutSuffix(tc.want, "…"); wrong != (err != nil) || !wrong && got != want || wrong && (got != "" || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s of %s: %q, %v; want %q", tc.arguments, tc.tool.Tool().Name, got, err, tc.want)
		}
	}
}
