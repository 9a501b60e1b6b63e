package skills

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
)

// A Skill is one prompt, ready to render. The zero value renders nothing.
// Skills are immutable and safe for concurrent use.
type Skill struct {
	Name        string
	Version     string
	Description string
	Hash        string          // SHA-256 of the file, in hexadecimal
	Text        string          // the whole file
	Schema      json.RawMessage // JSON Schema of the answer; nil when the answer is free text

	inputs       []string // sorted
	system, user *template.Template
}

// A Prompt is a rendered skill.
type Prompt struct {
	System string
	User   string
}

// markName is the name of the fence's mark in templates.
const markName = "mark"

// Render fills the templates with vars, a JSON object whose keys are exactly
// the skill's inputs; a missing or an unknown key is an error. Text in vars
// that imitates a data fence comes out defused: its "<" is written "&lt;".
func (s Skill) Render(vars json.RawMessage) (Prompt, error) {
	if s.system == nil || s.user == nil {
		return Prompt{}, fmt.Errorf("rendering skill %q: it was not loaded; take it from a Set", s.Name)
	}
	data, err := s.input(vars)
	if err != nil {
		return Prompt{}, fmt.Errorf("rendering skill %q: %w", s.Name, err)
	}
	var p Prompt
	for _, part := range []struct {
		t   *template.Template
		out *string
	}{{s.system, &p.System}, {s.user, &p.User}} {
		var buf bytes.Buffer
		if err := part.t.Execute(&buf, data); err != nil {
			return Prompt{}, fmt.Errorf("rendering skill %q: %w", s.Name, err)
		}
		*part.out = strings.TrimSpace(buf.String())
	}
	return p, nil
}

// input decodes vars, checks its keys and defuses its strings.
func (s Skill) input(vars json.RawMessage) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(vars))
	dec.UseNumber()
	var data map[string]any
	if err := dec.Decode(&data); err != nil {
		return nil, fmt.Errorf("reading its input as a JSON object: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("reading its input: more than one JSON value")
	}
	if data == nil {
		return nil, fmt.Errorf("its input is null; it needs the keys %s", strings.Join(s.inputs, ", "))
	}
	for _, name := range s.inputs {
		if _, ok := data[name]; !ok {
			return nil, fmt.Errorf("its input lacks %q; it needs the keys %s", name, strings.Join(s.inputs, ", "))
		}
	}
	if len(data) > len(s.inputs) {
		var unknown []string
		for key := range data {
			if !slices.Contains(s.inputs, key) {
				unknown = append(unknown, key)
			}
		}
		slices.Sort(unknown)
		return nil, fmt.Errorf("its input has the unknown keys %q; it needs the keys %s", unknown, strings.Join(s.inputs, ", "))
	}
	for key, v := range data {
		data[key] = defuse(v)
	}
	sum := sha256.Sum256(vars)
	data[markName] = hex.EncodeToString(sum[:4])
	return data, nil
}
