package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/decide/fields"
	"example.com/assay/llm"
)

// A SchemaError reports a fault in a schema, and its place.
type SchemaError struct {
	Pointer string // JSON pointer: "/properties/total/type"; empty for the whole
	Msg     string
}

func (e *SchemaError) Error() string {
	at := e.Pointer
	if at == "" {
		at = "/"
	}
	return fmt.Sprintf("the schema is not usable at %s: %s", at, e.Msg)
}

// A Schema describes the fields to extract. It does not change.
type Schema struct {
	Title  string
	Fields []Field // leaves, in the order of the schema
	checks []check
	valid  *jsonschema.Schema
	root   *node
}

// A Field is a leaf of a schema.
type Field struct {
	Path        string // "total"; "items[].amount" for each element of a list
	Title       string
	Type        string // string, number, integer or boolean
	Format      string // date, currency, email, phone, percent, company, address, period, jurisdiction, party; or empty
	Required    bool   // also every enclosing object
	Description string
	Anchors     []string // x-anchor, and the title
	Enum        []string
	Pattern     string
	Normalise   []string // x-normalise
	Minimum     *float64 // for a number
	Maximum     *float64
}

// Listed reports whether the field is in a list.
func (f Field) Listed() bool { return strings.Contains(f.Path, "[]") }

// Numeric reports whether the field's values are numbers.
func (f Field) Numeric() bool { return f.Type == "number" || f.Type == "integer" }

// Is reports whether a path, with its indices, names the field or one of its list.
func (f Field) Is(path string) bool {
	name, _ := pattern(path)
	return name == f.Path
}

// form returns the written form of its values.
func (f Field) form() fields.Form {
	return fields.Form{Type: f.Type, Format: f.Format, Enum: f.Enum, Steps: f.Normalise}
}

// mostFields bounds a schema: each field adds lines to a prompt.
const mostFields = 1000

// A node is a part of a schema as written.
type node struct {
	Ref         string           `json:"$ref"`
	Defs        map[string]*node `json:"$defs"`
	Title       string           `json:"title"`
	Type        texts            `json:"type"`
	Format      string           `json:"format"`
	Description string           `json:"description"`
	Enum        []scalar         `json:"enum"`
	Pattern     string           `json:"pattern"`
	Minimum     *float64         `json:"minimum"`
	Maximum     *float64         `json:"maximum"`
	Required    []string         `json:"required"`
	Properties  properties       `json:"properties"`
	Items       *node            `json:"items"`
	Anchor      texts            `json:"x-anchor"`
	Check       texts            `json:"x-check"`
	Normalise   texts            `json:"x-normalise"`
}

// texts is one string or several.
type texts []string

func (t *texts) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// A scalar is a JSON value as text.
type scalar string

func (s *scalar) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	*s = scalar(text)
	return nil
}

// properties are the properties of an object, in their order.
type properties []property

type property struct {
	name string
	node *node
}

func (p *properties) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		n := &node{}
		if err := d.Decode(n); err != nil {
			return fmt.Errorf("property %v: %w", name, err)
		}
		*p = append(*p, property{fmt.Sprint(name), n})
	}
	return nil
}

const schemaName = "https://assay.invalid/fields.json" // a name, never fetched

// ParseSchema reads a JSON Schema (draft 2020-12) whose root is an object. In addition to the
// standard's formats it knows currency, phone and percent, and the kinds company, address, period,
// jurisdiction and party. It reads the annotations x-anchor, x-check and x-normalise. An unusable
// schema is a *SchemaError.
func ParseSchema(data []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, &SchemaError{Msg: "it is not JSON: " + err.Error()}
	}
	if err := llm.CheckSchemaSize(doc); err != nil {
		return nil, &SchemaError{Msg: err.Error()}
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // a schema may not refer to other files
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	for _, f := range formats() {
		c.RegisterFormat(f)
	}
	if err := c.AddResource(schemaName, doc); err != nil {
		return nil, schemaFault(err)
	}
	valid, err := c.Compile(schemaName)
	if err != nil {
		return nil, schemaFault(err)
	}
	var root node
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, &SchemaError{Msg: "an annotation or keyword has the wrong kind of value: " + err.Error()}
	}
	s := &Schema{Title: root.Title, valid: valid, root: &root}
	w := walker{schema: s, root: &root}
	if err := w.object(&root, "", "", true, 0); err != nil {
		return nil, err
	}
	if len(s.Fields) == 0 {
		return nil, &SchemaError{Pointer: "/properties", Msg: "there are no fields; list them as properties of an object"}
	}
	return s, nil
}

