package react

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/assay/nodes/react/files"
)

// A Skill is what an agent knows of a skill before it reads it: a folder with a file SKILL.md, which
// begins with front matter.
type Skill struct {
	Name        string `yaml:"name"` // the folder's
	Description string `yaml:"description"`
	Problem     string `yaml:"-"` // why SKILL.md cannot be used; "" if it can
}

const skillFile = "SKILL.md"

// Skills returns the skills of a backend, sorted by name.
func Skills(ctx context.Context, b files.Backend) ([]Skill, error) {
	var out []Skill
	err := b.Walk(ctx, "/", func(e files.Entry) error {
		if !e.Folder {
			return nil
		}
		if strings.HasPrefix(path.Base(e.Path), ".") {
			return fs.SkipDir
		}
		text, err := b.Read(ctx, path.Join(e.Path, skillFile))
		if errors.Is(err, fs.ErrNotExist) {
			return fs.SkipDir
		}
		if err != nil && !errors.Is(err, files.ErrUnreadable) {
			return err
		}
		s := Skill{Name: path.Base(e.Path)}
		if err == nil {
			s.Description, err = described(text, s.Name)
		}
		if err != nil {
			s.Problem = err.Error()
		}
		out = append(out, s)
		return fs.SkipDir
	})
	return out, err
}

// described reads the front matter of a SKILL.md.
func described(text, name string) (string, error) {
	text, begins := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	front, _, ends := strings.Cut(text, "\n---")
	if !begins || !ends {
		return "", errors.New("it does not begin with front matter between lines of ---")
	}
	var s Skill
	if err := yaml.NewDecoder(bytes.NewReader([]byte(front))).Decode(&s); err != nil {
		return "", fmt.Errorf("reading its front matter: %w", err)
	}
	switch s.Description = strings.Join(strings.Fields(s.Description), " "); {
	case s.Name != name:
		return "", fmt.Errorf("its name is %.80q; it must be that of its folder", s.Name)
	case s.Description == "":
		return "", errors.New("it has no description")
	}
	return s.Description, nil
}

// skillStep returns a step before the model that shows which skills there are now.
func skillStep(b files.Backend) Step {
	return Step{Name: "skills", Run: func(ctx context.Context, _ State) (Change, error) {
		list, err := Skills(ctx, b)
		if err != nil || len(list) == 0 {
			return Change{}, err
		}
		note := "Skills, which say how to do something. Read one with " + ToolSkill + " before you do what it is for:"
		for _, s := range list {
			if s.Problem != "" {
				s.Description = "(cannot be used: " + s.Problem + ")"
			}
			note += fmt.Sprintf("\n- %s: %s", s.Name, s.Description)
		}
		return Change{View: &View{Note: note}}, nil
	}}
}

// skillTool makes the tool that reads a skill's files.
func skillTool(b files.Backend) (Tool, error) {
	return fileTool(b, nil, ToolSkill, "Reads a skill's instructions, or a further file that they name.", func(ctx context.Context, b files.Backend, in struct {
		Name   string `json:"name" jsonschema:"the skill's name"`
		File   string `json:"file,omitempty" jsonschema:"the file, from the skill's folder; SKILL.md when left out"`
		Offset int    `json:"offset,omitempty" jsonschema:"how many lines to pass over"`
	}) (string, error) {
		folder, err := files.Clean(in.Name)
		if err != nil || folder == "/" || strings.Contains(folder[1:], "/") {
			return "", fmt.Errorf("there is no skill %.80q", in.Name)
		}
		file, err := files.Clean(cmp.Or(in.File, skillFile))
		if err != nil {
			return "", err
		}
		text, err := b.Read(ctx, folder+file)
		if err != nil {
			return "", err
		}
		return files.Window(text, in.Offset, readLines, readBytes)
	})
}
