package skills

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

//go:embed *.md
var embedded embed.FS

// LoadOptions adjusts Load. Nil and the zero value load the embedded skills.
type LoadOptions struct {
	// Overlay is a directory whose *.md files replace the embedded skills of the same file name. A
	// file without an embedded skill of its name is an error, and so is one with other inputs or
	// output fields. Empty: no overlay.
	Overlay string
}

// A Set is skills by name. It is immutable. The zero value is an empty one.
type Set struct {
	names  []string // sorted
	skills map[string]Skill
}

// An UnknownSkillError says that no skill has a name.
type UnknownSkillError struct {
	Name    string
	Nearest string   // the known name that is spelled most like it
	Known   []string // sorted
}

func (e *UnknownSkillError) Error() string {
	return fmt.Sprintf("no skill is called %q; did you mean %q? (known: %s)", e.Name, e.Nearest, strings.Join(e.Known, ", "))
}

// Load parses the embedded skills and the overlay's. It reports every problem of
// every file at once, each as "file:line: problem".
func Load(opts *LoadOptions) (*Set, error) {
	if opts == nil {
		opts = &LoadOptions{}
	}
	set, err := loadDir(embedded, "skills")
	if err != nil || opts.Overlay == "" {
		return set, err
	}
	info, err := os.Stat(opts.Overlay)
	if err != nil {
		return nil, fmt.Errorf("reading the skill overlay: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("reading the skill overlay: %q is not a directory", opts.Overlay)
	}
	over, err := loadDir(os.DirFS(opts.Overlay), opts.Overlay)
	errs := []error{err}
	for _, name := range over.names {
		errs = append(errs, set.replace(over.skills[name], path.Join(opts.Overlay, name+".md")))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return set, nil
}

// Replace returns a set in which a skill, the text of a file, replaces the skill of the same name.
// name is the name of the file in errors. Errors are those of an overlay.
func (s *Set) Replace(name string, text []byte) (*Set, Skill, error) {
	skill, err := parse(name, text, false)
	if err != nil {
		return nil, Skill{}, err
	}
	out := &Set{names: s.names, skills: maps.Clone(s.skills)}
	if err := out.replace(skill, name); err != nil {
		return nil, Skill{}, err
	}
	return out, skill, nil
}

// Parse parses a custom skill, in the format that the package describes. name is the name of the
// text in errors, for example its file.
func Parse(name string, text []byte) (Skill, error) { return parse(name, text, false) }

// Add returns a set that has more skills. A name that the set has already is an error:
// Replace replaces one.
func (s *Set) Add(more ...Skill) (*Set, error) {
	out := &Set{names: slices.Clone(s.names), skills: maps.Clone(s.skills)}
	if out.skills == nil {
		out.skills = map[string]Skill{}
	}
	var errs []error
	for _, skill := range more {
		switch _, known := out.skills[skill.Name]; {
		case skill.Name == "":
			errs = append(errs, errors.New("adding a skill: it has no name; Parse makes one"))
		case known:
			errs = append(errs, fmt.Errorf("adding skill %q: the set has one of this name", skill.Name))
		default:
			out.names, out.skills[skill.Name] = append(out.names, skill.Name), skill
		}
	}
	slices.Sort(out.names)
	return out, errors.Join(errs...)
}

// loadDir parses every *.md file of dir. With an error, the set has the files that
// could be parsed. Errors show the directory's name as shown.
func loadDir(dir fs.FS, shown string) (*Set, error) {
	files, err := fs.Glob(dir, "*.md")
	if err != nil {
		return &Set{}, fmt.Errorf("listing %q: %w", shown, err)
	}
	slices.Sort(files)
	set := &Set{skills: map[string]Skill{}}
	var errs []error
	for _, file := range files {
		data, err := fs.ReadFile(dir, file)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading skill: %w", err))
			continue
		}
		skill, err := parse(path.Join(shown, file), data, true)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		set.names = append(set.names, skill.Name)
		set.skills[skill.Name] = skill
	}
	return set, errors.Join(errs...)
}

// replace puts an overlay's skill in place of the embedded one.
func (s *Set) replace(skill Skill, file string) error {
	old, err := s.Get(skill.Name)
	if err != nil {
		return fmt.Errorf("%s:1: it can only replace an embedded skill: %w", file, err)
	}
	if !slices.Equal(old.inputs, skill.inputs) {
		return fmt.Errorf("%s:1: its inputs are %q, but the program gives it %q", file, skill.inputs, old.inputs)
	}
	if got, want := outputFields(skill), outputFields(old); !slices.Equal(got, want) {
		return fmt.Errorf("%s:1: its output has the fields %q, but the program reads %q", file, got, want)
	}
	s.skills[skill.Name] = skill
	return nil
}

// Get returns a skill, or an *UnknownSkillError.
func (s *Set) Get(name string) (Skill, error) {
	if skill, ok := s.skills[name]; ok {
		return skill, nil
	}
	return Skill{}, &UnknownSkillError{Name: name, Nearest: nearest(name, s.names), Known: slices.Clone(s.names)}
}

// Hashes are the hashes of some skills, by name.
func (s *Set) Hashes(names []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		skill, err := s.Get(name)
		if err != nil {
			return nil, err
		}
		out[name] = skill.Hash
	}
	return out, nil
}

// Names returns the names of all skills, sorted.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// nearest returns the name with the smallest edit distance, the first of
// equals; empty without names.
func nearest(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

// distance is the Levenshtein distance in runes.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, ra := range from {
		diag := row[0]
		row[0] = i + 1
		for j, rb := range to {
			cost := 1
			if ra == rb {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(to)]
}