// schemaFault finds the place in the library's errors.
func schemaFault(err error) error {
	if bad, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](bad.Err); ok {
			for len(v.Causes) > 0 {
				v = deepest(v.Causes)
			}
			return &SchemaError{Pointer: pointer(v.InstanceLocation), Msg: v.ErrorKind.LocalizedString(english)}
		}
	}
	if bad, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return &SchemaError{Pointer: fragment(bad.URL), Msg: fmt.Sprintf("%q is not a regular expression: %v", bad.Regex, bad.Err)}
	}
	if bad, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return &SchemaError{Pointer: fragment(bad.URL), Msg: "a $ref points here, and nothing is here"}
	}
	return &SchemaError{Msg: strings.ReplaceAll(err.Error(), schemaName, "the schema")}
}

func deepest(causes []*jsonschema.ValidationError) *jsonschema.ValidationError {
	return slices.MaxFunc(causes, func(a, b *jsonschema.ValidationError) int {
		return len(a.InstanceLocation) - len(b.InstanceLocation)
	})
}

func fragment(url string) string {
	_, after, _ := strings.Cut(url, "#")
	return after
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + escapePointer.Replace(t))
	}
	return b.String()
}

// A walker collects the leaves of a schema.
type walker struct {
	schema *Schema
	root   *node
}

const deepestNesting = 16

