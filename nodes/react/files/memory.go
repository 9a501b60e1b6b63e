package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A File is a file in a state or a store, in the JSON of LangChain's deep agents.
type File struct {
	Content  string `json:"content"`
	Encoding string `json:"encoding"` // "utf-8"
}

const utf8Name = "utf-8"

// UnmarshalJSON also reads a text in place of the object, and a list of lines in place of the
// content: clients send both.
func (f *File) UnmarshalJSON(data []byte) error {
	var in struct {
		Content  json.RawMessage `json:"content"`
		Encoding string          `json:"encoding"`
	}
	*f = File{Encoding: utf8Name}
	if json.Unmarshal(data, &f.Content) == nil {
		return nil
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Encoding != "" {
		f.Encoding = in.Encoding
	}
	var lines []string
	if json.Unmarshal(in.Content, &lines) == nil {
		f.Content = strings.Join(lines, "\n")
		return nil
	}
	return json.Unmarshal(in.Content, &f.Content)
}

// MarshalJSON writes the object.
func (f File) MarshalJSON() ([]byte, error) {
	type plain File // without methods
	return json.Marshal(plain(f))
}

// A Memory is a Backend over files in memory, such as those of an agent's state. One goroutine uses it.
type Memory struct {
	Files   map[string]File // by path; Write does not change it
	Written map[string]File // what Write wrote; it stands before Files
}

// Walk implements Backend.
func (m *Memory) Walk(ctx context.Context, folder string, fn func(Entry) error) error {
	return walk(ctx, m.paths(), folder, fn)
}

func (m *Memory) paths() []string {
	all := slices.Concat(slices.Collect(maps.Keys(m.Files)), slices.Collect(maps.Keys(m.Written)))
	slices.Sort(all)
	return slices.Compact(all)
}

// Read implements Backend.
func (m *Memory) Read(_ context.Context, path string) (string, error) {
	f, ok := m.Written[path]
	if !ok {
		f, ok = m.Files[path]
	}
	return f.text(path, ok)
}

// text returns the text of a file that was looked for.
func (f File) text(path string, exists bool) (string, error) {
	switch {
	case !exists:
		return "", fmt.Errorf("reading %q: %w", path, fs.ErrNotExist)
	case f.Encoding != utf8Name:
		return "", fmt.Errorf("reading %q, which is in %q: %w", path, f.Encoding, ErrUnreadable)
	}
	return f.Content, nil
}

// Write implements Backend.
func (m *Memory) Write(_ context.Context, path, text string) error {
	if err := place(m.paths(), path, text); err != nil {
		return err
	}
	if m.Written == nil {
		m.Written = map[string]File{}
	}
	m.Written[path] = File{text, utf8Name}
	return nil
}
