package react

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"example.com/assay/nodes/react/files"
)

// Limits of what a tool over files shows.
const (
	readBytes = 12 << 10
	readLines = 1000
	mostFound = 200
)

// withFiles merges files that were written into a state.
func withFiles(all, written map[string]files.File) map[string]files.File {
	out := maps.Clone(all)
	if out == nil {
		out = map[string]files.File{}
	}
	maps.Copy(out, written)
	return out
}

type (
	inFolder struct {
		Path string `json:"path,omitempty" jsonschema:"the folder; / when left out"`
	}
	readFile struct {
		Path   string `json:"file_path" jsonschema:"the file, such as /notes/plan.md"`
		Offset int    `json:"offset,omitempty" jsonschema:"how many lines to pass over"`
		Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to read; 1000 when left out"`
	}
	writeFile struct {
		Path    string `json:"file_path" jsonschema:"the file, such as /notes/plan.md"`
		Content string `json:"content" jsonschema:"its whole text"`
	}
	editFile struct {
		Path string `json:"file_path" jsonschema:"the file, such as /notes/plan.md"`
		Old  string `json:"old_string" jsonschema:"the text to replace, exactly as it is in the file"`
		New  string `json:"new_string" jsonschema:"the text in its place"`
		All  bool   `json:"replace_all,omitempty" jsonschema:"replace each occurrence; else the old text must occur once"`
	}
	globFiles struct {
		Pattern string `json:"pattern" jsonschema:"such as *.md or **/*.md, where ** is any number of folders"`
		Path    string `json:"path,omitempty" jsonschema:"the folder to look in; / when left out"`
	}
	grepFiles struct {
		Text string `json:"pattern" jsonschema:"the text to look for, exactly; not a regular expression"`
		Path string `json:"path,omitempty" jsonschema:"the folder to look in; / when left out"`
		Glob string `json:"glob,omitempty" jsonschema:"look only in files whose names match, such as *.md"`
	}
)

// fileTools makes the tools over a backend, or over the agent's own state for nil.
func fileTools(b files.Backend) ([]Tool, error) {
	var out []Tool
	var problems error
	add := func(t Tool, err error) *Tool {
		out, problems = append(out, t), errors.Join(problems, err)
		return &out[len(out)-1]
	}
	names := func(all map[string]files.File, _ json.RawMessage) map[string]files.File {
		out := make(map[string]files.File, len(all))
		for path := range all {
			out[path] = files.File{}
		}
		return out
	}
	one := func(all map[string]files.File, arguments json.RawMessage) map[string]files.File {
		var in readFile // or an editFile: the path has the same name
		_ = json.Unmarshal(arguments, &in)
		path, err := files.Clean(in.Path)
		if f, ok := all[path]; ok && err == nil {
			return map[string]files.File{path: f}
		}
		return nil
	}
	every := func(all map[string]files.File, _ json.RawMessage) map[string]files.File { return all }

	add(fileTool(b, names, "ls", "Lists a folder.", func(ctx context.Context, b files.Backend, in inFolder) (string, error) {
		found, err := files.Ls(ctx, b, in.Path)
		var lines []string
		for _, e := range found {
			if e.Folder {
				e.Path += "/"
			}
			lines = append(lines, e.Path)
		}
		return listOf(lines, false), err
	}))
	add(fileTool(b, one, "read_file", "Reads a file, with the numbers of its lines.", func(ctx context.Context, b files.Backend, in readFile) (string, error) {
		text, err := files.Read(ctx, b, in.Path)
		if err != nil {
			return "", err
		}
		return files.Window(text, in.Offset, min(cmp.Or(in.Limit, readLines), readLines), readBytes)
	}))
	write := add(fileTool(b, names, "write_file", "Writes a file: a new one, or in place of the one that is there.", func(ctx context.Context, b files.Backend, in writeFile) (string, error) {
		return "written", files.Write(ctx, b, in.Path, in.Content)
	}))
	write.lane = "files"
	edit := add(fileTool(b, one, "edit_file", "Replaces a text in a file.", func(ctx context.Context, b files.Backend, in editFile) (string, error) {
		n, err := files.Edit(ctx, b, in.Path, in.Old, in.New, in.All)
		return fmt.Sprintf("replaced %d times", n), err
	}))
	edit.lane, edit.Once = "files", b != nil
	add(fileTool(b, names, "glob", "Finds files by their names.", func(ctx context.Context, b files.Backend, in globFiles) (string, error) {
		found, more, err := files.Glob(ctx, b, in.Pattern, in.Path, mostFound)
		return listOf(found, more), err
	}))
	add(fileTool(b, every, "grep", "Finds lines of files that contain a text.", func(ctx context.Context, b files.Backend, in grepFiles) (string, error) {
		found, more, err := files.Grep(ctx, b, in.Text, in.Path, in.Glob, mostFound)
		var lines []string
		for _, m := range found {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", m.Path, m.Line, m.Text))
		}
		return listOf(lines, more), err
	}))
	_, kept := b.(*files.Store)
	for i := range out {
		if t := &out[i]; t.lane != "" && b != nil && !kept {
			t.Approve = Always
		}
	}
	return out, problems
}

// fileTool makes a tool over files.
func fileTool[In any](b files.Backend, takes func(map[string]files.File, json.RawMessage) map[string]files.File, name, description string, fn func(context.Context, files.Backend, In) (string, error)) (Tool, error) {
	t, err := stateTool(name, description, func(ctx context.Context, s State, in In) (string, Change, error) {
		if b != nil {
			text, err := fn(ctx, b, in)
			return text, Change{}, err
		}
		mine := &files.Memory{Files: s.Files}
		text, err := fn(ctx, mine, in)
		return text, Change{Files: mine.Written}, err
	})
	if b == nil {
		t.takes = takes
	}
	return t, err
}

// listOf returns lines for a model.
func listOf(lines []string, more bool) string {
	switch {
	case len(lines) == 0:
		return "(nothing)"
	case len(lines) > mostFound:
		lines, more = lines[:mostFound], true
	}
	text := strings.Join(lines, "\n")
	if more {
		text += "\n(there are more; ask more narrowly)"
	}
	return text
}