// object walks the properties of an object at a path.
func (w *walker) object(n *node, path, at string, required bool, depth int) error {
	if depth > deepestNesting {
		return &SchemaError{Pointer: at, Msg: fmt.Sprintf("it is nested deeper than %d levels, or refers to itself", deepestNesting)}
	}
	if t := n.kind(); t != "object" {
		return &SchemaError{Pointer: at, Msg: fmt.Sprintf("its type is %q; want an object with properties", t)}
	}
	for _, text := range n.Check {
		c, err := parseCheck(text, strings.TrimSuffix(path, "."))
		if err != nil {
			return &SchemaError{Pointer: at + "/x-check", Msg: err.Error()}
		}
		w.schema.checks = append(w.schema.checks, c)
	}
	for _, p := range n.Properties {
		below := at + "/properties/" + escapePointer.Replace(p.name)
		if strings.ContainsAny(p.name, ".[]") || p.name == "" {
			return &SchemaError{Pointer: below, Msg: "a field's name cannot be empty or hold one of . [ ]"}
		}
		must := required && slices.Contains(n.Required, p.name)
		if err := w.field(p.node, path+p.name, below, must, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) field(n *node, path, at string, required bool, depth int) error {
	n, err := w.resolve(n, at)
	if err != nil {
		return err
	}
	switch kind := n.kind(); kind {
	case "object":
		if err := w.object(n, path+".", at, required, depth+1); err != nil {
			return err
		}
	case "array":
		if strings.Contains(path, "[]") {
			return &SchemaError{Pointer: at, Msg: "a list in a list is not supported; give the inner fields names of their own"}
		}
		if n.Items == nil {
			return &SchemaError{Pointer: at, Msg: "a list needs items that say what is in it"}
		}
		items := *n.Items
		if len(items.Anchor) == 0 {
			items.Anchor = n.Anchor
		}
		if items.Description == "" {
			items.Description = n.Description
		}
		return w.field(&items, path+"[]", at+"/items", required, depth+1)
	case "string", "number", "integer", "boolean":
		return w.leaf(n, kind, path, at, required)
	default:
		return &SchemaError{Pointer: at, Msg: fmt.Sprintf("its type is %q; want object, array, string, number, integer or boolean", kind)}
	}
	return nil
}

func (w *walker) leaf(n *node, kind, path, at string, required bool) error {
	if len(w.schema.Fields) == mostFields {
		return &SchemaError{Pointer: at, Msg: fmt.Sprintf("there are more than %d fields; use several schemas", mostFields)}
	}
	for i, name := range n.Normalise {
		if !slices.Contains(fields.Normalisers(), name) {
			return &SchemaError{Pointer: fmt.Sprintf("%s/x-normalise/%d", at, i), Msg: fmt.Sprintf("%q is not known; known are %s", name, strings.Join(fields.Normalisers(), ", "))}
		}
	}
	for _, text := range n.Check {
		c, err := parseCheck(text, parent(path))
		if err != nil {
			return &SchemaError{Pointer: at + "/x-check", Msg: err.Error()}
		}
		w.schema.checks = append(w.schema.checks, c)
	}
	if n.Pattern != "" {
		if _, err := regexp.Compile(n.Pattern); err != nil {
			return &SchemaError{Pointer: at + "/pattern", Msg: err.Error()}
		}
	}
	f := Field{Path: path, Title: n.Title, Type: kind, Format: n.Format, Required: required, Description: n.Description, Anchors: n.Anchor, Pattern: n.Pattern, Normalise: n.Normalise, Minimum: n.Minimum, Maximum: n.Maximum}
	if n.Title != "" {
		f.Anchors = append(slices.Clone(f.Anchors), n.Title)
	}
	for _, e := range n.Enum {
		f.Enum = append(f.Enum, string(e))
	}
	w.schema.Fields = append(w.schema.Fields, f)
	return nil
}

// resolve follows references within the schema.
func (w *walker) resolve(n *node, at string) (*node, error) {
	for range deepestNesting {
		if n.Ref == "" {
			return n, nil
		}
		name, ok := strings.CutPrefix(n.Ref, "#/$defs/")
		target := w.root.Defs[name]
		if !ok || target == nil {
			return nil, &SchemaError{Pointer: at + "/$ref", Msg: fmt.Sprintf("%q is not followed; refer to #/$defs/NAME", n.Ref)}
		}
		n = target
	}
	return nil, &SchemaError{Pointer: at + "/$ref", Msg: "it refers to itself"}
}

// kind returns the type of a node, without null. A node without a type gets one from its keywords.
func (n *node) kind() string {
	types := slices.DeleteFunc(slices.Clone(n.Type), func(t string) bool { return t == "null" })
	switch {
	case len(types) == 1:
		return types[0]
	case len(types) > 1:
		return strings.Join(types, " or ")
	case len(n.Properties) > 0:
		return "object"
	case n.Items != nil:
		return "array"
	}
	return "string"
}

// parent returns the path of a field's object.
func parent(path string) string {
	if at := strings.LastIndex(path, "."); at >= 0 {
		return path[:at]
	}
	return ""
}

// pattern returns a path with "[]" instead of its indices, and whether it is well-formed.
func pattern(path string) (string, bool) {
	var b strings.Builder
	for rest := path; ; {
		before, after, found := strings.Cut(rest, "[")
		b.WriteString(before)
		if !found {
			return b.String(), before != "" || b.Len() > 0
		}
		index, tail, closed := strings.Cut(after, "]")
		if n, err := strconv.Atoi(index); !closed || err != nil || n < 0 || n >= mostItems {
			return "", false
		}
		b.WriteString("[]")
		rest = tail
	}
}

// mostItems bounds the elements of a list.
const mostItems = 10_000

// field returns the field of a path with indices.
func (s *Schema) field(path string) (Field, int, bool) {
	name, ok := pattern(path)
	if !ok {
		return Field{}, 0, false
	}
	at := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Path == name })
	if at < 0 {
		return Field{}, 0, false
	}
	return s.Fields[at], at, true
}
