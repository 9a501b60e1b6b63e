package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

const (
	systemMarker = "<!-- system -->"
	userMarker   = "<!-- user -->"
)

// parse reads one skill file. A name that is given must be the skill's. The error
// joins all problems found.
func parse(file string, data []byte, named bool) (Skill, error) {
	p := &parser{file: file, named: named, lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
	sum := sha256.Sum256(data)
	p.skill.Hash, p.skill.Text = hex.EncodeToString(sum[:]), string(data)
	if end := p.frontMatter(); end > 0 {
		p.body(end)
	}
	return p.skill, errors.Join(p.errs...)
}

type parser struct {
	file  string
	named bool // the file has the skill's name
	lines []string
	skill Skill
	errs  []error
}

// fail records a problem at a 1-based line.
func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %w", p.file, line, fmt.Errorf(format, args...)))
}

// frontMatter reads the header and returns the index of the line after it, or 0 without one.
func (p *parser) frontMatter() int {
	if p.lines[0] != "---" {
		p.fail(1, "the file must open with front matter: a line of ---")
		return 0
	}
	n := slices.Index(p.lines[1:], "---")
	if n < 0 {
		p.fail(1, "the front matter is not closed by a line of ---")
		return 0
	}
	end := n + 2
	// The empty first line makes the parser's line numbers the file's.
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("\n"+strings.Join(p.lines[1:end-1], "\n")), &doc); err != nil {
		p.fail(1, "reading the front matter: %w", err)
		return end
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		p.fail(1, "the front matter must be a mapping of name, version, description, inputs, output")
		return end
	}
	p.fields(doc.Content[0])
	return end
}

var fieldNames = []string{"name", "version", "description", "inputs", "output"}

func (p *parser) fields(mapping *yaml.Node) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if seen[key.Value] {
			p.fail(key.Line, "%s is given twice", key.Value)
		}
		seen[key.Value] = true
		switch key.Value {
		case "name":
			p.skill.Name = p.text(key, value)
			if want := strings.TrimSuffix(path.Base(p.file), ".md"); p.named && p.skill.Name != want {
				p.fail(value.Line, "the skill is named %q, but its file says %q; make them equal", p.skill.Name, want)
			}
		case "version":
			p.skill.Version = p.text(key, value)
		case "description":
			p.skill.Description = p.text(key, value)
		case "inputs":
			p.inputs(value)
		case "output":
			p.output(value)
		default:
			p.fail(key.Line, "unknown field %q; did you mean %q?", key.Value, nearest(key.Value, fieldNames))
		}
	}
	for _, name := range fieldNames {
		if !seen[name] {
			p.fail(1, "the front matter lacks %s", name)
		}
	}
}

// text returns a scalar that must not be empty.
func (p *parser) text(key, value *yaml.Node) string {
	if value.Kind != yaml.ScalarNode || strings.TrimSpace(value.Value) == "" {
		p.fail(value.Line, "%s must be a text", key.Value)
	}
	return value.Value
}

// inputs reads the mapping of input names to their descriptions.
func (p *parser) inputs(value *yaml.Node) {
	if value.Kind != yaml.MappingNode || len(value.Content) == 0 {
		p.fail(value.Line, "inputs must map each input's name to a line about it")
		return
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		key := value.Content[i]
		p.text(key, value.Content[i+1])
		if key.Value == markName {
			p.fail(key.Line, "an input cannot be called %q: templates use it for the data fence", markName)
		}
		if slices.Contains(p.skill.inputs, key.Value) {
			p.fail(key.Line, "the input %s is given twice", key.Value)
			continue
		}
		p.skill.inputs = append(p.skill.inputs, key.Value)
	}
	slices.Sort(p.skill.inputs)
}

// output reads a JSON Schema written in YAML, or "text".
func (p *parser) output(value *yaml.Node) {
	if value.Kind == yaml.ScalarNode && value.Value == "text" {
		return
	}
	if value.Kind != yaml.MappingNode {
		p.fail(value.Line, `output must be a JSON Schema, or "text"`)
		return
	}
	schema, err := toJSON(nil, value)
	if err != nil {
		p.fail(value.Line, "reading the output schema: %w", err)
		return
	}
	p.skill.Schema = schema
}

// toJSON appends node as JSON with the keys in the file's order: some models fill
// fields in the order of the schema.
func toJSON(out []byte, node *yaml.Node) ([]byte, error) {
	var err error
	switch node.Kind {
	case yaml.MappingNode:
		out = append(out, '{')
		for i := 0; i+1 < len(node.Content); i += 2 {
			if i > 0 {
				out = append(out, ',')
			}
			key, err := json.Marshal(node.Content[i].Value)
			if err != nil {
				return nil, err
			}
			out = append(append(out, key...), ':')
			if out, err = toJSON(out, node.Content[i+1]); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case yaml.SequenceNode:
		out = append(out, '[')
		for i, item := range node.Content {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = toJSON(out, item); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case yaml.ScalarNode:
		var v any
		if err := node.Decode(&v); err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
		scalar, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
		return append(out, scalar...), nil
	}
	return nil, fmt.Errorf("line %d: anchors and aliases are not supported", node.Line)
}

// outputFields returns the sorted names of the schema's top-level properties;
// nil for free text.
func outputFields(s Skill) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if s.Schema == nil || json.Unmarshal(s.Schema, &schema) != nil {
		return nil
	}
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// body splits the lines from start on into the two templates and parses them.
func (p *parser) body(start int) {
	system, user := -1, -1
	for i := start; i < len(p.lines); i++ {
		switch strings.TrimSpace(p.lines[i]) {
		case systemMarker:
			if system >= 0 || user >= 0 {
				p.fail(i+1, "a second %s, or one after %s", systemMarker, userMarker)
				return
			}
			system = i
		case userMarker:
			if user >= 0 {
				p.fail(i+1, "a second %s", userMarker)
				return
			}
			user = i
		}
	}
	if system < 0 || user < 0 {
		p.fail(start+1, "the body needs a line %s and, after it, a line %s", systemMarker, userMarker)
		return
	}
	for i := start; i < system; i++ {
		if strings.TrimSpace(p.lines[i]) != "" {
			p.fail(i+1, "text before %s", systemMarker)
			return
		}
	}
	p.skill.system = p.template(system+1, user)
	p.skill.user = p.template(user+1, len(p.lines))
}

// template parses the lines from..to. Empty lines in front make its line
// numbers the file's; Render trims them off again.
func (p *parser) template(from, to int) *template.Template {
	text := strings.Join(p.lines[from:to], "\n")
	if strings.TrimSpace(text) == "" {
		p.fail(from, "an empty prompt")
		return nil
	}
	t, err := template.New(p.file).Option("missingkey=error").Parse(strings.Repeat("\n", from) + text)
	if err != nil {
		p.errs = append(p.errs, fmt.Errorf("parsing %w", err))
		return nil
	}
	return t
}
