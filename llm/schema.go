package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A schema is a compiled JSON Schema.
type schema struct {
	compiled *jsonschema.Schema
	shape    *shape // nil when the schema says more than a shape can
}

// schemas caches compiled schemas by their text. It has one entry per distinct skill file and tool,
// so it does not grow with use.
var schemas = struct {
	sync.RWMutex
	byText map[string]func() (schema, error)
}{byText: map[string]func() (schema, error){}}

// compiled compiles a schema once per text.
func compiled(text json.RawMessage) (schema, error) {
	schemas.RLock()
	once, ok := schemas.byText[string(text)] // a look-up that copies nothing
	schemas.RUnlock()
	if !ok {
		key := string(text)
		schemas.Lock()
		if once, ok = schemas.byText[key]; !ok {
			once = sync.OnceValues(func() (schema, error) { return compile(key) })
			schemas.byText[key] = once
		}
		schemas.Unlock()
	}
	return once()
}

func compile(text string) (schema, error) {
	const name = "https://assay.invalid/answer.json" // a name, never fetched
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return schema{}, fmt.Errorf("reading the schema: %w", err)
	}
	if err := CheckSchemaSize(doc); err != nil {
		return schema{}, fmt.Errorf("reading the schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // a schema may not refer to other files
	if err := c.AddResource(name, doc); err != nil {
		return schema{}, fmt.Errorf("reading the schema: %w", err)
	}
	s, err := c.Compile(name)
	if err != nil {
		return schema{}, fmt.Errorf("compiling the schema: %w", err)
	}
	return schema{s, shapeOf([]byte(text))}, nil
}

// CheckSchema returns an error unless text is a self-contained JSON Schema, without references to
// other files.
func CheckSchema(text json.RawMessage) error {
	_, err := compiled(text)
	return err
}

// Fits checks a JSON value against a schema. Its error names the place.
func Fits(text, value json.RawMessage) error {
	s, err := compiled(text)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return fmt.Errorf("it is not one JSON value: %w", err)
	}
	if err := s.compiled.Validate(v); err != nil {
		return plain(err)
	}
	return nil
}

// check returns the JSON of an answer, without a code fence around it, if it fits the schema.
func (s schema) check(text string) (json.RawMessage, error) {
	data := unfence(text)
	if data == "" {
		return nil, errors.New("it is blank; a JSON object is expected")
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("it is not one JSON value: %w", err)
	}
	if err := s.compiled.Validate(v); err != nil {
		return nil, fmt.Errorf("it does not fit the schema: %w", plain(err))
	}
	return json.RawMessage(data), nil
}

// plain drops the first line of a validation error, which names the schema's internal address, and
// joins the others.
func plain(err error) error {
	_, detail, ok := strings.Cut(err.Error(), "\n")
	if !ok {
		return err
	}
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(detail), "- "), "\n", " "))
}

// unfence returns the content of the first code fence, or the trimmed text if it already begins as
// JSON or has no fence.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return text
	}
	_, inside, ok := strings.Cut(text, "```")
	if !ok {
		return text
	}
	info, body, ok := strings.Cut(inside, "\n")
	if !ok || strings.ContainsAny(info, "{[") {
		body = strings.TrimPrefix(inside, "json")
	}
	if end := strings.LastIndex(body, "```"); end >= 0 {
		body = body[:end]
	}
	return strings.TrimSpace(body)
}
