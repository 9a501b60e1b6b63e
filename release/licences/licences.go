// Package licences finds the licences of all modules that a command links: their texts for the
// archives of a release, and their names for the check against a list.
//
//	modules, err := licences.Linked(ctx, ".", "./cmd/agent", []string{"linux/amd64"})
//
// It reads the licence files next to the code. It does not read headers of source files, and it is
// not legal advice.
package licences

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// A Module is a module that the command links, with the files about its licence.
type Module struct {
	Path, Version string // the standard library is "std", with Go's version
	Files         []File // by name
}

// A File is a licence, or a notice that must be passed on with one.
type File struct {
	Name  string // below the module, with slashes
	Text  []byte
	Kinds []string // SPDX identifiers of the licences in it, sorted; none for a notice
	Share float64  // share of the words that belong to these licences, in percent
}

// licenceFile matches files that grant rights. noticeFile matches files that only inform, or that
// grant patents in addition.
var (
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying)([-.][^.]*)?(\.(md|txt|rst))?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents|authors|copyright)(\.(md|txt))?$`)
)

// listed is the output of go list for a package.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct{ Path, Version, Dir string }
}

// Linked returns the modules that a command links on any of the systems, sorted by path. It looks for
// files in the folders of the packages, and in the folders above them up to the module's root.
func Linked(ctx context.Context, root, command string, systems []string) ([]Module, error) {
	found := map[string]*Module{}
	seen := map[string]bool{}
	for _, system := range systems {
		packages, err := list(ctx, root, command, system)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Standard || p.Module == nil {
				continue
			}
			m := found[p.Module.Path]
			if m == nil {
				m = &Module{Path: p.Module.Path, Version: p.Module.Version}
				found[m.Path] = m
			}
			for dir := p.Dir; !seen[dir]; dir = filepath.Dir(dir) {
				seen[dir] = true
				files, err := in(dir, p.Module.Dir)
				if err != nil {
					return nil, err
				}
				m.Files = append(m.Files, files...)
				if dir == p.Module.Dir {
					break
				}
			}
		}
	}
	std, err := standard(ctx, root)
	if err != nil {
		return nil, err
	}
	found[std.Path] = std
	var out []Module
	for _, path := range slices.Sorted(maps.Keys(found)) {
		m := found[path]
		slices.SortFunc(m.Files, func(x, y File) int { return strings.Compare(x.Name, y.Name) })
		out = append(out, *m)
	}
	return out, nil
}

func list(ctx context.Context, root, command, system string) ([]listed, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	out, err := golang(ctx, root, []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"},
		"list", "-deps", "-json=Dir,Standard,Module", command)
	if err != nil {
		return nil, err
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("reading what go list says: %w", err)
		}
		packages = append(packages, p)
	}
}

// standard is Go's own library, which every binary links.
func standard(ctx context.Context, root string) (*Module, error) {
	out, err := golang(ctx, root, nil, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return nil, fmt.Errorf("asking go env for its version and folder: it said %q", out)
	}
	files, err := in(lines[1], lines[1])
	return &Module{Path: "std", Version: lines[0], Files: files}, err
}

func golang(ctx context.Context, root string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// in reads the files about licences in one folder.
func in(dir, root string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		licence := licenceFile.MatchString(e.Name())
		if e.IsDir() || !licence && !noticeFile.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		f := File{Name: filepath.ToSlash(name), Text: text}
		if licence {
			f.Kinds, f.Share = Detect(text)
		}
		out = append(out, f)
	}
	return out, nil
}

// Detect returns the licences in a text, and the share of its words that belong to them, in percent.
func Detect(text []byte) ([]string, float64) {
	cover := licensecheck.Scan(text)
	kinds := map[string]bool{}
	for _, m := range cover.Match {
		if !m.IsURL {
			kinds[m.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds)), cover.Percent
}

// permissive are the licences that a linked module may have. MPL-2.0 is not one of them: whoever
// passes on the program would have to offer the source of those files.
var permissive = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// judgements are files that Detect does not understand and that a person has read, by module and
// name. The sum is the beginning of the file's SHA-256.
var judgements = map[string]judgement{
	"example.com/assay memory/text/wordnet/LICENSE.md": {"4c9bbdcd0791", "WordNet 3.0: permissive; of the table of words"},
	"modernc.org/libc LICENSE-3RD-PARTY.md":            {"f597097efe3d", "BSD-3-Clause of Go; MIT of musl, go-netdb and nixpkgs"},
	"modernc.org/memory LICENSE-LOGO":                  {"5ae5bee3072a", "the address of a logo, which is not linked"},
	"modernc.org/sqlite LICENSE-3RD-PARTY.md":          {"b4366b9c27a9", "permissive or public domain for all that it says is linked; MPL-2.0 only for a module that is not compiled in"},
	"modernc.org/sqlite LICENSE-SQLITE":                {"8438c9c89b84", "public domain"},

	// Not settled: the module has no file. Its authors' other modules are MIT, and
	// Temporal's client, which is MIT, links it. docs/dependencies.md says so, too.
	"github.com/nexus-rpc/nexus-proto-annotations ": {"", "no licence in the module"},
}

type judgement struct{ sum, why string }

// judged reports whether a person has read exactly this file.
func (m Module) judged(f File) bool {
	j, ok := judgements[m.Path+" "+f.Name]
	return ok && strings.HasPrefix(fmt.Sprintf("%x", sha256.Sum256(f.Text)), j.sum)
}

// leastShare is the share of a file, in percent, that must be a known licence. The rest is a line of
// copyright, or a sentence on the origin of a file.
const leastShare = 70

// Check returns an error if a module's licences are not permissive, or not understood.
func (m Module) Check() error {
	granted := false
	for _, f := range m.Files {
		if m.judged(f) {
			granted = true
			continue
		}
		if !licenceFile.MatchString(filepath.Base(f.Name)) {
			continue
		}
		if len(f.Kinds) == 0 || f.Share < leastShare {
			return fmt.Errorf("%s: %s is not understood (%v, %.0f %% of its words): read it, and write down what it is in package licences", m.Path, f.Name, f.Kinds, f.Share)
		}
		for _, kind := range f.Kinds {
			if !slices.Contains(permissive, kind) {
				return fmt.Errorf("%s: %s is %s, which is not in the list of permissive licences", m.Path, f.Name, kind)
			}
		}
		granted = true
	}
	if _, ok := judgements[m.Path+" "]; !granted && !ok {
		return fmt.Errorf("%s has no licence", m.Path)
	}
	return nil
}
