package llm

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/internal/racetest"
)

type shaped struct {
	Name  string    `json:"name"`
	Count int       `json:"count,omitempty"`
	Share float64   `json:"share,omitempty"`
	Tags  []string  `json:"tags,omitempty"`
	Sure  bool      `json:"sure,omitempty"`
	Inner *struct { // an object within
		List []struct {
			N int `json:"n"`
		} `json:"list"`
	} `json:"inner,omitempty"`
}

// A shape accepts what its schema accepts, without a decoder, and nothing else.
func FuzzShape(f *testing.F) {
	text, err := schemaOf[shaped]()
	if err != nil {
		f.Fatal(err)
	}
	s, err := compiled(text)
	if err != nil || s.shape == nil {
		f.Fatalf("%v: no shape of %s", err, text)
	}
	for arguments, accepted := range map[string]bool{
		`{"name":"a"}`: true, ` { "name" : "a\"}" , "tags" : [ "x" , "" ] , "sure" : true } `: true,
		`{"name":"a","count":-12,"share":1.5e3,"sure":false,"tags":[],"inner":{"list":[{"n":1},{"n":0}]}}`: true,
		`{}`: false, `{"name":1}`: false, `{"name":"a","count":1.5}`: false, `{"name":"a","more":1}`: false, `{"name":"a","tags":[1]}`: false,
		`{"name":null}`: false, `{"name":"a","inner":{"list":[{}]}}`: false, `{"name":"a"}x`: false, `{"name":"a"`: false, `["a"]`: false, ``: false,
		`{"n\u0061me":"a"}`: false, // fits; only the schema sees that
	} {
		f.Add(arguments)
		if got := s.shape.accepts([]byte(arguments)); got != accepted {
			f.Errorf("accepts %s: %v", arguments, got)
		}
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		if !s.shape.accepts([]byte(arguments)) {
			return
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(arguments)))
		if err == nil {
			err = s.compiled.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", arguments, err)
		}
	})
}

// A schema that says more than a shape has none.
func TestNoShape(t *testing.T) {
	for _, schema := range []string{
		`true`, `{}`, `{"type":"string","enum":["a"]}`, `{"type":["string","null"]}`, `{"type":"object","properties":{"a":{"type":"integer","minimum":1}}}`,
		`{"type":"object","required":["a"]}`, `{"type":"array"}`, `{"type":"string","required":["a"]}`, `{"type":"object","additionalProperties":{"type":"string"}}`,
		`{"type":"null"}`, `{"$ref":"#"}`,
	} {
		if shapeOf([]byte(schema)) != nil {
			t.Errorf("%s has a shape", schema)
		}
	}
	if shapeOf([]byte(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"number","title":"t"}}}}`)) == nil {
		t.Error("a list of numbers has no shape")
	}
}

// A check of arguments that fit allocates nothing.
func TestArgumentsThatFitCostNothing(t *testing.T) {
	if racetest.On {
		t.Skip("pools forget under the race detector")
	}
	text, err := schemaOf[shaped]()
	if err != nil {
		t.Fatal(err)
	}
	tool, arguments := Tool{Name: "t", Parameters: text}, json.RawMessage(`{"name":"a","inner":{"list":[{"n":1}]}}`)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := CheckArguments(tool, arguments); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
